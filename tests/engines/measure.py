#!/usr/bin/env python3
"""What a row takes inside engines: attack maps of positions, compared with a function that returns its argument, and python-chess.

    measure.py [ENGINE ...]

ENGINE is `function`, `duckdb`, `datafusion`, `polars`, `spark` or `ray`; or `questions`: the programs of docs/scale.md, with
NumPy and each engine that is installed, and each question alone in DuckDB. Contestants take turns in one process. Of all
rounds, the least is printed: nanoseconds of processor time per row, of all processes together, and nanoseconds that passed.
"""

import contextlib
import importlib
import importlib.util
import io
import os
import pathlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import chess
import clusters
import pyarrow as pa
import pyarrow.parquet as pq
import sample
import slider_attacks
import test_docs

MANY, ROWS, FEW = 4_000_000, 1_000_000, 4_000
Contestants = dict[str, tuple[int, Callable[[], Any]]]


def maps_by_python_chess(fens: pa.Array) -> pa.Array:
    """The attack maps of positions, by python-chess."""
    white, black = [], []
    for fen in fens.to_pylist():
        board, maps = chess.Board(fen), [0, 0]
        for color in chess.COLORS:
            for square in chess.scan_forward(board.occupied_co[color]):
                maps[color] |= board.attacks_mask(square)
        white.append(maps[chess.WHITE])
        black.append(maps[chess.BLACK])
    columns = [pa.array(white, pa.uint64()), pa.array(black, pa.uint64())]
    return pa.StructArray.from_arrays(columns, ["white_attacks", "black_attacks"])


def same(fens: pa.Array) -> pa.Array:
    """What the engine itself costs."""
    return fens


def processes() -> Iterator[list[str]]:
    """The fields of /proc/*/stat after the name, for this process and all that descend from it."""
    family: dict[int, list[list[str]]] = {}
    own: list[str] = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            number, fields = int(path.parent.name), path.read_text().rpartition(")")[2].split()
            fields.append(str(number))
            family.setdefault(int(fields[1]), []).append(fields)
            if number == os.getpid():
                own = fields
    waiting = [own]
    while waiting:
        fields = waiting.pop()
        yield fields
        waiting += family.get(int(fields[-1]), [])


def processor_time() -> float:
    """The seconds that this process and all that descend from it have computed."""
    if len(found := list(processes())) == 1:
        return time.process_time()
    ticks = sum(int(ticks) for fields in found for ticks in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(engine: str, contestants: Contestants, rounds: int) -> None:
    """Prints the least of all rounds, after one more to warm up."""
    least = {name: [float("inf")] * 2 for name in contestants}
    for number in range(rounds + 1):
        for name, (_, call) in contestants.items():
            computed, started = processor_time(), time.perf_counter()
            call()
            took = [processor_time() - computed, time.perf_counter() - started]
            if number:
                least[name] = [min(pair) for pair in zip(least[name], took, strict=True)]
    for name, (rows, _) in contestants.items():
        computed, passed = (1e9 * seconds / rows for seconds in least[name])
        print(f"{engine} | {name} | {computed:.0f} | {passed:.0f}", flush=True)


def function(texts: pa.Table) -> None:
    fens, few = texts["fen"].combine_chunks(), texts["fen"].combine_chunks()[:FEW]
    measure(
        "function",
        {
            "analyze": (ROWS, lambda: slider_attacks.analyze(fens)),
            "analyze, batches of 2,048": (
                ROWS,
                lambda: [slider_attacks.analyze(fens[start : start + 2048]) for start in range(0, ROWS, 2048)],
            ),
            "analyze, 2 threads": (ROWS, lambda: slider_attacks.analyze(fens, threads=2)),
            "python-chess": (FEW, lambda: maps_by_python_chess(few)),
        },
        9,
    )


def duckdb(texts: pa.Table) -> None:
    import duckdb

    connection: Any = duckdb.connect(config={"allow_unsigned_extensions": True})
    slider_attacks.duckdb.register(connection)
    maps = "struct(white_attacks ubigint, black_attacks ubigint)"
    connection.create_function("same", same, ["varchar"], "varchar", type="arrow")
    connection.create_function("by_chess", maps_by_python_chess, ["varchar"], maps, type="arrow")
    connection.sql("create table texts as select fen from texts")
    connection.sql(f"create table few as select fen from texts limit {FEW}")

    def query(text: str, threads: int = 1) -> Callable[[], Any]:
        def call() -> None:
            connection.execute(f"set threads = {threads}")
            connection.execute(text).fetchall()

        return call

    own = "with found as (select attack_maps(fen) as m from texts) select bit_xor(m.white_attacks), bit_xor(m.black_attacks) from found"
    chess = own.replace("attack_maps", "by_chess").replace("texts", "few")
    measure(
        "DuckDB",
        {
            "alone": (ROWS, query("select sum(length(fen)) from texts")),
            "the same": (ROWS, query("select sum(length(same(fen))) from texts")),
            "maps": (ROWS, query(own)),
            "alone, 2 threads": (ROWS, query("select sum(length(fen)) from texts", 2)),
            "the same, 2 threads": (ROWS, query("select sum(length(same(fen))) from texts", 2)),
            "maps, 2 threads": (ROWS, query(own, 2)),
            "python-chess": (FEW, query(chess)),
        },
        9,
    )


def datafusion(texts: pa.Table) -> None:
    import datafusion
    import slider_attacks.datafusion

    maps = pa.struct({"white_attacks": pa.uint64(), "black_attacks": pa.uint64()})

    def query(text: str, partitions: int = 1, batch: int = 8192) -> Callable[[], Any]:
        context = datafusion.SessionContext(
            datafusion.SessionConfig().with_target_partitions(partitions).with_batch_size(batch)
        )
        slider_attacks.datafusion.register(context)
        context.register_udf(datafusion.udf(same, [pa.string()], pa.string(), "immutable", "same"))
        context.register_udf(datafusion.udf(maps_by_python_chess, [pa.string()], maps, "immutable", "by_chess"))
        batches = texts.to_batches(batch)
        context.register_record_batches("texts", [batches[part::partitions] for part in range(partitions)])
        context.register_record_batches("few", [texts.slice(0, FEW).to_batches()])
        return lambda: context.sql(text).collect()

    alone = "select sum(length(fen)) from texts"
    the_same = "select sum(length(same(fen))) from texts"
    # DataFusion calls a function again for each field of a struct, so this takes one.
    own = "select bit_xor(attack_maps(fen)['white_attacks']) from texts"
    measure(
        "DataFusion",
        {
            "alone": (ROWS, query(alone)),
            "the same": (ROWS, query(the_same)),
            "maps": (ROWS, query(own)),
            "maps, batches of 65,536": (ROWS, query(own, 1, 65_536)),
            "alone, 2 partitions": (ROWS, query(alone, 2)),
            "the same, 2 partitions": (ROWS, query(the_same, 2)),
            "maps, 2 partitions": (ROWS, query(own, 2)),
            "python-chess": (FEW, query(own.replace("attack_maps", "by_chess").replace("texts", "few"))),
        },
        9,
    )


def polars(texts: pa.Table) -> None:
    import polars as pl
    import slider_attacks.polars

    frame = pl.DataFrame(texts).lazy()

    def chess(fens: pl.Series) -> pl.Series:
        return pl.Series(maps_by_python_chess(fens.to_arrow()))

    alone, maps = pl.col("fen").str.len_bytes(), slider_attacks.polars.analyze("fen").struct.unnest()
    the_same = pl.col("fen").map_batches(lambda fens: fens, return_dtype=pl.String, is_elementwise=True).str.len_bytes()
    by_chess = pl.col("fen").map_batches(
        chess, return_dtype=pl.Struct({"white_attacks": pl.UInt64, "black_attacks": pl.UInt64}), is_elementwise=True
    )

    def query(what: pl.Expr, engine: Any, cores: int = 1, rows: int = ROWS) -> Callable[[], Any]:
        lazy = frame.head(rows).select(what).select(pl.all().bitwise_xor())

        def call() -> None:
            # The threads of Polars are counted when it starts, so that all of them run, on this number of cores.
            everywhere = os.sched_getaffinity(0)
            for thread in os.listdir("/proc/self/task"):
                os.sched_setaffinity(int(thread), sorted(everywhere)[:cores])
            lazy.collect(engine=engine)
            for thread in os.listdir("/proc/self/task"):
                os.sched_setaffinity(int(thread), everywhere)

        return call

    measure(
        "Polars",
        {
            "alone": (ROWS, query(alone, "in-memory")),
            "the same": (ROWS, query(the_same, "in-memory")),
            "maps": (ROWS, query(maps, "in-memory")),
            "alone, streaming": (ROWS, query(alone, "streaming")),
            "the same, streaming": (ROWS, query(the_same, "streaming")),
            "maps, streaming": (ROWS, query(maps, "streaming")),
            "maps, streaming, 2 cores": (ROWS, query(maps, "streaming", 2)),
            "python-chess": (FEW, query(by_chess.struct.unnest(), "in-memory", 1, FEW)),
        },
        9,
    )


def spark(texts: pa.Table) -> None:
    import slider_attacks.spark
    from pyspark.sql import functions

    cloudpickle: Any = importlib.import_module("pyspark.cloudpickle")
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the executors do not have this file
    arrow_udf: Any = getattr(functions, "arrow_udf")  # noqa: B009

    def by_chess(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            maps = maps_by_python_chess(batch.column("fen"))
            yield pa.record_batch(
                {"fen": batch.column("fen")}
                | {name: maps.field(name).view(pa.int64()) for name in ["white_attacks", "black_attacks"]}
            )

    def by_files(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for path in batch.column("path").to_pylist():
                maps = pa.table(slider_attacks.analyze(pq.read_table(path, columns=["fen"])))
                pq.write_table(maps, f"{path}.maps")
                yield pa.record_batch({"path": [path], "rows": [len(maps)]})

    with clusters.spark() as session, tempfile.TemporaryDirectory() as folder:
        parts, rows = 2, MANY
        for part in range(parts):
            pq.write_table(pa.concat_tables([texts] * (rows // parts // ROWS)), f"{folder}/{part}.parquet")
            pq.write_table(texts.slice(0, FEW), f"{folder}/few-{part}.parquet")
        paths = session.createDataFrame([(f"{folder}/{part}.parquet",) for part in range(parts)], "path string")
        files = paths.repartitionByRange(parts, "path").mapInArrow(by_files, "path string, rows bigint")
        wide = session.read.parquet(*(f"{folder}/{part}.parquet" for part in range(parts)))
        few = session.read.parquet(*(f"{folder}/few-{part}.parquet" for part in range(parts))).select("fen")
        table = wide.select("fen")
        assert table.rdd.getNumPartitions() == parts

        def run(frame: Any, batch: int = 10_000) -> Callable[[], Any]:
            def call() -> None:
                session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", batch)
                frame.write.format("noop").mode("overwrite").save()

            return call

        def passed(frame: Any) -> Any:
            return frame.mapInArrow(lambda batches: batches, frame.schema)

        maps = slider_attacks.spark.with_attacks

        def written(frame: Any) -> Callable[[], Any]:
            return lambda: frame.write.mode("overwrite").parquet(f"{folder}/written")

        contestants: Contestants = {
            "alone": (rows, run(table)),
            "the same, mapInArrow": (rows, run(passed(table))),
            "maps, with_attacks": (rows, run(maps(table))),
            "the same, arrow_udf": (rows, run(table.select(arrow_udf(same_in_spark, "string")("fen")))),
            "maps, analyze": (rows, run(table.select(slider_attacks.spark.analyze("fen").alias("maps")))),
            "the same, mapInArrow, 1 worker": (rows, run(passed(table.coalesce(1)))),
            "maps, with_attacks, 1 worker": (rows, run(maps(table.coalesce(1)))),
            "maps, with_attacks, four columns": (rows, run(maps(wide))),
            "maps, with_attacks, batches of 1,000": (rows, run(maps(table), 1000)),
            "maps, with_attacks, batches of 100,000": (rows, run(maps(table), 100_000)),
            "maps and counts, with_attacks": (rows, run(maps(table, what=["maps", "counts"]))),
            "maps, with_attacks, written as Parquet": (rows, written(maps(table).drop("fen"))),
            "maps, files read and written by pyarrow": (rows, lambda: files.collect()),
            "python-chess, mapInArrow": (2 * FEW, run(few.mapInArrow(by_chess, maps(few).schema))),
        }
        measure("Spark", contestants, 4)


def same_in_spark(fens: pa.Array) -> pa.Array:
    """Spark asks for types."""
    return fens


def ray(texts: pa.Table) -> None:
    import ray
    import slider_attacks.ray

    def by_chess(table: pa.Table) -> pa.Table:
        (fens,) = table["fen"].chunks
        maps = maps_by_python_chess(fens)
        return pa.table({name: maps.field(name) for name in ["white_attacks", "black_attacks"]})

    def blocks(rows: int, count: int) -> Any:
        fens = pa.concat_tables([texts.select(["fen"])] * -(-rows // ROWS))
        parts = [fens.slice(part * rows // count, rows // count).combine_chunks() for part in range(count)]
        return ray.data.from_arrow(parts)

    def passed(data: Any, **options: Any) -> Callable[[], Any]:
        how: Any = {"batch_format": "pyarrow", "batch_size": None, "zero_copy_batch": True} | options
        return lambda: data.map_batches(lambda table: table, **how).materialize()

    def maps(data: Any, **options: Any) -> Callable[[], Any]:
        return lambda: slider_attacks.ray.with_attacks(data, map_batches=options).materialize()

    with clusters.ray():
        eight, sixty_four, few = blocks(MANY, 8), blocks(MANY, 64), blocks(FEW, 2)
        contestants: Contestants = {
            "the same": (MANY, passed(eight)),
            "maps": (MANY, maps(eight)),
            "the same, 1 worker": (MANY, passed(eight, concurrency=1)),
            "maps, 1 worker": (MANY, maps(eight, concurrency=1)),
            "maps, 64 blocks": (MANY, maps(sixty_four)),
            "maps, batches of 1,024": (MANY, maps(eight, batch_size=1024)),
            "python-chess": (FEW, lambda: few.map_batches(by_chess, batch_format="pyarrow").materialize()),
        }
        measure("Ray", contestants, 4)


def questions(texts: pa.Table) -> None:
    programs = {
        engine: compile(test_docs.examples()[engine][0], engine, "exec")
        for engine, cluster in test_docs.ENGINES.items()
        if not cluster or importlib.util.find_spec(test_docs.MODULES[cluster])
    }

    def answers(engine: str) -> dict[str, Any]:
        names: dict[str, Any] = {"__name__": "__main__"}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(programs[engine], names)  # noqa: S102
        return names

    def program(engine: str) -> Callable[[], Any]:
        return lambda: answers(engine)

    def question(name: str) -> Callable[[], Any]:
        return lambda: relations[name].fetchall()

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        pq.write_table(texts, "positions.parquet")
        relations = answers("DuckDB")
        contestants: Contestants = {
            engine: (ROWS, program(engine)) for engine in programs if not test_docs.ENGINES[engine]
        }
        for name in ["control", "hanging", "mobility"]:
            contestants[f"DuckDB, {name}"] = (ROWS, question(name))
        measure("questions", contestants, 4)

        pq.write_table(pa.concat_tables([texts] * (MANY // ROWS)), "positions.parquet")
        for engine, cluster in [("Spark", clusters.spark), ("Ray", clusters.ray)]:
            if engine in programs:
                with cluster():
                    measure("questions", {name: (MANY, program(name)) for name in ["NumPy", engine]}, 2)


def main() -> None:
    engines = [function, duckdb, datafusion, polars, spark, ray, questions]
    names = [engine.__name__ for engine in engines]
    chosen = sys.argv[1:] or names
    if not set(chosen) <= set(names):
        sys.exit(__doc__)
    table = sample.positions(FEW)
    texts = pa.concat_tables([table] * (ROWS // FEW)).combine_chunks()
    print("engine | what | ns of processor time per row | ns per row")
    for engine in engines:
        if engine.__name__ in chosen:
            engine(texts)


if __name__ == "__main__":
    main()
