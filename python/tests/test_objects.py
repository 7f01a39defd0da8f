"""What can be done with results: look into them, take rows, combine boards, copy them and pickle them."""

import collections
import concurrent.futures
import contextlib
import copy
import importlib.metadata
import itertools
import multiprocessing
import operator
import pathlib
import pickle
import random
import subprocess
import sys
import xml.etree.ElementTree as xml
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
import slider_attacks
from reference import random_pairs
from test_soundness import interrupted

FENS = [
    "4k3/8/8/8/8/8/8/R3K3 w Q -",
    "rn1q4/3p1k1r/2p4p/N3p1pP/1p3nP1/PQ1PpP1R/6BB/2R1K3 b - -",
    None,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
    "?",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3",
] * 3
PRODUCTS: Any = [product["name"] for product in slider_attacks.products()]
PRODUCT_COLUMNS = slider_attacks.schema(PRODUCTS).names
SLICES = [
    slice(start, stop, step)
    for start, stop in itertools.product([None, 0, 2, -3, 17, 99, -sys.maxsize - 1, 2**70], repeat=2)
    for step in [None, 1, 2, -1, -3, sys.maxsize, -sys.maxsize - 1]
]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> slider_attacks.Batch:
    """A batch with columns of many types that a file has."""
    rows = len(FENS)
    times = [None if row == 1 else 10**12 * row for row in range(rows)]
    table = pa.table(
        {
            "fen": FENS,
            "float": pa.array([row / 7 for row in range(rows)]),
            "single": pa.array([None, *([0.5] * (rows - 1))], pa.float32()),
            "flag": pa.array([None, *([True, False, True] * rows)][:rows]),
            "small": pa.array(range(rows), pa.int16()),
            "text": pa.array([None, "ä", "\0", "<b>"] * rows, pa.string())[:rows],
            "bytes": pa.array([b"\xff", None] * rows, pa.binary())[:rows],
            "four": pa.array([b"abcd", None] * rows, pa.binary(4))[:rows],
            "nothing": pa.nulls(rows),
            "moves": pa.array([["e4", None], [], None] * rows, pa.list_(pa.string()))[:rows],
            "game": pa.array([{"elo": [1, 2], "white": "A"}, None, {"elo": None, "white": None}] * rows)[:rows],
            "opening": pa.array(["C20", None, "B01"] * rows).dictionary_encode()[:rows],
            "time": pa.array(times, pa.timestamp("us", "UTC")),
            "price": pa.array([1, None, 3] * rows).cast(pa.decimal128(21, 2))[:rows],
        }
    )
    path = tmp_path_factory.mktemp("kept") / "rows.parquet"
    pyarrow.parquet.write_table(table, path)
    keep = table.column_names[1:]
    (batch,) = slider_attacks.read(path, ["maps", "threats"], keep=keep, on_error="null")
    assert batch.column_names[: len(keep)] == keep or set(keep) <= set(batch)
    return batch


def batches(kept: slider_attacks.Batch) -> list[slider_attacks.Batch]:
    """Batches of all kinds, among them slices, and some without rows or columns."""
    integers: list[Any] = ["unsigned", "signed"]
    found = [
        slider_attacks.analyze(FENS, PRODUCTS, on_error="report", integers=integers, victims="any")
        for integers in integers
    ]
    found += [slider_attacks.Positions(FENS, on_error="null").boards(integers) for integers in integers]
    found += [slider_attacks.analyze([None] * 70, PRODUCTS), slider_attacks.analyze([], PRODUCTS)]
    found += [slider_attacks.analyze(FENS, [], on_error="null"), slider_attacks.analyze([], [])]
    return [*found, kept, kept[3:15], found[0][::-2], found[0][9:9]]


@pytest.mark.parametrize("on_error", ["null", "report", "skip"])
@pytest.mark.parametrize("rows", [0, 1, 3, 16, 18, 36])
def test_columns_are_made_one_by_one_or_together(rows: int, on_error: Any) -> None:
    batch = slider_attacks.analyze((FENS * 2)[:rows], PRODUCTS, on_error=on_error)
    columns = [batch[name] for name in batch.column_names]
    table = pa.record_batch(batch)
    assert all(pa.array(column).equals(table[at]) for at, column in enumerate(columns))
    assert all(batch[name] == column for name, column in zip(batch.column_names, columns, strict=True))
    positions = slider_attacks.Positions((FENS * 2)[:rows], on_error="skip" if on_error == "skip" else "null")
    assert positions.analyze(PRODUCTS) == batch[PRODUCT_COLUMNS]


def test_values_are_those_of_pyarrow(kept: slider_attacks.Batch) -> None:
    for batch in batches(kept):
        table = batch.to_pyarrow()
        assert len(batch) == batch.num_rows == table.num_rows
        assert list(batch) == batch.keys() == batch.column_names == table.schema.names
        for name in batch:
            column, wanted = batch[name], table[name].to_pylist()
            assert column.tolist() == list(column) == wanted
            assert [column[row] for row in range(-len(column), len(column))] == wanted * 2
            for rows in SLICES[:: 1 if name == "white_attacks" else 7]:
                part = column[rows]
                assert part.tolist() == wanted[rows]
                assert part.null_count == wanted[rows].count(None)
                assert pa.array(part).validate(full=True) is None
        for rows in SLICES[::5]:
            some = batch[rows]
            assert some.to_pyarrow().to_pylist() == table.to_pylist()[rows]
            assert len(some) == len(range(len(batch))[rows])
            assert some.schema == batch.schema and some.errors == [] and some.error_count == 0


def test_no_copy_for_rows_that_follow_each_other() -> None:
    column = slider_attacks.analyze([FENS[0]] * 100)["white_attacks"]
    assert np.shares_memory(column[5:50].to_numpy(), column.to_numpy())
    assert column[5:50].to_numpy().ctypes.data == column.to_numpy()[5:50].ctypes.data
    assert not np.shares_memory(column[::2].to_numpy(), column.to_numpy())


class Five:
    def __index__(self) -> int:
        return 5


class Failing:
    def __index__(self) -> int:
        raise RuntimeError("no number")


def test_indices() -> None:
    batch = slider_attacks.analyze([FENS[0]] * 9, "counts")
    column, positions = batch["white_attackers"], slider_attacks.Positions([FENS[0]] * 9)
    things: list[Any] = [column, positions]
    for thing in things:
        for bad in [9, -10, 2**63, -(2**63) - 1, 10**30]:
            with pytest.raises(IndexError, match=r"row -?\d+ is out of range: .* has 9 rows"):
                thing[bad]
        for index in [5, -4, np.int8(5), np.uint64(5), Five()]:
            assert thing[index] == thing[5]
        for wrong in ["a", 1.0, None, [1.5], True, (1, 2), np.zeros((1, 9), bool), [None], Failing()]:
            with pytest.raises((TypeError, RuntimeError)):
                thing[wrong]
        with pytest.raises(ValueError, match="zero"):
            thing[::0]
        with pytest.raises(TypeError):
            thing["a":]
    anything: Any = batch
    for wrong in [0, None, 1.5, ("white_attackers",), b"white_attackers", ["white_attackers", 1], []]:
        with pytest.raises(TypeError, match="indices of a batch must|columns by name, slices and masks|an empty list"):
            anything[wrong]
    with pytest.raises(KeyError, match="no column white"):
        batch[["white_attackers", "white"]]
    with pytest.raises(ValueError, match='column "white_attackers" is named twice'):
        batch[["white_attackers", "white_attackers"]]
    with pytest.raises(KeyError, match="no column white; the columns are white_attackers, black_attackers"):
        batch["white"]
    with pytest.raises(KeyError):
        batch["\ud800"]
    assert "white_attackers" in batch and "white" not in batch and 5 not in batch
    assert dict(anything)["white_attackers"] == column  # a mapping, as far as `dict` looks


def test_masks_and_numbers_of_rows() -> None:
    texts = [FENS[0], None, *FENS[1:4]] * 8
    rows, dice = len(texts), np.random.default_rng(3)
    positions = slider_attacks.Positions(texts)
    batch = positions.analyze(["maps", "counts", "moves", "threats", "legal_moves"])
    mask, numbers = dice.random(rows) < 0.5, dice.integers(-rows, rows, 100)
    chosen = np.flatnonzero(mask)
    cases: list[tuple[Any, Any]] = [
        (mask, chosen),
        (mask.tolist(), chosen),
        (pl.Series(mask), chosen),
        (pd.Series(mask), chosen),
        (numbers, numbers % rows),
        (numbers.tolist(), numbers % rows),
        (numbers[::-3].astype("int16"), numbers[::-3] % rows),
        ((numbers % rows).astype("uint64"), numbers % rows),
        (pa.array(numbers % rows), numbers % rows),
        (np.zeros(rows, bool), []),
        (np.array([], "uint8"), []),
    ]
    for given, expected in cases:
        assert list(positions[given]) == [positions[int(row)] for row in expected]
        some = batch[given]
        assert some.column_names == batch.column_names and len(some) == len(expected)
        for name in batch:
            assert some[name] == batch[name][given]
            values = batch[name].tolist()
            assert some[name].tolist() == [values[row] for row in expected], name
    things: list[Any] = [positions, batch, batch["moves"]]
    for thing in things:
        for wrong in [np.ones(rows - 1, bool), [True], [rows], [-rows - 1], np.array([2**63], np.uint64)]:
            with pytest.raises(IndexError, match=f"has {rows} rows"):
                thing[wrong]
        with pytest.raises(TypeError, match="masked elements name no row"):
            thing[np.ma.array(mask, mask=mask)]
    names = ["moves", "white_attacks"]
    assert batch[names].column_names == names and batch[names]["moves"] == batch["moves"]
    frame = slider_attacks.analyze(pd.DataFrame({"fen": texts}, index=[f"r{row}" for row in range(rows)]))
    assert frame[mask].to_pandas().index.tolist() == [f"r{row}" for row in chosen]
    assert frame[["black_attacks"]].to_pandas().index.tolist() == frame.to_pandas().index.tolist()


NUMBERS = [0, 1, 2**63, 2**64 - 1, -1, ~7, -(2**63), True.__index__(), np.uint64(2**63), np.int64(-5), np.array(3)]


@pytest.mark.parametrize("kind", ["u8", "i8"])
@pytest.mark.parametrize("length", [0, 1, 1000, 20_000])
def test_operators_are_those_of_numpy(kind: str, length: int) -> None:
    def with_nulls(boards: Any) -> Any:
        return pa.array(boards, mask=random_mask(length))

    def random_mask(length: int) -> Any:
        return generator.random(length) < 0.3

    generator = np.random.default_rng(length)
    here, there = (generator.integers(0, 2**64, length, np.uint64) for _ in range(2))
    batch = slider_attacks.analyze([FENS[0]] * 3, integers="signed" if kind == "i8" else "unsigned")
    one = array_of(pa.array(here.view(kind)))
    assert one.dtype == kind == batch["white_attacks"].dtype
    arrays: list[Any] = [there, there.view("i8"), there[::-1][::-1], there.astype(">u8"), pa.array(there)]
    arrays += [pl.Series(there), array_of(pa.array(there.view("i8"))), array_of(pa.array(there))]
    functions: list[Any] = [np.bitwise_and, np.bitwise_or, np.bitwise_xor]
    for function in functions:
        operator = {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}[function.__name__]
        wanted = function(here, there).view(kind)
        for other in arrays:
            found = eval(f"one {operator} other", {"one": one, "other": other})
            assert isinstance(found, slider_attacks.Array) and found.null_count == 0
            np.testing.assert_array_equal(found.to_numpy(), wanted)
            if isinstance(other, np.ndarray):
                found = eval(f"other {operator} one", {"one": one, "other": other})
                assert isinstance(found, slider_attacks.Array) and found.dtype == kind
                np.testing.assert_array_equal(found.to_numpy(), wanted)
        numbers: list[Any] = NUMBERS
        for number in numbers:
            wanted = function(here, np.uint64(int(number) % 2**64)).view(kind)
            for text in [f"one {operator} other", f"other {operator} one"]:
                found = eval(text, {"one": one, "other": number})
                assert isinstance(found, slider_attacks.Array)
                np.testing.assert_array_equal(found.to_numpy(), wanted)
        nulls = [with_nulls(boards.view(kind)) for boards in (here, there)]
        both = pa.array(eval(f"a {operator} b", {"a": array_of(nulls[0]), "b": array_of(nulls[1])}))
        valid = np.logical_and(*(array.is_valid().to_numpy(False) for array in nulls))
        assert both.is_valid().to_pylist() == valid.tolist()
        np.testing.assert_array_equal(both.drop_null().to_numpy(), function(here, there).view(kind)[valid])
    np.testing.assert_array_equal((~one).to_numpy(), ~here.view(kind))
    assert ~~one == one and (one ^ one) == (one & 0)
    with pytest.raises(ValueError, match=f"a column of {length} rows and one of {length + 1}"):
        one & np.zeros(length + 1, np.uint64)


def array_of(boards: Any) -> slider_attacks.Array:
    """A column with the boards, the nulls and the type of a column of pyarrow."""
    signed = pa.types.is_signed_integer(boards.type)
    positions = slider_attacks.Positions([FENS[0]] * len(boards))
    zeros = positions.boards("signed" if signed else "unsigned")["white_rook"] & 0
    column: slider_attacks.Array = zeros | boards
    return column


def test_operators_for_other_things() -> None:
    batch = slider_attacks.analyze([FENS[0]] * 3, ["maps", "counts", "threats"])
    column: Any = batch["white_attacks"]
    for other in ["a", None, 1.5, [1, 2, 3], True, object(), {}]:
        with pytest.raises(TypeError, match="unsupported operand"):
            column & other
        with pytest.raises(TypeError, match="unsupported operand"):
            other ^ column
    for wrong in [np.zeros(3), np.zeros(3, bool), pa.array([1.5] * 3), batch["white_attackers"]]:
        with pytest.raises(TypeError):
            column & wrong
    for wrong in [
        2**64,
        -(2**63) - 1,
        np.zeros((3, 1), np.uint64),
        np.zeros((1, 3), np.uint64),
        np.zeros(1, np.uint64),
    ]:
        with pytest.raises(ValueError):
            column | wrong
    anything: Any = batch
    for name in ["white_attackers", "threats"]:
        with pytest.raises(TypeError, match="only columns of bitboards"):
            anything[name] & 1
        with pytest.raises(TypeError):
            ~anything[name]


def test_functions_of_numpy() -> None:
    batch = slider_attacks.analyze([FENS[0], FENS[3]], ["maps", "counts"])
    column: Any = batch["white_attacks"]
    boards = column.to_numpy()
    assert type(np.invert(column)) is np.ndarray and (np.invert(column) == ~boards).all()
    assert type(np.add(column, 1)) is np.ndarray and (np.add(boards, column) == boards * 2).all()
    assert (boards == column).all() and (column == boards).all() and (boards + column == 2 * boards).all()
    assert np.bitwise_or.reduce(column) == boards[0] | boards[1]
    out = np.zeros(2, np.uint64)
    assert np.bitwise_and(column, 0xFF, out=out) is out and (out == boards & 0xFF).all()
    out &= column & 0
    assert type(out) is np.ndarray and not out.any()
    nulls: Any = slider_attacks.analyze([FENS[0], None])["white_attacks"]
    assert (nulls & boards).tolist() == (boards & nulls).tolist() == [int(boards[0]), None]
    assert (column & pd.Series(boards)).tolist() == boards.tolist()
    with pytest.raises(AttributeError):  # not a Series of True
        pd.Series(boards) & column
    assert batch["white_attackers"].to_numpy(dtype="float32").dtype == np.float32
    with pytest.raises(ValueError, match="null"):
        np.invert(slider_attacks.analyze([None])["white_attacks"])


def test_types_of_numpy(kept: slider_attacks.Batch) -> None:
    for batch in batches(kept):
        for name in batch:
            column = batch[name]
            try:
                array = column.to_numpy()
            except (TypeError, ValueError):
                continue
            assert array.dtype == column.dtype
            assert not array.flags.writeable
    threats = slider_attacks.analyze(FENS[:1], "threats")["threats"]
    assert threats.dtype == [(name, "u1") for name in ("attacker", "from", "to", "victim")]
    assert kept["text"].dtype == object and kept["float"].dtype == float


def test_nulls_as_numpy_has_them() -> None:
    batch = slider_attacks.analyze([FENS[0], None], ["legal_moves", "maps", "counts", "threats"])
    moves, boards, lists = (batch[name] for name in ("legal_moves", "white_attacks", "white_attackers"))
    converts: list[Callable[[], Any]] = [moves.to_numpy, boards.to_numpy]
    converts += [lambda: np.asarray(lists), lambda: boards.to_numpy(bits=True)]
    for convert in converts:
        with pytest.raises(ValueError, match=r"1 of 2 values are null, .*to_numpy\(na_value=0\) or to_numpy\(na_value=float"):
            convert()
    number, board = moves[0], boards[0]
    cases: list[tuple[Any, dict[str, Any], str, list[Any]]] = [
        (moves, {"na_value": float("nan")}, "f8", [number, None]),
        (moves, {"na_value": np.float64("nan")}, "f8", [number, None]),
        (moves, {"na_value": float("nan"), "dtype": "f4"}, "f4", [number, None]),
        (moves, {"na_value": 7}, "u2", [number, 7]),
        (moves, {"na_value": -1, "dtype": "i4"}, "i4", [number, -1]),
        (moves[:1], {"na_value": float("nan")}, "f8", [number]),
        (moves[:0], {"na_value": 0}, "u2", []),
        (moves[1:], {"na_value": 5}, "u2", [5]),
        (boards, {"na_value": 2**64 - 1}, "u8", [board, 2**64 - 1]),
        (boards, {"na_value": float("nan"), "dtype": float}, "f8", [float(board), None]),
    ]
    for column, options, dtype, values in cases:
        found = column.to_numpy(**options)
        assert found.dtype == dtype and found.flags.writeable
        assert [None if value != value else value for value in found.tolist()] == values
    assert lists.to_numpy(na_value=9).tolist() == [lists[0], [9] * 64] and lists.to_numpy(na_value=9).dtype == "u1"
    assert np.isnan(lists.to_numpy(na_value=float("nan"))).sum() == 64
    bits = boards.to_numpy(bits=(8, 8), dtype="f4", na_value=0)
    assert bits.dtype == "f4" and bits[0].sum() == board.bit_count() and not bits[1].any()
    wide = slider_attacks.batch_attacks(pa.array([0, None], pa.uint8()), pa.array([0, 0], pa.uint64()))
    for column in (boards, wide, slider_attacks.analyze([FENS[0], None], integers="signed")["black_attacks"]):
        with pytest.raises(ValueError, match=r'^row 0 has more digits than float64: .*na_value=0\), or dtype="float64"'):
            column.to_numpy(na_value=float("nan"))
    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        moves.to_numpy(na_value=float("nan"), dtype="i8")
    with pytest.raises(TypeError, match="there is no NumPy array for list"):
        batch["threats"].to_numpy(na_value=0)


@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", "c8", ">f4"])
@pytest.mark.parametrize("length", [0, 1, 77, 10_000])
def test_bits(dtype: str, length: int) -> None:
    boards = random_pairs(length)[1]
    wanted = np.unpackbits(boards.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little").astype(dtype)
    column = array_of(pa.array(boards))
    given: list[Any] = [boards, boards.view("i8"), pa.array(boards), column, boards.tolist(), pl.Series(boards)]
    for array in given:
        found = slider_attacks.bits(array, dtype=dtype)
        assert found.dtype == np.dtype(dtype) and found.shape == (length, 64) and found.flags.writeable
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(column.to_numpy(bits=True, dtype=dtype), wanted)
    np.testing.assert_array_equal(column[1:].to_numpy(bits=(8, 8), dtype=dtype), wanted[1:].reshape(-1, 8, 8))
    if length % 7 == 0:
        cube = boards.reshape(7, -1)
        np.testing.assert_array_equal(slider_attacks.bits(cube, (8, 8), dtype), wanted.reshape(7, -1, 8, 8))


@pytest.mark.parametrize("dtype", ["?", "u1", "f2", "f4", "i8", ">f4"])
@pytest.mark.parametrize("rows", [0, 1, 77, 10_000])
def test_planes(dtype: str, rows: int) -> None:
    fens = [fen for fen in FENS if fen and fen != "?"]
    positions = slider_attacks.Positions([fens[row % len(fens)] for row in range(rows)])
    batch = positions.analyze(["pieces", "maps", "counts"])
    kinds = ["pawn", "knight", "bishop", "rook", "queen", "king"]
    columns = [positions.pieces(color, kind) for color in ("white", "black") for kind in kinds]
    columns += [batch[f"{color}_attacks"].to_numpy() for color in ("white", "black")]
    wanted = slider_attacks.bits(np.stack(columns, axis=1), (8, 8), dtype)
    found = batch.planes(dtype=dtype)
    assert found.dtype == np.dtype(dtype) and found.shape == (rows, 14, 8, 8) and found.flags.writeable
    np.testing.assert_array_equal(found, wanted)
    some = ["black_attacks", "white_pawns", "white_pawns"]
    out = np.full((rows, 3, 8, 8), 7, dtype)
    assert batch.planes(some, out=out) is out and batch.planes(some, dtype=dtype, out=out) is out
    np.testing.assert_array_equal(out, wanted[:, [13, 0, 0]])
    np.testing.assert_array_equal(batch[1:5].planes("black_kings")[:, 0], slider_attacks.bits(columns[11][1:5], (8, 8)))
    np.testing.assert_array_equal(positions.boards().planes(), slider_attacks.bits(np.stack(columns[:12], axis=1), (8, 8)))
    np.testing.assert_array_equal(positions.analyze("pieces", integers="signed").planes(), wanted[:, :12].astype("u1"))


@pytest.mark.parametrize("rows", [1, 70, 9000])
def test_planes_go_into_a_slice_of_channels(rows: int) -> None:
    batch = slider_attacks.analyze([FENS[0], FENS[1], FENS[3]] * (rows // 3 + 1), ["maps", "counts"])[:rows]
    out = np.full((rows, 7, 8, 8), 9, "float32")
    part = out[:, 2:6]
    assert batch.planes(["white_attacks", "black_attackers", "white_attackers", "black_attacks"], out=part) is part
    assert (out[:, [0, 1, 6]] == 9).all()
    for plane, name in [(2, "white_attacks"), (5, "black_attacks")]:
        assert np.array_equal(out[:, plane], slider_attacks.bits(batch[name], (8, 8)))
    assert np.array_equal(out[:, 4].reshape(rows, 64), batch["white_attackers"].to_numpy())
    assert np.array_equal(out[:, 3].reshape(rows, 64), batch["black_attackers"].to_numpy())
    one = out[:, 0]
    assert slider_attacks.bits(batch["white_attacks"], out=one) is one
    assert np.array_equal(out[:, 0], out[:, 2]) and (out[:, 1] == 9).all()
    squares = np.empty((rows, 64), bool)
    slider_attacks.bits(batch["white_attacks"].to_numpy(), out=squares)
    assert np.array_equal(squares, batch["white_attacks"].to_numpy(bits=64))
    own = np.zeros((rows, 64), "uint64")
    own[:, 5] = batch["white_attacks"]
    boards = np.ascontiguousarray(own[:, 5]) if rows > 1 else own[0, 5:6]
    slider_attacks.bits(boards, out=own)
    assert np.array_equal(own, squares)
    for wrong, text in [(out[:, :1, ::-1], "channels"), (out[:, :2], "shape")]:
        with pytest.raises(ValueError, match=text):
            batch.planes("white_attacks", out=wrong)
    with pytest.raises(ValueError, match="out has shape"):
        slider_attacks.bits(batch["white_attacks"], 64, out=one)
    with pytest.raises(TypeError, match="out must be a NumPy array"):
        slider_attacks.bits(batch["white_attacks"], out=[1])  # type: ignore[arg-type]


def test_boards_of_several_dimensions_go_into_slices_of_channels() -> None:
    dice = np.random.default_rng(5)
    for rows in [1, 2, 3000]:
        boards = dice.integers(0, 2**64, (rows, 3), "uint64", endpoint=False)
        squares = slider_attacks.bits(boards)
        lists = pa.FixedSizeListArray.from_arrays(pa.array(boards.ravel()), 3)
        for some in [boards, lists]:
            out = np.full((rows, 12, 64), 9, "u1")
            slider_attacks.bits(some, out=out[:, 2:5])
            assert np.array_equal(out[:, 2:5], squares) and (out[:, :2] == 9).all() and (out[:, 5:] == 9).all()
    calls: list[Any] = [(np.uint64(5), (8, 8), np.zeros((8, 16), "u1")[:, :8]), ([5], 64, np.zeros((1, 128), "u1")[:, ::2])]
    for board, shape, wrong in calls:
        with pytest.raises(ValueError, match="out must be C-contiguous"):
            slider_attacks.bits(board, shape, out=wrong)
        assert not wrong.any()


def test_boards_in_the_memory_of_the_output_are_copied() -> None:
    boards = np.random.default_rng(6).integers(0, 2**64, 100, "uint64", endpoint=False)
    for width, start in [(64, 0), (128, 64), (128, 0)]:
        memory = np.zeros((100, width), "u1")
        out = memory[:, start : start + 64]
        held = memory.reshape(-1).view("uint64")[100:200]
        held[:] = boards
        slider_attacks.bits(pa.array(held), out=out)
        assert np.array_equal(out, slider_attacks.bits(boards))


def test_masks_may_have_any_bytes() -> None:
    column = slider_attacks.analyze(FENS[:3], "maps")["white_attacks"]
    mask = np.array([2, 0, 255], "u1").view(bool)
    assert column[mask] == column[[0, 2]]


def test_dlpack() -> None:
    batch = slider_attacks.analyze([FENS[0], FENS[1]], ["maps", "counts"])
    for name in ["white_attacks", "white_attackers"]:
        array = batch[name]
        assert array.__dlpack_device__() == (1, 0)
        found = np.from_dlpack(array)
        assert found.dtype == array.dtype and np.array_equal(found, array.to_numpy())
        assert np.array_equal(np.from_dlpack(array[1:]), array[1:].to_numpy())
        assert not np.shares_memory(found, array.to_numpy())
        with pytest.raises(BufferError, match="to_numpy"):
            array.__dlpack__(max_version=(1, 0), copy=False)

        class Before:
            """A library that knows no array that is read-only."""

            def __dlpack_device__(self) -> tuple[int, int]:
                return array.__dlpack_device__()

            def __dlpack__(self, **_: Any) -> Any:
                return array.__dlpack__()

        assert np.array_equal(np.from_dlpack(Before()), array.to_numpy())
    with pytest.raises(ValueError, match="null"):
        np.from_dlpack(slider_attacks.analyze([None], on_error="null")["white_attacks"])


def test_planes_errors() -> None:
    batch: Any = slider_attacks.analyze(FENS[:1] * 3, ["pieces", "targets"])
    read_only = np.zeros((3, 12, 8, 8))
    read_only.flags.writeable = False
    cases: list[tuple[type[Exception], str, Any, dict[str, Any]]] = [
        (KeyError, "no column white_attacks; the columns are white_pawns, ", "white_attacks", {}),
        (TypeError, "bitboards must be uint64 or int64, not ", ["targets"], {}),
        (TypeError, "dtype must be numeric", None, {"dtype": "U4"}),
        (TypeError, "at most 8 bytes", None, {"dtype": "c16"}),
        (TypeError, "out must be a NumPy array, not list", None, {"out": []}),
        (TypeError, "out has dtype float64, not float32", None, {"out": read_only, "dtype": "f4"}),
        (ValueError, "out has shape (3, 12, 8, 8), not (3, 1, 8, 8)", "white_pawns", {"out": read_only}),
        (ValueError, "out is read-only", None, {"out": read_only}),
        (ValueError, "out must be C-contiguous", None, {"out": np.zeros((8, 8, 12, 3)).T}),
        (ValueError, "out must be C-contiguous", None, {"out": np.ma.array(np.zeros((3, 12, 8, 8)), mask=True)}),
    ]
    for error, message, columns, options in cases:
        with pytest.raises(error) as caught:
            batch.planes(columns, **options)
        assert message in str(caught.value)
    assert not read_only.any()
    nulls = slider_attacks.analyze([FENS[0], None], "pieces")
    with pytest.raises(ValueError, match="1 of 2 values are null"):
        nulls.planes()
    assert batch.planes([]).shape == (3, 0, 8, 8) and slider_attacks.analyze([], "threats").planes().shape == (0, 0, 8, 8)


def test_bits_of_one_board_and_errors() -> None:
    assert slider_attacks.bits(0x8000, (8, 8))[1].tolist() == [0] * 7 + [1]  # h2
    assert slider_attacks.bits(np.uint64(1)).shape == (64,)
    column: Any = slider_attacks.analyze(FENS[:1], ["maps"])["white_attacks"]
    assert column.to_numpy(bits=False) is not None and column.to_numpy(bits=True).dtype == np.uint8
    bits: Any = slider_attacks.bits
    for shape in [8, (64, 1), (8,), "64", -64, 2**70, 64.0, (4, 16), None]:
        if shape is not None:
            with pytest.raises(ValueError, match=r"shape \(64,\) or \(8, 8\)"):
                bits([1], shape)
            with pytest.raises(ValueError, match=r"shape \(64,\) or \(8, 8\)"):
                column.to_numpy(bits=shape)
    for dtype in [object, "M8[s]", "S1", "U1", [("a", "u1")], "c16", "V3"]:
        with pytest.raises(TypeError, match="dtype"):
            bits([1], dtype=dtype)
    for wrong in [1.5, "a", [1.5], np.zeros(3), pa.array([1.5]), pa.array(["a"]), [[1], [2, 3]], {}]:
        with pytest.raises((TypeError, ValueError)):
            bits(wrong)
    for nulls in [pa.array([1, None], pa.uint64()), slider_attacks.analyze([None])["white_attacks"]]:
        with pytest.raises(ValueError, match="null, which NumPy arrays cannot hold"):
            bits(nulls)
    with pytest.raises(TypeError):
        slider_attacks.analyze(FENS[:1], "counts")["white_attackers"].to_numpy(bits=True)


def test_positions() -> None:
    positions = slider_attacks.Positions(FENS, on_error="null")
    wanted = [fen if fen != "?" else None for fen in FENS]
    assert list(positions) == wanted == [positions[row] for row in range(len(positions))]
    for rows in SLICES:
        part = positions[rows]
        assert list(part) == wanted[rows] == part.fens().tolist()
        assert part.null_count == wanted[rows].count(None) and part.errors == []
        assert part == slider_attacks.Positions(wanted[rows])
    assert positions[:3] != positions[:4] and positions[:1] != positions[1:2] and positions[:1] != positions[2:3]
    two: Any = slider_attacks.Positions([FENS[0], FENS[0].replace(" w ", " b ")])  # type: ignore[union-attr]
    assert two[:1] != two[1:] and two != FENS
    many = slider_attacks.Positions(wanted * 1000)
    assert sum(fen is None for fen in many) == wanted.count(None) * 1000
    assert many[::-1][::-1] == many and next(iter(many[5000:])) == wanted[5000 % len(wanted)]


def pickled(thing: Any) -> list[Any]:
    return [pickle.loads(pickle.dumps(thing, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]


def test_copies_and_pickles(kept: slider_attacks.Batch) -> None:
    for batch in batches(kept):
        assert copy.copy(batch) is batch and copy.deepcopy([batch])[0] is batch
        for found in pickled(batch):
            assert found == batch and found.schema == batch.schema
            assert found.to_pyarrow().equals(batch.to_pyarrow(), check_metadata=True)
            assert (found.errors, found.error_count) == (batch.errors, batch.error_count)
        for name in batch:
            column = batch[name]
            assert copy.copy(column) is copy.deepcopy(column) is column
            for found in pickled(column)[-2:]:
                assert found == column and pa.array(found).equals(pa.array(column))
        schema = batch.schema
        assert pickled(schema) == [schema] * 6 and copy.copy(schema) is copy.deepcopy(schema) is schema
    assert batches(kept)[0].error_count == 3
    for positions in [slider_attacks.Positions(FENS, on_error="null"), slider_attacks.Positions([])]:
        assert copy.deepcopy(positions) is positions
        for found in pickled(positions):
            assert found == positions and list(found) == list(positions)
            assert (found.errors, found.error_count) == (positions.errors, positions.error_count)
            again = found.analyze(PRODUCTS)
            assert again == positions.analyze(PRODUCTS) and again.errors == positions.errors
    part = slider_attacks.analyze([FENS[0]] * 100_000)[7:9]
    assert len(pickle.dumps(part)) < 2000, "only the rows that there are"


def test_equality() -> None:
    one, other = slider_attacks.analyze(FENS[:1]), slider_attacks.analyze(FENS[:1])
    assert one == other and one["white_attacks"] == other["white_attacks"] and one.schema == other.schema
    assert hash(one.schema) == hash(other.schema) and one.schema != slider_attacks.schema("counts")
    assert one["white_attacks"] != one["black_attacks"] and one != slider_attacks.analyze(FENS[1:2])
    assert one["white_attacks"] != slider_attacks.analyze(FENS[:1], integers="signed")["white_attacks"]
    strange: list[Any] = [one.to_pyarrow(), "a", 5, None, [0x10101010101393E]]
    assert all(thing not in [one, one.schema] for thing in strange)
    column: Any = one["white_attacks"]
    assert column != None and not column == one and column != one.to_pyarrow()["white_attacks"]  # noqa: E711
    # "False" would pass for a column of truth values, none of which is true.
    for value in (5, 0.5, True, "a", b"a", [0x10101010101393E], (5,)):
        for compare in (operator.eq, operator.ne):
            for pair in ((column, value), (value, column)):
                with pytest.raises(TypeError, match=r"column.to_numpy\(\) == value compares row by row"):
                    compare(*pair)
    for equal in (column == np.array([0x10101010101393E], np.uint64), np.uint64(0x10101010101393E) == column):
        assert equal.tolist() == [True]
    things: list[Any] = [one, one["white_attacks"], slider_attacks.Positions([])]
    for thing in things:
        with pytest.raises(TypeError, match="unhashable"):
            hash(thing)
        with pytest.raises(TypeError, match="not an acceptable base type"):
            type("Sub", (type(thing),), {})


def work(thing: Any) -> Any:
    """What another process makes of a thing, and the thing."""
    return len(thing), thing


def test_another_process_gets_them() -> None:
    batch = slider_attacks.analyze(FENS, PRODUCTS, on_error="null")
    things: list[Any] = [batch, batch["threats"], batch.schema, slider_attacks.Positions(FENS, on_error="null")]
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        for thing, (length, found) in zip(things, pool.map(work, things), strict=True):
            assert length == len(thing) and found == thing


def test_hostile_pickles(kept: slider_attacks.Batch) -> None:
    restore: Any = slider_attacks._native._restore
    generator = random.Random(7)
    batch = slider_attacks.analyze(FENS, PRODUCTS, on_error="report")
    positions = slider_attacks.Positions(FENS, on_error="null")
    things: list[Any] = [batch, batch["threats"], kept, batch.schema, positions]
    for thing in things:
        _, (kind, stream, errors, count, index, left_out) = thing.__reduce__()
        assert (index, left_out) == (None, 0) and restore(kind, stream, errors, count) == thing
        for other in [slider_attacks.Array, slider_attacks.Batch, slider_attacks.Positions, int]:
            if other is not kind:
                try_to_use(restore, other, stream)
        for length in [0, 1, 7, 8, 9, len(stream) // 3, len(stream) - 9, len(stream) - 1]:
            try_to_use(restore, kind, stream[:length])
        for _ in range(300):
            bad = bytearray(stream)
            for _ in range(generator.choice([1, 1, 1, 3])):
                place = generator.randrange(len(bad) if generator.random() < 0.3 else min(len(bad), 4000))
                bad[place] = generator.choice([0, 1, 0x7F, 0x80, 0xFF, generator.randrange(256)])
            try_to_use(restore, kind, bytes(bad))
        try_to_use(restore, kind, stream + stream)
    for wrong in [(int, b""), ("Batch", b""), (slider_attacks.Batch, "text"), (slider_attacks.Batch, None)]:
        with pytest.raises((TypeError, ValueError)):
            restore(*wrong, [], 0)


def try_to_use(restore: Any, kind: Any, stream: bytes) -> None:
    """What a stream says may be nonsense. Then this is an error, or an object that can be used."""
    try:
        thing = restore(kind, stream, [], 0)
    except (ValueError, TypeError, MemoryError):
        return
    repr(thing)
    if isinstance(thing, slider_attacks.Batch):
        for name in thing:
            assert len(thing[name]) == len(thing)
        with contextlib.suppress(TypeError, ValueError):  # such as names that C cannot hold
            thing.to_pyarrow().validate(full=True)
        thing._repr_html_()
    elif not isinstance(thing, slider_attacks.Schema) and len(thing) < 10**6:
        list(thing)


def test_texts(kept: slider_attacks.Batch) -> None:
    for batch in batches(kept):
        lines = repr(batch).splitlines()
        assert lines[0].startswith("slider_attacks.Batch: ")
        assert len(lines) == (2 + len(batch.schema) if batch.column_names else 1)
        for name, line in zip(batch, lines[2:], strict=True):
            assert line.startswith(name)
        table = xml.fromstring(batch._repr_html_())
        assert len(table.findall("tbody/tr")) == len(batch.column_names)
        assert len(repr(batch.schema).splitlines()) == 1 + len(batch.schema)
        assert batch.schema.names == batch.column_names == list(batch.schema)
        assert len(batch.schema.types) == len(batch.column_names)
    text = repr(slider_attacks.analyze(FENS, ["maps", "counts", "threats"], on_error="report"))
    assert "0x10101010101393e" in text and "null" in text and "… 61 more]" in text and "uint8[64]" in text
    assert "… 15 more" in text.splitlines()[1] and "expected" not in text.splitlines()[3]
    assert "[Pa3xpb4, Pf3xPg4, Pg4xPh5, … 33 more]" in repr(slider_attacks.analyze(FENS[1:2], "threats", victims="any"))


def test_names_and_texts_of_others_are_escaped(tmp_path: pathlib.Path) -> None:
    name = "<script>alert('&\"')\n\x1b[2J"
    table = pa.table({"fen": FENS[:2], name: ["<img src=x>\r\n\x1b]0;", "x" * 10_000]})
    pyarrow.parquet.write_table(table, tmp_path / "odd.parquet")
    (batch,) = slider_attacks.read(tmp_path / "odd.parquet", keep=name)
    html, text = batch._repr_html_(), repr(batch)
    xml.fromstring(html)
    assert "<script" not in html and "<img" not in html
    assert len(text.splitlines()) == 2 + len(batch.column_names) and "\x1b" not in text + html + repr(batch.schema)
    assert max(map(len, text.splitlines())) < 200


def test_the_packages_of_others() -> None:
    batch = slider_attacks.analyze([FENS[0]], ["maps", "counts", "threats"])
    assert isinstance(batch.to_pyarrow(), pa.RecordBatch) and isinstance(batch.to_polars(), pl.DataFrame)
    frame = slider_attacks.analyze([FENS[0], None]).to_pandas()
    assert frame["white_attacks"].tolist() == [0x10101010101393E, None]
    frame = batch.to_pandas()
    assert isinstance(frame, pd.DataFrame) and frame["white_attacks"].dtype == np.uint64
    assert batch.to_polars()["threats"].to_list() == batch["threats"].tolist()
    code = f"""
import sys
for name in ("pyarrow", "polars", "pandas"):
    sys.modules[name] = None
import slider_attacks
batch = slider_attacks.analyze([{FENS[0]!r}])
for name in ("pyarrow", "polars", "pandas"):
    try:
        getattr(batch, "to_" + name)()
    except ImportError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        f"{name} is not installed, which to_{name} needs: pip install 'slider-attacks[{extra}]'"
        for name, extra in (("pyarrow", "arrow"), ("polars", "polars"), ("pandas", "pandas"))
    ]


def test_what_is_a_table_is_no_array(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.epd"
    path.write_text(f"{FENS[0]}\n")
    batch, summary = slider_attacks.analyze(FENS, "maps", on_error="null"), slider_attacks.summarize(FENS[:1], "maps")
    things: list[tuple[Any, str]] = [
        (batch, "batch.to_pandas"),
        (batch[:0], "batch.to_pandas"),
        (slider_attacks.analyze([], []), "batch.to_pandas"),
        (summary, "summary.to_pandas"),
        (slider_attacks.read(path), r"pyarrow.table\(reader\).to_pandas"),
    ]
    for thing, advice in things:
        makers: list[Any] = [pd.DataFrame, np.asarray, np.array]
        for make in makers:
            with pytest.raises(TypeError, match=rf"\b{advice}\(\)"):
                make(thing)
    for several in ([batch], [batch, batch[:0]], [summary.to_batch()] * 2):
        with pytest.raises(TypeError, match=r"\bbatch.to_pandas\(\)"):
            pd.DataFrame(several)
    assert pl.DataFrame(batch).equals(batch.to_polars()) and pl.DataFrame(summary).equals(summary.to_polars())
    columns: Any = dict(batch)
    assert pl.DataFrame(columns).equals(batch.to_polars()) and list(columns) == batch.column_names
    assert pd.DataFrame(dict(batch[:1])).equals(batch[:1].to_pandas())
    assert pd.DataFrame(batch.to_pyarrow().to_pydict(), dtype=object).equals(batch.to_pandas().astype(object))


def test_the_version() -> None:
    assert slider_attacks.__version__ == importlib.metadata.version("slider-attacks")


def test_many_threads_use_one_object() -> None:
    positions = slider_attacks.Positions([FENS[0], None, FENS[3]] * 10_000)
    batch = positions.analyze(["maps", "threats"])

    def use(number: int) -> tuple[Any, ...]:
        column = batch["white_attacks"]
        return (
            (column & number)[::-1].tolist()[:100],
            column[:2].to_numpy(bits=False, dtype="u8").tolist() if number < 0 else slider_attacks.bits(number).sum(),
            pickle.loads(pickle.dumps(batch[::7])) == batch[::7],
            sum(fen is None for fen in positions[number:]),
            batch["threats"][::3].tolist()[-1],
        )

    numbers = list(range(8))
    wanted = [use(number) for number in numbers]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(use, numbers)) == wanted
        shared = iter(positions)  # one thread at a time takes from it, as from a generator

        def take(_: int) -> int:
            taken = 0
            while True:
                try:
                    next(shared)
                except StopIteration:
                    return taken
                except RuntimeError as error:
                    assert "borrowed" in str(error)
                else:
                    taken += 1

        assert sum(pool.map(take, range(4))) == len(positions)


def test_ctrl_c_ends_loops_in_c() -> None:
    counts = slider_attacks.analyze([FENS[0]] * 5000, "counts")
    things: list[Any] = [slider_attacks.Positions([FENS[0]] * 5000), counts["white_attackers"]]
    for thing in things:
        with interrupted(0.05):
            collections.deque(itertools.chain.from_iterable(itertools.repeat(thing)), maxlen=0)


def test_a_lack_of_memory_is_an_error() -> None:
    code = f"""
import pickle, resource
import numpy as np, slider_attacks
rows = 1 << 20
positions = slider_attacks.Positions([{FENS[0]!r}] * rows)
batch = positions.analyze(["maps", "mobility"])
column, boards, saved = batch["white_attacks"], np.zeros(rows, np.uint64), pickle.dumps(batch)
assert column[:9].to_numpy(bits=True).sum() and pickle.dumps(batch[:9])
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (6 << 20),) * 2)
calls = [
    lambda: column.to_numpy(bits=True), lambda: slider_attacks.bits(boards, dtype="f8"), lambda: column & column,
    lambda: ~column, lambda: boards ^ column, lambda: column[::-1], lambda: batch[::2], lambda: batch["mobility"][::-1],
    lambda: positions[1:], lambda: pickle.dumps(batch), lambda: pickle.dumps(positions), lambda: column.tolist(),
    lambda: pickle.loads(saved),
]
failed = []
for number, call in enumerate(calls):
    try:
        call()
    except MemoryError:
        failed.append(number)
print(failed)
for fen in positions:
    pass
assert len(batch[5:]) == rows - 5
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert {0, 1, 8, 9, 10, 12} <= set(eval(done.stdout)), done.stdout


def test_columns_never_change() -> None:
    column = slider_attacks.analyze(FENS[:1])["white_attacks"]
    before = column.tolist()
    numbers: Any = column
    changes: list[Callable[[], Any]] = [
        lambda: np.invert.at(numbers, [0]),
        lambda: np.add.at(numbers, 0, 1),
        lambda: np.bitwise_and(np.ones(1, np.uint64), 7, out=numbers),
        lambda: np.bitwise_and(numbers, 7, out=(numbers,)),
    ]
    for change in changes:
        with pytest.raises(TypeError, match="never change"):
            change()
    assert column.tolist() == before


@pytest.mark.parametrize("dtype", ["(2,)u1", "(8,)u1", "U4", "i4,i4", "O"])
def test_bits_of_what_is_no_number(dtype: str) -> None:
    with pytest.raises(TypeError, match="dtype"):
        slider_attacks.bits([5], 64, dtype)
