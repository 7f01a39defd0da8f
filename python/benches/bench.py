"""What calls from Python cost compared with the same calls from Rust, on the same arrays, in one process, interleaved.

Needs the loops in Rust, which the wheel does not have:

    MATURIN_OPTIONS='--features bench' python/install
    target/slider-attacks-python/bin/python python/benches/bench.py [pairs|positions|engines|speed]

`speed` needs no such loops.
"""

import argparse
import concurrent.futures
import functools
import itertools
import math
import pathlib
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import chess
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import slider_attacks
from slider_attacks import _native as _compiled

_native: Any = _compiled  # with the feature `bench`, it has two functions more

LENGTHS = [1, 64, 4096, 1 << 16, 1 << 20, 1 << 24]


def turns(contestants: dict[str, Callable[[int], float]], calls: int, rounds: int) -> dict[str, list[float]]:
    """The seconds per call of each contestant in each round."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, contestant in contestants.items():
            times[name].append(contestant(calls) / calls)
    return times


def timed(call: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> Callable[[int], float]:
    """The seconds that a number of calls takes, by this clock."""

    def contestant(calls: int) -> float:
        repeat = range(calls)
        started = clock()
        for _ in repeat:
            call()
        return clock() - started

    return contestant


def pairs() -> None:
    """Queens: microseconds over the call from Rust, and its speed as a part of Rust's."""
    dice = np.random.default_rng(1)
    print("pairs | Rust, ns per pair | contestant | us over Rust: least, median | ns per pair | part of Rust's speed")
    for length in LENGTHS:
        pairs_of(length, dice)


def pairs_of(length: int, dice: np.random.Generator) -> None:
    """The rows for calls of one length."""
    squares = dice.integers(0, 64, length, dtype=np.uint8)
    occs = dice.integers(0, 2**64, length, dtype=np.uint64)
    out = np.empty(length, np.uint64)
    arrow = pa.array(squares), pa.array(occs)
    wide = squares.astype(np.int64)
    usual = {
        "NumPy, out": timed(lambda: slider_attacks.batch_attacks(squares, occs, out)),
        "NumPy, new array": timed(lambda: slider_attacks.batch_attacks(squares, occs)),
        "Arrow, result not taken": timed(lambda: slider_attacks.batch_attacks(*arrow)),
        "Arrow, pyarrow takes it": timed(lambda: pa.array(slider_attacks.batch_attacks(*arrow))),
    }
    others = {
        "NumPy, int64 squares, out": timed(lambda: slider_attacks.batch_attacks(wide, occs, out)),
        "Arrow, into NumPy out": timed(lambda: slider_attacks.batch_attacks(*arrow, out)),
    }
    if length <= 4096:
        listed = squares.tolist(), occs.tolist()
        others["lists"] = timed(lambda: slider_attacks.batch_attacks(*listed))
    if length >= 1 << 20:
        others["NumPy, out, 2 threads"] = timed(lambda: slider_attacks.batch_attacks(squares, occs, out, threads=2))
    # Two groups: after blocks of other sizes come and go, the allocator gives memory back, and new arrays take longer.
    for contestants in (usual, others):
        base = {
            "Rust": lambda calls: _native.time_batch_attacks(squares, occs, out, calls),
            "nothing": timed(lambda: None),
        }
        times = turns(base | contestants, max(1, min(1000, (1 << 19) // length)), 7 if length > 1 << 20 else 40)
        nothing = min(times.pop("nothing"))
        rust = times.pop("Rust")
        for name, took in times.items():
            least, median = min(took) - nothing, statistics.median(took) - nothing
            over = f"{1e6 * (least - min(rust)):.2f}, {1e6 * (median - statistics.median(rust)):.2f}"
            per_pair = f"{1e9 * min(rust) / length:.2f} | {name} | {over} | {1e9 * least / length:.2f}"
            print(f"{length} | {per_pair} | {min(rust) / least:.3f}", flush=True)


def random_fens(positions: int = 20_000) -> list[str]:
    """Positions of random games."""
    dice, board = random.Random(1), chess.Board()
    texts: list[str] = []
    while len(texts) < positions:
        moves = list(board.legal_moves)
        if not moves or board.ply() > 200:
            board = chess.Board()
            continue
        board.push(dice.choice(moves))
        texts.append(board.fen())
    return texts


def positions() -> None:
    """Attack maps of positions of random games, against python-chess."""
    texts = random_fens()

    def python_chess() -> list[list[int]]:
        """The maps of both sides of the first 1,000 positions."""
        found = []
        for text in texts[:1000]:
            board, maps = chess.Board(text), [0, 0]
            for color in chess.COLORS:
                for square in chess.scan_forward(board.occupied_co[color]):
                    maps[not color] |= board.attacks_mask(square)
            found.append(maps)
        return found

    columns = {"string": pa.array(texts), "string_view": pa.array(texts).cast(pa.string_view())}
    read = slider_attacks.Positions(texts)
    contestants: dict[str, Callable[[], Any]] = {
        "python-chess, 1,000 positions": python_chess,
        "analyze, list of str": lambda: slider_attacks.analyze(texts),
        "analyze, Arrow string": lambda: slider_attacks.analyze(columns["string"]),
        "analyze, Arrow string_view": lambda: slider_attacks.analyze(columns["string_view"]),
        "analyze, Arrow string, 2 threads": lambda: slider_attacks.analyze(columns["string"], threads=2),
        "Positions, Arrow string": lambda: slider_attacks.Positions(columns["string"]),
        "Positions.analyze": lambda: read.analyze("maps"),
    }
    maps = slider_attacks.analyze(texts[:1000])
    assert [
        list(both) for both in zip(*(maps[name].tolist() for name in maps.column_names), strict=True)
    ] == python_chess()
    lines = "\n".join(texts).encode()
    rust = {"Rust, from lines": lambda calls: _native.time_analyze(lines, calls)}
    times = turns(rust | {name: timed(call) for name, call in contestants.items()}, 1, 15)
    peer = min(times["python-chess, 1,000 positions"]) / 1000
    print("contestant | ns per position | times as fast as python-chess")
    for name, took in times.items():
        each = min(took) / (1000 if name.startswith("python-chess") else len(texts))
        print(f"{name} | {1e9 * each:.0f} | {peer / each:.0f}")


def engines() -> None:
    """What a row takes in each engine: a million pairs for queens, and 200,000 positions for maps."""
    import datafusion
    import duckdb
    import nanoarrow
    import pandas as pd
    import polars as pl
    import slider_attacks.datafusion
    import slider_attacks.polars

    dice = np.random.default_rng(1)
    length = 1 << 20
    squares, occs = dice.integers(0, 64, length, dtype=np.uint8), dice.integers(0, 2**64, length, dtype=np.uint64)
    columns, texts = pa.table({"square": squares, "occ": occs}), pa.table({"fen": random_fens() * 10})
    frame, connection = pl.from_arrow(columns), duckdb.connect(config={"allow_unsigned_extensions": True})
    assert isinstance(frame, pl.DataFrame)
    connection.register("pairs", columns)
    connection.register("texts", texts)
    slider_attacks.duckdb.register(connection)
    series, polars_texts = pd.DataFrame({"square": squares, "occ": occs}), pl.Series(texts["fen"])
    nano = nanoarrow.c_array(columns["square"].chunk(0)), nanoarrow.c_array(columns["occ"].chunk(0))

    lazy = frame.lazy().select(slider_attacks.polars.attacks("square", "occ"))
    attacks = slider_attacks.batch_attacks
    context = datafusion.SessionContext()
    context.register_record_batches("pairs", [columns.to_batches()])
    slider_attacks.datafusion.register(context)
    in_datafusion = "select bit_xor(queen_attacks(square, occ)) from pairs"
    rows: dict[str, tuple[int, Callable[[], Any]]] = {
        "NumPy arrays": (length, lambda: attacks(squares, occs)),
        "pyarrow arrays": (length, lambda: pa.array(attacks(columns["square"], columns["occ"]))),
        "nanoarrow arrays": (length, lambda: nanoarrow.Array(attacks(*nano))),
        "Polars Series": (length, lambda: pl.Series(attacks(frame["square"], frame["occ"]))),
        "Polars expression": (length, lambda: lazy.collect()),
        "Polars expression, streaming": (length, lambda: lazy.collect(engine="streaming")),
        "pandas Series": (length, lambda: pd.Series(attacks(series["square"], series["occ"]))),
        "DuckDB function": (
            length,
            lambda: connection.sql("select bit_xor(queen_attacks(square, occ)) from pairs").fetchall(),
        ),
        "DuckDB, square alone": (length, lambda: connection.sql("select bit_xor(occ) from pairs").fetchall()),
        "DataFusion function": (length, lambda: context.sql(in_datafusion).to_arrow_table()),
        "analyze, pyarrow": (len(texts), lambda: pa.table(slider_attacks.analyze(texts))),
        "analyze, Polars": (len(texts), lambda: pl.DataFrame(slider_attacks.analyze(polars_texts))),
        "analyze, DuckDB relation": (
            len(texts),
            lambda: pa.table(slider_attacks.analyze(connection.sql("select fen from texts"))),
        ),
        "white_attacks, DuckDB function": (
            len(texts),
            lambda: connection.sql("select bit_xor(white_attacks(fen)) from texts").fetchall(),
        ),
    }
    times = turns({name: timed(call) for name, (_, call) in rows.items()}, 1, 7)
    print("engine | ns per row")
    for name, took in times.items():
        print(f"{name} | {1e9 * min(took) / rows[name][0]:.1f}")


def speed() -> None:
    """`read` of Parquet compared with pyarrow and `analyze`; products of one thread and of two."""
    columns = pa.table({"fen": random_fens(100_000) * 4, "id": range(400_000)})
    with tempfile.TemporaryDirectory() as folder:
        for codec, dictionary in itertools.product(["zstd", "snappy", "none"], [True, False]):
            path = pathlib.Path(folder, f"{codec}{dictionary}.parquet")
            pq.write_table(columns, path, compression=codec, use_dictionary=dictionary)
            parquet(path, f"{codec}, {'dictionary' if dictionary else 'plain'}", columns.num_rows)
    threads(columns["fen"].combine_chunks()[:200_000])


def parquet(path: pathlib.Path, kind: str, rows: int) -> None:
    """Maps of a file: nanoseconds of processor time per row, and the ratio."""

    def peer() -> int:
        batches = pq.ParquetFile(path).iter_batches(65_536, columns=["fen"])
        return sum(len(slider_attacks.analyze(batch["fen"], "maps")) for batch in batches)

    def read() -> int:
        return sum(len(batch) for batch in slider_attacks.read(path, "maps"))

    assert peer() == read() == rows
    times = turns({"read": timed(read, time.process_time), "peer": timed(peer, time.process_time)}, 1, 15)
    (least, median), (least_peer, median_peer) = (
        (1e9 * min(took) / rows, 1e9 * statistics.median(took) / rows) for took in times.values()
    )
    ratios = f"{least / least_peer:.2f}, {median / median_peer:.2f}"
    shown = f"{least:.0f}, {median:.0f} | {least_peer:.0f}, {median_peer:.0f} | {ratios}"
    print(f"Parquet, {kind}; read | pyarrow and analyze | ratio (least, median): {shown}", flush=True)


def threads(fens: Any) -> None:
    """What calls take on one thread and on two, in nanoseconds per position.

    By the clock, two threads show what they gain only on two idle cores. By processor time they do so on busy ones as well: the
    calling thread works alone, then both share the rest, so that the ratio of `one` to `alone + rest / 2` is what is possible.
    """
    read = slider_attacks.Positions(fens)
    calls: dict[str, Callable[[int], Any]] = {
        "Positions": lambda threads: slider_attacks.Positions(fens, threads=threads)
    }
    for what in ["maps", "counts", "threats"]:
        calls[f"analyze, {what}"] = functools.partial(_analyze, fens, what)
        calls[f"Positions.analyze, {what}"] = functools.partial(_analyze_read, read, what)
    # The same without any chess: memory that is written for the first time, and again.
    used = np.zeros(128 * len(fens), np.uint8)
    print("call | one thread | two threads | times as fast by the clock | processor time of one, two, alone | times as fast")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:

        def write(memory: Any, threads: int) -> None:
            list(pool.map(lambda part: part.fill(1), np.array_split(memory, threads)))

        calls["write 128 bytes, new memory"] = lambda threads: write(np.empty(len(used), np.uint8), threads)
        calls["write 128 bytes, used memory"] = lambda threads: write(used, threads)
        for name, call in calls.items():
            clocks: list[Callable[[], float]] = [time.perf_counter, time.process_time, time.thread_time]
            least = {number: [math.inf] * 3 for number in (1, 2)}
            for _ in range(25):
                for number, times in least.items():
                    before = [clock() for clock in clocks]
                    call(number)
                    took = [1e9 * (clock() - start) / len(fens) for clock, start in zip(clocks, before, strict=True)]
                    least[number] = list(map(min, times, took))
            (one, one_all, _), (two, two_all, alone) = least.values()
            times_as_fast = f"{one_all / (alone + (two_all - alone) / 2):.2f}"
            by_clock = f"{one:.1f} | {two:.1f} | {one / two:.2f}"
            print(f"{name} | {by_clock} | {one_all:.1f}, {two_all:.1f}, {alone:.1f} | {times_as_fast}", flush=True)


def _analyze(fens: Any, what: Any, threads: int) -> Any:
    return slider_attacks.analyze(fens, [what], threads=threads)


def _analyze_read(read: slider_attacks.Positions, what: Any, threads: int) -> Any:
    return read.analyze([what], threads=threads)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", choices=["pairs", "positions", "engines", "speed"], nargs="?")
    what = parser.parse_args().what
    for name, bench in [("pairs", pairs), ("positions", positions), ("engines", engines), ("speed", speed)]:
        if what in (None, name):
            bench()
