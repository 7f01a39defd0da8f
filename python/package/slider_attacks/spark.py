"""Columns for Spark, computed by its executors.

Spark has no unsigned integers, so a set of squares is a bigint with the same bits, negative if h8 is in the set. `hex`,
`bit_count`, `getbit` and the bit operators of SQL work as usual. Numbers per square are an array of 64 tinyint, a1 first; a
number of moves is a smallint.

The executors need this package and pyarrow. Null rows are null in the result.

>>> from pyspark.sql import SparkSession
>>> import slider_attacks.spark
>>> spark = SparkSession.builder.getOrCreate()
>>> frame = spark.createDataFrame([("4k3/8/8/8/8/8/8/R3K3 w Q -",), (None,)], "fen string")
>>> slider_attacks.spark.with_attacks(frame).selectExpr("hex(white_attacks) as attacks", "getbit(white_attacks, 56) as a8").collect()
[Row(attacks='10101010101393E', a8=1), Row(attacks=None, a8=None)]
"""

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, Unpack

from . import _engines, shards
from ._engines import GameOptions, GameRows, Options, Products, Slider, documented, module, names, reusable
from ._native import read

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

__all__ = ["analyze", "attacks", "game_positions", "read_positions", "run_shards", "with_attacks", "with_positions"]
__doc__ = documented(__doc__)


def _schema(what: Products, options: Options) -> "StructType":
    module("pyarrow", "spark")
    types = module("pyspark.sql.pandas.types", "spark")
    found: StructType = types.from_arrow_schema(_engines.schema(what, integers="signed", **options))
    return found


def _udf(function: Any, kind: "StructType | str", *columns: "Column | str") -> "Column":
    functions = module("pyspark.sql.functions", "spark")
    if not hasattr(functions, "arrow_udf"):
        raise ImportError("functions over columns need Spark 4.1 or newer; with_attacks does not")
    # Spark asks for types.
    function.__annotations__ = dict.fromkeys(function.__annotations__, module("pyarrow", "spark").Array)
    column: Column = functions.arrow_udf(function, kind)(*columns)
    return column


def analyze(
    fen: "Column | str",
    what: Products = ("maps",),
    *,
    malformed: "Accumulator[int] | None" = None,
    **options: Unpack[Options],
) -> "Column":
    """Returns a struct of the columns of products: `slider_attacks.analyze` as a column, with its options. Needs Spark 4.1
    or later.

    The product "boards" stands for the columns of `Positions.boards`. With `on_error="null"`, malformed rows are null; with
    "report", a last column `error` has the reason. `malformed` counts them each time that Spark computes them: again in
    each action, and again if a part of a shuffle was lost. If Spark stops early, as for `limit`, the count is incomplete.

    >>> from pyspark.sql import SparkSession
    >>> import slider_attacks.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> frame = spark.createDataFrame([("4k3/8/8/8/8/8/8/R3K3 w Q -",), ("?",)], "fen string")
    >>> malformed = spark.sparkContext.accumulator(0)
    >>> column = slider_attacks.spark.analyze("fen", ["maps", "pins"], on_error="null", malformed=malformed)
    >>> frame.select(column.alias("a")).selectExpr("bit_count(a.white_attacks) as squares").collect()
    [Row(squares=15), Row(squares=None)]
    >>> malformed.value
    1
    """
    wanted, options = names(what), reusable(options)

    def analyze(fens: Any) -> Any:
        count = None if malformed is None else malformed.add
        return _engines.struct(fens, wanted, integers="signed", count=count, **options)

    return _udf(analyze, _schema(wanted, options), fen)


def with_attacks(
    frame: "DataFrame",
    fen: str = "fen",
    what: Products = ("maps",),
    *,
    keep_fen: bool = True,
    malformed: "Accumulator[int] | None" = None,
    **options: Unpack[Options],
) -> "DataFrame":
    """Appends the columns of products to a data frame. Needs Spark 3.5 or later.

    `analyze` explains the parameters. All columns go through Python (`mapInArrow`), so select those that you need first.
    With `keep_fen=False`, the positions are not sent back, and not part of the result.

    >>> from pyspark.sql import SparkSession
    >>> import slider_attacks.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> frame = spark.createDataFrame([(1, "4k3/8/8/8/8/8/8/R3K3 w Q -")], "id int, fen string")
    >>> slider_attacks.spark.with_attacks(frame, what="hanging").columns
    ['id', 'fen', 'white_hanging', 'black_hanging']
    >>> slider_attacks.spark.with_attacks(frame, what="maps", keep_fen=False, on_error="report").columns
    ['id', 'white_attacks', 'black_attacks', 'error']
    """
    wanted, options = names(what), reusable(options)
    new = _schema(wanted, options)
    frame.select(fen)  # fails here, not in the executors, if there is no such column
    if not keep_fen and fen not in frame.columns:
        columns = ", ".join(frame.columns)
        raise ValueError(f"keep_fen=False, {fen!r}: spell it as the column is spelled; the columns are {columns}")
    old = [field for field in frame.schema.fields if keep_fen or field.name != fen]
    _engines.check_names([field.name for field in old], new.names)

    def append(batches: Iterator[Any]) -> Iterator[Any]:
        count = None if malformed is None else malformed.add
        for batch in batches:
            found = _engines.appended(batch, fen, wanted, keep_fen=keep_fen, integers="signed", count=count, **options)
            yield _engines.lists(found)

    rows: Any = frame
    found: DataFrame = rows.mapInArrow(append, type(new)([*old, *new.fields]))
    return found


def with_positions(
    frame: "DataFrame",
    movetext: str = "movetext",
    what: Products = (),
    *,
    fen: str | None = None,
    malformed: "Accumulator[int] | None" = None,
    **options: Unpack[GameOptions],
) -> "DataFrame":
    """Returns the positions of games with their products, a row per position: `slider_attacks.game_positions` of a column of
    PGN, with its options. Needs Spark 3.5 or later.

    The columns are those of `frame` except the games, then those of `keep`, by default `ply`, then those of products. `fen`
    names a column with the positions that games start from, as in Chess960; by default `FEN`, if there is one. Neither texts
    nor positions are sent back to Spark, unless `keep` has "fen". All columns go through Python, so select those that you
    need first, and join small tables before: there are far fewer games than positions.

    A malformed game is an error, or leaves out the rest of the game (`on_error="skip"`), or ends with a row without a position
    ("null"), which has the reason in a last column `error` ("report"). `malformed` counts such games, as in `analyze`.

    >>> from pyspark.sql import SparkSession
    >>> import slider_attacks.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> games = spark.createDataFrame([(7, "1. e4 e5"), (8, "1. e9")], "id int, movetext string")
    >>> positions = slider_attacks.spark.with_positions(games, what="legal_moves", keep=["ply", "uci"], on_error="report")
    >>> positions.drop("error").collect()[:3]
    [Row(id=7, ply=0, uci=None, legal_moves=20), Row(id=7, ply=1, uci='e2e4', legal_moves=20), Row(id=7, ply=2, uci='e7e5', legal_moves=29)]
    >>> positions.where("error is not null").select("id", "error").collect()
    [Row(id=8, error='column 4, ply 0: expected a move, found "e9"')]
    """
    module("pyarrow", "spark")
    games = GameRows(frame.columns, movetext, what, fen, "signed", options)
    new = module("pyspark.sql.pandas.types", "spark").from_arrow_schema(games.schema)
    old = [field for field in frame.schema.fields if field.name in games.others]

    def positions(batches: Iterator[Any]) -> Iterator[Any]:
        count = None if malformed is None else malformed.add
        for batch in batches:
            yield from games.batches(batch, count)

    rows: Any = frame
    found: DataFrame = rows.mapInArrow(positions, type(new)([*old, *new.fields]))
    return found


def read_positions(
    spark: "SparkSession",
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    what: Products = ("maps",),
    *,
    count: int | None = None,
    **options: Any,
) -> "DataFrame":
    """Returns the rows of files: `slider_attacks.read` with its options, except file objects. Needs Spark 3.5 or later.

    Each task reads one of `count` parts of the files, by default as many as the default parallelism of Spark. The driver
    and all executors must see the same files under these paths. A task that fails, as for a malformed row, is repeated by
    Spark, and ends the job if that does not help. `on_error="skip"` does not count the rows that it leaves out.

    >>> from pyspark.sql import SparkSession
    >>> import pathlib, tempfile
    >>> import slider_attacks.spark
    >>> path = pathlib.Path(tempfile.mkdtemp(), "games.pgn")
    >>> _ = path.write_text('[White "A"]\\n\\n1. e4 e5 *\\n\\n[White "B"]\\n\\n1. d4 *\\n')
    >>> spark = SparkSession.builder.getOrCreate()
    >>> positions = slider_attacks.spark.read_positions(spark, path, "legal_moves", keep=["White", "ply"], count=2)
    >>> positions.groupBy("White").count().sort("White").collect()
    [Row(White='A', count=3), Row(White='B', count=2)]
    """
    pa = module("pyarrow", "spark")
    parts = spark.sparkContext.defaultParallelism if count is None else count
    files, options = _engines.files_and_options(path, options)
    wanted = names(what)
    with read(files, wanted, shard=(1, parts), integers="signed", **options) as reader:
        schema = _engines.lists(pa.schema(reader.schema).empty_table()).schema
    kind = module("pyspark.sql.pandas.types", "spark").from_arrow_schema(schema)

    def rows(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                with read(files, wanted, shard=(number, parts), integers="signed", **options) as reader:
                    for found in reader:
                        yield _engines.lists(pa.record_batch(found))

    tasks: Any = spark.range(1, parts + 1, 1, parts)
    found: DataFrame = tasks.mapInArrow(rows, kind)
    return found


def run_shards(
    spark: "SparkSession", arguments: Iterable[str | os.PathLike[str]], folder: str | os.PathLike[str], count: int
) -> list[dict[str, Any]]:
    """Runs a command, `analyze` or `convert`, in `count` tasks, one per shard, from files to files of Parquet in `folder`.

    `arguments` are those of the command without its output, such as `["analyze", "/data/games", "--what", "maps"]`; numbers
    come as `--integers signed`, which Spark reads. The executors must see the same files, and `folder`, under these paths.
    `slider_attacks.shards.run_shard` describes what a task does: however often tasks fail, are repeated or run twice at the
    same time, `folder` has each row once. To resume a job, run it again.

    Returns what became of each shard, in order: `shard`, `path`, `rows`, and how many records are `null` or were `skipped`
    or `left_out`. Raises the error of a task that fails in all its attempts.

    >>> from pyspark.sql import SparkSession
    >>> import pathlib, tempfile
    >>> import slider_attacks.spark
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "games.pgn").write_text('[White "A"]\\n\\n1. e4 e5 *\\n\\n[White "B"]\\n\\n1. d4 *\\n')
    >>> spark = SparkSession.builder.getOrCreate()
    >>> done = slider_attacks.spark.run_shards(spark, ["analyze", folder / "games.pgn", "--keep", "ply"], folder / "maps", 2)
    >>> sum(shard["rows"] for shard in done), spark.read.parquet(str(folder / "maps")).count()
    (5, 5)
    """
    pa = module("pyarrow", "spark")
    line = _engines.command_line(arguments, "--integers", "signed")
    target, directory = os.path.abspath(folder), os.getcwd()
    threads = int(spark.conf.get("spark.task.cpus", "1") or 1)
    shards.check(line, folder, count, directory)

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                done = shards.run_shard(line, target, number, count, threads=threads, directory=directory)
                yield pa.RecordBatch.from_pylist([done])

    schema = "shard bigint, path string, rows bigint, `null` bigint, skipped bigint, left_out bigint"
    tasks: Any = spark.range(1, count + 1, 1, count)
    return [row.asDict() for row in tasks.mapInArrow(run, schema).sort("shard").collect()]



def game_positions(
    movetext: "Column | str",
    fen: "Column | str | None" = None,
    on_error: Literal["raise", "null"] | str = "raise",
) -> "Column":
    """Returns the positions of games: an array of structs of `ply`, `san`, `uci`, `eval`, `mate`, `clk`, `fen` and `error`,
    for `explode`. Needs Spark 4.1 or later.

    A game is a text in PGN, with or without tags. `fen` has the positions that games start from, as in Chess960; null and
    an empty text stand for the standard starting position. `slider_attacks.game_positions` describes the columns. Nulls
    propagate.

    A malformed game is an error. With `on_error="null"`, it yields the positions before the error, then an element without
    a position but with the reason in `error`.

    >>> from pyspark.sql import SparkSession
    >>> import slider_attacks.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> games = spark.createDataFrame([("1. e4 e5",)], "movetext string")
    >>> positions = games.select(slider_attacks.spark.game_positions("movetext").alias("positions"))
    >>> positions.selectExpr("inline(positions)").select("ply", "san").collect()
    [Row(ply=0, san=None), Row(ply=1, san='e4'), Row(ply=2, san='e5')]
    >>> games = spark.createDataFrame([("1. Kf1 Kf9", "4k3/8/8/8/8/8/8/4K3 w - -")], "movetext string, start string")
    >>> positions = games.select(slider_attacks.spark.game_positions("movetext", "start", on_error="null").alias("positions"))
    >>> positions.selectExpr("inline(positions)").select("san", "error").collect()[1:]
    [Row(san='Kf1', error=None), Row(san=None, error='column 8, ply 1: expected a move, found "Kf9"')]
    """
    if on_error not in ("raise", "null"):
        raise ValueError(f"on_error={on_error!r}: expected one of raise, null, as an engine needs each row")
    pa, types = module("pyarrow", "spark"), module("pyspark.sql.pandas.types", "spark")
    kind = types.from_arrow_type(_engines.games(pa.array([], pa.string())).type)

    def positions(texts: Any) -> Any:
        return _engines.games(texts, on_error=on_error)

    def positions_from(texts: Any, fens: Any) -> Any:
        return _engines.games(texts, fens, on_error=on_error)

    return _udf(positions, kind, movetext) if fen is None else _udf(positions_from, kind, movetext, fen)


def attacks(square: "Column | str", occ: "Column | str", slider: Slider = "queen") -> "Column":
    """Returns the attack set, a bigint, of a slider on each square (any integer type) with each occupancy (bigint).

    Needs Spark 4.1 or later.

    >>> from pyspark.sql import SparkSession
    >>> import slider_attacks.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> frame = spark.createDataFrame([(0, 256)], "square tinyint, occ bigint")
    >>> frame.select(slider_attacks.spark.attacks("square", "occ", "rook").alias("attacks")).collect()
    [Row(attacks=510)]
    """

    pairs = _engines.pairs(slider)

    def attacks(squares: Any, occs: Any) -> Any:
        return pairs(squares, occs).view("int64")

    return _udf(attacks, "bigint", square, occ)
