#!/usr/bin/env python3
"""Compares `slider-attacks analyze` and `summarize` with python-chess: analyze.py COMMAND [COUNT]

COMMAND is the built binary; COUNT positions of random games (20,000 unless told) go through it on every backend that
this CPU has, and every value of every product is compared, and so are their sums by side to move. Needs python-chess
(pip install chess==1.11.0).
"""

import itertools
import json
import multiprocessing
import subprocess
import sys
import time

import chess

from positions import positions

COLORS = {"white": chess.WHITE, "black": chess.BLACK}
PRODUCTS = "maps,counts,mobility,pins,xrays,hanging,threats"
WHOSE = ["own", "enemy", "any"]


def slider_attacks(board, square, occupied):
    """What the slider on `square` attacks among other pieces than those on the board."""
    attacks = 0
    piece = board.piece_type_at(square)
    if piece in (chess.ROOK, chess.QUEEN):
        attacks |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        attacks |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    if piece in (chess.BISHOP, chess.QUEEN):
        attacks |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
    return attacks


def side(board, color, whose):
    """The pieces of that side, seen from `color`."""
    own, enemy = board.occupied_co[color], board.occupied_co[not color]
    return {"own": own, "enemy": enemy, "any": own | enemy}[whose]


def xrays(board, color, whose):
    """What the sliders of `color` attack once the first pieces in their way, if of that side, are gone."""
    sliders = board.occupied_co[color] & (board.rooks | board.bishops | board.queens)
    seen = 0
    for square in chess.scan_forward(sliders):
        attacks = slider_attacks(board, square, board.occupied)
        gone = attacks & side(board, color, whose)
        seen |= slider_attacks(board, square, board.occupied & ~gone) & ~attacks
    return seen


def threats(board, color, whose):
    """`Qd1xpd5` and so on: by kind of attacker, its square, the square of the victim."""
    found = []
    victims = side(board, color, whose)
    for kind in chess.PIECE_TYPES:
        for start in chess.scan_forward(board.pieces_mask(kind, color)):
            for end in chess.scan_forward(board.attacks_mask(start) & victims):
                names = chess.square_name(start), chess.square_name(end)
                found.append(f"{board.piece_at(start)}{names[0]}x{board.piece_at(end)}{names[1]}")
    return found


def expected(fen, through, victims):
    """All that the command tells about a position, from python-chess."""
    board = chess.Board(fen)
    row = {"mobility": [0] * 64, "threats": []}
    for name, color in COLORS.items():
        own, king = board.occupied_co[color], board.king(color)
        attacks = 0
        for square in chess.scan_forward(own):
            attacks |= board.attacks_mask(square)
            row["mobility"][square] = (board.attacks_mask(square) & ~own).bit_count()
        others = [square for square in chess.scan_forward(own) if square != king]
        is_hanging = lambda square: board.is_attacked_by(not color, square) and not board.is_attacked_by(color, square)
        row[f"{name}_attacks"] = attacks
        row[f"{name}_attackers"] = [board.attackers_mask(color, square).bit_count() for square in chess.SQUARES]
        row[f"{name}_king_checkers"] = board.attackers_mask(not color, king)
        row[f"{name}_pinned"] = sum(chess.BB_SQUARES[square] for square in others if board.is_pinned(color, square))
        row[f"{name}_xrays"] = xrays(board, color, through)
        row[f"{name}_hanging"] = sum(chess.BB_SQUARES[square] for square in others if is_hanging(square))
        row["threats"] += threats(board, color, victims)
    return row


def add(sums, side, row):
    """Adds a position to the sums of the side to move: their number, and for each column and square how often and how many."""
    group = sums.setdefault(side, [0, {}])
    group[0] += 1
    values = {name: value for name, value in row.items() if name != "threats"}
    for color, name in ((0, "white_threats"), (1, "black_threats")):
        ends = [chess.parse_square(threat[-2:]) for threat in row["threats"] if threat[0].islower() == bool(color)]
        values[name] = [ends.count(square) for square in chess.SQUARES]
    for name, value in values.items():
        column = group[1].setdefault(name, [[0, 0] for _ in chess.SQUARES])
        for square in chess.SQUARES:
            number = value[square] if isinstance(value, list) else value >> square & 1
            column[square][0] += number > 0
            column[square][1] += number


def compare(chunk):
    """The differences in some (FEN, rows by run, options) and how many values were compared."""
    fens, rows, summary, through, victims = chunk
    differences, values = [], 0
    sums = {}
    for place, fen in enumerate(fens):
        wanted = expected(fen, through, victims)
        add(sums, {"w": "white", "b": "black"}[fen.split()[1]], wanted)
        for backend, lines in rows.items():
            row = json.loads(lines[place])
            row.pop("line")
            row = {name: int(value, 16) if isinstance(value, str) else value for name, value in row.items()}
            values += len(wanted)
            if row != wanted:
                names = [name for name in wanted if row.get(name) != wanted[name]]
                differences.append(f"{backend}, {', '.join(names)}: {fen}")
    for line in summary:
        row = json.loads(line)
        if row["column"].startswith("difference_"):
            continue
        positions, columns = sums[row["side"]]
        count, total = columns[row["column"]][chess.parse_square(row["square"])]
        values += 1
        if [row["positions"], row["count"], row["sum"]] != [positions, count, total]:
            differences.append(f"summarize, {line}: expected {positions} positions, {count}, {total}")
    return differences, values


def main(command, count=20_000):
    started = time.monotonic()
    fens = list(positions(int(count)))
    backends = [name for name in ["scalar", "bmi2", "ssse3", "avx2", "avx2-gfni", "avx512", "avx512-gfni"] if has(command, name)]
    # Each position is compared once, and the options take turns.
    options = [(through, victims) for through in WHOSE for victims in WHOSE]
    size = -(-len(fens) // (4 * len(options)))
    chunks = []
    for start, (through, victims) in zip(range(0, len(fens), size), itertools.cycle(options)):
        part = fens[start : start + size]
        rows = {}
        for backend in backends:
            arguments = ["--backend", backend, "--through", through, "--victims", victims]
            rows[backend] = run(command, "analyze", arguments, "\n".join(part) + "\n")
            assert len(rows[backend]) == len(part), "a row is missing"
        summary = run(command, "summarize", [*arguments, "--by", "side"], "\n".join(part) + "\n")
        chunks.append((part, rows, summary, through, victims))
    with multiprocessing.Pool() as pool:
        results = pool.map(compare, chunks, chunksize=1)
    differences = [difference for found, _ in results for difference in found]
    values = sum(values for _, values in results)
    print(*differences[:20], sep="\n", end="\n" if differences else "")
    seconds = time.monotonic() - started
    print(
        f"{len(fens)} positions ({len(set(fens))} different), backends {', '.join(backends)}: "
        f"{values} values beside python-chess {chess.__version__}, {len(differences)} differences ({seconds:.0f} s)"
    )
    return 1 if differences else 0


def has(command, backend):
    return subprocess.run([command, "--backend", backend, "cpu"], capture_output=True).returncode == 0


def run(command, what, arguments, text):
    arguments = [command, what, "-", "--what", PRODUCTS, "--format", "jsonl", *arguments]
    return subprocess.run(arguments, input=text, capture_output=True, text=True, check=True).stdout.splitlines()


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
