"""Functions for the SQL and the data frames of DataFusion.

>>> import datafusion
>>> import slider_attacks.datafusion
>>> context = datafusion.SessionContext()
>>> slider_attacks.datafusion.register(context)
>>> context.sql("select rook_attacks(0, cast(256 as bigint unsigned)) as attacks").to_pydict()
{'attacks': [510]}
"""

from typing import Any, Unpack

from ._engines import PAIRS, Options, documented, functions, module

__all__ = ["register"]
__doc__ = documented(__doc__)


def register(context: Any, **options: Unpack[Options]) -> None:
    """Adds the functions of `slider_attacks.duckdb.register` to a context, with the same names and results.

    DataFusion has no functions with optional arguments: `game_positions(movetext, fen)` is `game_positions_from(movetext,
    fen)` here. Squares may be any integers, and occupancies are BIGINT UNSIGNED. DataFusion calls a function once for each
    field of its struct that a query uses; `DataFrame.cache` avoids that.

    >>> import datafusion
    >>> import slider_attacks.datafusion
    >>> context = datafusion.SessionContext()
    >>> slider_attacks.datafusion.register(context)
    >>> query = "select attack_maps(fen)['white_attacks'] as attacks from (values ('4k3/8/8/8/8/8/8/R3K3 w Q -')) t(fen)"
    >>> context.sql(query).to_pydict()
    {'attacks': [72340172838091070]}
    """
    pa, udf = module("pyarrow", "datafusion"), module("datafusion", "datafusion").udf
    for name, attacks in PAIRS.items():
        context.register_udf(udf(attacks, [pa.int64(), pa.uint64()], pa.uint64(), "immutable", name))
    for name, count, kind, function in functions(**options):
        context.register_udf(udf(function, [pa.string_view()] * count, kind, "immutable", name))
