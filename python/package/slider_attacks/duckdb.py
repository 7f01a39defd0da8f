"""Functions for DuckDB's SQL.

>>> import duckdb
>>> import slider_attacks
>>> connection = duckdb.connect(config={"allow_unsigned_extensions": True})
>>> slider_attacks.duckdb.register(connection)
>>> connection.sql("select printf('%x', rook_attacks(0, 256))").fetchall()
[('1fe',)]
"""

import contextlib
import functools
import pathlib
import tempfile
import threading
from typing import Any, Unpack

from . import _extension, _native
from ._engines import Options, documented, reusable

__all__ = ["register"]
__doc__ = documented(__doc__)

_LOCK = threading.Lock()


def register(connection: Any, **options: Unpack[Options]) -> None:
    """Adds vectorised functions to the database of a connection, which run on all threads of DuckDB.

    They come from the DuckDB extension in this package. It is not signed by DuckDB, so the database must be opened with
    unsigned extensions allowed: `duckdb.connect(…, config={"allow_unsigned_extensions": True})`.

    `queen_attacks(square, occ)`, `rook_attacks` and `bishop_attacks` take a UTINYINT and a UBIGINT, and return a UBIGINT.
    Most others take a position in FEN or EPD, as VARCHAR. NULLs propagate.

    - Each product has a function: `attack_maps(fen)`, `mobility(fen)`, … `help(slider_attacks.duckdb)` lists them. It
      returns a STRUCT of the product's columns, or its only column.
    - Each column of a product is a function too: `white_attacks(fen)`, `black_pinned(fen)`, …
    - `boards(fen)` returns a STRUCT of the bitboards `white_pawn` to `black_king`, `side_to_move`, `castling` and `en_passant`.
    - `game_positions(movetext)` takes a game in PGN, with or without tags. It returns a list of STRUCTs: `ply`, `san`,
      `uci`, `eval`, `mate`, `clk`, `fen` and `error` of each position. In a malformed game, a last element has no position
      but the reason in `error`. `game_positions(movetext, fen)` starts from a given position, as in Chess960; NULL is the
      standard starting position.
    - `uci(move)` takes a USMALLINT, such as an element of `moves(fen)`, and returns its text.
    - The aggregate `count_squares(bitboard)` returns a UBIGINT[] of 64: how many bitboards of the group contain each
      square, a1 first.
    - `from read_positions('games.pgn.zst')` returns the positions of files. It has a column for each column of the file,
      each bitboard and each product, and reads and computes only those that a query uses. For PGN, the columns include all
      tags of the first games. SQL ignores case, so of two columns with the same name, such as `result` and the tag
      `Result`, the second is `Result_1`.

    A set of squares is a UBIGINT, numbers per square are a UTINYINT[] of 64, a1 first; moves, and their number, are USMALLINT.
    `analyze` describes the options `through`, `victims`, `values`, `pinned` and `backend`; they apply to the whole
    database. Malformed positions and invalid squares give NULL. With `on_error="raise"`, they are errors, and so are
    malformed games; DuckDB 1.x may then fail because of a row that the query filters out.

    Next to `unnest`, DuckDB calls a function again for each unnested row: call it in a subquery, then `unnest` its lists.

    >>> import duckdb
    >>> import slider_attacks
    >>> connection = duckdb.connect(config={"allow_unsigned_extensions": True})
    >>> slider_attacks.duckdb.register(connection)
    >>> connection.sql("select attack_maps(fen).white_attacks & 255 from (values ('4k3/8/8/8/8/8/8/R3K3 w Q -'), ('?')) t(fen)").fetchall()
    [(62,), (None,)]
    >>> connection.sql("select unnest(game_positions('1. e4 e5'), recursive := true)").select("ply, san").fetchall()
    [(0, None), (1, 'e4'), (2, 'e5')]
    >>> connection.sql("select game_positions('1. Kf1 Kf9', '4k3/8/8/8/8/8/8/4K3 w - -')[-1].error").fetchall()
    [('column 8, ply 1: expected a move, found "Kf9"',)]
    """
    named: dict[str, Any] = {"on_error": "null", **reusable(options)}
    if named["on_error"] not in ("raise", "null"):
        raise ValueError(f"on_error={named['on_error']!r}: expected one of raise, null, as an engine needs each row")
    named["on_error"] = named["on_error"].replace("raise", "fail")
    if not isinstance(named.get("values", ""), (str, type(None))):
        _native.analyze([], [], values=named["values"])  # raises if they are not integers
        named["values"] = ",".join(map(str, named["values"]))
    cursor = connection.cursor()  # so that a result of the connection stays
    with contextlib.closing(cursor):
        _load(cursor)
        renamed = {"values": "piece_values"}  # the first is a keyword of SQL
        values = {renamed.get(name, name): value for name, value in named.items() if value is not None}
        parameters = ", ".join(f"{name} := ?" for name in values)
        try:
            cursor.execute(f"call slider_attacks_options({parameters})", list(values.values()))
        except Exception as error:
            raise ValueError(str(error).partition(": ")[2]) from None


def _load(cursor: Any) -> None:
    """Loads the extension, if the database does not have it."""
    query = "select count(*) from duckdb_extensions() where extension_name = 'slider_attacks' and loaded"
    if cursor.execute(query).fetchone()[0]:
        return
    (allowed,) = cursor.execute("select current_setting('allow_unsigned_extensions')").fetchone()
    if not allowed:
        expected = 'duckdb.connect(…, config={"allow_unsigned_extensions": True})'
        raise ValueError(f"this database loads no extension without a signature: open it with {expected}")
    (platform,) = cursor.execute("pragma platform").fetchone()
    library = pathlib.Path(_native.__file__).read_bytes()
    # One path for all databases of a process, so that the library is in memory once. The name is for DuckDB.
    file = pathlib.Path(_folder().name) / "slider_attacks.duckdb_extension"
    with _LOCK:
        file.write_bytes(_extension.extension(library, platform, _native.__version__))
        try:
            cursor.execute(f"load '{str(file).replace(chr(39), 2 * chr(39))}'")
        finally:
            with contextlib.suppress(OSError):  # Windows keeps a library that is loaded, until the end
                file.unlink()


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """A folder that is removed at the end of the process."""
    return tempfile.TemporaryDirectory(prefix="slider-attacks-", ignore_cleanup_errors=True)
