"""Memory does not grow with the number of calls or of errors."""

import ctypes
import gc
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import slider_attacks
from reference import random_pairs

SQUARES, OCCS = random_pairs(2000)
FENS = pa.array(["4k3/8/8/8/8/8/8/R3K3 w Q -", None] * 200)
BAD = SQUARES.copy()
BAD[1999] = 64
POSITIONS = slider_attacks.Positions(FENS)

CALLS: dict[str, Callable[[], Any]] = {
    "new array": lambda: slider_attacks.batch_attacks(SQUARES, OCCS),
    "broadcast": lambda: slider_attacks.batch_attacks(27, OCCS[:999:2]),
    "list": lambda: slider_attacks.batch_attacks([1, 2, 3], OCCS[:3]),
    "Arrow": lambda: pa.array(slider_attacks.batch_attacks(pa.array(SQUARES), pa.array(OCCS))),
    "Arrow, not taken": lambda: slider_attacks.batch_attacks(pa.array(SQUARES), 5).__arrow_c_array__(),
    "stream": lambda: slider_attacks.analyze(pa.chunked_array([FENS, FENS])).__arrow_c_stream__(),
    "analyze": lambda: pa.record_batch(slider_attacks.analyze(FENS, ["maps", "counts", "threats"])),
    "views": lambda: (POSITIONS.occupancies, POSITIONS.analyze("mobility")["mobility"]),
    "drawing": lambda: slider_attacks.show(OCCS[0]).svg(),
}
ERRORS: dict[str, Callable[[], Any]] = {
    "square": lambda: slider_attacks.batch_attacks(BAD, OCCS),
    "type": lambda: slider_attacks.batch_attacks(OCCS.astype(float), OCCS),
    "shape": lambda: slider_attacks.batch_attacks(SQUARES, OCCS[:7]),
    "Arrow": lambda: slider_attacks.batch_attacks(pa.array(BAD), pa.array(OCCS)),
    "FEN": lambda: slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"] * 100 + ["?"]),
    "item": lambda: slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"] * 100 + [5]),
}


def resident() -> int:
    """The memory of this process in KiB."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def growth(call: Callable[[], Any], calls: int) -> int:
    """By how many KiB memory grows in a number of calls, after it has settled. A leak grows each time; what an allocator
    takes for something else does not.
    """
    for _ in range(calls // 5):
        call()
    gc.collect()
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)  # or a leak would go unseen in the memory that other tests have freed
    grown = []
    for _ in range(3):
        gc.collect()
        before = resident()
        for _ in range(calls):
            call()
        gc.collect()
        grown.append(resident() - before)
        if grown[-1] < 200:
            break
    return min(grown)


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    # One leaked array, batch or text would be 16 to 100 bytes at least, and mostly kilobytes: 10,000 of them are 1 MiB.
    assert growth(CALLS[name], 10_000 if name != "analyze" else 2000) < 500


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    def call() -> None:
        with pytest.raises((ValueError, TypeError)):
            ERRORS[name]()

    assert growth(call, 1000) < 300


def test_a_leak_would_be_seen() -> None:
    kept: list[Any] = []
    assert growth(lambda: kept.append(np.ones(50)), 10_000) > 1000


SCARCE = """
import resource, sys
import pyarrow as pa
import slider_attacks

rows, threads = 1 << 21, int(sys.argv[1])
texts = pa.array(["4k3/8/8/8/8/8/8/R3K3 w Q -", None] * (rows // 2))
slider_attacks.Positions(texts[:2], threads=threads)  # and all that a first call takes
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 170 * rows, -1))
positions = slider_attacks.Positions(texts, threads=threads)
assert (len(positions), positions.null_count) == (rows, rows // 2)
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_positions_take_the_memory_that_they_need(threads: int) -> None:
    """A position has 136 bytes: twice as much is more than there is here."""
    # Otherwise glibc reserves 128 MiB of addresses for each thread that allocates.
    environment = os.environ | {"MALLOC_ARENA_MAX": "1"}
    subprocess.run([sys.executable, "-c", SCARCE, str(threads)], check=True, timeout=60, env=environment)


TOLD = """
import sys
import slider_attacks

# `ru_maxrss` would include what the parent took.
peak = lambda: 1024 * int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"], "targets")
before = peak()
with slider_attacks.read(sys.argv[1], "targets", threads=2) as reader:
    total = sum(512 * len(batch) for batch in reader)
    print(total, peak() - before, reader.memory)
"""


def test_a_reader_takes_the_memory_that_it_tells(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "many.epd"
    path.write_bytes(b"4k3/8/8/8/8/8/8/R3K3 w Q -\n" * 600_000)
    done = subprocess.run([sys.executable, "-c", TOLD, path], check=True, capture_output=True, text=True, timeout=60)
    total, taken, told = map(int, done.stdout.split())
    assert 1 << 24 < taken < told < total


def test_of_many_errors_the_first_are_kept() -> None:
    rows = 1 << 20
    bad = pa.array(["?"] * rows)
    # A result has 16 bytes per row, a position about 128. Each error has some hundred bytes.
    calls: list[tuple[Callable[[], Any], int]] = [
        (lambda: slider_attacks.analyze(bad, on_error="null"), 60_000),
        (lambda: slider_attacks.analyze(bad, on_error="skip", threads=2), 60_000),
        (lambda: slider_attacks.analyze(bad, on_error="report"), 300_000),
        (lambda: slider_attacks.Positions(bad, on_error="null"), 300_000),
    ]
    for call, most in calls:
        gc.collect()
        before = resident()
        found = call()
        assert resident() - before < most
        assert found.error_count == rows
        assert [row for row, _ in found.errors] == list(range(1000))
    mixed = slider_attacks.analyze(["?", "4k3/8/8/8/8/8/8/R3K3 w Q -"] * 2000, on_error="null", threads=3)
    assert mixed.error_count == 2000
    assert [row for row, _ in mixed.errors] == list(range(0, 2000, 2))
