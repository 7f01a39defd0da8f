#!/usr/bin/env python3
"""Compares the tactics of `slider-attacks analyze` with the themes of Lichess's puzzles: puzzles.py COMMAND PUZZLES.csv...

PUZZLES.csv has the columns FEN, Moves and Themes of https://database.lichess.org/#puzzles. Any part will do. For
each theme, prints in how many puzzles the product has a piece, with the theme and without it: before the solver's first
move, after it, and after any move of the solver but the last. Needs python-chess (pip install chess==1.11.0).
"""

import csv
import json
import subprocess
import sys

import chess

# The theme, and the column of the solver's side, or of the other side.
THEMES = {
    "fork": ("own", "forks"),
    "skewer": ("own", "skewers"),
    "pin": ("enemy", "pinned"),
    "discoveredAttack": ("own", "discovered"),
    "trappedPiece": ("enemy", "trapped"),
    "hangingPiece": ("enemy", "hanging"),
}
PRODUCTS = "pins,hanging,forks,skewers,discovered,trapped"


def puzzles(paths):
    for path in paths:
        with open(path, newline="") as file:
            head, *rows = csv.reader(file)
            if "FEN" not in head:  # older files of the database have no header
                rows, head = [head, *rows], ["PuzzleId", "FEN", "Moves", "Rating", "RD", "Popularity", "Plays", "Themes"]
            for row in rows:
                yield dict(zip(head, row))


def main(command, *paths):
    fens, parts = [], []
    for puzzle in {puzzle["PuzzleId"]: puzzle for puzzle in puzzles(paths)}.values():
        board, start = chess.Board(puzzle["FEN"]), len(fens)
        for move in puzzle["Moves"].split():
            board.push_uci(move)
            fens.append(board.fen())
        parts.append((puzzle["Themes"].split(), "black" if board.turn == chess.WHITE else "white", start, len(fens)))
    arguments = [command, "analyze", "-", "--what", PRODUCTS, "--format", "jsonl"]
    output = subprocess.run(arguments, input="\n".join(fens) + "\n", capture_output=True, text=True, check=True).stdout
    rows = [json.loads(line) for line in output.splitlines()]
    print(f"{len(parts)} puzzles\n")
    print("| theme | column | puzzles with it | before the move | after it | after any | without it: before | after it | after any |")
    print("|---|---|---|---|---|---|---|---|---|")
    for theme, (whose, column) in THEMES.items():
        counts = {True: [0] * 4, False: [0] * 4}
        for themes, solver, start, end in parts:
            side = solver if whose == "own" else {"white": "black", "black": "white"}[solver]
            found = [int(row[f"{side}_{column}"], 16) != 0 for row in rows[start:end]]
            # The first row is the puzzle, each second one after it a move of the solver, who also makes the last move.
            after = found[1::2]
            for at, one in enumerate([True, found[0], after[0], any(after[:-1] or after)]):
                counts[theme in themes][at] += one
        cells = [f"{count / max(of[0], 1):.1%}" for of in counts.values() for count in of[1:]]
        print(f"| `{theme}` | {'the solver' if whose == 'own' else 'the other side'}: `{column}` | {counts[True][0]} | {' | '.join(cells)} |")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
