"""What the functions are to do: for the name of a function, its cases, each the arguments and the result."""

import itertools

from .bits import and_, logic, not_, or_, variable, word

LINES = {
    "rank": [(-1, 0), (1, 0)],
    "file": [(0, -1), (0, 1)],
    "diagonal": [(-1, -1), (1, 1)],
    "anti_diagonal": [(1, -1), (-1, 1)],
}
SLIDERS = {"rook": LINES["rank"] + LINES["file"], "bishop": LINES["diagonal"] + LINES["anti_diagonal"]}
STEPS = LINES | SLIDERS | {"queen": SLIDERS["rook"] + SLIDERS["bishop"]}

# Where the square on file f and rank r goes.
MOVES = {
    "flip_vertical": lambda f, r: (f, 7 - r),
    "mirror_horizontal": lambda f, r: (7 - f, r),
    "rotate_180": lambda f, r: (7 - f, 7 - r),
    "flip_diagonal": lambda f, r: (r, f),
    "flip_anti_diagonal": lambda f, r: (7 - r, 7 - f),
    "rotate_90_clockwise": lambda f, r: (r, 7 - f),
    "rotate_90_anti_clockwise": lambda f, r: (7 - r, f),
    "pseudo_rotate_45_clockwise": lambda f, r: (f, (r - f) % 8),
    "pseudo_rotate_45_anti_clockwise": lambda f, r: (f, (r - (7 - f)) % 8),
    "undo_pseudo_rotate_45_clockwise": lambda f, r: (f, (r + f) % 8),
    "undo_pseudo_rotate_45_anti_clockwise": lambda f, r: (f, (r + (7 - f)) % 8),
}

SQUARES = [(file, rank) for rank in range(8) for file in range(8)]


def at(file, rank):
    return 8 * rank + file


def board(first=0, apart=1, squares=SQUARES):
    """A variable for each of these squares; nothing stands on the others."""
    return [variable(first + apart * at(*square)) if square in squares else 0 for square in SQUARES]


def short(number):
    """An argument of less than 32 bits. Its register may hold anything above them."""
    return word(number, 32)


def ray(square, step):
    """The squares in one direction, the nearest first."""
    return [
        to for far in range(1, 8) if (to := (square[0] + far * step[0], square[1] + far * step[1])) in SQUARES
    ]


def walk(square, steps, occ, stands=1):
    """The ray walk: a square is attacked if the walk gets there, and the walk goes on if nothing stands there."""
    attacks = [0] * 64
    for step in steps:
        there = stands
        for to in ray(SQUARES[square], step):
            attacks[at(*to)] = there
            there = and_(there, not_(occ[at(*to)]))
    return attacks


def every_line(*kinds):
    return {frozenset([square] + ray(square, kind[0]) + ray(square, kind[1])) for square in SQUARES for kind in kinds}


def collapsed(line, occ, axis):
    """A line with one square for each file (axis 0) or rank (axis 1), or none, in the order of these."""
    standing = {square[axis]: occ[at(*square)] for square in line}
    return [standing.get(place, 0) for place in range(8)]


def moved(board, move):
    result = [0] * 64
    for square in SQUARES:
        result[at(*move(*square))] = board[at(*square)]
    return result


def cases(name):
    *_, module, function = name.split(".")
    occ, byte, rest = board(), board()[:8], word(0, 56)
    one_a_file = every_line(LINES["rank"], LINES["diagonal"], LINES["anti_diagonal"])
    one_a_rank = every_line(LINES["file"], LINES["diagonal"], LINES["anti_diagonal"])
    match function.split("_by_")[0].removesuffix("_32"):
        case "set_attacks":
            orthogonal, diagonal, occ = (board(first, 3) for first in range(3))
            attacks = word(0)
            for sliders, steps in ((orthogonal, STEPS["rook"]), (diagonal, STEPS["bishop"])):
                for square in range(64):
                    attacks = logic(or_, attacks, walk(square, steps, occ, sliders[square]))
            yield [orthogonal, diagonal, occ], attacks
        case "attacks_64" | "attacks_256":
            for square in range(64):
                yield [short(square), byte + word(0, 24)], walk(square % 8, STEPS["rank"], byte + rest)[:8]
        case slider if module in ("scalar", "bmi2"):
            for first, second, other in ((square, 63 - square, board(64)) for square in range(64)):
                attacks = walk(first, STEPS[slider], occ) + walk(second, STEPS[slider], other)
                yield [short(first), occ, short(second), other], attacks
        case attacks if attacks.endswith("_attacks"):
            for square in range(64):
                yield [short(square), occ], walk(square, STEPS[attacks.removesuffix("_attacks")], occ)
        case "file":
            for square in range(64):
                yield [short(square), occ], occ[square % 8 :: 8]
        case "files" | "ranks" | "line_to_first_rank" as form:
            for line in one_a_rank if form == "ranks" else one_a_file:
                occ = board(squares=line)
                result = collapsed(line, occ, axis=1 if form == "ranks" else 0)
                yield [occ], result + rest if form == "line_to_first_rank" else result
        case "first_rank_to_line":
            for line in one_a_file:
                mask = [int(square in line) for square in SQUARES]
                yield [byte + rest, mask], [byte[place % 8] if bit else 0 for place, bit in enumerate(mask)]
        case "a_file_to_first_rank_reversed":
            yield [board(squares=[(0, rank) for rank in range(8)])], occ[::8][::-1] + rest
        case "h_file_to_first_rank":
            yield [board(squares=[(7, rank) for rank in range(8)])], occ[7::8] + rest
        case "first_rank_to_a_file_reversed":
            yield [byte + rest], [byte[7 - rank] if file == 0 else 0 for file, rank in SQUARES]
        case "reverse_byte":
            yield [byte + word(0, 24)], byte[::-1]
        case "flip_mirror_or_reverse":
            for flip, mirror in itertools.product((0, 7), repeat=2):
                yield [occ, short(flip and 1), short(mirror and 1)], moved(occ, lambda f, r: (f ^ mirror, r ^ flip))
        case move:
            yield [occ], moved(occ, MOVES[move])
