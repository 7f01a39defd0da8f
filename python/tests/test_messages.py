"""What calls say that go wrong as they do for a beginner: each message says what to do."""

import io
import pathlib
from collections.abc import Callable
from typing import Any

import chess
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import slider_attacks

F = ["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K2R w K -"]
FRAME = {"id": [1, 2], "position": F}
SQUARES, OCCS = np.array([0, 1], np.uint8), np.array([2**40 + 1, 5], np.uint64)
MASKED = "masked elements have no value: fill them with .filled(…), or use pyarrow.array(…), where they are null"
NO_URLS = "is a URL, not a path: open it, for example with fsspec or urllib"
HERE = pathlib.Path(__file__)
PRODUCTS = ", ".join(product["name"] for product in slider_attacks.products())
analyze: Any = slider_attacks.analyze
positions: Any = slider_attacks.Positions
read: Any = slider_attacks.read
attacks: Any = slider_attacks.batch_attacks
queen: Any = slider_attacks.queen_attacks


def has_urls() -> bool:
    with pytest.raises(ValueError, match="s3:///x") as raised:
        read("s3:///x")
    return "names no bucket" in str(raised.value)


def boards(**changes: Any) -> dict[str, Any]:
    """Bitboards of one position, some of them changed."""
    batch = positions(F[:1]).boards()
    columns = {name: batch[name].to_numpy() for name in batch.column_names[:12]}
    return {name: column for name, column in (columns | changes).items() if column is not None}


class Opener:
    """A file that is not open yet, as fsspec has it."""

    def open(self) -> None: ...


class Expr:
    """A column of a data frame of Spark, as far as its class tells."""

    __module__ = "pyspark.sql.dataframe"


CALLS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    # Positions that are something else.
    (lambda: analyze(F[0]), TypeError, "not one str: put it into a list"),
    (lambda: analyze(F[0].encode()), TypeError, "not one str: put it into a list"),
    (lambda: positions(F[0]), TypeError, "not one str: put it into a list"),
    (lambda: analyze("fens.txt"), TypeError, "put it into a list, or call `read` if it is the path of a file"),
    (lambda: analyze(HERE), TypeError, "positions are in memory, not in a file: `read` takes this PosixPath"),
    (
        lambda: analyze(io.StringIO(F[0])),
        TypeError,
        'not in a file like this StringIO: `read` takes files with mode "rb"',
    ),
    (lambda: analyze(io.BytesIO()), TypeError, 'not in a file like this BytesIO: `read` takes files with mode "rb"'),
    (lambda: analyze(None), TypeError, "an Arrow column or table, a sequence of str, or a dictionary, not NoneType"),
    (lambda: analyze(5), TypeError, "an Arrow column or table, a sequence of str, or a dictionary, not int"),
    (lambda: analyze(chess.Board()), TypeError, "positions must be a sequence of str, not a Board: write [board.fen()]"),
    (lambda: analyze([chess.Board()]), TypeError, "row 0: positions must be str, not Board: write board.fen()"),
    (lambda: analyze([F[0], 5]), TypeError, "row 1: positions must be str, not int"),
    (lambda: analyze([F[0], 5], on_error="null"), TypeError, "row 1: positions must be str, not int"),
    (lambda: analyze([F]), TypeError, "row 0: positions must be str, not list"),
    (lambda: analyze(np.array([F])), TypeError, "row 0: positions must be str, not ndarray"),
    (lambda: analyze(np.array([1, 2])), TypeError, "row 0: positions must be str, not int64"),
    (lambda: analyze(pa.array([1])), TypeError, "column positions: expected strings or bytes, or a dictionary of them"),
    (lambda: analyze(pl.LazyFrame(FRAME)), TypeError, "call its .collect(), or use slider_attacks.polars.analyze"),
    (lambda: analyze(pl.col("fen")), TypeError, "an expression of Polars: slider_attacks.polars.analyze and .attacks"),
    (lambda: analyze(Expr()), TypeError, "use slider_attacks.spark"),
    (lambda: analyze(["\ud800"]), ValueError, "row 0, column 1: expected KQRBNP, kqrbnp or 1 to 8 in rank 8, found"),
    (lambda: analyze([F[0] + "\n" + F[1]]), ValueError, "row 0, column 27: expected one position, found a line end"),
    # Tables.
    (lambda: analyze(FRAME), ValueError, 'no column "fen"; the columns are id, position. Say which one has'),
    (lambda: analyze(FRAME), ValueError, 'as in column="position"'),
    (lambda: analyze(pa.table(FRAME)), ValueError, 'as in column="position"'),
    (lambda: analyze(pl.DataFrame(FRAME)), ValueError, 'as in column="position"'),
    (lambda: analyze(pd.DataFrame(FRAME)), ValueError, 'as in column="position"'),
    (
        lambda: positions(pl.DataFrame({"a": [1], "b": [2]})),
        ValueError,
        'Say which one has the positions, as in column="…"',
    ),
    (lambda: analyze(FRAME, column="pos"), ValueError, 'no column "pos"; the columns are id, position'),
    (lambda: analyze(FRAME, column="id"), TypeError, "row 0: positions must be str, not int"),
    (lambda: analyze(pl.DataFrame(FRAME), column="id"), TypeError, 'column "id" is Int64, and positions are text, FEN'),
    (lambda: analyze({}), TypeError, "the table has no columns"),
    (lambda: analyze({"fen": F[0]}), TypeError, 'column "fen" is one text: put it into a list'),
    (lambda: positions({"white_king": [1]}), TypeError, "column white_pawn is missing: bitboards are twelve columns"),
    (
        lambda: positions(boards(black_rook=None)),
        TypeError,
        "column black_rook is missing: bitboards are twelve columns",
    ),
    (lambda: positions(boards(white_king=[1, 1])), ValueError, "column white_king has 2 rows, and white_pawn has 1"),
    # Types of bitboards.
    (lambda: positions(boards(white_king=np.array([1], np.int32))), TypeError, '.view("uint32").astype("uint64")'),
    (lambda: positions(boards(white_king=np.array([1.0]))), TypeError, "which rounds them: make them uint64 where"),
    (lambda: positions(boards(white_king=np.array([True]))), TypeError, 'np.packbits(x, axis=-1, bitorder="little")'),
    (lambda: positions(boards(white_king=np.ma.masked_array([1], [True]))), ValueError, MASKED),
    (lambda: positions(boards(white_king=pa.array([1], pa.int32()))), TypeError, "white_king is Int32, and bitboards"),
    (
        lambda: positions(boards(white_king=pa.array([1.5]))),
        TypeError,
        "white_king is Float64, and bitboards are UInt64",
    ),
    (lambda: positions(pa.table(boards(white_king=pa.array([1], pa.uint8())))), TypeError, "cast it to UInt64"),
    (lambda: attacks(SQUARES, OCCS.astype(np.int8)), TypeError, '.view("uint8").astype("uint64")'),
    (
        lambda: attacks(SQUARES, OCCS.astype(float)),
        TypeError,
        "occs must be unsigned integers, or int64 for their bits, not float64",
    ),
    (lambda: attacks(SQUARES, np.array([True, False])), TypeError, "a truth value per square: np.packbits("),
    (lambda: attacks(SQUARES, F), TypeError, "occs must be integers, not str at index 0: bit i of 64 stands for square i"),
    (lambda: attacks(SQUARES, np.array(F)), TypeError, "bit i of 64 stands for square i"),
    (lambda: queen(0, chess.Board()), TypeError, "occ must be integers, not Board: write board.occupied"),
    (lambda: attacks(SQUARES, np.ma.masked_array(OCCS, [False, True])), ValueError, MASKED),
    (lambda: attacks(np.ma.masked_array(SQUARES, [False, True]), OCCS), ValueError, MASKED),
    (
        lambda: slider_attacks.batch_attack_sets(np.ma.masked_array(OCCS, [False, True]), OCCS, OCCS, OCCS),
        ValueError,
        MASKED,
    ),
    # Squares.
    (lambda: attacks(OCCS, SQUARES), ValueError, "is not on the board: squares are 0 to 63, and come before occs"),
    (lambda: attacks(list(map(int, OCCS)), SQUARES), ValueError, "squares are 0 to 63, and come before occs"),
    (lambda: attacks("d4", 5), TypeError, "squares must be integers, not str: a1 is 0, b1 is 1, … h8 is 63"),
    (lambda: attacks(["d4"], [5]), TypeError, "squares must be integers, not str at index 0: a1 is 0"),
    (lambda: attacks(np.array(["d4"]), [5]), TypeError, "squares must be integers, not <U2: a1 is 0, b1 is 1, … h8 is 63"),
    (
        lambda: attacks(SQUARES.astype(float), OCCS),
        TypeError,
        'squares must be integers, not float64: use .astype("uint8")',
    ),
    (
        lambda: attacks(pl.DataFrame(FRAME), OCCS),
        TypeError,
        "squares are one column, not a table of id, position: take one",
    ),
    (lambda: attacks(pl.LazyFrame(FRAME), OCCS), TypeError, "a LazyFrame has no rows yet"),
    (lambda: attacks(pl.col("a"), OCCS), TypeError, "this is an expression of Polars"),
    (
        lambda: attacks(pa.array([1.5, 2]), OCCS),
        TypeError,
        "squares must be integers, not a column of Float64: cast it first",
    ),
    (
        lambda: attacks(pa.array(["a1", "b1"]), OCCS),
        TypeError,
        "squares must be integers, not a column of Utf8: cast it first",
    ),
    # Options.
    (lambda: attacks(SQUARES, OCCS, "rook"), TypeError, 'not str: options have names, as in slider="rook"'),
    (
        lambda: attacks(SQUARES, OCCS, slider="knight"),
        ValueError,
        "These do not slide; `analyze` takes all pieces into",
    ),
    (
        lambda: attacks(SQUARES, OCCS, slider="Queen"),
        ValueError,
        "expected one of bishop, rook, queen, in small letters",
    ),
    (lambda: analyze(F, "boards"), ValueError, 'take Positions(…).boards(), or read(…, "boards")'),
    (lambda: analyze(F, "Maps"), ValueError, f"expected one of {PRODUCTS}, in small letters"),
    (lambda: slider_attacks.summarize(F, ["maps", "keys"]), ValueError, 'what="keys": this product has no sums'),
    (lambda: analyze(F, "map"), ValueError, f'what="map": expected one of {PRODUCTS}'),
    (lambda: analyze(F[0], F[1]), ValueError, "what takes names of products, not FEN: put all texts into one list"),
    (lambda: analyze(F, 1), TypeError, 'what is a name or several, as in ["a", "b"], not int'),
    (lambda: analyze(F, ["maps", 1]), TypeError, 'what is a name or several, as in ["a", "b"], not int'),
    (lambda: analyze(F, b"maps"), TypeError, 'what is a name or several, as in ["a", "b"], not bytes'),
    (lambda: slider_attacks.schema("boards"), ValueError, "take Positions(…).boards()"),  # type: ignore[arg-type, unused-ignore]
    (lambda: analyze(F, on_error="ignore"), ValueError, "expected one of raise, skip, null, report"),
    (lambda: analyze(F, values="1,2"), ValueError, 'values="1,2": expected five numbers from 0 to 63, for pawn, knight'),
    (lambda: analyze(F, values=(1, 2)), ValueError, 'values="1,2": expected five numbers from 0 to 63, for pawn, knight'),
    (lambda: positions(F).analyze(values=range(9)), ValueError, 'values="0,1,2,3,4,5": expected five numbers'),
    (lambda: read(HERE, values=[1, 3, 3, 5, 64]), ValueError, 'values="1,3,3,5,64": expected five numbers from 0 to 63'),
    (lambda: analyze(F, values=(1, 3, 3, 5, -9)), ValueError, 'values="1,3,3,5,-9": expected five numbers from 0 to 63'),
    (lambda: analyze(F, values=5), TypeError, 'as in (1, 3, 3, 5, 9), or a text such as "1,3,3,5,9", not int'),
    (lambda: analyze(F, values=None), TypeError, "values must be five integers, as in (1, 3, 3, 5, 9), or a text"),
    (lambda: analyze(F, values=(1.0, 3, 3, 5, 9)), TypeError, 'or a text such as "1,3,3,5,9", not float'),
    (lambda: analyze(F, values=["1", "3", "3", "5", "9"]), TypeError, 'or a text such as "1,3,3,5,9", not str'),
    (lambda: analyze(F, values=b"11111"), TypeError, 'or a text such as "1,3,3,5,9", not bytes'),
    (lambda: analyze(F, values={"p": 1}), TypeError, 'or a text such as "1,3,3,5,9", not dict'),
    (lambda: analyze(F, values={1, 3, 4, 5, 9}), TypeError, 'or a text such as "1,3,3,5,9", not set'),
    # Rows are quoted.
    (lambda: analyze([F[0], "no\nsense"]), ValueError, "row 1, column 3: expected one position, found a line end: "),
    (lambda: analyze([F[0], "no\nsense"]), ValueError, ': "no\\nsense"'),
    (lambda: positions(pl.Series([F[0], "Ä" * 200])), ValueError, ': "' + "Ä" * 80 + '…"'),
    (lambda: positions(pa.array([F[0].encode(), b"\xff"])), ValueError, ': "\ufffd"'),
    (lambda: slider_attacks.summarize([F[0], "nonsense"]), ValueError, 'found \'o\': "nonsense"'),
    (lambda: slider_attacks.summarize({"fen": [F[0], ""], "x": [1, 2]}, by="x"), ValueError, 'end of the line: ""'),
    (lambda: analyze(F, threads="2"), TypeError, "threads must be an integer from 1 to 256, not str"),
    (lambda: analyze(F, threads=None), TypeError, "threads must be an integer from 1 to 256, not NoneType"),
    (lambda: analyze(F, threads=0), ValueError, "threads=0: expected 1 to 256"),
    # Files.
    (lambda: read(F[0]), ValueError, "this is FEN, not a path: `analyze` takes texts, as in analyze([fen])"),
    (lambda: read(F), ValueError, "this is FEN, not a path"),
    # In a build with URLs, test_urls.py sees what it says.
    *([] if has_urls() else [(lambda: read("https://example.com/x.csv"), ValueError, NO_URLS)]),
    (
        lambda: read(5),
        TypeError,
        "expected a path, a binary file object, or a list of them, not int",
    ),
    (lambda: read([5]), TypeError, "or a list of them, not int"),
    (lambda: read(b"x.txt"), TypeError, "or a list of them, not bytes"),
    (lambda: read([b"x.txt"]), TypeError, "or a list of them, not bytes"),
    (lambda: read(pa.array(F)), TypeError, "not StringArray: `analyze` takes positions in memory"),
    (lambda: read(pl.DataFrame(FRAME)), TypeError, "not DataFrame: `analyze` takes positions in memory"),
    (lambda: read(io.StringIO(F[0])), TypeError, '<StringIO> is a text file: open it with mode "rb"'),
    (lambda: read([]), ValueError, "no files to read"),
    (lambda: read("no such file"), FileNotFoundError, "cannot open no such file: No such file or directory"),
    (lambda: read(HERE.parent), ValueError, "tests has no files that end in .fen, .epd, .csv, "),
    (lambda: read(f"{HERE.parent}/*.pgn"), ValueError, "no file matches "),
    (lambda: read(HERE.parent / "no such directory" / "*.pgn"), FileNotFoundError, "no such directory: No such file"),
    (lambda: read("[x"), ValueError, "[x is not a pattern: "),
    (lambda: read(Opener()), TypeError, 'or a list of them, not Opener: open it, as in `with x as file`'),
    (
        lambda: read(io.BytesIO(b"id,position\n")),
        ValueError,
        'no column "fen"; its columns are id, position (`column` selects',
    ),
    (lambda: read(HERE, batch_rows=-1), ValueError, "batch_rows=-1: expected 1 or more"),
    (lambda: read(HERE, batch_rows="x"), TypeError, "batch_rows must be an integer, not str"),
    (lambda: read(HERE, keep=5), TypeError, 'keep is a name or several, as in ["a", "b"], not int'),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_a_wrong_call_says_what_to_do(number: int) -> None:
    call, kind, words = CALLS[number]
    with pytest.raises(kind) as caught:
        call()
    assert words in str(caught.value)


def test_what_the_messages_advise() -> None:
    signed = np.array([-1, 5], np.int32)
    wide = signed.view("uint32").astype("uint64")
    assert attacks([0, 0], wide).tolist() == attacks([0, 0], [2**32 - 1, 5]).tolist()
    truth = np.zeros((2, 64), bool)
    truth[0, [3, 40]] = truth[1, 63] = True
    packed = np.packbits(truth, axis=-1, bitorder="little").view("uint64")[..., 0]
    assert packed.tolist() == [2**3 + 2**40, 2**63]
    masked = np.ma.masked_array(OCCS, [False, True])
    assert attacks(SQUARES, masked.filled(0)).tolist() == attacks(SQUARES, [int(OCCS[0]), 0]).tolist()
    assert attacks(pa.array(SQUARES), pa.array(masked)).tolist() == [attacks(0, OCCS[0]).item(), None]
    assert attacks(SQUARES, np.ma.masked_array(OCCS, [False, False])).tolist() == attacks(SQUARES, OCCS).tolist()
    assert positions([chess.Board().fen()]).occupancies[0] == chess.Board().occupied
