"""What `summarize` takes, compared with reading alone and with what DuckDB and Polars do without it.

    summaries.py FENS [ROUNDS]

FENS is a file with a FEN per line; each 60 lines have a result. Needs DuckDB, Polars and pyarrow. The contestants take turns in
one process, and must agree. Prints the least and the median of the rounds (5, unless told): nanoseconds of processor time per
position, and how many times `summarize` is as fast.

First come sums over the file compared with reading it, which is `summarize` of no product. Then come sums by result of a table in memory.
The contestants without `summarize` begin with maps that have been computed already, two columns of bitboards, or with FEN, of
which functions of this package make the maps. `summarize` always begins with FEN.
"""

import functools
import pathlib
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import slider_attacks

RESULTS = ["1-0", "0-1", "1/2-1/2"]
SIDES = ["white_attacks", "black_attacks"]
Rows = list[tuple[Any, ...]]


def bits_in_duckdb(connection: duckdb.DuckDBPyConnection, source: str) -> Rows:
    """A condition for each square."""
    sums = ", ".join(f"count(*) filter (where ({side} >> {square}) & 1 = 1)" for side in SIDES for square in range(64))
    return connection.sql(f"select result, {sums} from {source} group by result order by result").fetchall()


def rows_in_duckdb(connection: duckdb.DuckDBPyConnection, source: str) -> Rows:
    """A row for each square."""
    sums = ", ".join(f"sum(({side} >> square) & 1)::bigint" for side in SIDES)
    query = f"select result, square, {sums} from {source}, (select unnest(range(64)::utinyint[]) as square)"
    rows = connection.sql(f"{query} group by result, square order by result, square").fetchall()
    results = sorted({row[0] for row in rows})
    return [(result, *(row[side] for side in [2, 3] for row in rows if row[0] == result)) for result in results]


def bits_in_polars(frame: pl.LazyFrame) -> Rows:
    """A condition for each square."""
    sums = [
        (pl.col(side) & pl.lit(1 << square, pl.UInt64) != 0).sum().alias(f"{side}_{square}")
        for side in SIDES
        for square in range(64)
    ]
    return frame.group_by("result").agg(sums).sort("result").collect(engine="streaming").rows()


def rows_in_polars(frame: pl.LazyFrame) -> Rows:
    """A row for each square."""
    bit = pl.lit([1 << square for square in range(64)], pl.List(pl.UInt64)).alias("bit")
    sums = [(pl.col(side) & pl.col("bit") != 0).sum() for side in SIDES]
    rows = (
        frame.select("result", *SIDES, bit).explode("bit").group_by("result", "bit").agg(sums)
        .sort("result", "bit").collect(engine="streaming").rows()
    )
    results = sorted({row[0] for row in rows})
    return [(result, *(row[side] for side in [2, 3] for row in rows if row[0] == result)) for result in results]


def summarized(games: pa.Table) -> Rows:
    """`summarize`, from FEN."""
    summary = slider_attacks.summarize(games, "maps", by="result")
    counts = [summary.to_numpy(side, "count").reshape(-1, 64).tolist() for side in SIDES]
    return sorted((group["result"], *white, *black) for group, white, black in zip(summary.groups, *counts, strict=True))


def turns(contestants: dict[str, Callable[[], Any]], rounds: int, positions: int) -> dict[str, Any]:
    """Prints what contestants take, compared with the first of them, and returns what they have returned."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    answers = {}
    for _ in range(rounds):
        for name, contestant in contestants.items():
            before = time.process_time()
            answers[name] = contestant()
            times[name].append((time.process_time() - before) * 1e9 / positions)
    first = next(iter(times.values()))
    print("| | least ns per position | median | times as long |\n|---|---|---|---|")
    for name, own in times.items():
        ratio = statistics.median(one / other for one, other in zip(own, first, strict=True))
        print(f"| {name} | {min(own):.1f} | {statistics.median(own):.1f} | {ratio:.2f} |")
    return answers


def main() -> None:
    """Prints the tables."""
    path = pathlib.Path(sys.argv[1])
    fens = path.read_text().splitlines()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    print(f"{len(fens)} positions\n")
    products: list[list[Any]] = [[], ["maps"], ["pins"], ["maps", "pins"], ["counts"], ["mobility"]]
    files: dict[str, Callable[[], Any]] = {
        ", ".join(what) or "reading alone": functools.partial(slider_attacks.summarize, path, what) for what in products
    }
    turns(files, 4 * rounds, len(fens))
    print()
    games = pa.table({"fen": fens, "result": [RESULTS[row // 60 % 3] for row in range(len(fens))]})
    maps = pa.table(slider_attacks.analyze(games, "maps")).append_column("result", games["result"])
    connection = duckdb.connect(config={"allow_unsigned_extensions": True})
    connection.sql("set threads = 1")
    slider_attacks.duckdb.register(connection)
    connection.register("arrow_maps", maps)
    connection.sql("create table maps as select * from arrow_maps")
    connection.register("arrow_games", games)
    connection.sql("create table games as select * from arrow_games")
    frame, own = pl.DataFrame(maps).lazy(), pl.DataFrame(games).lazy()
    whole = "(select result, unnest(attack_maps(fen)) from games)"
    of_fen = own.select("result", slider_attacks.polars.analyze("fen", "maps").struct.unnest())
    read = slider_attacks.Positions(games)

    def sides() -> Rows:
        """Of positions that have been read, by the side to move; the answer is that by result, made before."""
        read.summarize("maps", by="side")
        return by_result

    by_result = summarized(games)
    contestants: dict[str, Callable[[], Rows]] = {
        "`summarize`, from FEN": lambda: summarized(games),
        "`Positions.summarize`, by side": sides,
        "DuckDB, maps, conditions": lambda: bits_in_duckdb(connection, "maps"),
        "DuckDB, maps, rows": lambda: rows_in_duckdb(connection, "maps"),
        "Polars, maps, conditions": lambda: bits_in_polars(frame),
        "Polars, maps, rows": lambda: rows_in_polars(frame),
        "DuckDB, from FEN, conditions": lambda: bits_in_duckdb(connection, whole),
        "DuckDB, from FEN, rows": lambda: rows_in_duckdb(connection, whole),
        "Polars, from FEN, conditions": lambda: bits_in_polars(of_fen),
        "Polars, from FEN, rows": lambda: rows_in_polars(of_fen),
    }
    answers = turns(contestants, rounds, len(fens))
    assert all(answer == answers["`summarize`, from FEN"] for answer in answers.values()), "they have the same sums"


if __name__ == "__main__":
    main()
