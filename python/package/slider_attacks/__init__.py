"""Attack maps, pins, mobility and more for millions of chess positions, computed with SIMD.

For positions, as FEN, EPD or bitboards:

- `analyze` computes attack maps, pins, threats and more. `help(slider_attacks.analyze)` defines each column.
- `Positions` parses positions once, for several calls.
- `summarize` sums products by square and by group.
- `read` analyzes files in batches, and `game_positions` a column of games.
- `Loader` reads files for the training of networks: shuffled batches of planes and labels.
- The modules `duckdb`, `datafusion`, `polars`, `spark` and `ray` do the same inside engines. `shards` runs parts of a job on
  files, and `client` calls the service.

For your own squares and bitboards:

- `batch_attacks` computes the attack sets of queens, rooks or bishops, for whole arrays.
- `queen_attacks`, `rook_attacks` and `bishop_attacks` do so for one piece on one board.

`show` draws a board.

A square is an integer: a1 = 0, b1 = 1, … h1 = 7, a2 = 8, … h8 = 63. A set of squares (a bitboard) is a 64-bit integer: bit
i is set if square i is in the set. A queen, rook or bishop attacks up to and including the first piece in each direction,
whatever its colour, and never its own square.

>>> import numpy as np
>>> import slider_attacks
>>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"], ["maps", "pins"])
>>> print(slider_attacks.show(batch["white_attacks"].to_numpy()[0]))  # a rook on a1 and a king on e1
8  1 . . . . . . .
7  1 . . . . . . .
6  1 . . . . . . .
5  1 . . . . . . .
4  1 . . . . . . .
3  1 . . . . . . .
2  1 . . 1 1 1 . .
1  . 1 1 1 1 1 . .
   a b c d e f g h
>>> squares = np.array([3, 27, 59], np.uint8)  # queens on d1, d4 and d8
>>> occs = np.full(3, 0xffff_0000_0000_ffff, np.uint64)  # the pieces on each board: here, none has moved
>>> hex(slider_attacks.batch_attacks(squares, occs)[0])
'0x1c14'
"""

from . import datafusion as datafusion
from . import duckdb as duckdb
from . import polars as polars
from . import ray as ray
from . import shards as shards
from . import spark as spark
from ._native import (
    Array,
    Batch,
    Drawing,
    FeatureRows,
    Features,
    Loader,
    PieceLayout,
    Positions,
    Reader,
    Schema,
    Summary,
    ThreatLayout,
    analyze,
    backends,
    batch_attack_sets,
    batch_attacks,
    bishop_attacks,
    bits,
    cpu,
    features,
    game_positions,
    products,
    queen_attacks,
    read,
    rook_attacks,
    schema,
    show,
    summarize,
    write,
)
from ._native import __version__ as __version__

__all__ = [
    "Array",
    "Batch",
    "Drawing",
    "FeatureRows",
    "Features",
    "Loader",
    "PieceLayout",
    "Positions",
    "Reader",
    "Schema",
    "Summary",
    "ThreatLayout",
    "analyze",
    "backends",
    "batch_attack_sets",
    "batch_attacks",
    "bishop_attacks",
    "bits",
    "cpu",
    "features",
    "game_positions",
    "products",
    "queen_attacks",
    "read",
    "rook_attacks",
    "schema",
    "show",
    "summarize",
    "write",
]
