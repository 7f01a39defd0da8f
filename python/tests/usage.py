"""What mypy and pyright accept, and what they reject: both say so if a comment that expects an error has none.

Nobody runs these functions.
"""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true

import numpy as np
import numpy.typing as npt
import slider_attacks
from slider_attacks import Array, Batch, Positions


def accepted(fens: list[str], squares: npt.NDArray[np.uint8], occs: npt.NDArray[np.uint64]) -> None:
    one = "maps"
    some = ["maps", "pins"]
    option = {"maps": "raise"}[one]
    batch: Batch = slider_attacks.analyze(fens, one)
    batch = slider_attacks.analyze(fens, some, on_error=option, integers=option, through=option, victims=option)
    batch = slider_attacks.analyze(fens, (name for name in some), backend=option)
    positions: Positions = Positions(fens, on_error=option)
    batch = positions.analyze(some)
    for color in ["white", "black"]:
        for piece in ["pawn", "king"]:
            occs |= positions.pieces(color, piece)
    for part in slider_attacks.read("games.epd", ["maps", "boards"], keep=some):
        batch = part
    for source in ["games.pgn", fens]:
        sums = slider_attacks.summarize(source, some, by=["side", "ply:10"])
    shares: npt.NDArray[np.float64] = (sums + positions.summarize("maps")).to_numpy("white_attacks", "share")
    counts: npt.NDArray[np.int64] = sums.to_numpy("white_attacks", "count")
    print(shares, counts, sums.to_batch().column_names)
    slider_attacks.schema({"maps": 1, "pins": 2})
    for slider in ["queen", "rook", "bishop"]:
        occs = slider_attacks.batch_attacks(squares, occs, slider=slider)
    column: Array = batch["white_attacks"]
    number: np.uint64 = slider_attacks.batch_attacks(3, 0)
    print(column, number)
    slider_attacks.polars.analyze("fen", some, on_error=option).struct.unnest()
    slider_attacks.polars.attacks("square", "occ", "rook")
    slider_attacks.polars.scan_positions(["a.pgn"], some, keep="all", threads=2).collect()
    slider_attacks.duckdb.register(None, on_error=option)


def rejected(fens: list[str], squares: npt.NDArray[np.uint8]) -> None:
    slider_attacks.analyze(fens, 3)  # type: ignore[arg-type]
    slider_attacks.analyze(fens, ["maps", 3])  # type: ignore[list-item]
    slider_attacks.analyze(fens, "maps", on_error=None)  # type: ignore[arg-type]
    slider_attacks.analyze(fens, "maps", threads="2")  # type: ignore[arg-type]
    slider_attacks.analyze(fens, "maps", rows=2)  # type: ignore[call-arg]
    slider_attacks.analyze(7)  # type: ignore[arg-type]
    slider_attacks.read(3)  # type: ignore[arg-type]
    slider_attacks.summarize(3)  # type: ignore[arg-type]
    slider_attacks.summarize(fens, "maps") + 1  # type: ignore[operator]
    slider_attacks.batch_attacks(squares, "e4")  # type: ignore[arg-type]
    slider_attacks.batch_attacks(squares, squares, slider=1)  # type: ignore[call-overload]
    slider_attacks.queen_attacks("e4", 0)  # type: ignore[arg-type]
    slider_attacks.polars.analyze("fen", 3)  # type: ignore[arg-type]
    slider_attacks.polars.analyze("fen", through=3)  # type: ignore[arg-type]
    slider_attacks.duckdb.register()  # type: ignore[call-arg]
