#!/usr/bin/env python3
"""Compares `slider-attacks analyze` and `summarize` with python-chess: analyze.py COMMAND [COUNT]

COMMAND is the built binary; COUNT positions of random games (10,000 unless told) go through it on every backend that
this CPU has, and every value of every product is compared, and so are their sums by side to move. Needs python-chess
(pip install chess==1.11.0).
"""

import functools
import itertools
import json
import multiprocessing
import operator
import subprocess
import sys
import time

import chess
import chess.polyglot

from positions import positions

COLORS = {"white": chess.WHITE, "black": chess.BLACK}
PRODUCTS = "pieces,maps,counts,mobility,pins,xrays,hanging,exchanges,forks,skewers,relative_pins,discovered,batteries,overloaded,trapped,safe_mobility,pawns,king_ring,safe_checks,legal_moves,status,keys,threats"
BACKENDS = ["scalar", "bmi2", "ssse3", "avx2", "avx2-gfni", "avx512", "avx512-gfni", "neon"]
MOTIFS = ["forks", "skewers", "relatively_pinned", "discovered", "batteries", "overloaded"]
TACTICS = [f"{color}_{motif}" for color in COLORS for motif in MOTIFS]
# By type of piece, in tactics.
WORTH = [None, 1, 2, 2, 3, 4, 5]
WHOSE = ["own", "enemy", "any"]
VALUES = ["1,3,3,5,9", "10,32,33,50,63", "4,9,2,7,1"]
PINNED = ["capture", "stay"]
# Exchanges and moves that are easy to get wrong: checks, pins, en passant, castling, also in Chess960.
HARD = """\
4k3/8/1n6/3p4/8/4N3/8/3RK3 w - - 0 1
3r3k/3r4/3q4/3p4/8/3R4/3Q4/3RK3 w - - 0 1
3q3k/3r4/3r4/3p4/3Q4/3R4/3R4/3K4 w - - 0 1
7k/6b1/5q2/8/3p4/8/1Q6/B3K3 w - - 0 1
7k/6q1/5b2/8/3p4/2B5/1Q6/B3K3 w - - 0 1
7k/8/4p3/3p4/2P5/1B6/Q7/4K3 w - - 0 1
6bk/5q2/4p3/3p4/2P5/1B6/Q7/4K3 w - - 0 1
k2r4/8/8/8/3R4/8/3p4/7K w - - 0 1
7k/3r4/8/8/3p2Rq/8/8/3RK3 w - - 0 1
7k/8/8/q7/Rq1p2RQ/8/3r4/3RK3 w - - 0 1
8/8/8/3k4/3p4/3K4/8/8 w - - 0 1
8/8/8/8/3p4/3K4/8/k7 w - - 0 1
3r3k/8/8/3K4/3p4/8/8/8 w - - 0 1
7k/8/8/3K4/3p4/8/8/3r4 w - - 0 1
8/8/3k4/3p4/3K4/3R4/8/8 w - - 0 1
8/3r4/3k4/3p4/3K4/3R4/8/8 w - - 0 1
8/8/3k4/3p4/2B1K3/8/8/3R4 w - - 0 1
1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1
1n1rk3/P1P5/8/8/8/8/8/4K3 w - - 0 1
rb2k3/1P6/8/8/8/8/8/R3K3 w - - 0 1
rrq1k3/1P6/8/1Q6/8/8/8/RR2K3 w - - 0 1
4k3/8/8/8/8/8/1p6/R1N1K3 b - - 0 1
1r2k3/8/8/8/8/8/p1p5/1N1RK3 b - - 0 1
4r2k/8/8/3p4/8/4N3/8/4K3 w - - 0 1
4r2k/8/8/8/8/8/4R3/4K3 w - - 0 1
4q2k/4r3/8/8/8/8/4R3/4K3 w - - 0 1
7k/1K6/p6r/8/8/8/8/7R w - - 0 1
4k3/4r3/3p1p2/4p3/3P1P2/8/4R3/4K3 w - - 0 1
8/2k5/3n4/4p3/5B2/6K1/8/8 w - - 0 1
r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 1
r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1
QQQQ3k/QpNQ4/QQQQ4/1n1q4/qbqr4/1R6/8/K7 w - - 0 1
7k/1q1r1b2/2NrN3/1Q1p1Q2/2rRr3/1B1Q1B2/8/K7 w - - 0 1
8/8/8/K2Pp2r/8/8/8/7k w - e6 0 1
8/8/8/K1PpP2r/8/8/8/7k w - d6 0 1
8/8/8/8/k2pP2R/8/8/7K b - e3 0 1
8/6b1/8/3pP3/8/2K5/8/7k w - d6 0 1
8/8/3k4/8/3pP3/8/1Q6/3RK3 b - e3 0 1
4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 1
7k/8/2b5/3pP3/4K3/8/8/8 w - d6 0 1
7k/8/8/2bpP3/2K5/8/8/8 w - d6 0 1
7k/8/6n1/3pP3/5K2/8/8/8 w - d6 0 1
rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 0 1
7k/5Q2/6K1/8/8/8/8/8 b - - 0 1
7k/8/8/8/8/5n2/8/R3K2R w KQ - 0 1
2r4k/8/8/8/8/8/8/R3K2R w KQ - 0 1
1r3r1k/8/8/8/8/8/8/R3K2R w KQ - 0 1
r3k2r/8/8/8/8/8/6N1/4K2R b KQkq - 0 1
r3k2r/8/8/8/8/8/1B4B1/4K3 b kq - 0 1
4k3/8/8/8/8/8/8/rR1K4 w B - 0 1
4k3/8/8/8/8/8/8/1RK4R w BH - 0 1
4k3/8/8/8/8/8/8/RRK3RR w AH - 0 1
4k3/8/8/8/8/8/8/RRK3RR w KQ - 0 1
4k3/8/8/8/8/8/8/5RKR w FH - 0 1
1r3krr/8/8/8/8/8/8/4K3 b bg - 0 1
1r3krr/8/8/8/5R2/8/8/4K3 b bg - 0 1
1rk1r3/8/8/8/8/8/8/2R1K3 b be - 0 1
3rkr2/8/8/8/8/8/8/R3K3 b df - 0 1
R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1
r1bqkbnr/pppnpppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 1
rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPPBPPPP/RN1QKBNR b KQkq d3 0 1
rnbqkbnr/pppp1ppp/8/8/3Pp3/3N4/PPP1PPPP/R1BQKBNR b KQkq d3 0 1
""".splitlines()


def slides(piece, square, occupied):
    """What a slider of this kind attacks among these pieces."""
    attacks = 0
    if piece in (chess.ROOK, chess.QUEEN):
        attacks |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        attacks |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    if piece in (chess.BISHOP, chess.QUEEN):
        attacks |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
    return attacks


def slider_attacks(board, square, occupied):
    """What the slider on `square` attacks among other pieces than those on the board."""
    return slides(board.piece_type_at(square), square, occupied)


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


def lines(board):
    """Each slider with two pieces that are next to each other on a line along which it moves: slider, first, second."""
    for slider in chess.scan_forward(board.bishops | board.rooks | board.queens):
        for second in chess.scan_forward(slider_attacks(board, slider, 0) & board.occupied):
            between = chess.between(slider, second) & board.occupied
            if between.bit_count() == 1:
                yield slider, chess.msb(between), second


def tactics(board):
    """The columns of forks, skewers, relative pins, discovered attacks, batteries and overloaded pieces: lists of squares."""
    worth = {square: WORTH[board.piece_type_at(square)] for square in chess.scan_forward(board.occupied)}
    side = {square: board.color_at(square) for square in worth}
    attacked = {square: list(chess.scan_forward(board.attacks_mask(square) & board.occupied)) for square in worth}
    enemies, defenders = ({square: [] for square in worth} for _ in range(2))
    for square in worth:
        for other in attacked[square]:
            (defenders if side[other] == side[square] else enemies)[other].append(square)
    row = {name: [] for name in TACTICS}

    def is_prey(square, of):
        return worth[square] > worth[of] or not defenders[square] and worth[square] < WORTH[chess.KING]

    def add(column, color, square):
        row[f"{chess.COLOR_NAMES[color]}_{column}"].append(square)

    wards = [defenders[square] for square in worth if enemies[square] and worth[square] < WORTH[chess.KING]]
    for square in worth:
        if len([other for other in attacked[square] if side[other] != side[square] and is_prey(other, square)]) >= 2:
            add("forks", side[square], square)
        if wards.count([square]) >= 2:
            add("overloaded", side[square], square)
    for slider in chess.scan_forward(board.bishops | board.rooks | board.queens):
        for other in attacked[slider]:
            if side[other] == side[slider] and slider_attacks(board, other, 0) & chess.BB_SQUARES[slider]:
                add("batteries", side[other], other)
    for slider, first, second in lines(board):
        color, sides = side[slider], (side[first] == side[slider], side[second] == side[slider])
        if sides == (False, False) and worth[second] <= worth[first]:
            add("skewers", color, first)
        if sides == (False, False) and worth[first] < worth[second] < WORTH[chess.KING]:
            add("relatively_pinned", not color, first)
        if sides == (True, False) and is_prey(second, slider):
            add("discovered", color, first)
    return {name: sum(chess.BB_SQUARES[square] for square in set(squares)) for name, squares in row.items()}


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


def exchange(board, color, square, values, fixed):
    """What `color` gains by captures on `square`. `fixed` are the pieces that take no part because they are pinned."""
    last = chess.square_rank(square) in (0, 7)

    def gain(color, victim, occupied):
        """What `color` gains by taking `victim`, which stands on the square now, with these pieces left."""
        captors = board.attackers_mask(color, square, occupied) & occupied & ~fixed
        for kind in sorted(chess.PIECE_TYPES, key=lambda kind: values[kind]):
            if captors & board.pieces_mask(kind, color):
                break
        else:
            return 0
        captor = next(chess.scan_forward(captors & board.pieces_mask(kind, color)))
        rest = occupied & ~chess.BB_SQUARES[captor]
        if kind == chess.KING and board.attackers_mask(not color, square, rest) & rest:
            return 0
        won = values[victim]
        if kind == chess.PAWN and last:
            won, kind = won + values[chess.QUEEN] - values[chess.PAWN], chess.QUEEN
        return max(0, won - gain(not color, kind, rest))

    return gain(color, board.piece_type_at(square), board.occupied)


def pins(board):
    """The pieces of both sides that are pinned, and the lines of their pins."""
    pieces = [(color, at) for color in chess.COLORS for at in chess.scan_forward(board.occupied_co[color])]
    return [(chess.BB_SQUARES[at], chess.ray(board.king(color), at)) for color, at in pieces if board.is_pinned(color, at)]


def fixed_pieces(pins, square):
    """The pieces that are pinned, and whose pin does not lead to `square`."""
    return sum(piece for piece, line in pins if not chess.BB_SQUARES[square] & line)


def safe_moves(board, start, values, pinned):
    """How many moves of the piece on `start` do not lose it: they are played, and then the other side captures."""
    safe, piece = 0, board.piece_at(start)
    before = pins(board) if pinned == "stay" else []
    for end in chess.scan_forward(board.attacks_mask(start) & ~board.occupied_co[piece.color] & ~board.kings):
        if fixed_pieces(before, end) & chess.BB_SQUARES[start]:
            continue
        victim = board.piece_at(end)
        board.remove_piece_at(start)
        board.set_piece_at(end, piece)
        if board.is_attacked_by(not piece.color, end):
            fixed = fixed_pieces(pins(board), end) if pinned == "stay" else 0
            lost = exchange(board, not piece.color, end, values, fixed & ~chess.BB_SQUARES[end])
            safe += lost <= (values[victim.piece_type] if victim else 0)
        else:
            safe += 1
        board.set_piece_at(end, victim)
        board.set_piece_at(start, piece)
    return safe


def attackers_of(color, square):
    """The squares from which a pawn of `color` attacks this one, now or once it has advanced."""
    beside = [start for start in chess.SQUARES if abs(chess.square_file(start) - chess.square_file(square)) == 1]
    behind = lambda start: (chess.square_rank(square) - chess.square_rank(start)) * (1 if color else -1) > 0
    return sum(chess.BB_SQUARES[start] for start in beside if behind(start))


# By colour and square; the second one has the own file as well.
PAWN_SOURCES = [[attackers_of(color, square) for square in chess.SQUARES] for color in (chess.BLACK, chess.WHITE)]
PAWN_FRONTS = [
    [
        sum(chess.BB_SQUARES[ahead] for ahead in chess.SQUARES if attackers_of(color, ahead) & chess.BB_SQUARES[square])
        | sum(
            chess.BB_SQUARES[ahead]
            for ahead in chess.SquareSet(chess.BB_FILES[chess.square_file(square)])
            if (ahead - square) * (1 if color else -1) > 0
        )
        for square in chess.SQUARES
    ]
    for color in (chess.BLACK, chess.WHITE)
]
FILES_BESIDE = [sum(chess.BB_FILES[file] for file in range(8) if abs(file - own) == 1) for own in range(8)]
OUTPOST_RANKS = [chess.BB_RANK_5 | chess.BB_RANK_4 | chess.BB_RANK_3, chess.BB_RANK_4 | chess.BB_RANK_5 | chess.BB_RANK_6]


def pawns(board, color):
    """The pawns of each kind, and the outposts."""
    own, enemies = (board.pieces_mask(chess.PAWN, side) for side in (color, not color))
    sets = dict.fromkeys(["passed", "isolated", "doubled", "backward", "outposts"], 0)
    for pawn in chess.scan_forward(own):
        file, stop = chess.square_file(pawn), pawn + (8 if color else -8)
        kinds = {
            "passed": not PAWN_FRONTS[color][pawn] & enemies,
            "isolated": not FILES_BESIDE[file] & own,
            "doubled": chess.BB_FILES[file] & own != chess.BB_SQUARES[pawn],
            "backward": chess.BB_PAWN_ATTACKS[color][stop] & enemies and not PAWN_SOURCES[color][stop] & own,
        }
        for kind, holds in kinds.items():
            sets[kind] |= chess.BB_SQUARES[pawn] if holds else 0
        for square in chess.scan_forward(chess.BB_PAWN_ATTACKS[color][pawn] & OUTPOST_RANKS[color]):
            if not PAWN_SOURCES[not color][square] & enemies:
                sets["outposts"] |= chess.BB_SQUARES[square]
    return sets


def safe_checks(board, color):
    """The squares where a piece of `color` can go to attack the king, and is not attacked then: the moves are played."""
    king, found = board.king(not color), 0
    for start in chess.scan_forward(board.occupied_co[color] & ~board.pawns & ~board.kings):
        piece = board.piece_at(start)
        for end in chess.scan_forward(board.attacks_mask(start) & ~board.occupied_co[color] & ~board.kings):
            victim = board.piece_at(end)
            board.remove_piece_at(start)
            board.set_piece_at(end, piece)
            if king in board.attacks(end) and not board.is_attacked_by(not color, end):
                found |= chess.BB_SQUARES[end]
            board.set_piece_at(end, victim)
            board.set_piece_at(start, piece)
    return found


def legal_moves(board):
    """How many legal moves there are; no king is captured."""
    king = board.king(not board.turn)
    return sum(move.to_square != king for move in board.legal_moves)


def identity(board):
    """What a position is for the count of repetitions."""
    castling = board.clean_castling_rights()
    ep_square = board.ep_square if board.has_legal_en_passant() else None
    return board.board_fen(), board.turn, castling, ep_square


def images(board):
    """The position and its mirror images."""
    symmetries = [lambda set: set]
    if not board.clean_castling_rights():
        symmetries.append(chess.flip_horizontal)
        if not board.pawns:
            both = [chess.flip_diagonal, lambda set: chess.flip_horizontal(chess.flip_diagonal(set))]
            symmetries += both
            symmetries += [lambda set, of=of: chess.flip_vertical(of(set)) for of in symmetries]
    for symmetry in symmetries:
        image = board.transform(symmetry)
        yield from (image, image.mirror())


def board_of(fen):
    """The position. python-chess reports an en passant square that no pawn can have passed as invalid, but generates the
    capture, so it is left out."""
    board = chess.Board(fen, chess960=True)
    if board.status() & chess.STATUS_INVALID_EP_SQUARE:
        board.ep_square = None
    return board


def status_and_keys(board, moves):
    """The columns of `status` and `keys` of a position with this number of legal moves. The keys of this library are what they
    identify."""
    return {
        "in_check": int(board.is_check()),
        "checkmate": int(board.is_check() and moves == 0),
        "stalemate": int(not board.is_check() and moves == 0),
        "insufficient_material": int(board.is_insufficient_material()),
        "position_key": identity(board),
        "canonical_key": min(repr(identity(image)) for image in images(board)),
        "polyglot_key": chess.polyglot.zobrist_hash(board),
    }


def identify(row, wanted, known):
    """Replaces the keys of this library by what they identify: the same has the same key, and nothing else has it."""
    for name in ("position_key", "canonical_key"):
        key = row[name]
        row[name] = known.setdefault((name, key), wanted[name])
        if known.setdefault((name, wanted[name]), key) != key:
            row[name] = "another key before"


def expected(fen, through, victims, values, pinned):
    """All that the command tells about a position, from python-chess."""
    board = board_of(fen)
    row = {"mobility": [0] * 64, "safe_mobility": [0] * 64, "threats": [], "legal_moves": legal_moves(board), **tactics(board)}
    row |= status_and_keys(board, row["legal_moves"])
    fixed = pins(board) if pinned == "stay" else []
    for name, color in COLORS.items():
        own, king = board.occupied_co[color], board.king(color)
        for kind in chess.PIECE_TYPES:
            row[f"{name}_{chess.piece_name(kind)}s"] = board.pieces_mask(kind, color)
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
        for kind, squares in pawns(board, color).items():
            row[f"{name}_{kind}"] = squares
        ring = chess.BB_KING_ATTACKS[king] | chess.BB_SQUARES[king]
        near = [board.attackers_mask(not color, square) for square in chess.scan_forward(ring)]
        row[f"{name}_king_ring"] = functools.reduce(operator.or_, near)
        row[f"{name}_hanging"] = sum(chess.BB_SQUARES[square] for square in others if is_hanging(square))
        row["threats"] += threats(board, color, victims)
        gains = [0] * 64
        for square in chess.scan_forward(board.occupied_co[not color] & attacks & ~board.kings):
            gains[square] = exchange(board, color, square, values, fixed_pieces(fixed, square))
        row[f"{name}_wins"] = sum(chess.BB_SQUARES[square] for square in chess.SQUARES if gains[square])
        row[f"{name}_gains"] = gains
    for name, color in COLORS.items():
        row[f"{name}_safe_checks"] = safe_checks(board, color)
    movers = board.occupied & ~board.pawns & ~board.kings
    for square in chess.scan_forward(movers):
        row["safe_mobility"][square] = safe_moves(board, square, values, pinned)
    for name, other in (("white", "black"), ("black", "white")):
        lost = chess.scan_forward(row[f"{other}_wins"] & movers)
        row[f"{name}_trapped"] = sum(chess.BB_SQUARES[square] for square in lost if not row["safe_mobility"][square])
    return row


def add(sums, side, row):
    """Adds a position to the sums of the side to move: their number, and for each column and square how often and how many."""
    group = sums.setdefault(side, [0, {}])
    group[0] += 1
    values = {name: value for name, value in row.items() if name != "threats" and not name.endswith("_key")}
    for color, name in ((0, "white_threats"), (1, "black_threats")):
        ends = [chess.parse_square(threat[-2:]) for threat in row["threats"] if threat[0].islower() == bool(color)]
        values[name] = [ends.count(square) for square in chess.SQUARES]
    for name in ("legal_moves", "in_check", "checkmate", "stalemate", "insufficient_material"):
        values[name] = [values[name]]
    for name, value in values.items():
        places = range(len(value) if isinstance(value, list) else 64)
        column = group[1].setdefault(name, [[0, 0] for _ in places])
        for square in places:
            number = value[square] if isinstance(value, list) else value >> square & 1
            column[square][0] += number > 0
            column[square][1] += number


def compare(chunk):
    """The differences in some (FEN, rows by run, options) and how many values were compared."""
    fens, rows, summary, through, victims, values, pinned = chunk
    # By type of piece; the king is the last to take.
    numbers = [None, *(int(value) for value in values.split(",")), 64]
    differences, values = [], 0
    sums = {}
    known = {}
    for place, fen in enumerate(fens):
        wanted = expected(fen, through, victims, numbers, pinned)
        add(sums, {"w": "white", "b": "black"}[fen.split()[1]], wanted)
        for backend, lines in rows.items():
            row = json.loads(lines[place])
            row.pop("line")
            row = {name: int(value, 16) if isinstance(value, str) else value for name, value in row.items()}
            values += len(wanted)
            identify(row, wanted, known)
            if row != wanted:
                names = [name for name in wanted if row.get(name) != wanted[name]]
                differences.append(f"{backend}, {', '.join(names)}: {fen}")
    for line in summary:
        row = json.loads(line)
        if row["column"].startswith("difference_"):
            continue
        positions, columns = sums[row["side"]]
        # A number of the position as a whole has no square.
        count, total = columns[row["column"]][chess.parse_square(row["square"]) if row["square"] else 0]
        values += 1
        if [row["positions"], row["count"], row["sum"]] != [positions, count, total]:
            differences.append(f"summarize, {line}: expected {positions} positions, {count}, {total}")
    return differences, values


def main(command, count=10_000):
    started = time.monotonic()
    fens = list(positions(int(count)))
    backends = [name for name in BACKENDS if has(command, name)]
    # Each position is compared once, and the options take turns; the hard exchanges with all values.
    options = list(itertools.product(WHOSE, WHOSE, VALUES, PINNED))
    size = -(-len(fens) // len(options))
    parts = [(fens[start : start + size], some) for start, some in zip(range(0, len(fens), size), options)]
    parts += [(HARD, ("own", "own", values, pinned)) for values, pinned in itertools.product(VALUES, PINNED)]
    chunks = []
    for part, some in parts:
        names = zip(["--through", "--victims", "--values", "--pinned"], some)
        arguments = [argument for option in names for argument in option]
        rows = {}
        for backend in backends:
            rows[backend] = run(command, "analyze", ["--backend", backend, *arguments], "\n".join(part) + "\n")
            assert len(rows[backend]) == len(part), "a row is missing"
        summary = run(command, "summarize", ["--backend", backends[-1], *arguments, "--by", "side"], "\n".join(part) + "\n")
        chunks.append((part, rows, summary, *some))
    with multiprocessing.Pool() as pool:
        results = pool.map(compare, chunks, chunksize=1)
    differences = [difference for found, _ in results for difference in found]
    values = sum(values for _, values in results)
    print(*differences[:20], sep="\n", end="\n" if differences else "")
    seconds = time.monotonic() - started
    print(
        f"{len(fens)} positions ({len(set(fens))} different), backends {', '.join(backends)}: "
        f"{values} values against python-chess {chess.__version__}, {len(differences)} differences ({seconds:.0f} s)"
    )
    return 1 if differences else 0


def has(command, backend):
    return subprocess.run([command, "--backend", backend, "cpu"], capture_output=True).returncode == 0


def run(command, what, arguments, text):
    products = PRODUCTS if what == "analyze" else PRODUCTS.replace("keys,", "")  # which have no sums
    arguments = [command, what, "-", "--what", products, "--format", "jsonl", *arguments]
    return subprocess.run(arguments, input=text, capture_output=True, text=True, check=True).stdout.splitlines()


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
