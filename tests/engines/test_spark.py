"""Spark, with two executors: separate processes, one of which is killed in the end."""

import doctest
import os
import pathlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import chess
import killing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import slider_attacks
from conftest import expected, expected_positions, malformed

pytest.importorskip("pyspark", reason="tests/engines/run installs it")
import slider_attacks.spark

# The executors do not have this file.
cloudpickle: Any = pytest.importorskip("pyspark.cloudpickle")
cloudpickle.register_pickle_by_value(sys.modules[__name__])

WHAT = ["maps", "counts", "pins", "hanging", "threats"]


def written(frame: Any, folder: pathlib.Path) -> pa.Table:
    """What Spark writes as Parquet, in the order of `id`."""
    frame.write.parquet(str(folder))
    return pq.read_table(folder).sort_by("id")


@pytest.fixture(scope="module")
def table(spark: Any, rows: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The rows as Spark reads them from Parquet."""
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    pq.write_table(rows, path, row_group_size=25_000)
    return spark.read.parquet(str(path))


def test_a_pipeline_with_a_shuffle_and_a_join(spark: Any, table: Any, rows: pa.Table, tmp_path: pathlib.Path) -> None:
    games = spark.createDataFrame(
        [(game, game % 3) for game in set(rows["game"].to_pylist())], "game bigint, event int"
    )
    count = spark.sparkContext.accumulator(0)
    joined = table.repartition(4, "id").join(games, "game")
    found = written(
        slider_attacks.spark.with_attacks(joined, "fen", WHAT, on_error="null", malformed=count), tmp_path / "found"
    )
    assert found["id"].to_pylist() == rows["id"].to_pylist()
    assert found["event"].to_pylist() == [game % 3 for game in rows["game"].to_pylist()]
    wanted = expected(rows, WHAT, "signed")
    for name in wanted.column_names:
        assert found[name].to_pylist() == wanted[name].to_pylist(), name
    assert count.value == malformed(rows) > 0


def test_the_struct_column(spark: Any, rows: pa.Table, tmp_path: pathlib.Path) -> None:
    part, count = rows.slice(0, 20_000), spark.sparkContext.accumulator(0)
    pq.write_table(part, tmp_path / "part.parquet")
    column = slider_attacks.spark.analyze("fen", [*WHAT, "boards"], on_error="null", malformed=count)
    table = spark.read.parquet(str(tmp_path / "part.parquet"))
    found = written(table.select("id", column.alias("a")), tmp_path / "found")
    assert count.value == malformed(part) > 0
    wanted = expected(part, WHAT, "signed")
    for row, (structs, fen) in enumerate(zip(found["a"].to_pylist(), part["fen"].to_pylist(), strict=True)):
        assert (structs is None) == (fen in (None, "nonsense")), row
    boards = slider_attacks.Positions(part["fen"], on_error="null").boards("signed")
    for columns in [wanted, pa.table(boards)]:
        for name in columns.column_names:
            values = pa.chunked_array([pa.compute.struct_field(chunk, name) for chunk in found["a"].chunks])
            assert values.to_pylist() == columns[name].to_pylist(), name


@pytest.mark.parametrize("slider", ["queen", "rook", "bishop"])
def test_pairs(spark: Any, slider: Any, tmp_path: pathlib.Path) -> None:
    squares = "case when id % 7 != 3 then cast(id % 64 as tinyint) end as square"
    pairs = spark.range(20_000).selectExpr("id", squares, "xxhash64(id) as occ")
    found = written(
        pairs.withColumn("attacks", slider_attacks.spark.attacks("square", "occ", slider)), tmp_path / "found"
    )
    wanted = slider_attacks.batch_attacks(found["square"], found["occ"], slider=slider)
    assert found["attacks"].to_pylist() == pa.array(wanted).view(pa.int64()).to_pylist()
    assert found["attacks"].null_count == len(range(3, 20_000, 7))


def test_rows_that_cannot_be_read_end_the_job(table: Any) -> None:
    for frame in [
        slider_attacks.spark.with_attacks(table),
        table.select(slider_attacks.spark.analyze("fen").alias("a")),
    ]:
        with pytest.raises(
            Exception, match="column 2: expected KQRBNP, kqrbnp or 1 to 8 in rank 8, found 'o': \"nonsense\""
        ):
            frame.write.format("noop").mode("overwrite").save()


# A position of Chess960 in which the usual moves of pawns can be played.
FISCHER = "rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w QEqe -"


def test_games(spark: Any) -> None:
    rows = [(0, "1. e4 e5", FISCHER), (1, "1. e4 e9", None), (2, None, FISCHER), (3, "1. d4", ""), (4, "1. d4", "8/8 w")]
    games = spark.createDataFrame(rows, "id int, movetext string, start string").repartition(2)
    usual = " ".join(chess.STARTING_FEN.split()[:4])
    mistake = 'column 7, ply 1: expected a move, found "e9"'
    wrong = 'field "FEN", column 4: expected 8 ranks separated by /, found 2'
    for start, begins, errors in [
        (None, {0: usual, 1: usual, 3: usual, 4: usual}, {1: mistake}),
        ("start", {0: FISCHER, 1: usual, 3: usual, 4: None}, {1: mistake, 4: wrong}),
    ]:
        lists = games.select("id", slider_attacks.spark.game_positions("movetext", start, on_error="null").alias("positions"))
        found = {row["id"]: row["positions"] for row in lists.collect()}
        assert found.pop(2) is None
        assert {row: positions[0]["fen"] for row, positions in found.items()} == begins
        last = {row: positions[-1]["error"] for row, positions in found.items() if positions[-1]["error"]}
        assert last == errors
        assert [position["san"] for position in found[1]] == [None, "e4", None]
        counted = lists.selectExpr("inline(positions)").selectExpr("count(fen)", "count(error)").collect()
        assert tuple(counted[0]) == (sum(map(len, found.values())) - len(errors), len(errors))
        with pytest.raises(Exception, match="column 7, ply 1: expected a move, found .e9.: .1. e4 e9"):
            games.where("id = 1").select(slider_attacks.spark.game_positions("movetext", start)).collect()


def test_positions_of_games(spark: Any, games: pa.Table, tmp_path: pathlib.Path) -> None:
    """Rows after a join, with products, keep, from_ply, FEN and reports, equal one call of the package."""
    pq.write_table(games, tmp_path / "games.parquet", row_group_size=500)
    events = spark.createDataFrame([(event, event % 3) for event in range(9)], "event bigint, kind int")
    frame = spark.read.parquet(str(tmp_path / "games.parquet")).repartition(4, "id").join(events, "event")
    keep, what = ["ply", "uci", "fen"], ["maps", "legal_moves", "boards"]
    for on_error in ["report", "null", "skip"]:
        count = spark.sparkContext.accumulator(0)
        options: dict[str, Any] = {"keep": keep, "from_ply": 1, "every": 2, "on_error": on_error}
        positions = slider_attacks.spark.with_positions(frame, what=what, malformed=count, **options)
        assert not {"movetext", "FEN"}.intersection(positions.columns)
        found = written(positions, tmp_path / on_error)
        wanted = expected_positions(games, "signed", what, **options)
        order = [("id", "ascending"), ("ply", "ascending")]
        found, wanted = found.sort_by(order), wanted.sort_by(order)
        assert found["kind"].to_pylist() == [event % 3 for event in wanted["event"].to_pylist()]
        for name in wanted.column_names:
            texts = wanted[name].to_pylist()
            if name == "error":
                texts = [text and text.removeprefix('field "movetext", ') for text in texts]
            assert found[name].to_pylist() == texts, name
        assert count.value == 30
    with pytest.raises(Exception, match="expected a move, found .*Zz9"):
        slider_attacks.spark.with_positions(frame).write.format("noop").mode("overwrite").save()
    with pytest.raises(ValueError, match="no column 'pgn'; the columns are event"):
        slider_attacks.spark.with_positions(frame, "pgn")
    with pytest.raises(ValueError, match="there is a column ply already"):
        slider_attacks.spark.with_positions(frame.withColumnRenamed("kind", "ply"))


def test_reasons(spark: Any, rows: pa.Table, tmp_path: pathlib.Path) -> None:
    """With on_error="report", products are null where `error` has the reason, and the text need not come back."""
    part = rows.slice(0, 3_000)
    pq.write_table(part, tmp_path / "part.parquet")
    table = spark.read.parquet(str(tmp_path / "part.parquet"))
    for what in [["maps"], ["maps", "boards"]]:
        options: Any = {"keep_fen": False, "on_error": "report"}
        found = slider_attacks.spark.with_attacks(table, what=what, **options)
        assert found.columns[:2] == ["id", "game"] and "fen" not in found.columns and found.columns[-1] == "error"
        reasons = {row["id"]: (row["white_attacks"], row["error"]) for row in found.collect()}
        for row, fen in enumerate(part["fen"].to_pylist()):
            attacks, error = reasons[row]
            assert (attacks is None) == (fen in (None, "nonsense")) and (error is None) == (fen != "nonsense"), row
    column = slider_attacks.spark.analyze("fen", on_error="report")
    structs = [row["a"] for row in table.select(column.alias("a")).collect()]
    assert [struct and struct["error"] is None for struct in structs] == [
        None if fen is None else fen != "nonsense" for fen in part["fen"].to_pylist()
    ]


def pgn(games: pa.Table, folder: pathlib.Path) -> int:
    """Writes well-formed games to two files, and returns how many positions they have."""
    texts = [text for text in games["movetext"].to_pylist() if text and "Zz9" not in text and "O-O *" not in text]
    folder.mkdir()
    for part in range(2):
        own = "".join(f'[Event "{game}"]\n\n{text}\n\n' for game, text in enumerate(texts) if game % 2 == part)
        (folder / f"{part}.pgn").write_text(own)
    return len(slider_attacks.game_positions(texts))


def test_files(spark: Any, games: pa.Table, tmp_path: pathlib.Path) -> None:
    count = pgn(games, tmp_path / "games")
    options: Any = {"keep": ["Event", "ply"], "from_ply": 1}
    found = slider_attacks.spark.read_positions(spark, tmp_path / "games", ["maps"], count=5, **options).toPandas()
    wanted = pa.table(slider_attacks.read(tmp_path / "games", ["maps"], integers="signed", **options)).to_pandas()
    order = ["Event", "ply"]
    assert len(wanted) < count
    assert found.sort_values(order, ignore_index=True).equals(wanted.sort_values(order, ignore_index=True))


def test_shards(spark: Any, games: pa.Table, tmp_path: pathlib.Path) -> None:
    """Each row once; nothing is computed again; other commands are refused, and a malformed game is an error."""
    count = pgn(games, tmp_path / "games")
    line: list[Any] = ["analyze", tmp_path / "games", "--what", "maps", "--keep", "Event,ply"]
    done = slider_attacks.spark.run_shards(spark, line, tmp_path / "maps", 4)
    assert [shard["shard"] for shard in done] == [1, 2, 3, 4] and sum(shard["rows"] for shard in done) == count
    found = spark.read.parquet(str(tmp_path / "maps"))
    assert found.count() == count == found.select("Event", "ply").distinct().count()
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "maps").glob("*.parquet")}
    assert slider_attacks.spark.run_shards(spark, line, tmp_path / "maps", 4) == done
    assert before == {path.name: path.stat().st_mtime_ns for path in (tmp_path / "maps").glob("*.parquet")}
    for other, shards in [(line, 5), ([*line, "--from-ply", "3"], 4)]:
        with pytest.raises(Exception, match="has shards of another run"):
            slider_attacks.spark.run_shards(spark, other, tmp_path / "maps", shards)
    (tmp_path / "games" / "2.pgn").write_text("1. e4 Zz9 *\n")
    with pytest.raises(Exception, match="2.pgn.*expected a move"):
        slider_attacks.spark.run_shards(spark, line, tmp_path / "none", 2)
    assert not any(path.name.startswith("part-00002") for path in (tmp_path / "none").iterdir())


@pytest.mark.parametrize("victim", ["command", "worker", "executor"])
def test_killed_shards(victim: str, spark: Any, tmp_path: pathlib.Path) -> None:
    """What works on a shard is killed, and the job goes on: each row is there once."""
    count = killing.pgn(tmp_path / "games.pgn")
    killer = killing.Killer(tmp_path / "maps", victim)
    line: list[Any] = ["analyze", tmp_path / "games.pgn", "--what", "maps,counts", "--keep", "Event,ply"]
    killer.check(count, slider_attacks.spark.run_shards(spark, line, tmp_path / "maps", 4))
    found = spark.read.parquet(str(tmp_path / "maps"))
    assert found.count() == count == found.select("Event", "ply").distinct().count()


def test_wrong_columns(table: Any) -> None:
    again = table.selectExpr("*", "fen as white_attacks")
    with pytest.raises(ValueError, match="there is a column white_attacks already"):
        slider_attacks.spark.with_attacks(again)
    with pytest.raises(Exception, match=r"position.*cannot be resolved"):
        slider_attacks.spark.with_attacks(table, "position")


def test_examples(spark: Any) -> None:
    results = doctest.testmod(slider_attacks.spark)
    assert results.failed == 0 and results.attempted >= 20


def executor() -> int:
    """The process of the executor that this Python worker belongs to: its parent's parent."""
    status = pathlib.Path(f"/proc/{os.getppid()}/stat").read_text()
    return int(status.rpartition(")")[2].split()[1])


@pytest.mark.parametrize("victim", ["Python worker", "executor"])
def test_a_killed_process(victim: str, spark: Any, table: Any, rows: pa.Table, tmp_path: pathlib.Path) -> None:
    """A task names its process once a few batches are done. It dies, with all that the first stage left in an executor."""
    reports = tmp_path / "reports"
    reports.mkdir()

    def slow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context: Any = TaskContext.get()
        for number, batch in enumerate(batches):
            time.sleep(0.1)
            if number == 2:
                process = os.getpid() if victim == "Python worker" else executor()
                partial = reports / f"{context.taskAttemptId()}.new"
                partial.write_text(f"{process} {context.partitionId()}")
                partial.rename(partial.with_suffix(".done"))
            yield batch

    killed: list[str] = []

    def kill() -> None:
        while not killed:
            for report in list(reports.glob("*.done"))[:1]:
                killed.append(report.read_text().split()[0])
                os.kill(int(killed[0]), signal.SIGKILL)
            time.sleep(0.02)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    shuffled = table.repartition(4, "id")
    frame = slider_attacks.spark.with_attacks(shuffled, on_error="null").mapInArrow(
        slow, slider_attacks.spark.with_attacks(shuffled).schema
    )
    found = written(frame, tmp_path / "found")
    assert killed
    done = [report.read_text().split() for report in reports.glob("*.done")]
    lost = {partition for process, partition in done if process in killed}
    assert lost and lost <= {partition for process, partition in done if process not in killed}, "a task ran again"
    assert found["id"].to_pylist() == rows["id"].to_pylist()
    wanted = expected(rows, ["maps"], "signed")
    for name in wanted.column_names:
        assert found[name].to_pylist() == wanted[name].to_pylist(), name
    if victim == "executor":
        deadline = time.monotonic() + 120
        executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus
        while executors().size() < 3 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert executors().size() == 3, "the driver, and an executor in the place of the killed one"
