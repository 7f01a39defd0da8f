"""The command `slider-attacks` that comes with the package: what it writes, how it ends."""

import os
import pathlib
import signal
import subprocess
import sys
import time
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import slider_attacks
from test_positions import fens

COMMAND = pathlib.Path(sys.executable).parent / "slider-attacks"
ROOT = pathlib.Path(__file__).parent.parent.parent


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *arguments], capture_output=True, check=False, text=True, timeout=60, **options)


def test_results_go_to_standard_output() -> None:
    done = run("attacks")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith((ROOT / "cli" / "tests" / "expected" / "attacks.txt").read_text())
    assert run("--version").stdout.startswith("slider-attacks ")
    assert run("analyze", "-", input="4k3/8/8/8/8/8/8/R3K3 w Q -\n").stdout.splitlines()[1].startswith("1,0x")


def test_exit_codes() -> None:
    done = run("analyze", "-", input="nonsense\n")
    assert done.returncode == 1 and done.stderr.startswith("error: standard input, line 1, column 2: expected")
    done = run("analyze", "none")
    assert done.returncode == 1 and "cannot open none" in done.stderr
    done = run("dance")
    assert done.returncode == 2 and "Usage: slider-attacks [OPTIONS] <COMMAND>" in done.stderr and done.stdout == ""
    assert run("analyze", "--help").returncode == 0


def test_files(tmp_path: pathlib.Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.fen"  # not UTF-8
    with open(name, "w") as file:
        file.write("\n".join(fens()[:500]))
    done = subprocess.run(
        [COMMAND, "analyze", name, "--what", "maps,counts", "-o", tmp_path / "out.parquet"], capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")
    written = pq.read_table(tmp_path / "out.parquet")
    assert written.select(["white_attacks", "black_attackers"]).to_pydict() == (
        pa.table(slider_attacks.analyze(fens()[:500], ["maps", "counts"]))
        .select(["white_attacks", "black_attackers"])
        .to_pydict()
    )
    metadata = pq.read_metadata(tmp_path / "out.parquet")
    said = {name.decode(): value.decode() for name, value in metadata.metadata.items() if name.startswith(b"slider_attacks.")}
    assert (said["slider_attacks.command"], said["slider_attacks.what"]) == ("analyze", "maps,counts")
    lines, maps = (metadata.row_group(0).column(place) for place in range(2))
    assert (lines.statistics.min, lines.statistics.max, maps.statistics) == (1, 500, None)
    assert written.schema.field("black_attackers").type.value_field.name == "element"
    names = "white_attacks, black_attackers"
    query = f"select {names} from read_parquet('{tmp_path / 'out.parquet'}') where line between 1 and 500"
    read = duckdb.connect().execute(query).fetchall()
    assert read == [tuple(row.values()) for row in written.select(["white_attacks", "black_attackers"]).to_pylist()]


@pytest.mark.parametrize(("number", "output"), [(signal.SIGINT, True), (signal.SIGTERM, True), (signal.SIGINT, False)])
def test_signals(number: signal.Signals, output: bool, tmp_path: pathlib.Path) -> None:
    where = ["-o", str(tmp_path / "out.csv")] if output else []
    with subprocess.Popen(
        [COMMAND, "analyze", "-", *where], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"4k3/8/8/8/8/8/8/R3K3 w Q -\n" * 2000)
        process.stdin.flush()
        if output:
            patience = time.perf_counter() + 20
            while not list(tmp_path.iterdir()) and time.perf_counter() < patience:
                time.sleep(0.01)
        else:
            process.stdout.readline()
        sent = time.perf_counter()
        process.send_signal(number)
        # With an output, its hidden file is removed first, and the exit code is that of shells.
        assert process.wait(timeout=20) == (128 + number if output else -number)
        assert time.perf_counter() - sent < 1
    assert list(tmp_path.iterdir()) == []


def test_an_ignored_signal_stays_ignored() -> None:
    with subprocess.Popen(
        ["sh", "-c", f"trap '' INT; exec {COMMAND} analyze -"],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"4k3/8/8/8/8/8/8/R3K3 w Q -\n")
        assert process.stdout.readline().startswith(b"line,")
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(b"4k3/8/8/8/8/8/8/R3K3 w Q -\n", timeout=20)
        assert process.returncode == 0 and rest.count(b"\n") == 2


def test_a_reader_that_goes_away_is_no_error() -> None:
    done = subprocess.run(
        f"yes '4k3/8/8/8/8/8/8/R3K3 w Q -' | {COMMAND} analyze - | head -n 3; echo ${{PIPESTATUS[1]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    assert done.stderr == "" and done.stdout.splitlines()[-1] == "0" and len(done.stdout.splitlines()) == 4
