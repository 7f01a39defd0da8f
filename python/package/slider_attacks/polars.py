"""Expressions for Polars, in memory and streaming.

>>> import polars as pl
>>> import slider_attacks.polars
>>> frame = pl.DataFrame({"fen": ["4k3/8/8/8/8/8/8/R3K3 w Q -", None]})
>>> frame.select(slider_attacks.polars.analyze("fen", ["maps", "hanging"]).struct.field("white_attacks"))["white_attacks"].to_list()
[72340172838091070, None]
"""

from typing import Any, Literal, Unpack

import polars as pl

from ._engines import Options, Products, batches
from ._native import batch_attacks

__all__ = ["analyze", "attacks"]


def attacks(square: pl.Expr | str, occ: pl.Expr | str, slider: Literal["queen", "rook", "bishop"] = "queen") -> pl.Expr:
    """The attack set of a slider on each square, with the pieces of each occupancy: UInt64, null for null.

    >>> import polars as pl
    >>> import slider_attacks.polars
    >>> frame = pl.DataFrame({"square": [0, 63], "occ": [256, 256]}, {"square": pl.UInt8, "occ": pl.UInt64})
    >>> frame.select(slider_attacks.polars.attacks("square", "occ", "rook"))["attacks"].to_list()
    [510, 9187484529235886208]
    """

    def compute(pairs: pl.Series) -> pl.Series:
        squares, occs = pairs.struct.unnest().get_columns()
        return pl.Series(batch_attacks(squares, occs, slider=slider))

    pair = pl.struct(_column(square).alias("square"), _column(occ).alias("occ"))
    return pair.map_batches(compute, return_dtype=pl.UInt64, is_elementwise=True).alias("attacks")


def analyze(fen: pl.Expr | str, what: Products = ("maps",), **options: Unpack[Options]) -> pl.Expr:
    """A struct of the columns of products: `slider_attacks.analyze` as an expression, with its options.

    The product "boards" gives the columns of `Positions.boards`. `.struct.field("white_attacks")` takes one column out,
    `.struct.unnest()` all of them; each of these calls computes the struct. Numbers per square are an Array of 64 UInt8, a1
    first.

    >>> import polars as pl
    >>> import slider_attacks.polars
    >>> frame = pl.LazyFrame({"fen": ["4k3/8/8/8/8/8/8/R3K3 w Q -"]})
    >>> frame.select(slider_attacks.polars.analyze("fen", ["pins", "boards"]).struct.unnest()).collect().width
    19
    """
    names: Any = what if isinstance(what, str) else list(what)

    def compute(fens: pl.Series) -> pl.Series:
        return pl.concat(
            [pl.DataFrame(batch) for batch in batches(fens, names, **options)], how="horizontal"
        ).to_struct()

    kind = compute(pl.Series([], dtype=pl.String)).dtype
    return _column(fen).map_batches(compute, return_dtype=kind, is_elementwise=True)


def _column(column: pl.Expr | str) -> pl.Expr:
    return pl.col(column) if isinstance(column, str) else column
