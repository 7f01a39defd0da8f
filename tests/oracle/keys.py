#!/usr/bin/env python3
"""Compares the keys and the status of positions with python-chess: keys.py COMMAND [COUNT]

COMMAND is the built binary; COUNT positions of random games (100,000 unless told) go through it on every backend that this
CPU has. Needs python-chess (pip install chess==1.11.0).
"""

import csv
import itertools
import multiprocessing
import subprocess
import sys

import chess

import analyze
from positions import positions


def expected(fen):
    """The columns of a position, from python-chess."""
    board = analyze.board_of(fen)
    return analyze.status_and_keys(board, analyze.legal_moves(board))


def main(command, count=100_000):
    fens = [*positions(int(count)), *analyze.HARD]
    with multiprocessing.Pool() as pool:
        wanted = pool.map(expected, fens, chunksize=1000)
    differences, backends = [], [name for name in analyze.BACKENDS if analyze.has(command, name)]
    for backend in backends:
        arguments = [command, "analyze", "-", "--what", "keys,status", "--backend", backend]
        text = subprocess.run(arguments, input="\n".join(fens), capture_output=True, text=True, check=True).stdout
        known = {}
        for fen, one, line in itertools.zip_longest(fens, wanted, csv.DictReader(text.splitlines())):
            row = {name: int(value, 0) for name, value in line.items() if name != "line"}
            analyze.identify(row, one, known)
            differences += [f"{backend}, {name}: {fen}" for name in one if row[name] != one[name]]
    print(*differences[:20], sep="\n", end="\n" if differences else "")
    names = ", ".join(f"{sum(one[name] for one in wanted)} {name}" for name in wanted[0] if not name.endswith("_key"))
    print(f"{len(fens)} positions ({names}), backends {', '.join(backends)}: {len(differences)} differences from python-chess {chess.__version__}")
    return 1 if differences else 0


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
