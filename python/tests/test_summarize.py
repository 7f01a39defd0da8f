"""Sums by square: the same as those of the command and of `analyze`, and parts that add up to the whole."""

import copy
import io
import itertools
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import slider_attacks
from test_positions import fens
from test_soundness import interrupted

LINES = [" ".join(fen.split()[:4]) for fen in fens()[:5000]]
PRODUCTS: list[Any] = [product["name"] for product in slider_attacks.products() if product["name"] not in ("keys", "targets")]
NAMES = ["Ann", "Bob", None, "Eve", '</script> "x"']
TABLE = pa.table(
    {
        "name": [NAMES[row * row % 7 % 5] for row in range(len(LINES))],
        "number": pa.array([row % 37 if row % 11 else None for row in range(len(LINES))], pa.int16()),
        "fen": LINES,
    }
)
ONE = "4k3/8/8/8/8/8/8/R3K3 w Q -"
GAMES = pathlib.Path(__file__).parents[2] / "tests" / "data" / "games.pgn"


def command(*arguments: object) -> list[dict[str, Any]]:
    """The rows of the command."""
    program = pathlib.Path(sys.executable).parent / "slider-attacks"
    line = [str(program), "summarize", *map(str, arguments), "--format", "jsonl"]
    output = subprocess.run(line, check=True, capture_output=True, text=True).stdout
    return [json.loads(row) for row in output.splitlines()]


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    pq.write_table(TABLE, tmp_path / "a.parquet", row_group_size=700)
    return tmp_path / "a.parquet"


@pytest.mark.parametrize("by", [[], ["name"], ["number:10", "side"], ["phase", "name"]])
def test_the_rows_are_those_of_the_command(by: list[str], path: pathlib.Path) -> None:
    keys = ["--by", ",".join(by)] if by else []
    expected = command(path, "--what", ",".join(PRODUCTS), *keys)
    for source in [path, TABLE, pl.DataFrame(TABLE), io.BytesIO(path.read_bytes())]:
        for threads in [1, 3]:
            if isinstance(source, io.IOBase):
                source.seek(0)
            summary = slider_attacks.summarize(source, PRODUCTS, by=by, threads=threads)
            assert pa.table(summary).to_pylist() == expected
            assert pl.DataFrame(summary.to_batch()).rows() == [tuple(row.values()) for row in expected]
    # A column with one number per position has one row, others have 64.
    names = [key.partition(":")[0] for key in by]
    runs = itertools.groupby(expected, key=lambda row: [row[name] for name in [*names, "column"]])
    of_columns = [list(rows) for _, rows in runs]
    assert len(of_columns) == len(summary.groups) * len(summary.column_names)
    for at, group in enumerate(summary.groups):
        assert list(group) == names
        for place, name in enumerate(summary.column_names):
            rows = of_columns[at * len(summary.column_names) + place]
            assert {key: rows[0][key] for key in group} == group
            assert summary.positions[at] == rows[0]["positions"]
            for measure in ["count", "sum", "share", "mean"]:
                numbers = summary.to_numpy(name, measure)
                assert numbers.shape == ((len(summary), 8, 8) if len(rows) == 64 else (len(summary),))
                assert numbers.dtype == (np.int64 if measure in ["count", "sum"] else np.float64)
                np.testing.assert_allclose(numbers[at].ravel(), [row[measure] for row in rows], atol=5.1e-7)


def test_the_sums_are_those_of_the_numbers_of_analyze() -> None:
    batch = slider_attacks.analyze(LINES, ["counts", "pins"])
    counts = batch["white_attackers"].to_numpy().astype(np.int64)
    summary = slider_attacks.Positions(LINES).summarize(["counts", "pins"], threads=2)
    assert (summary.to_numpy("white_attackers", "sum").ravel() == counts.sum(axis=0)).all()
    assert (summary.to_numpy("white_attackers", "count").ravel() == (counts > 0).sum(axis=0)).all()
    pinned = batch["black_pinned"].to_numpy(bits=64).astype(np.int64)
    assert (summary.to_numpy("black_pinned", "count").ravel() == pinned.sum(axis=0)).all()
    assert summary == slider_attacks.summarize(LINES, ["counts", "pins"])
    assert summary == slider_attacks.summarize(slider_attacks.Positions(LINES), ["counts", "pins"])


@pytest.mark.parametrize("by", [[], ["name", "phase"], ["number:5"]])
def test_parts_add_up_to_the_whole(by: list[str]) -> None:
    whole = slider_attacks.summarize(TABLE, PRODUCTS, by=by)
    for cuts in [[0, 5000], [0, 0, 1, 3000, 5000], range(0, 5001, 500)]:
        ends = list(cuts)
        parts = [
            slider_attacks.summarize(TABLE.slice(start, end - start), PRODUCTS, by=by)
            for start, end in zip(ends, ends[1:], strict=False)
        ]
        assert sum(parts) == whole
        assert sum(reversed(parts)) == whole
        sent = [pickle.loads(pickle.dumps(part)) for part in parts]
        assert sent == parts and sum(sent) == whole
    rows = pl.concat([pl.DataFrame(part) for part in parts])
    keys = [key.partition(":")[0] for key in by]
    added = rows.group_by([*keys, "column", "square"], maintain_order=True).agg(pl.col("positions", "count", "sum").sum())
    order = [*keys, "column", "square"]
    assert added.sort(order).equals(pl.DataFrame(whole).select(added.columns).sort(order))
    assert copy.copy(whole) is whole and copy.deepcopy(whole) is whole
    assert whole != slider_attacks.summarize(TABLE, "maps", by=by)


def test_sums_that_do_not_belong_together() -> None:
    one = slider_attacks.summarize([ONE], "counts")
    for other in [
        slider_attacks.summarize([ONE], "maps"),
        slider_attacks.summarize([ONE], "counts", by="side"),
        slider_attacks.summarize([ONE], "counts", victims="any"),
    ]:
        with pytest.raises(ValueError, match="cannot be added up"):
            one + other
    others: list[Any] = [1, 0.5, "x", None]
    for no_sums in others:
        with pytest.raises(TypeError):
            one + no_sums
        with pytest.raises(TypeError):
            no_sums + one


def test_any_table() -> None:
    columns = {"FEN": [ONE, None, ONE], "Result": ["1-0", "1-0", None]}
    expected = slider_attacks.summarize(pa.table(columns), "maps", by="result")
    assert expected.groups == [{"result": "1-0"}, {"result": None}] and expected.positions.tolist() == [1, 1]
    reader = pa.RecordBatchReader.from_batches(pa.table(columns).schema, pa.table(columns).to_batches())
    for table in [columns, pl.DataFrame(columns), pd.DataFrame(columns), pa.record_batch(columns), reader]:
        assert slider_attacks.summarize(table, "maps", by="result") == expected
    boards = slider_attacks.Positions([ONE, ONE]).boards().to_pyarrow()
    boards = boards.append_column("x", pa.array(["a", "b"]))
    assert slider_attacks.summarize(boards, "maps", by="x").positions.tolist() == [1, 1]
    assert slider_attacks.summarize({"fen": [ONE] * 3}, by="fen").groups == [{"fen": ONE}]
    assert slider_attacks.summarize([], "counts").positions.tolist() == [0]
    assert len(slider_attacks.summarize([], "counts", by="side")) == 0


def test_frames_of_others(path: pathlib.Path) -> None:
    summary = slider_attacks.summarize(path, ["maps", "legal_moves"], by="name")
    wanted = pa.table(summary)
    assert pa.Table.from_batches([summary.to_pyarrow()]) == wanted == pa.table(summary.to_batch())
    assert summary.to_polars().equals(pl.DataFrame(wanted))
    assert summary.to_pandas().equals(wanted.to_pandas(integer_object_nulls=True))
    assert list(summary) == summary.groups and len(list(summary)) == len(summary)


def test_each_move(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("fen,id\n" + "".join(f"{line},{row % 3}\n" for row, line in enumerate(LINES[:100])))
    table = pa.table(slider_attacks.read(path, "boards", keep="id", each_move=True))
    after = slider_attacks.Positions(table.select(table.column_names[3:]))
    for by in ["id", "move", "side"]:
        found = slider_attacks.summarize(path, ["maps", "legal_moves"], by=by, each_move=True, threads=2)
        assert int(found.positions.sum()) == table.num_rows
        if by == "side":
            assert found == after.summarize(["maps", "legal_moves"], by=by)
        else:
            counts = dict(zip(*np.unique(table[by].to_numpy(zero_copy_only=False), return_counts=True)))
            assert {group[by]: count for group, count in zip(found.groups, found.positions.tolist())} == counts


def test_games() -> None:
    summary = slider_attacks.summarize(GAMES, ["counts", "threats"], by=["White", "ply:4"], games="Result=1-0", from_ply=1)
    arguments = ["--games", "Result=1-0", "--from-ply", 1, "--what", "counts,threats", "--by", "White,ply:4"]
    assert pa.table(summary).to_pylist() == command(GAMES, *arguments)
    assert summary.groups[0] == {"White": "Rook, Rosa", "ply": 0}
    with GAMES.open("rb") as file:
        assert slider_attacks.summarize([file], ["counts"], by="result").positions.tolist() == [10, 6]


def test_a_key_that_no_game_has(tmp_path: pathlib.Path) -> None:
    said = '^no game has a tag "white"; did you mean "White"\\?$'
    cases: list[dict[str, Any]] = [{"by": "white"}, {"games": "white=Ann"}, {"by": ["ply:10", "white"], "on_error": "skip"}]
    for arguments in cases:
        with pytest.warns(UserWarning, match=said) as caught:
            summary = slider_attacks.summarize(GAMES, "maps", **arguments)
        assert [warning.filename for warning in caught] == [__file__]
        assert all(group.get("white") is None for group in summary.groups)
    # Warnings are errors in these tests: there is none if a game has the tag.
    assert len(slider_attacks.summarize(GAMES, "maps", by="White", games="White!=Ann")) > 1
    with pytest.raises(UserWarning, match=said):
        slider_attacks.summarize(GAMES, by="white")
    with GAMES.open("rb") as file, pytest.raises(UserWarning, match=said):
        slider_attacks.summarize([file], by="white")
    path = tmp_path / "a.csv"
    path.write_text(f"fen,Opening,OPENING\n{ONE},a,b\n")
    with pytest.warns(UserWarning, match='a.csv: columns "Opening" and "OPENING" both match "opening"; "Opening" is read$'):
        assert slider_attacks.summarize(path, "maps", by="opening").groups == [{"opening": "a"}]


def test_what_is_no_position(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.epd"
    path.write_text(f"{ONE}\nnonsense\n{ONE}\n")
    with pytest.raises(ValueError, match="line 2"):
        slider_attacks.summarize(path)
    with pytest.raises(ValueError, match="row 1"):
        slider_attacks.summarize([ONE, "nonsense"])
    sources: list[Any] = [path, [ONE, "nonsense", ONE]]
    for source in sources:
        summary = slider_attacks.summarize(source, on_error="skip")
        assert (summary.positions.tolist(), summary.skipped, len(summary.errors)) == ([2], 1, 1)
        assert "nonsense" in summary.errors[0] or "expected" in summary.errors[0]
        twice = summary + pickle.loads(pickle.dumps(summary))
        assert (twice.skipped, twice.errors) == (2, summary.errors * 2)
    many = slider_attacks.summarize([ONE] + ["x"] * 300, on_error="skip", threads=2)
    assert (many.skipped, len(many.errors)) == (300, 100)
    with pytest.raises(FileNotFoundError):
        slider_attacks.summarize(tmp_path / "missing.epd")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"what": "map"}, "what="),
        ({"by": "side:2"}, "only columns with numbers have steps"),
        ({"by": "x:0"}, "above zero"),
        ({"by": ["side", "side"]}, "duplicate"),
        ({"by": "count"}, "already"),
        ({"by": "missing"}, "no column"),
        ({"on_error": "null"}, "expected one of raise, skip"),
        ({"threads": 0}, "expected 1 to 256"),
        ({"unique": True}, "unique and key_shard are for files"),
        ({"unique": "fen"}, "expected one of position"),
        ({"from_ply": 2, "to_ply": 1}, "before"),
        ({"each_move": True}, "each_move=True: expected files, found positions in memory"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        slider_attacks.summarize({"fen": [ONE]}, **arguments)


def test_wrong_sources() -> None:
    with pytest.raises(ValueError, match="this is FEN, not a path"):
        slider_attacks.summarize(ONE)
    with pytest.raises(ValueError, match="only \"side\" and \"phase\""):
        slider_attacks.Positions([ONE]).summarize(by="result")
    with pytest.raises(TypeError, match="pass a table"):
        slider_attacks.summarize([ONE], by="result")
    with pytest.raises(ValueError, match="has 1 rows, and there are 2 positions"):
        slider_attacks.summarize({"fen": [ONE, ONE], "x": ["a"]}, by="x")
    many = {"fen": [ONE] * 10_001, "x": list(range(10_001))}
    with pytest.raises(ValueError, match="more than .* groups: .* or raise group_memory; the command"):
        slider_attacks.summarize(many, "maps", by="x", group_memory=1 << 20)
    with pytest.raises(ValueError, match="group_memory=-1: expected a number of bytes"):
        slider_attacks.summarize(many, "maps", by="x", group_memory=-1)
    with pytest.raises(ValueError, match="a group has a value of 70000 bytes for key \"x\""):
        slider_attacks.summarize({"fen": [ONE], "x": ["x" * 70_000]}, by="x")
    summary = slider_attacks.summarize([ONE])
    with pytest.raises(ValueError, match="expected one of white_attackers"):
        summary.to_numpy("white")
    with pytest.raises(ValueError, match="expected one of count"):
        summary.to_numpy("white_attackers", "median")
    batch: Any = slider_attacks.analyze([ONE])
    restore, (kind, stream, *_) = batch.__reduce__()
    with pytest.raises(ValueError, match="malformed pickle"):
        restore(slider_attacks.Summary, stream, [], 0)
    sums: Any = summary
    restore, (kind, stream, *_) = sums.__reduce__()
    for at in range(0, len(stream), 7):
        changed = stream[:at] + bytes([stream[at] ^ 0x55]) + stream[at + 1 :]
        try:
            repr(restore(kind, changed, [], 0) + summary)
        except (ValueError, TypeError, MemoryError):
            pass


def test_many_groups_come_batch_by_batch(tmp_path: pathlib.Path) -> None:
    """More groups than the command draws; a consumer of the stream does not need memory for the rows of all of them."""
    path = tmp_path / "many.csv"
    path.write_text("fen,x\n" + "".join(f"{ONE},{x * 7 % 20_000}\n" for x in range(20_000)))
    summary = slider_attacks.summarize(path, "maps", by="x", threads=2)
    assert len(summary) == 20_000 and summary.positions.sum() == 20_000
    assert summary == slider_attacks.summarize({"fen": [ONE] * 20_000, "x": list(range(20_000))}, "maps", by="x")
    reader = pa.RecordBatchReader.from_stream(summary)
    sizes = [batch.num_rows for batch in reader]
    assert len(sizes) > 1 and sum(sizes) == 20_000 * 3 * 64
    doubled = pickle.loads(pickle.dumps(summary)) + summary
    assert len(doubled) == 20_000 and doubled.positions.max() == 2


def test_pictures() -> None:
    summary = slider_attacks.summarize(TABLE, "counts", by="name")
    found = re.search('id="sums">(.*?)</script>', summary.html("dark"))
    assert found
    numbers = json.loads(found[1])
    assert [group["keys"] for group in numbers["groups"]] == [list(group.values()) for group in summary.groups]
    assert sum(group["positions"] for group in numbers["groups"]) == numbers["positions"] == summary.positions.sum()
    assert summary.svg("light").startswith("<svg") and summary._repr_html_() == summary.svg()
    many = slider_attacks.summarize({"fen": [ONE] * 60, "<x>": list(range(60))}, by="<x>")
    assert many._repr_html_().startswith("<pre>&lt;slider_attacks.Summary of 60 positions in 60 groups by &lt;x>")
    with pytest.raises(ValueError, match="exceed the limit of"):
        many.svg()


class Endless:
    """A file that never ends."""

    def read(self, _: int) -> bytes:
        return (ONE + "\n").encode() * 1000


def test_interrupts() -> None:
    with interrupted(0.2):
        slider_attacks.summarize(Endless(), threads=2)
    positions = slider_attacks.Positions(LINES * 200)
    with interrupted(0.1):
        positions.summarize(PRODUCTS)
    with interrupted(0.05):
        slider_attacks.summarize(os.fdopen(os.pipe()[0], "rb"))


def test_other_threads_run_meanwhile() -> None:
    counted, done = [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    slider_attacks.summarize(LINES * 20, PRODUCTS)
    done.set()
    thread.join()
    assert counted[0] > 100
