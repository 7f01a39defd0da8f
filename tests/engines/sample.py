#!/usr/bin/env python3
"""Writes a sample of positions with results, and answers the three questions of docs/scale.md with python-chess.

    sample.py FILE [POSITIONS]

writes a Parquet file (positions of random games, the same ones every time) and prints the answers.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import chess
import pyarrow as pa
import pyarrow.parquet as pq

PLIES = 300


def mate(board: chess.Board, moves: list[chess.Move]) -> chess.Move | None:
    """A move that gives mate, if there is one."""
    for move in filter(board.gives_check, moves):
        board.push(move)
        mated = board.is_checkmate()
        board.pop()
        if mated:
            return move
    return None


def games(seed: int) -> Iterator[tuple[str, list[str]]]:
    """Results and positions of finished games. The players give mate if they can, and move at random otherwise.

    Games that have not ended after 300 plies are left out.
    """
    dice = random.Random(seed)
    while True:
        board = chess.Board()
        fens: list[str] = []
        while len(fens) < PLIES:
            fens.append(board.fen())
            moves = list(board.legal_moves)
            if not moves or board.is_insufficient_material():
                yield board.result(), fens
                break
            board.push(mate(board, moves) or dice.choice(moves))


def positions(count: int, seed: int = 1) -> pa.Table:
    """Every second position of such games: `game`, `ply`, `fen`, `result`."""
    rows: list[tuple[int, int, str, str]] = []
    for number, (result, fens) in enumerate(games(seed)):
        rows += [(number, ply, fen, result) for ply, fen in enumerate(fens)][::2]
        if len(rows) >= count:
            break
    columns = [list(column) for column in zip(*rows[:count], strict=True)]
    return pa.table(dict(zip(["game", "ply", "fen", "result"], columns, strict=True)))


def answers(table: pa.Table) -> dict[str, list[tuple[Any, ...]]]:
    """The answers of python-chess, in the form in which the examples of docs/scale.md give theirs."""
    control: Counter[int] = Counter()
    hanging: Counter[str] = Counter()
    reached: Counter[int] = Counter()
    knights: Counter[int] = Counter()
    for fen, result in zip(table["fen"].to_pylist(), table["result"].to_pylist(), strict=True):
        board = chess.Board(fen)
        if result == "1-0":
            control.update(
                square
                for square in chess.SQUARES
                if len(board.attackers(chess.WHITE, square)) > len(board.attackers(chess.BLACK, square))
            )
        for square, piece in board.piece_map().items():
            attacked, defended = (board.is_attacked_by(color, square) for color in (not piece.color, piece.color))
            if attacked and not defended and piece.piece_type != chess.KING:
                hanging[chess.piece_name(piece.piece_type)] += 1
            if piece.piece_type == chess.KNIGHT:
                knights[square] += 1
                reached[square] += len(board.attacks(square) & ~board.occupied_co[piece.color])
    return {
        "control": sorted(control.items(), key=lambda row: (-row[1], row[0])),
        "hanging": sorted(hanging.items(), key=lambda row: (-row[1], row[0])),
        "mobility": sorted((square, reached[square] / knights[square]) for square in knights),
    }


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    table = positions(int(sys.argv[2]) if len(sys.argv) > 2 else 4000)
    pq.write_table(table, sys.argv[1])
    for name, rows in answers(table).items():
        print(name, rows[:8])
