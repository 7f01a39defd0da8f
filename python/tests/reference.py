"""Attack sets by a walk along the rays, one square after the other: what everything else is compared with."""

import numpy as np
import numpy.typing as npt

ORTHOGONAL = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
DIRECTIONS = {"rook": ORTHOGONAL, "bishop": DIAGONAL, "queen": ORTHOGONAL + DIAGONAL}

Boards = npt.NDArray[np.uint64]


def attacks(slider: str, square: int, occ: int) -> int:
    """What a slider on `square` attacks with the pieces `occ` on the board."""
    found = 0
    for files, ranks in DIRECTIONS[slider]:
        file, rank = square % 8 + files, square // 8 + ranks
        while 0 <= file < 8 and 0 <= rank < 8:
            bit = 1 << (8 * rank + file)
            found |= bit
            if occ & bit:
                break
            file, rank = file + files, rank + ranks
    return found


def expected(slider: str, squares: npt.NDArray[np.uint8], occs: Boards) -> Boards:
    """One attack set for each pair."""
    pairs = zip(squares.tolist(), occs.tolist(), strict=True)
    return np.array([attacks(slider, square, occ) for square, occ in pairs], np.uint64)


def random_pairs(length: int, seed: int = 1) -> tuple[npt.NDArray[np.uint8], Boards]:
    """Squares, and boards with few pieces, many, and all numbers of pieces between."""
    random = np.random.default_rng(seed)
    squares = random.integers(0, 64, length, dtype=np.uint8)
    occs = random.integers(0, 2**64, length, dtype=np.uint64)
    occs[::3] &= random.integers(0, 2**64, len(occs[::3]), dtype=np.uint64)
    occs[::2] &= random.integers(0, 2**64, len(occs[::2]), dtype=np.uint64)
    return squares, occs
