"""Positions in tables: the column that has them is found by its name, and the others do not matter."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import slider_attacks

FENS = ["4k3/8/8/8/8/8/8/R3K3 w Q -", None, "4k3/4r3/8/8/4N3/8/8/4K3 b - -"]
READ: list[Any] = ["4k3/8/8/8/8/8/8/R3K3 w Q -", None, "4k3/4r3/8/8/4N3/8/8/4K3 b - -"]


def batch(rows: int = 3) -> Any:
    """A RecordBatch whose first column is not valid UTF-8, which matters to nobody who wants another one."""
    bad = pa.Array.from_buffers(pa.string(), rows, [None, *pa.array([b"\xff"] * rows, pa.binary()).buffers()[1:]])
    return pa.record_batch({"id": bad, "FEN": pa.array((FENS * rows)[:rows], pa.string())})


class Frame:
    """A frame of columns by label, such as an old one of pandas, which speaks no Arrow."""

    def __init__(self, columns: dict[Any, Any]) -> None:
        self.data, self.columns = columns, list(columns)

    def __getitem__(self, label: Any) -> Any:
        if isinstance(label, list):
            raise TypeError("one label")
        return self.data[label]


COLUMNS: dict[str, Any] = {"id": [1, 2, 3], "Fen": FENS, "fen_of_something": ["x", "y", "z"]}
DUCK = duckdb.connect()
DUCK.register("positions", pa.table(COLUMNS))
TABLES: dict[str, Any] = {
    "dict": COLUMNS,
    "pyarrow table": pa.table(COLUMNS),
    "pyarrow table in chunks": pa.concat_tables([pa.table(COLUMNS)[:1], pa.table(COLUMNS)[1:]]),
    "pyarrow batch": pa.record_batch(COLUMNS),
    "pyarrow struct": pa.record_batch(COLUMNS).to_struct_array(),
    "pyarrow reader": lambda: pa.table(COLUMNS).to_reader(),
    "polars frame": pl.DataFrame(COLUMNS),
    "polars struct": pl.DataFrame(COLUMNS).to_struct(),
    "pandas frame": pd.DataFrame(COLUMNS),
    "pandas frame of objects": pd.DataFrame(COLUMNS | {"mixed": [object(), 1, "x"], 5: 1}).astype({"Fen": object}),
    "duckdb relation": DUCK.sql("select * from positions"),
    "frame": Frame(COLUMNS | {7: None, "wrong": object()}),
}


@pytest.mark.parametrize("kind", TABLES)
def test_the_column_with_the_positions(kind: str) -> None:
    table: Any = TABLES[kind]
    make = table if callable(table) else lambda: table
    for column in ["fen", "Fen", "FEN"]:
        assert slider_attacks.Positions(make(), column=column).fens().tolist() == READ
        found = slider_attacks.analyze(make(), "maps", column=column)
        assert pa.table(found) == pa.table(slider_attacks.analyze(FENS, "maps"))
    with pytest.raises(ValueError, match=r'^no column "x"; the columns are id, Fen, fen_of_something'):
        slider_attacks.analyze(make(), column="x")
    with pytest.raises(ValueError, match="row 0, column 1: .*found 'x': \"x\"$"):
        slider_attacks.analyze(make(), column="fen_of_something")
    with pytest.raises(
        TypeError, match='column "id" is Int64, and positions are text|row 0: positions must be str, not int'
    ):
        slider_attacks.analyze(make(), column="id")


@pytest.mark.parametrize("make", [dict, pa.table, pl.DataFrame, pd.DataFrame, Frame])
def test_a_name_that_is_exact_wins_and_else_the_first_that_ignores_case(make: Any) -> None:
    columns = {"FEN": FENS[:1], "fen": ["x"], "Result": ["1-0"], "RESULT": ["0-1"]}
    table: Any = make(columns)
    assert len(slider_attacks.analyze(table, column="FEN")) == 1
    with pytest.raises(ValueError, match="^row 0"):
        slider_attacks.analyze(table)
    with pytest.warns(UserWarning, match='^"Fen" names the columns "FEN", "fen": "FEN" is taken$') as caught:
        assert len(slider_attacks.analyze(table, column="Fen")) == 1
    assert caught[0].filename == __file__
    assert slider_attacks.summarize(table, column="FEN", by="RESULT").groups == [{"RESULT": "0-1"}]
    with pytest.warns(UserWarning, match='^"result" names the columns "Result", "RESULT": "Result" is taken$'):
        assert slider_attacks.summarize(table, column="FEN", by="result").groups == [{"result": "1-0"}]


@pytest.mark.parametrize("kind", ["pyarrow", "pandas"])
def test_columns_of_one_name(kind: str) -> None:
    def make(names: list[str]) -> Any:
        if kind == "pandas":
            return pd.DataFrame([[FENS[0], FENS[2], FENS[2]]], columns=names)
        return pa.Table.from_arrays([pa.array([fen]) for fen in (FENS[0], FENS[2], FENS[2])], names)

    for call in (slider_attacks.analyze, slider_attacks.Positions, slider_attacks.summarize):
        calls: Any = call
        with pytest.raises(ValueError, match='^there are 2 columns "fen": rename the others'):
            calls(make(["fen", "fen", "x"]))
        with pytest.raises(ValueError, match='^"fen" names the columns "FEN", "FEN", and some have the same name'):
            calls(make(["FEN", "FEN", "x"]))
        calls(make(["fen", "x", "x"]))  # what nobody asks for does not matter
    with pytest.raises(ValueError, match='^there are 2 columns "x": rename the others'):
        slider_attacks.summarize(make(["fen", "x", "x"]), by="x")


INDICES: dict[str, Any] = {
    "shuffled": [2, 0, 1, 3],
    "text": ["d", "a", "c", "b"],
    "named": pd.Index([5, 6, 7, 8], name="game"),
    "dates": pd.date_range("2024-01-01", periods=4),
    "two levels": pd.MultiIndex.from_tuples([("y", 1), ("x", 2), ("x", 1), ("y", 2)], names=["game", "ply"]),
}


@pytest.mark.parametrize("kind", INDICES)
def test_results_have_the_index_of_pandas(kind: str) -> None:
    texts = [FENS[0], "nonsense", None, FENS[2]]
    frame = pd.DataFrame({"fen": texts, "number": [1, 2, 3, 4]}, index=INDICES[kind])
    wanted = [16, None, None, 14]
    given: list[Any] = [frame, frame["fen"], frame["fen"].astype(object), frame["fen"].astype("category")]
    for rows in given:
        for batch in (
            slider_attacks.analyze(rows, "legal_moves", on_error="null"),
            slider_attacks.Positions(rows, on_error="null", threads=2).analyze("legal_moves"),
        ):
            assert batch.to_pandas().index.equals(frame.index) and batch.to_pandas().index.names == frame.index.names
            assert batch[::-1].to_pandas().index.equals(frame.index[::-1])
            assert batch[1:3].to_pandas().index.equals(frame.index[1:3])
            for other in (pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)):
                assert other == batch and other.to_pandas().index.equals(frame.index)
            assert frame.join(batch.to_pandas()).sort_values("number")["legal_moves"].tolist() == wanted
        for threads in (1, 2):
            skipped = slider_attacks.analyze(rows, "legal_moves", on_error="skip", threads=threads).to_pandas()
            assert skipped.index.equals(frame.index.delete(1)) and skipped["legal_moves"].tolist() == [16, None, 14]
            positions = slider_attacks.Positions(rows, on_error="skip", threads=threads)
            for some in (positions, pickle.loads(pickle.dumps(positions)), slider_attacks.Positions(positions.boards())):
                assert some.analyze("legal_moves").to_pandas().equals(skipped)
                assert some[::2].boards().to_pandas().index.equals(skipped.index[::2])
    names = slider_attacks.analyze(frame, on_error="null").to_pandas()
    names.index.names = ["changed"] * names.index.nlevels
    frame.index.names = ["also changed"] * frame.index.nlevels
    assert names.index.names != frame.index.names


def test_the_index_of_many_rows_that_are_left_out() -> None:
    rows = 100_000  # in several parts, and more than the result has errors
    texts = pd.Series([FENS[0] if row % 3 else "?" for row in range(rows)], index=range(rows, 0, -1))
    for threads in (1, 2):
        found = slider_attacks.analyze(texts, "legal_moves", on_error="skip", threads=threads).to_pandas()
        assert found.index.equals(texts.index[texts != "?"])
        positions = slider_attacks.Positions(texts, on_error="skip", threads=threads)
        assert positions.analyze("legal_moves").to_pandas().index.equals(found.index)
    assert slider_attacks.analyze(texts[:3], [], on_error="skip").to_pandas().index.tolist() == [99_999, 99_998]


def test_columns_of_pandas_whose_rows_do_not_belong_together() -> None:
    frame = pd.DataFrame({"fen": [FENS[0], FENS[2]], "x": ["a", "b"], "square": [0, 1], "occ": [1, 2]}, index=[5, 3])
    other = frame.sort_index()
    calls: list[Callable[[pd.DataFrame], Any]] = [
        lambda it: slider_attacks.summarize({"fen": frame["fen"], "x": it["x"]}, by="x"),
        lambda it: slider_attacks.batch_attacks(frame["square"], it["occ"]),
        lambda it: slider_attacks.batch_attack_sets(frame["occ"], frame["occ"], it["occ"]),
        lambda it: slider_attacks.Positions({**boards, "black_king": it["occ"]}),
    ]
    boards: dict[Any, Any] = {name: frame["occ"] * 0 for name in slider_attacks.Positions([]).boards().column_names[:12]}
    boards["white_king"] = frame["occ"] * 4
    for call in calls:
        with pytest.raises(ValueError, match="^the columns of pandas have different indices: put them into one DataFrame"):
            call(other)
        call(frame)
        call(frame.copy())
    found = slider_attacks.batch_attacks(frame["square"].to_numpy(), other["occ"].to_numpy())
    assert found.tolist() == slider_attacks.batch_attacks([0, 1], [2, 1]).tolist()
    # In a dictionary, what nobody asks for does not matter.
    assert len(slider_attacks.analyze({"fen": frame["fen"], "x": other["x"]})) == 2


def test_positions_in_an_index() -> None:
    frame = pd.DataFrame({"number": [1, 2], "fen": [FENS[0], FENS[2]]}).set_index("fen")
    found = slider_attacks.analyze(frame.index, "legal_moves").to_pandas()
    assert frame.join(found)["legal_moves"].tolist() == [16, 14]
    for frame in (frame, frame.assign(text="x"), frame.set_index("number", append=True).assign(x=1)):
        with pytest.raises(ValueError, match=r'^"fen" is the index, not a column: take frame.index.get_level_values\('):
            slider_attacks.analyze(frame)
        assert len(slider_attacks.analyze(frame.index.get_level_values("fen"))) == 2
    assert slider_attacks.analyze(pl.DataFrame({"fen": FENS})).to_pandas().index.tolist() == [0, 1, 2]


def test_frames_without_rows_or_without_values() -> None:
    empty: list[Any] = [
        pd.DataFrame({"fen": []}),
        pd.DataFrame({"fen": pd.Series([], dtype=object)}),
        pd.DataFrame({"fen": FENS}, index=["a", "b", "c"]).iloc[:0],
        pd.Series([], dtype="category"),
    ]
    for frame in empty:
        assert slider_attacks.analyze(frame).to_pandas().index.equals(frame.index)
    # Of a column without values, pandas makes floats, and other types of others.
    missing: list[Any] = [[np.nan] * 2, pd.array([None] * 2, dtype="Int64"), pd.array([None] * 2, dtype="boolean")]
    for values in missing:
        frame = pd.DataFrame({"fen": values, "x": [1, 2]}, index=["a", "b"])
        found = slider_attacks.analyze(frame).to_pandas()
        assert found["white_attacks"].tolist() == [None, None] and found.index.tolist() == ["a", "b"]
        assert slider_attacks.Positions(frame["fen"]).null_count == 2
    for wrong in ([1.5, np.nan], pd.array([1, None], dtype="Int64")):
        with pytest.raises(TypeError, match="positions are text"):
            slider_attacks.analyze(pd.DataFrame({"fen": wrong, "x": [1, 2]}))


@pytest.mark.parametrize("make", [dict, pa.table, pl.DataFrame, pd.DataFrame, Frame])
def test_the_only_column_will_do(make: Any) -> None:
    assert slider_attacks.Positions(make({"x": FENS})).fens().tolist() == READ
    with pytest.raises(ValueError, match='no column "y"; the columns are x'):
        slider_attacks.Positions(make({"x": FENS}), column="y")


def arrow(columns: dict[str, Any]) -> Any:
    return pa.table({name: pa.array(column) for name, column in columns.items()})


def duck(columns: dict[str, Any]) -> Any:
    DUCK.register("boards", arrow(columns))
    return DUCK.sql("select * from boards")


@pytest.mark.parametrize("make", [dict, arrow, pl.DataFrame, pd.DataFrame, Frame, duck])
def test_bitboards_among_other_columns(make: Any) -> None:
    boards = slider_attacks.Positions([FENS[0], FENS[2]]).boards()
    columns: dict[str, Any] = {"id": ["a", "b"]}
    columns |= {name: np.asarray(boards[name].to_numpy()) for name in boards.column_names[:12]}
    columns |= {"side_to_move": ["w", "b"], "castling": ["Q", "-"], "en_passant": [None, None], "z": [1.5, 2.5]}
    assert slider_attacks.Positions(make(columns)).fens().tolist() == [FENS[0], FENS[2]]
    # Of all columns, one has the positions.
    assert slider_attacks.Positions(make(columns | {"fen": [FENS[0]] * 2})).fens().tolist() == [FENS[0]] * 2
    del columns["black_rook"]
    with pytest.raises(TypeError, match="^column black_rook is missing: bitboards are twelve columns"):
        slider_attacks.Positions(make(columns))
    columns["black_rook"] = np.zeros(2, np.int32)
    with pytest.raises(TypeError, match=r"black_rook (must be|is) .*(int32|Int32)"):
        slider_attacks.Positions(make(columns))


def test_nobody_looks_at_the_other_columns() -> None:
    assert slider_attacks.Positions(batch()).fens().tolist() == READ
    # They are neither copied nor checked: a column of a gigabyte makes no difference.
    rows = 1 << 24
    zeros = pa.py_buffer(bytes(8 * (rows + 1)))
    texts = pa.Array.from_buffers(pa.large_string(), rows, [None, zeros, pa.py_buffer(b"")])
    fens = pa.nulls(rows, pa.string())
    before = pa.total_allocated_bytes()
    assert slider_attacks.analyze(pa.record_batch({"x": texts, "fen": fens}), []).column_names == []
    assert pa.total_allocated_bytes() == before


def test_null_rows_of_a_struct_are_null() -> None:
    table = pa.StructArray.from_arrays([pa.array([FENS[0]] * 3), pa.array([1, 2, 3])], ["fen", "x"])
    table = pa.StructArray.from_buffers(table.type, 3, [pa.py_buffer(b"\5")], children=table.flatten())
    assert slider_attacks.Positions(table).fens().tolist() == [FENS[0], None, FENS[0]]
    assert slider_attacks.Positions(table[1:]).fens().tolist() == [None, FENS[0]]
    alone = pa.StructArray.from_buffers(
        pa.struct({"y": pa.string()}), 3, [pa.py_buffer(b"\5")], children=[table.field(0)]
    )
    assert slider_attacks.Positions(alone).fens().tolist() == [FENS[0], None, FENS[0]]


def test_values_that_are_missing() -> None:
    missing: list[Any] = [None, float("nan"), np.nan, np.float32("nan"), pd.NA, pd.NaT, np.ma.masked]
    for on_error in ("raise", "null", "report", "skip"):
        batch = slider_attacks.analyze([FENS[0], *missing], on_error=on_error)
        assert len(batch) == 1 + len(missing) and batch["white_attacks"].null_count == len(missing)
        assert batch.error_count == 0
    columns: list[Any] = [
        pd.Series([FENS[0], None, np.nan, pd.NA], dtype=object),
        pd.Series([FENS[0], None, np.nan, pd.NA], dtype="string"),
        np.array([FENS[0], None, np.nan, pd.NA], object),
        np.ma.masked_array([FENS[0]] * 4, [False, True, True, True]),
    ]
    for column in columns:
        assert slider_attacks.Positions(column).fens().tolist() == [FENS[0], None, None, None]
        assert slider_attacks.Positions({"a": [1] * 4, "fen": column}).fens().tolist() == [FENS[0], None, None, None]


def test_columns_of_nulls() -> None:
    columns: list[Any] = [
        pl.Series([None, None]),
        pa.nulls(2),
        pa.chunked_array([pa.nulls(1), pa.nulls(1)]),
        pl.DataFrame({"x": [1, 2], "fen": [None, None]}),
        pl.Series([None, None]).cast(pl.String),
        pd.Series([None, None]),
        [None, None],
    ]
    for column in columns:
        assert slider_attacks.analyze(column)["white_attacks"].tolist() == [None, None]
        assert slider_attacks.analyze(column, on_error="skip")["white_attacks"].tolist() == [None, None]
    for column in columns[:3]:
        assert slider_attacks.batch_attacks(column, pa.array([1, 2])).tolist() == [None, None]
        assert slider_attacks.batch_attacks(pa.array([1, 2]), column).tolist() == [None, None]
    boards = pl.DataFrame(slider_attacks.Positions([FENS[0]]).boards())
    again = boards.with_columns(en_passant=None)
    assert slider_attacks.Positions(again).fens().tolist() == [FENS[0]]
    assert slider_attacks.Positions(boards.with_columns(white_rook=None)).fens().tolist() == [None]


def test_numpy_texts_of_all_types() -> None:
    texts = [FENS[0], FENS[2]]
    for dtype in ["U", "S", object, getattr(np.dtypes, "StringDType", lambda: object)()]:
        array: Any = np.array(texts, dtype)
        assert slider_attacks.Positions(array).fens().tolist() == texts
        assert slider_attacks.Positions(array[::-1]).fens().tolist() == texts[::-1]


def test_lone_surrogates_are_no_positions() -> None:
    texts = [FENS[0], "\ud800", "4k3/8/8\udfff/8/8/8/8/4K3 w - -", f"{FENS[0]} c0 '\ud83d';"]
    with pytest.raises(ValueError, match='^row 1, column 1: expected .*, found the byte 0xed: "\ufffd+"$'):
        slider_attacks.analyze(texts)
    batch = slider_attacks.analyze(texts, on_error="report")
    assert batch["white_attacks"].null_count == 2 and [row for row, _ in batch.errors] == [1, 2]
    assert [error is None for error in batch["error"].tolist()] == [True, False, False, True]


def test_a_line_end_within_a_row_is_an_error() -> None:
    one: str = READ[0]
    good = [one, f"{one}\n", f"{one}\r\n", f"\n {one} 0 1 \r\n\n"]
    assert slider_attacks.Positions(good).fens().tolist() == [one] * 4
    for bad in [f"{one}\n{one}", f"{one}\r{one}", f"{one}\r\nx\n", one.replace(" ", "\n", 1)]:
        kinds: list[Any] = [
            [*good, bad],
            pa.array([*good, bad]),
            pl.Series([*good, bad]),
            pl.Series([*good, bad, None]),
        ]
        for rows in kinds:
            with pytest.raises(ValueError, match=r'^row 4, column \d+: expected one position, found a line end: ".+"$'):
                slider_attacks.analyze(rows)
            assert [row for row, _ in slider_attacks.Positions(rows, on_error="null").errors] == [4]


WITHOUT_PYARROW = """
import sys
for name in ("pyarrow", "polars", "duckdb"):
    sys.modules[name] = None
import numpy, pandas
import slider_attacks
fen = "4k3/8/8/8/8/8/8/R3K3 w Q -"
frame = pandas.DataFrame({"id": [1, 2], "fen": [fen, None], "x": [object(), "y"]})
assert slider_attacks.Positions(frame).fens().tolist() == [fen, None]
boards = slider_attacks.Positions([fen]).boards()
columns = {name: boards[name].to_numpy() for name in boards.column_names[:12]}
frame = pandas.DataFrame({"id": [1]} | columns | {"castling": ["Q"], "en_passant": [numpy.nan]})
assert slider_attacks.Positions(frame).fens().tolist() == [fen]
"""


def test_frames_of_pandas_without_pyarrow() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_PYARROW], check=True, timeout=60)
