"""Files that `write` makes: what `convert` makes of the same rows, whole or not at all."""

import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
import slider_attacks

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data"
COMMAND = pathlib.Path(sys.executable).with_name("slider-attacks")
FORMATS = ["fen", "epd", "text", "csv", "jsonl", "bulletformat", "marlinformat", "viriformat", "binpack", "parquet"]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> pa.Table:
    """Records with all labels, twice, so that they have several blocks and batches."""
    path = tmp_path_factory.mktemp("records") / "records.parquet"
    subprocess.run([COMMAND, "convert", DATA / "sample.binpack", "-o", path], check=True)
    one = pyarrow.parquet.read_table(path)
    return pa.concat_tables([one] * 40)


def convert(table: pa.Table, kind: str, folder: pathlib.Path) -> bytes:
    source, target = folder / "source.parquet", folder / f"converted.{kind}"
    pyarrow.parquet.write_table(table, source)
    subprocess.run([COMMAND, "convert", source, "--to", kind, "-o", target], check=True)
    return target.read_bytes()


@pytest.mark.parametrize("kind", FORMATS)
def test_it_writes_what_convert_writes(table: pa.Table, tmp_path: pathlib.Path, kind: str) -> None:
    expected = convert(table, kind, tmp_path)
    path = tmp_path / f"written.{kind}"
    batches = table.to_batches(max_chunksize=700)
    for data in [table, iter(batches), pa.RecordBatchReader.from_batches(table.schema, batches), pl.from_arrow(table)]:
        counts = slider_attacks.write(path, data, format=kind)
        assert counts["rows"] == table.num_rows and counts["skipped"] == 0
        if kind == "parquet":
            assert pyarrow.parquet.read_table(path).equals(pyarrow.parquet.read_table(tmp_path / "converted.parquet"))
        else:
            assert path.read_bytes() == expected


def test_records_come_back(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "again.viriformat"
    keep = ["score", "result", "next_uci", "halfmove", "fullmove"]
    with slider_attacks.read(DATA / "sample.binpack", "boards", keep=keep) as reader:
        counts = slider_attacks.write(path, reader)
    (one,) = slider_attacks.read(DATA / "sample.binpack", "boards", keep=keep, batch_rows=10**6)
    (other,) = slider_attacks.read(path, "boards", keep=keep, batch_rows=10**6)
    assert counts["left_out"] == {}
    for name in one:
        assert name == "line" or one[name] == other[name], name


def test_tables_of_all_kinds(tmp_path: pathlib.Path) -> None:
    fens = ["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 b - -", "8/8/8/8/8/k7/8/K6R w - -"]
    scores, results = [480, None, -3], [1.0, 0.5, None]
    path = tmp_path / "some.bulletformat"
    positions = slider_attacks.Positions(fens)
    boards = dict(positions.boards())
    tables: list[Any] = [
        {"fen": fens, "score": scores, "result": results},
        pd.DataFrame({"fen": fens, "score": scores, "result": results}),
        pa.table({"fen": pa.array(fens, pa.large_string()), "score": scores, "result": results}),
        pa.table({"fen": pa.array(fens).dictionary_encode(), "score": scores, "result": pa.array(["1-0", "1/2-1/2", None])}),
        boards | {"score": scores, "result": results},
        pa.table({name: pa.array(column) for name, column in boards.items()} | {"score": scores, "result": results}),
    ]
    for table in tables:
        counts = slider_attacks.write(path, table)
        assert counts["left_out"] == {"without a score": 1, "without a result": 1}
        (batch,) = slider_attacks.read(path, "pieces", keep=["score", "result"])
        assert (batch["score"].tolist(), batch["result"].tolist()) == ([480], ["1-0"])
    named = {"fen": fens, "cp": np.array([1, 2, 3]), "won": ["1-0", "0-1", "1-0"]}
    assert slider_attacks.write(path, named, score="cp", result="won")["left_out"] == {}
    lines = tmp_path / "lines.fen"
    slider_attacks.write(lines, positions)
    assert lines.read_text() == "".join(f"{fen} 0 1\n" for fen in fens)
    slider_attacks.write(lines, fens)
    assert lines.read_text() == "".join(f"{fen} 0 1\n" for fen in fens)
    slider_attacks.write(lines, [])
    assert lines.read_text() == ""


def test_bitboards_are_read_once(tmp_path: pathlib.Path) -> None:
    fens = ["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 b - -", "8/8/8/8/8/k7/8/K6R w - -"]
    boards = slider_attacks.Positions(fens).boards()
    good = pa.table({name: pa.array(column) for name, column in dict(boards).items()} | {"score": [480, 0, -3], "result": [1.0, 0.5, 0]})

    class Once:
        """A table that can be read once."""

        def __init__(self, table: pa.Table) -> None:
            self.stream = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())

        def __arrow_c_stream__(self, _: Any = None) -> Any:
            return self.stream.__arrow_c_stream__()

    path = tmp_path / "some.bulletformat"
    slider_attacks.write(path, Once(good))
    (batch,) = slider_attacks.read(path, "pieces", keep="score")
    assert batch["score"].tolist() == [480, 0, -3]
    kings = good["white_king"].to_pylist()
    kings[1] = 0
    bad = good.set_column(good.column_names.index("white_king"), "white_king", pa.array(kings, good["white_king"].type))
    for tables in [bad, iter([good, bad])]:
        row = 1 if tables is bad else 4
        with pytest.raises(ValueError, match=f"^data, row {row}: expected one white king, found 0$"):
            slider_attacks.write(path, tables)
    counts = slider_attacks.write(path, iter([good, bad, good]), on_error="skip")
    assert (counts["rows"], counts["skipped"]) == (9, 1)
    assert counts["errors"] == ["data, row 4: expected one white king, found 0"]
    (batch,) = slider_attacks.read(path, "pieces", keep="score")
    assert batch["score"].tolist() == [480, 0, -3, 480, -3, 480, 0, -3]


def test_malformed_rows_are_named_and_leave_no_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "some.epd"
    fens = ["4k3/8/8/8/8/8/8/4K3 w - -"] * 3000
    fens[2500] = "?"
    path.write_text("before")
    with pytest.raises(ValueError, match="data, row 2500, "):
        slider_attacks.write(path, fens)
    with pytest.raises(ZeroDivisionError):
        slider_attacks.write(path, ({"fen": fens[: 1 // count]} for count in [1, 1, 0]))
    assert path.read_text() == "before" and len(list(tmp_path.iterdir())) == 1
    counts = slider_attacks.write(path, fens, on_error="skip")
    assert (counts["rows"], counts["skipped"], len(counts["errors"])) == (3000, 1, 1)
    assert len(path.read_text().splitlines()) == 2999
    one: Any = {"fen": fens[:1], "score": ["x"], "result": ["1-0"]}
    calls: list[tuple[type[Exception], str, Callable[[], Any]]] = [
        (ValueError, "field \"score\": expected centipawns", lambda: slider_attacks.write(path, one)),
        (ValueError, "no format has this extension", lambda: slider_attacks.write("some.what", fens)),
        (ValueError, "expected one of fen, epd", lambda: slider_attacks.write(path, fens, format="what")),
        (ValueError, "no column \"cp\"|\"cp\"", lambda: slider_attacks.write(path, one, score="cp")),
        (ValueError, "not the columns|has the columns", lambda: slider_attacks.write(path, iter([{"fen": fens[:9]}, {"fen": fens[:9], "score": [1] * 9}]))),
        (ValueError, "has no batches", lambda: slider_attacks.write(path, iter([]))),
        (ValueError, "it is a directory", lambda: slider_attacks.write(tmp_path, fens, format="epd")),
        (NotADirectoryError, "cannot write", lambda: slider_attacks.write(path / "some.epd", fens)),
        (TypeError, "int", lambda: slider_attacks.write(path, 3)),  # type: ignore[arg-type]
    ]
    for error, text, call in calls:
        with pytest.raises(error, match=text):
            call()
    assert len(path.read_text().splitlines()) == 2999


def test_an_interrupt_ends_a_write_that_nobody_reads(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "pipe.epd"
    os.mkfifo(path)
    code = (
        "import slider_attacks\n"
        "fens = ['4k3/8/8/8/8/8/8/4K3 w - -'] * 100_000\n"
        "print('begin', flush=True)\n"
        f"try:\n    slider_attacks.write({str(path)!r}, fens)\n"
        "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "begin\n"
        with path.open("rb") as pipe:
            assert pipe.read(1)  # it has begun to write, and the pipe is full soon
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "interrupted\n"
            assert process.wait(20) == 0
