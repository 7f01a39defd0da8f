"""Expressions for Polars, in memory and streaming.

>>> import polars as pl
>>> import slider_attacks.polars
>>> frame = pl.DataFrame({"fen": ["4k3/8/8/8/8/8/8/R3K3 w Q -", None]})
>>> frame.select(slider_attacks.polars.analyze("fen", ["maps", "hanging"]).struct.field("white_attacks"))["white_attacks"].to_list()
[72340172838091070, None]
"""

from typing import TYPE_CHECKING, Any, Unpack

from ._engines import ROW, Options, Products, Slider, batches, documented, module, names, reusable
from ._native import batch_attacks

if TYPE_CHECKING:
    from polars import Expr

__all__ = ["analyze", "attacks"]
__doc__ = documented(__doc__)


def attacks(square: "Expr | str", occ: "Expr | str", slider: Slider = "queen") -> "Expr":
    """Returns the attack set of a slider on each square with each occupancy, as UInt64. Nulls propagate.

    >>> import polars as pl
    >>> import slider_attacks.polars
    >>> frame = pl.DataFrame({"square": [0, 63], "occ": [256, 256]}, {"square": pl.UInt8, "occ": pl.UInt64})
    >>> frame.select(slider_attacks.polars.attacks("square", "occ", "rook"))["attacks"].to_list()
    [510, 9187484529235886208]
    """

    pl = module("polars", "polars")

    def compute(pairs: Any) -> Any:
        squares, occs = pairs.struct.unnest().get_columns()
        try:
            return pl.Series(batch_attacks(squares, occs, slider=slider))
        except ValueError as error:
            raise ValueError(ROW.sub("", str(error))) from None

    pair = pl.struct(_column(square).alias("square"), _column(occ).alias("occ"))
    expression: Expr = pair.map_batches(compute, return_dtype=pl.UInt64, is_elementwise=True).alias("attacks")
    return expression


def analyze(fen: "Expr | str", what: Products = ("maps",), **options: Unpack[Options]) -> "Expr":
    """Returns a struct of the columns of products: `slider_attacks.analyze` as an expression, with its options.

    The product "boards" stands for the columns of `Positions.boards`. `.struct.field("white_attacks")` extracts one column,
    `.struct.unnest()` all of them; each of these calls computes the struct. Numbers per square are an Array of 64 UInt8, a1
    first; a number of moves is a UInt16.

    >>> import polars as pl
    >>> import slider_attacks.polars
    >>> frame = pl.LazyFrame({"fen": ["4k3/8/8/8/8/8/8/R3K3 w Q -"]})
    >>> frame.select(slider_attacks.polars.analyze("fen", ["pins", "boards"]).struct.unnest()).collect().width
    19
    """
    pl, wanted, options = module("polars", "polars"), names(what), reusable(options)

    def compute(fens: Any) -> Any:
        frames = [pl.DataFrame(batch) for batch in batches(fens, wanted, **options)]
        return pl.concat(frames, how="horizontal").to_struct()

    kind = compute(pl.Series([], dtype=pl.String)).dtype
    expression: Expr = _column(fen).map_batches(compute, return_dtype=kind, is_elementwise=True)
    return expression


def _column(column: "Expr | str") -> Any:
    return module("polars", "polars").col(column) if isinstance(column, str) else column
