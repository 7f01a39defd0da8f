#!/usr/bin/env python3
"""Reads games with python-chess, to compare with `benches/peers/run-games`: games.py FILE...

Gives the least of three times per ply: `chess.pgn.read_game`, and `Board.push` for each move of the main line. Files of 100 kB take
seconds. Needs python-chess (pip install chess==1.11.0).
"""

import sys
import time

import chess.pgn


def plies(path):
    """Plays all games of a file, and counts their moves."""
    count = 0
    with open(path, encoding="latin-1") as file:
        while game := chess.pgn.read_game(file):
            board = game.board()
            for move in game.mainline_moves():
                board.push(move)
                count += 1
    return count


def main(paths):
    for path in paths:
        times = []
        for _ in range(3):
            start = time.process_time()
            count = plies(path)
            times.append((time.process_time() - start) / max(count, 1))
        print(f"{path}: {count} plies, python-chess {chess.__version__}: {min(times) * 1e9:,.0f} ns per ply")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
