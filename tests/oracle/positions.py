#!/usr/bin/env python3
"""Writes positions of random games, a FEN a line: positions.py COUNT [SEED] > positions.fen

The games begin at the positions of the command's sample and go on by random legal moves for at most 80 plies, so the
positions are legal, and the same ones every time. Needs python-chess (pip install chess==1.11.0).
"""

import pathlib
import random
import sys

import chess

SAMPLE = pathlib.Path(__file__).parents[2] / "tests" / "data" / "sample.epd"
PLIES = 80


def sample():
    """The positions that the games begin with."""
    lines = SAMPLE.read_text().splitlines()
    fields = [line.split()[:4] for line in lines if line.strip() and not line.startswith("#")]
    return [" ".join(four) + " 0 1" for four in fields]


def positions(count, seed=1):
    """Yields the FEN of `count` positions."""
    choose = random.Random(seed)
    starts = sample()
    while True:
        for start in starts:
            board = chess.Board(start)
            for _ in range(PLIES):
                if count == 0:
                    return
                yield board.fen()
                count -= 1
                # Cheaper than all legal moves; most of these are legal.
                moves = list(board.pseudo_legal_moves)
                choose.shuffle(moves)
                move = next((move for move in moves if board.is_legal(move)), None)
                if move is None or board.is_insufficient_material():
                    break
                board.push(move)
                board.clear_stack()


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    if not 1 <= len(arguments) <= 2:
        sys.exit(__doc__)
    for fen in positions(*arguments):
        print(fen)
