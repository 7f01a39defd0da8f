"""Functions for DuckDB's SQL.

>>> import duckdb
>>> import slider_attacks
>>> connection = duckdb.connect()
>>> slider_attacks.duckdb.register(connection)
>>> connection.sql("select printf('%x', rook_attacks(0, 256))").fetchall()
[('1fe',)]
"""

from typing import Any, Unpack

from ._engines import PAIRS, Options, documented, functions, module

__all__ = ["register"]
__doc__ = documented(__doc__)


def register(connection: Any, **options: Unpack[Options]) -> None:
    """Adds functions to a connection, which compute whole vectors of rows at a time.

    `queen_attacks(square, occ)`, `rook_attacks` and `bishop_attacks` take a UTINYINT and a UBIGINT, and return a UBIGINT.
    All others take a VARCHAR, a position in FEN or EPD. NULL gives NULL.

    - Each product has a function: `attack_maps(fen)`, `mobility(fen)`, … `help(slider_attacks.duckdb)` lists them. It
      returns a STRUCT of the columns of the product, or its only column.
    - Each column of a product is a function too: `white_attacks(fen)`, `black_pinned(fen)`, …
    - `boards(fen)` returns a STRUCT of the bitboards `white_pawn` to `black_king`, `side_to_move`, `castling` and `en_passant`.

    - `game_positions(movetext)` takes a game, as PGN has it, with tags or without. It returns a list of STRUCTs: `ply`, `san`,
      `uci`, `eval`, `mate`, `clk`, `fen` of each position.

    A set of squares is a UBIGINT, numbers per square are a UTINYINT[] of 64, a1 first, and a number of moves is a USMALLINT.
    `analyze` describes the options `on_error`, `through`, `victims`, `values`, `pinned` and `backend`. Needs pyarrow, as all
    Python functions over Arrow do in DuckDB.

    DuckDB calls a function beside `unnest` again for each row that `unnest` gives: call it in a subquery, and `unnest` its lists.

    >>> import duckdb
    >>> import slider_attacks
    >>> connection = duckdb.connect()
    >>> slider_attacks.duckdb.register(connection, on_error="null")
    >>> connection.sql("select attack_maps(fen).white_attacks & 255 from (values ('4k3/8/8/8/8/8/8/R3K3 w Q -'), ('?')) t(fen)").fetchall()
    [(62,), (None,)]
    >>> connection.sql("select unnest(game_positions('1. e4 e5'), recursive := true)").select("ply, san").fetchall()
    [(0, None), (1, 'e4'), (2, 'e5')]
    """
    pa = module("pyarrow", "duckdb")
    for name, attacks in PAIRS.items():
        connection.create_function(
            name, attacks, ["UTINYINT", "UBIGINT"], "UBIGINT", type="arrow", null_handling="special"
        )
    for name, kind, function in functions(**options):
        (result,) = connection.from_arrow(pa.schema([(name, kind)]).empty_table()).types
        connection.create_function(name, function, ["VARCHAR"], result, type="arrow", null_handling="special")
