"""`where`: conditions hold for the positions for which an evaluator on python-chess says so.

Random conditions are made as text, each part with a function that says what it means. No code is shared with the package. For more
of them: CONDITIONS=100000 pytest python/tests/test_where.py
"""

from __future__ import annotations

import operator
import os
import pathlib
import random
import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import chess
import chess.pgn
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import slider_attacks

ALL = (1 << 64) - 1
COLORS = {"white": chess.WHITE, "black": chess.BLACK}
PIECES = {"pawns": 1, "knights": 2, "bishops": 3, "rooks": 4, "queens": 5, "kings": 6}
STEPS = {
    "north": (1, 0),
    "south": (-1, 0),
    "east": (0, 1),
    "west": (0, -1),
    "northeast": (1, 1),
    "northwest": (1, -1),
    "southeast": (-1, 1),
    "southwest": (-1, -1),
}
RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
NUMBER = re.compile(r"[+-]?\d+(\.\d*)?")


class Row:
    """A position, and what a file says of it."""

    def __init__(self, board: chess.Board, values: dict[str, str]) -> None:
        self.board, self.values = board, values

    @cached_property
    def swapped(self) -> Row:
        return Row(self.board.mirror(), self.values)

    @cached_property
    def mirrored(self) -> Row:
        return Row(self.board.transform(chess.flip_horizontal), self.values)

    @cached_property
    def after(self) -> list[Row]:
        rows = []
        for move in self.board.legal_moves:
            board = self.board.copy(stack=False)
            board.push(move)
            rows.append(Row(board, self.values))
        return rows

    @cached_property
    def counts(self) -> dict[bool, list[int]]:
        """How many pieces of each side attack each square."""
        counts = {color: [0] * 64 for color in chess.COLORS}
        for square, piece in self.board.piece_map().items():
            for target in self.board.attacks(square):
                counts[piece.color][target] += 1
        return counts

    @cached_property
    def columns(self) -> dict[str, int]:
        """Sets of products."""
        board, found = self.board, {}
        for name, color in COLORS.items():
            attacked = {
                side: mask(square for square in range(64) if self.counts[side][square]) for side in chess.COLORS
            }
            king = board.king(color)
            assert king is not None
            found[f"{name}_attacks"] = attacked[color]
            found[f"{name}_pinned"] = mask(
                square for square in chess.SquareSet(board.occupied_co[color]) if board.is_pinned(color, square)
            )
            found[f"{name}_king_checkers"] = int(board.attackers_mask(not color, king))
            own = board.occupied_co[color] & ~board.kings
            found[f"{name}_hanging"] = own & attacked[not color] & ~attacked[color]
            pawns = board.pieces_mask(chess.PAWN, color)
            files = [chess.BB_FILES[file] for file in range(8)]
            near = [sum(files[other] for other in [file - 1, file + 1] if 0 <= other < 8) for file in range(8)]
            found[f"{name}_isolated"] = sum(pawns & files[file] for file in range(8) if not pawns & near[file])
            found[f"{name}_doubled"] = sum(pawns & line for line in files if (pawns & line).bit_count() > 1)
        return found


def mask(squares: Any) -> int:
    return sum(1 << square for square in squares)


def squares(found: int) -> list[int]:
    return [square for square in range(64) if found >> square & 1]


def shifted(found: int, step: tuple[int, int]) -> int:
    moved = [(square // 8 + step[0], square % 8 + step[1]) for square in squares(found)]
    return mask(rank * 8 + file for rank, file in moved if 0 <= rank < 8 and 0 <= file < 8)


def between(one: int, other: int) -> int:
    found = 0
    for first in squares(one):
        for second in squares(other):
            found |= chess.between(first, second)
    return found


def attacks_of(row: Row, kind: str, places: int) -> int:
    color, piece = (
        (True, 1) if kind == "white_pawn" else (False, 1) if kind == "black_pawn" else (True, PIECES[kind + "s"])
    )
    found = 0
    for square in squares(places):
        board = chess.BaseBoard.empty()
        board.occupied = row.board.occupied | 1 << square
        board.occupied_co[color] = 1 << square
        setattr(board, f"{chess.piece_name(piece)}s", 1 << square)
        found |= board.attacks_mask(square)
    return found


def phase(board: chess.Board) -> str:
    worth = {2: 1, 3: 1, 4: 2, 5: 4}
    material = sum(worth.get(piece.piece_type, 0) for piece in board.piece_map().values())
    return "opening" if material >= 20 else "middlegame" if material >= 9 else "endgame"


def number_of(text: str) -> float | None:
    return float(text) if NUMBER.fullmatch(text.strip()) else None


Choice = TypeVar("Choice")


class Part(NamedTuple):
    """A part of a condition: its text, and its value for a row."""

    text: str
    value: Callable[[Row], Any]


class Maker:
    """Makes random conditions."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def one(self, choices: Iterable[Choice]) -> Choice:
        return self.random.choice(list(choices))

    def set(self, depth: int) -> Part:
        if depth == 0 or self.random.random() < 0.3:
            return self.simple_set()
        inner = self.set(depth - 1)
        match self.random.randrange(7):
            case 0:
                name, step = self.one(STEPS.items())
                return Part(f"{name}({inner.text})", lambda row: shifted(inner.value(row), step))
            case 1:
                return Part(f"~{self.bracketed(inner)}", lambda row: ALL & ~inner.value(row))
            case 2:
                return Part(f"flipped({inner.text})", lambda row: chess.flip_vertical(inner.value(row)))
            case 3:
                other = self.simple_set()
                return Part(
                    f"between({inner.text}, {other.text})", lambda row: between(inner.value(row), other.value(row))
                )
            case 4:
                kind = self.one(["white_pawn", "black_pawn", "knight", "bishop", "rook", "queen", "king"])
                return Part(f"attacks_of({kind}, {inner.text})", lambda row: attacks_of(row, kind, inner.value(row)))
            case _:
                signs: dict[str, Callable[[int, int], int]] = {
                    "&": operator.and_,
                    "|": operator.or_,
                    "^": operator.xor,
                    "-": lambda one, other: one & ~other,
                }
                sign, combine = self.one(signs.items())
                other = self.set(depth - 1)
                text = f"({self.bracketed(inner)} {sign} {self.bracketed(other)})"
                return Part(text, lambda row: combine(inner.value(row), other.value(row)))

    def bracketed(self, part: Part) -> str:
        return f"({part.text})" if self.random.random() < 0.2 or " " in part.text else part.text

    def simple_set(self) -> Part:
        color, side = self.one(COLORS.items())
        name, piece = self.one(PIECES.items())
        square = self.random.randrange(64)
        file, rank = sorted(self.random.choices(range(8), k=2)), sorted(self.random.choices(range(8), k=2))
        bits = self.random.getrandbits(64)
        column = self.one(["attacks", "pinned", "king_checkers", "hanging", "isolated", "doubled"])
        letters = "abcdefgh"
        areas = {"light": chess.BB_LIGHT_SQUARES, "dark": chess.BB_DARK_SQUARES, "center": chess.BB_CENTER}
        area = self.one(areas)
        return self.one(
            [
                Part(f"{color}_{name}", lambda row: row.board.pieces_mask(piece, side)),
                Part(f"{color}_{name}", lambda row: row.board.pieces_mask(piece, side)),
                Part(name, lambda row: row.board.pieces_mask(piece, True) | row.board.pieces_mask(piece, False)),
                Part(color, lambda row: row.board.occupied_co[side]),
                Part("occupied", lambda row: row.board.occupied),
                Part("empty", lambda row: ALL & ~row.board.occupied),
                Part(chess.square_name(square), lambda row: 1 << square),
                Part(
                    f'files("{letters[file[0]]}-{letters[file[1]]}")',
                    lambda row: mask(square for square in range(64) if file[0] <= square % 8 <= file[1]),
                ),
                Part(
                    f'ranks("{rank[0] + 1}-{rank[1] + 1}")',
                    lambda row: mask(square for square in range(64) if rank[0] <= square // 8 <= rank[1]),
                ),
                Part(f"ranks({rank[0] + 1})", lambda row: 0xFF << 8 * rank[0]),
                Part(area, lambda row: areas[area]),
                Part(f"{bits:#x}", lambda row: bits),
                Part(f"{color}_{column}", lambda row: row.columns[f"{color}_{column}"]),
                Part(f"{color}_{column}", lambda row: row.columns[f"{color}_{column}"]),
            ]
        )

    def number(self, depth: int, moves: bool) -> Part:
        color, side = self.one(COLORS.items())
        square = self.random.randrange(64)
        found = self.set(min(depth, 2))
        choices = [
            Part(f"count({found.text})", lambda row: found.value(row).bit_count()),
            Part(f"{color}_attackers[{chess.square_name(square)}]", lambda row: row.counts[side][square]),
            Part(
                f"sum({color}_attackers, {found.text})",
                lambda row: sum(row.counts[side][square] for square in squares(found.value(row))),
            ),
            Part(
                f"max({color}_attackers, {found.text})",
                lambda row: max((row.counts[side][square] for square in squares(found.value(row))), default=0),
            ),
        ]
        if moves:
            choices += [
                Part("legal_moves", lambda row: row.board.legal_moves.count()),
                Part("count(moves)", lambda row: row.board.legal_moves.count()),
                Part("in_check", lambda row: int(row.board.is_check())),
                Part("checkmate", lambda row: int(row.board.is_checkmate())),
                Part("stalemate", lambda row: int(row.board.is_stalemate())),
            ]
        part: Part = self.one(choices)
        if depth == 0 or self.random.random() < 0.6:
            return part
        signs: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
        (sign, compute), other = self.one(signs.items()), self.number(depth - 1, moves)
        if self.random.random() < 0.3:
            return Part(f"abs({part.text} - {other.text})", lambda row: abs(part.value(row) - other.value(row)))
        return Part(f"({part.text} {sign} {other.text})", lambda row: compute(part.value(row), other.value(row)))

    def pattern(self) -> Part:
        generator = self.random
        color, side = self.one(COLORS.items())
        name = self.one(["opening", "middlegame", "endgame"])
        placed = chess.BaseBoard.empty()
        for _ in range(generator.randrange(1, 4)):
            placed.set_piece_at(
                generator.randrange(8, 56), chess.Piece(generator.randrange(1, 3), self.one([True, False]))
            )
        fen, pieces = placed.board_fen(), placed.piece_map()
        more = ["".join(generator.choices("PNBRQ", k=generator.randrange(3))) for _ in range(2)]
        letters = "".join(self.one(["", "P", "R", "Q", "BN", "p", "r", "n"]) for _ in range(3))

        def imbalance(row: Row) -> bool:
            counts = [len(row.board.pieces(piece, True)) - len(row.board.pieces(piece, False)) for piece in range(1, 6)]
            return counts == [more[0].count(letter) - more[1].count(letter) for letter in "PNBRQ"]

        def material(row: Row) -> bool:
            found = sorted(piece.symbol() for piece in row.board.piece_map().values())
            return found == sorted(letters + "Kk")

        return self.one(
            [
                Part(f"turn = {color}", lambda row: row.board.turn == side),
                Part(f"{color}_to_move", lambda row: row.board.turn == side),
                Part(f"turn != {color}", lambda row: row.board.turn != side),
                Part(f"phase = {name}", lambda row: phase(row.board) == name),
                Part(f"phase in ({name}, opening)", lambda row: phase(row.board) in (name, "opening")),
                Part(
                    f'board("{fen}")', lambda row: all(row.board.piece_at(at) == piece for at, piece in pieces.items())
                ),
                Part(f'imbalance("{more[0]}v{more[1]}")', imbalance),
                Part(f'material = "{letters}"', material),
                Part(f'material("K{letters}")', material),
            ]
        )

    def of_input(self) -> Part:
        relation, compare = self.one(RELATIONS.items())
        limit, name = self.random.randrange(-3, 80), self.one(["b", "Carlsen", "", "12"])
        names = self.random.sample(["a", "b", "Carlsen", "", "12"], k=2)
        numbers = [self.random.randrange(80) for _ in range(6)]

        def number(row: Row, column: str, value: float) -> bool:
            found = number_of(row.values[column])
            return found is not None and compare(found, value)

        def columns(row: Row) -> bool:
            one, other = row.values["ply"], row.values["name"]
            both = number_of(one), number_of(other)
            if None not in both:
                return compare(*both)
            # Texts compare with texts, and an empty cell is no value.
            return both == (None, None) and "" not in (one, other) and compare(one, other)

        return self.one(
            [
                Part(f"ply {relation} {limit}", lambda row: number(row, "ply", limit)),
                Part(f"`ply` {relation} {limit}.5", lambda row: number(row, "ply", float(f"{limit}.5"))),
                Part(f'name {relation} "{name}"', lambda row: compare(row.values["name"], name)),
                Part(f"name {relation} {limit}", lambda row: number(row, "name", limit)),
                Part(f"ply {relation} name", columns),
                Part(f"name in ('{names[0]}', \"{names[1]}\")", lambda row: row.values["name"] in names),
                Part(
                    f'starts_with(name, "C", "{names[1]}")', lambda row: row.values["name"].startswith(("C", names[1]))
                ),
                Part(f"ply in ({', '.join(map(str, numbers))})", lambda row: number_of(row.values["ply"]) in numbers),
                Part("ply not in (1, 2)", lambda row: number_of(row.values["ply"]) not in (1, 2)),
            ]
        )

    def truth(self, depth: int, moves: bool = True, inputs: bool = True) -> Part:
        """A condition. Whether a move is legal depends on castling, which has no mirror image, and values of the input have none."""
        kind = self.random.randrange(10)
        if depth > 0 and kind < 5:
            one, other = (self.truth(depth - 1, moves, inputs) for _ in range(2))
            match kind:
                case 0 | 1:
                    more = [self.truth(depth - 1, moves, inputs) for _ in range(self.random.randrange(2))]
                    parts = [one, other, *more]
                    word, join = self.one([("and", all), ("or", any)])
                    return Part(
                        f"({f' {word} '.join(part.text for part in parts)})",
                        lambda row: join(part.value(row) for part in parts),
                    )
                case 2:
                    return Part(f"not {one.text}", lambda row: not one.value(row))
                case 3:
                    inner = self.truth(depth - 1, moves, inputs=False)
                    return Part(f"either({inner.text})", lambda row: inner.value(row) or inner.value(row.swapped))
                case _:
                    inner = self.truth(depth - 1, moves=False, inputs=False)
                    return Part(f"mirrored({inner.text})", lambda row: inner.value(row) or inner.value(row.mirrored))
        if kind == 5 and inputs:
            return self.of_input()
        if kind == 6:
            return self.pattern()
        if kind == 7 and moves and self.random.random() < 0.15:
            inner = self.truth(0, moves=False, inputs=inputs)
            if self.random.random() < 0.5:
                return Part(f"after({inner.text})", lambda row: any(inner.value(after) for after in row.after))
            limit = self.random.randrange(12)
            text = f"count_moves({inner.text}) > {limit}"
            return Part(text, lambda row: sum(bool(inner.value(after)) for after in row.after) > limit)
        relation, compare = self.one(RELATIONS.items())
        if kind == 8:
            number, limit = self.number(2, moves), self.random.randrange(-2, 12)
            return Part(f"{number.text} {relation} {limit}", lambda row: compare(number.value(row), limit))
        found = self.set(3)
        if kind == 9:
            same = self.set(2)
            sign, is_same = self.one([("=", operator.eq), ("!=", operator.ne)])
            text = f"{found.text} {sign} {same.text}"
            return Part(text, lambda row: is_same(found.value(row), same.value(row)))
        return Part(found.text, lambda row: found.value(row) != 0)


def rows_of_games(seed: int, count: int) -> list[Row]:
    """Positions of random games, with values of some columns."""
    generator, rows = random.Random(seed), list[Row]()
    starts = [
        chess.STARTING_FEN,
        "r3k2r/1P2qp2/2n2n2/3pP3/1b3P2/2N2N2/p2Q2P1/R3K2R w KQkq d6 0 1",
        "8/4k3/8/2r5/5P2/8/4K3/3R4 b - - 0 1",
    ]
    while len(rows) < count:
        board = chess.Board(generator.choice(starts))
        for _ in range(generator.randrange(60)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(generator.choice(moves))
        values = {
            "ply": generator.choice([str(generator.randrange(80)), "3.5", "-2", "", "?", " 7"]),
            "name": generator.choice(["a", "b", "Carlsen", "", "12", "7"]),
        }
        rows.append(Row(board.copy(stack=False), values))
    return rows


def write(path: pathlib.Path, rows: list[Row]) -> None:
    lines = [f"{row.board.fen(en_passant='fen')},{row.values['ply']},{row.values['name']}\n" for row in rows]
    path.write_text("fen,ply,name\n" + "".join(lines))


def test_random_conditions_hold_as_python_chess_says(tmp_path: pathlib.Path) -> None:
    maker, counts = Maker(int(os.environ.get("SEED", "1"))), [0, 0]
    files = []
    for number in range(25):
        path, rows = tmp_path / f"{number}.csv", rows_of_games(number, 10)
        write(path, rows)
        files.append((path, rows))
    for number in range(int(os.environ.get("CONDITIONS", "3000"))):
        path, rows = files[number % len(files)]
        condition = maker.truth(3)
        expected = [line for line, row in enumerate(rows, 2) if condition.value(row)]
        reader = slider_attacks.read(path, [], where=condition.text)
        found = [line for batch in reader for line in batch["line"].tolist()]
        assert found == expected, (
            f"{condition.text} of {[rows[line - 2].board.fen() for line in set(found) ^ set(expected)]}"
        )
        assert reader.left_out == len(rows) - len(found)
        counts[0] += len(found)
        counts[1] += len(rows) - len(found)
    assert min(counts) > sum(counts) / 5


def test_every_function_takes_a_condition(tmp_path: pathlib.Path) -> None:
    path, rows = tmp_path / "a.csv", rows_of_games(7, 500)
    write(path, rows)
    expected = [row for row in rows if row.board.turn and row.columns["black_attacks"] & 1 << chess.E4]
    assert 20 < len(expected) < 400
    where = "black_attacks[e4] and turn = white"
    for threads in [1, 2, 8]:
        table = pa.table(slider_attacks.read(path, "maps", keep="name", where=where, threads=threads))
        assert table["name"].to_pylist() == [row.values["name"] for row in expected]
        assert table.schema.names == ["line", "name", "white_attacks", "black_attacks"]
        summary = slider_attacks.summarize(path, where=where, threads=threads)
        assert summary == slider_attacks.summarize([row.board.fen() for row in expected])
        assert summary.left_out == len(rows) - len(expected)
    # The move is that of each row, and columns of the condition are not in the result.
    moves = slider_attacks.read(path, [], each_move=True, where='move in ("e2e4", "e4e5") and ply >= 0')
    table = pa.table(moves)
    assert table.schema.names == ["line", "move"] and set(table["move"].to_pylist()) == {"e2e4", "e4e5"}
    summary = slider_attacks.summarize(path, each_move=True, by="move", where='starts_with(move, "e2")')
    assert {str(group["move"])[:2] for group in summary.groups} == {"e2"}
    first = pa.table(slider_attacks.read(path, [], where=where, unique=True))["line"].to_pylist()
    lines = pa.table(slider_attacks.read(path, "keys", where=where))
    seen: dict[int, int] = {}
    for line, key in zip(lines["line"].to_pylist(), lines["position_key"].to_pylist(), strict=True):
        seen.setdefault(key, line)
    assert first == list(seen.values())


def test_games_are_chosen_by_their_positions() -> None:
    games = ROOT / "tests/data/tour.pgn"
    every = pa.table(slider_attacks.read(games, "pieces", keep=["game", "ply"]))
    has_one = {
        game
        for game, queens in zip(every["game"].to_pylist(), every["white_queens"].to_pylist(), strict=True)
        if queens & 0xFF << 40
    }
    reader = slider_attacks.read(games, [], keep=["game", "ply"], games_where="white_queens & ranks(6)", threads=3)
    chosen = pa.table(reader)
    expected = [row for row in every.select(["game", "ply"]).to_pylist() if row["game"] in has_one]
    assert chosen.select(["game", "ply"]).to_pylist() == expected
    assert 0 < reader.left_out == every.num_rows - len(expected)
    summary = slider_attacks.summarize(games, games_where="white_queens & ranks(6)", where="turn = white", by="game")
    assert {int(str(group["game"])) for group in summary.groups} == has_one
def test_conditions_on_positions_in_memory() -> None:
    rows, maker = rows_of_games(12, 300), Maker(2)
    texts = [row.board.fen(en_passant="fen") for row in rows]
    columns = {name: [row.values[name] or None for row in rows] for name in ["ply", "name"]}
    table = pa.table({"fen": texts} | columns)
    positions = slider_attacks.Positions(texts)
    for number in range(30):
        condition = maker.truth(3)
        expected = np.array([bool(condition.value(row)) for row in rows])
        chosen = slider_attacks.analyze(table, "hanging", where=condition.text, threads=1 + number % 3)
        assert chosen["row"].tolist() == np.flatnonzero(expected).tolist(), condition.text
        some = slider_attacks.analyze([text for text, holds in zip(texts, expected, strict=True) if holds], "hanging")
        assert [chosen[name] == some[name] for name in some] == [True, True]
        summary = slider_attacks.summarize(table, where=condition.text)
        assert summary.left_out == len(rows) - len(some) and sum(summary.positions) == len(some)
        if "ply" not in condition.text and "name" not in condition.text:
            assert np.array_equal(positions.matches(condition.text, threads=1 + number % 3), expected)
            assert np.array_equal(positions.boards().where(condition.text), expected)
            assert positions.analyze("hanging", where=condition.text) == chosen
            assert positions.summarize(where=condition.text) == summary


def test_rows_without_a_position_match_nothing() -> None:
    texts = ["4k3/8/8/8/8/8/8/4K3 w - -", None, "?", "4k3/8/8/8/8/8/8/4K3 b - -"]
    found = {"skip": [3], "null": [1, 2, 3], "report": [1, 2, 3]}
    for on_error, rows in found.items():
        batch = slider_attacks.analyze(texts, where="turn = black", on_error=on_error, integers="signed")
        assert batch["row"].tolist() == rows and batch.error_count == 1 and batch.errors[0][0] == 2
        assert batch["row"].dtype == np.int64 and batch["black_attacks"].null_count == len(rows) - 1
    assert [bool(reason) for reason in batch["error"].tolist()] == [False, True, False]
    with pytest.raises(ValueError, match="row 2, column 1"):
        slider_attacks.analyze(texts, where="turn = black")
    positions = slider_attacks.Positions(texts, on_error="null")
    assert positions.matches("count(occupied) > 0").tolist() == [True, False, False, True]
    summary = slider_attacks.summarize(texts, where="turn = black", on_error="skip")
    assert (summary.positions.tolist(), summary.skipped, summary.left_out) == ([1], 1, 1)
    frame = pd.DataFrame({"fen": texts, "ply": [1, 2, 3, 4]}, index=list("abcd"))
    chosen = slider_attacks.analyze(frame, "maps", where="ply > 0", on_error="skip").to_pandas()
    assert chosen.index.tolist() == ["a", "d"] and chosen["row"].tolist() == [0, 3]


def test_messages_name_what_is_wrong(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.csv"
    write(path, rows_of_games(1, 2))
    unknown = re.escape('where="white_pined & e4": column 1: unknown set `white_pined`: did you mean `white_pinned`?')
    functions: list[Any] = [slider_attacks.read, slider_attacks.summarize]
    for function in functions:
        with pytest.raises(ValueError, match=unknown):
            function(path, where="white_pined & e4")
        with pytest.raises(ValueError, match='has no column "ply2" for the condition'):
            list(function(path, where="ply2 > 1"))
        with pytest.raises(
            ValueError, match="move_captures, move_promotes and move_checks are about the move played next"
        ):
            function(path, each_move=True, where="move_checks")
        with pytest.raises(TypeError):
            function(path, where=5)
    with pytest.raises(ValueError, match="has no games: `games`, `games_where`"):
        slider_attacks.read(path, games_where="white_queens & e6")
    with pytest.raises(ValueError, match='games_where="white_pined & e6": column 1: unknown set'):
        slider_attacks.read(path, games_where="white_pined & e6")
    with pytest.raises(ValueError, match="games_where is for files"):
        slider_attacks.summarize(["4k3/8/8/8/8/8/8/4K3 w - -"], games_where="white")
    fens = ["4k3/8/8/8/8/8/8/4K3 w - -"]
    in_memory: list[Any] = [slider_attacks.analyze, slider_attacks.summarize]
    for function in in_memory:
        with pytest.raises(ValueError, match=unknown):
            function(fens, where="white_pined & e4")
        with pytest.raises(ValueError, match='no column "plyy".* the columns are fen, ply; did you mean "ply"'):
            function({"fen": fens, "ply": ["1"]}, where="plyy > 1")
        for positions in [fens, slider_attacks.Positions(fens)]:
            with pytest.raises(ValueError, match='no column "plyy", because these positions have no columns'):
                function(positions, where="plyy > 1")
    positions = slider_attacks.Positions(fens)
    masks: list[Any] = [positions.matches, positions.boards().where]
    for mask in masks:
        with pytest.raises(ValueError, match=unknown):
            mask("white_pined & e4")
        with pytest.raises(ValueError, match='no column "plyy"'):
            mask("plyy > 1")
    games = tmp_path / "a.pgn"
    games.write_text('[WhiteElo "1"]\n\n1. e4 *\n')
    with pytest.raises(ValueError, match='no record has "WhitElo" for the condition; did you mean "WhiteElo"'):
        list(slider_attacks.read(games, where="WhitElo > 1"))
    with pytest.raises(ValueError, match='no record has "WhitElo" for the condition; did you mean "WhiteElo"'):
        slider_attacks.summarize(games, where="WhitElo > 1")


ROOT = pathlib.Path(__file__).parent.parent.parent


class Played(NamedTuple):
    """A position of a game, and what is known of it."""

    row: Row
    game: chess.pgn.Game
    ply: int
    next: chess.Move | None

    @property
    def board(self) -> chess.Board:
        return self.row.board

    def sides(self) -> list[Row]:
        """The position, and the same with colours swapped."""
        return [self.row, self.row.swapped]

    def products(self, name: str) -> int:
        """A set of a product, which tests/oracle/analyze.py compares with python-chess."""
        column = next(iter(product for product, columns in PRODUCTS.items() if name in columns))
        return int(slider_attacks.analyze([self.board.fen()], column)[name][0])

    def of_either(self, holds: Callable[[Callable[[str], int]], object]) -> bool:
        """Whether something holds for the sets of products of a side, or for those of the other one, upside down."""

        def other(name: str) -> int:
            side, rest = name.split("_", 1)
            return chess.flip_vertical(self.products(f"{OTHER_SIDE[side]}_{rest}"))

        return bool(holds(self.products) or holds(other))


OTHER_SIDE = {"white": "black", "black": "white"}
PRODUCTS = {
    "trapped": ["white_trapped", "black_trapped"],
    "pawns": ["white_outposts", "black_outposts", "white_passed", "black_passed"],
    "forks": ["white_forks", "black_forks"],
}


def tour() -> list[Played]:
    """The positions of the games in the order of `read`."""
    found = []
    with open(ROOT / "tests/data/tour.pgn") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            node: chess.pgn.GameNode = game
            while True:
                after = node.next()
                found.append(
                    Played(Row(node.board(), {}), game, node.ply() - game.ply(), after.move if after else None)
                )
                if after is None:
                    break
                node = after
    return found


def bits(row: Row, color: bool, *pieces: int) -> int:
    return sum(row.board.pieces_mask(piece, color) for piece in pieces)


def checkers(board: chess.Board) -> int:
    return int(board.checkers_mask())


def ring(row: Row) -> int:
    """The square of the black king, and those next to it."""
    king = row.board.king(False)
    assert king is not None
    return int(chess.BB_KING_ATTACKS[king]) | 1 << king


def knights_of_squares(found: int) -> int:
    reached = 0
    for square in squares(found):
        reached |= chess.BB_KNIGHT_ATTACKS[square]
    return reached


def knight_near_king(row: Row, outposts: int) -> bool:
    near = ring(row) & ~row.board.pieces_mask(chess.KING, False)
    return bool(bits(row, True, 2) & outposts & knights_of_squares(near))


W, B = True, False
D_FILE, C_TO_E = chess.BB_FILES[3], chess.BB_FILES[2] | chess.BB_FILES[3] | chess.BB_FILES[4]
CARLSBAD = chess.BaseBoard("8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8").piece_map()
OPEN = chess.BaseBoard("8/8/8/4p3/4P3/5N2/8/8").piece_map()


def has(board: chess.Board, pieces: dict[int, chess.Piece]) -> bool:
    return all(board.piece_at(square) == piece for square, piece in pieces.items())


def counts(row: Row, color: bool) -> list[int]:
    return [len(row.board.pieces(piece, color)) for piece in range(1, 6)]


def mates_with(at: Played, piece: int | None) -> bool:
    return any(
        after.board.is_checkmate()
        and (piece is None or checkers(after.board) & (bits(after, W, piece) | bits(after, B, piece)))
        for after in at.row.after
    )


ANSWERS: dict[str, Callable[[Played], object]] = {
    "Quiet positions for training": lambda at: (
        not at.board.is_check() and not (at.next and (at.board.is_capture(at.next) or at.next.promotion is not None))
    ),
    "Something hangs after move 20": lambda at: (
        at.ply > 40 and (at.row.columns["white_hanging"] | at.row.columns["black_hanging"])
    ),
    "A trapped piece": lambda at: at.products("white_trapped") | at.products("black_trapped"),
    "Mate in one": lambda at: mates_with(at, None),
    "Mate in one by a bishop": lambda at: mates_with(at, chess.BISHOP),
    "Bishops of opposite colours": lambda at: (
        len(at.board.pieces(3, W)) == len(at.board.pieces(3, B)) == 1
        and (bits(at.row, W, 3) & chess.BB_LIGHT_SQUARES == 0) != (bits(at.row, B, 3) & chess.BB_LIGHT_SQUARES == 0)
    ),
    "Outpost knight near the king": lambda at: (
        knight_near_king(at.row, at.products("white_outposts"))
        or knight_near_king(at.row.swapped, chess.flip_vertical(at.products("black_outposts")))
    ),
    "An isolated queen's pawn": lambda at: any(
        row.columns["white_isolated"] & D_FILE and (bits(row, W, 1) & C_TO_E).bit_count() == 1 for row in at.sides()
    ),
    "The Carlsbad structure": lambda at: has(at.board, CARLSBAD),
    "Structure in some openings": lambda at: at.game.headers.get("ECO", "").startswith("C") and has(at.board, OPEN),
    "Rook and pawn against rook": lambda at: (
        [[1, 0, 0, 1, 0], [0, 0, 0, 1, 0]] in [[counts(row, W), counts(row, B)] for row in at.sides()]
    ),
    "Two pawns for a knight": lambda at: (
        [2, -1, 0, 0, 0]
        in [[one - other for one, other in zip(counts(row, W), counts(row, B), strict=True)] for row in at.sides()]
    ),
    "Queen against more pieces": lambda at: any(
        counts(row, W)[4] > counts(row, B)[4] and sum(counts(row, W)) < sum(counts(row, B)) for row in at.sides()
    ),
    "Knights that attack the king": lambda at: any(
        bits(row, W, 2) & knights_of_squares(ring(row)) for row in at.sides()
    ),
    "A hanging queen": lambda at: any(row.columns["white_hanging"] & bits(row, W, 5) for row in at.sides()),
    "Double check": lambda at: checkers(at.board).bit_count() == 2,
    "A knight forks": lambda at: (
        at.of_either(lambda of: of("white_forks"))
        and at.board.knights & (at.products("white_forks") | at.products("black_forks"))
    ),
    "Passed pawn on the seventh rank": lambda at: (
        at.products("white_passed") & chess.BB_RANK_7 or at.products("black_passed") & chess.BB_RANK_2
    ),
    "Doubled pawns": lambda at: at.row.columns["white_doubled"] | at.row.columns["black_doubled"],
    "Rook on the seventh rank": lambda at: any(
        bits(row, W, 4) & chess.BB_RANK_7 and bits(row, B, 6) & chess.BB_RANK_8 for row in at.sides()
    ),
    "Castled queenside": lambda at: any(
        bits(row, W, 6) & chess.BB_C1 and bits(row, W, 4) & chess.BB_D1 for row in at.sides()
    ),
    "A single legal move": lambda at: at.board.legal_moves.count() == 1,
    "Four checks to choose from": lambda at: sum(after.board.is_check() for after in at.row.after) >= 4,
    "A player's quiet checks": lambda at: (
        at.next
        and at.board.gives_check(at.next)
        and not at.board.is_capture(at.next)
        and at.game.headers["White"] == "Anderssen, Adolf"
        and at.board.turn
    ),
    "More attackers than defenders": lambda at: at.row.counts[W][chess.F7] > at.row.counts[B][chess.F7],
}


def test_the_questions_of_the_page_have_the_answers_of_python_chess() -> None:
    played = tour()
    lines = [line.replace("\\|", "\0") for line in (ROOT / "docs/where.md").read_text().splitlines()]
    cells = [[cell.strip().replace("\0", "|") for cell in line.split("|")] for line in lines]
    questions = {row[1]: (row[2].strip("`"), int(row[3])) for row in cells if len(row) == 5 and row[3].isdigit()}
    assert questions.keys() == ANSWERS.keys() and len(questions) == 25
    for question, (condition, number) in questions.items():
        reader = slider_attacks.read(ROOT / "tests/data/tour.pgn", [], keep=["ply"], where=condition)
        found = [row for batch in reader for row in zip(batch["line"].tolist(), batch["ply"].tolist(), strict=True)]
        game, expected = 0, []
        for at in played:
            game += at.ply == 0
            if ANSWERS[question](at):
                expected.append((game, at.ply))
        assert [(int(line), int(ply)) for line, ply in found] == expected, question
        assert len(found) == number
