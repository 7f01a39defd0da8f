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

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, Unpack

from . import _engines
from ._engines import Options, Products, Slider, documented, module, names, reusable

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

__all__ = ["analyze", "attacks", "game_positions", "with_attacks"]
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

    The product "boards" stands for the columns of `Positions.boards`. With `on_error="null"`, malformed rows are null, and
    `malformed` counts them each time that Spark computes them: again in each action, and again if a part of a shuffle was
    lost. If Spark stops early, as for `limit`, the count is incomplete.

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
    malformed: "Accumulator[int] | None" = None,
    **options: Unpack[Options],
) -> "DataFrame":
    """Appends the columns of products to a data frame. Needs Spark 3.5 or later.

    `analyze` explains the parameters. All columns go through Python (`mapInArrow`), so select those that you need first.

    >>> from pyspark.sql import SparkSession
    >>> import slider_attacks.spark
    >>> spark = SparkSession.builder.getOrCreate()
    >>> frame = spark.createDataFrame([(1, "4k3/8/8/8/8/8/8/R3K3 w Q -")], "id int, fen string")
    >>> slider_attacks.spark.with_attacks(frame, what="hanging").columns
    ['id', 'fen', 'white_hanging', 'black_hanging']
    """
    wanted, options = names(what), reusable(options)
    new = _schema(wanted, options)
    frame.select(fen)  # fails here, not in the executors, if there is no such column
    _engines.check_names(frame.columns, new.names)

    def append(batches: Iterator[Any]) -> Iterator[Any]:
        count = None if malformed is None else malformed.add
        for batch in batches:
            yield _engines.lists(_engines.appended(batch, fen, wanted, integers="signed", count=count, **options))

    rows: Any = frame
    found: DataFrame = rows.mapInArrow(append, type(new)([*frame.schema.fields, *new.fields]))
    return found


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
