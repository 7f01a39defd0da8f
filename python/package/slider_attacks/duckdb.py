"""Functions for DuckDB's SQL.

>>> import duckdb
>>> import slider_attacks
>>> connection = duckdb.connect()
>>> slider_attacks.duckdb.register(connection)
>>> connection.sql("select printf('%x', rook_attacks(0, 256))").fetchall()
[('1fe',)]
"""

from collections.abc import Callable
from typing import Any

from ._native import analyze, batch_bishop_attacks, batch_queen_attacks, batch_rook_attacks

__all__ = ["register"]


def register(connection: Any) -> None:
    """Adds functions to a connection, which compute whole vectors of rows at a time.

    `queen_attacks(square, occ)`, `rook_attacks` and `bishop_attacks` take a UTINYINT and a UBIGINT. `white_attacks(fen)` and
    `black_attacks(fen)` take a VARCHAR: the squares that a side attacks. All of them return a UBIGINT, and NULL for NULL.
    Needs pyarrow, as all Python functions over Arrow do in DuckDB.

    >>> import duckdb
    >>> import slider_attacks
    >>> connection = duckdb.connect()
    >>> slider_attacks.duckdb.register(connection)
    >>> connection.sql("select white_attacks('4k3/8/8/8/8/8/8/R3K3 w Q -') & 255").fetchall()
    [(62,)]
    """
    import pyarrow

    def pairs(attacks: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        return lambda squares, occs: pyarrow.array(attacks(squares, occs))

    def column(name: str) -> Callable[[Any], Any]:
        return lambda fens: pyarrow.array(analyze(fens, "maps")[name])

    for name, attacks in [
        ("queen_attacks", batch_queen_attacks),
        ("rook_attacks", batch_rook_attacks),
        ("bishop_attacks", batch_bishop_attacks),
    ]:
        connection.create_function(
            name, pairs(attacks), ["UTINYINT", "UBIGINT"], "UBIGINT", type="arrow", null_handling="special"
        )
    for name in ["white_attacks", "black_attacks"]:
        connection.create_function(name, column(name), ["VARCHAR"], "UBIGINT", type="arrow", null_handling="special")
