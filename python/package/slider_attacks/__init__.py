"""Attack sets of sliding chess pieces (bishop, rook, queen) for whole arrays, with the vector instructions of the CPU.

A bitboard is an integer of 64 bits. Bit i is square i: a1 = 0, b1 = 1, … h8 = 63. An attack set reaches up to and including
the first piece in each direction, whatever its colour, and never holds the slider's own square.

>>> import numpy as np
>>> import slider_attacks
>>> squares = np.array([3, 27, 59], np.uint8)  # queens on d1, d4 and d8
>>> occs = np.full(3, 0xffff_0000_0000_ffff, np.uint64)  # the pieces on each board: here, none has moved
>>> hex(slider_attacks.batch_attacks(squares, occs)[0])
'0x1c14'
"""

from . import datafusion as datafusion
from . import duckdb as duckdb
from . import polars as polars
from . import ray as ray
from . import spark as spark
from ._native import __version__ as __version__
from ._native import (
    Array,
    Batch,
    Drawing,
    Positions,
    Reader,
    Schema,
    analyze,
    backends,
    batch_attack_sets,
    batch_attacks,
    bishop_attacks,
    bits,
    cpu,
    products,
    queen_attacks,
    read,
    rook_attacks,
    schema,
    show,
)

__all__ = [
    "Array",
    "Batch",
    "Drawing",
    "Positions",
    "Reader",
    "Schema",
    "analyze",
    "backends",
    "batch_attack_sets",
    "batch_attacks",
    "bishop_attacks",
    "bits",
    "cpu",
    "products",
    "queen_attacks",
    "read",
    "rook_attacks",
    "schema",
    "show",
]
