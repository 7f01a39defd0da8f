"""Files to files in parts, for the tasks of any engine or scheduler: a task may fail, be killed, be repeated, or run twice.

`slider_attacks.spark.run_shards` and `slider_attacks.ray.run_shards` call `run_shard` once per shard. So can Dask, Airflow, or a
pool of processes:

>>> import pathlib, tempfile
>>> import slider_attacks.shards
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "games.pgn").write_text('[White "A"]\\n\\n1. e4 e5 *\\n\\n[White "B"]\\n\\n1. d4 *\\n')
>>> command = ["analyze", folder / "games.pgn", "--what", "maps", "--keep", "ply"]
>>> sum(slider_attacks.shards.run_shard(command, folder / "maps", number, 2)["rows"] for number in (1, 2))
5
>>> sorted(path.name for path in (folder / "maps").glob("*.parquet"))
['part-00001-of-00002.parquet', 'part-00002-of-00002.parquet']
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterable, Iterator
from typing import Any, TypedDict

from . import _inputs
from ._engines import module
from ._native import __version__

__all__ = ["ShardKilledError", "ShardReport", "run_shard"]

_PROGRAM = """
import sys
parent, signal = int(sys.argv[1]), 15
del sys.argv[1]
if sys.platform == "linux":
    import ctypes
    ctypes.CDLL(None).prctl(1, signal)  # PR_SET_PDEATHSIG: this process ends with the thread that started it
    import os
    if os.getppid() != parent:
        sys.exit(1)
from slider_attacks._native import command
sys.exit(command())
"""
"""Runs the command, and ends with the process that started it."""

_RECORD = ".slider-attacks-shards.json"
"""The file that says which command has the folder, and how many shards."""

_OWN_OPTIONS = ("-o", "--output", "--output-dir", "--shard", "--report")
"""The options that `run_shard` sets itself."""

_PER_SHARD = {
    "--unique": "each shard would keep its own copy of a position: use --key-shard with all files",
    "--limit": "the limit would hold for each shard, not for all together",
}
"""The options that mean something else for a shard than for all files."""

_MOST = 99_999
"""The most shards, whose numbers have five digits."""

_MESSAGE = 4096
"""How many characters of what the command says an error quotes, from its end."""


class ShardKilledError(RuntimeError):
    """A signal ended the command, as when memory runs out: another attempt may succeed."""


class ShardReport(TypedDict):
    """What became of a shard."""

    shard: int
    path: str
    rows: int
    """How many rows the file has."""
    null: int
    skipped: int
    left_out: int


def run_shard(
    arguments: Iterable[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    number: int,
    of: int,
    *,
    threads: int = 1,
    directory: str | os.PathLike[str] | None = None,
) -> ShardReport:
    """Runs a command, `analyze` or `convert`, for shard `number` of `of`, from 1, and writes `part-…-of-….parquet` in `folder`.

    `arguments` are those of the command without its output, such as `["analyze", "/data/games", "--what", "maps"]`. The
    command runs in a process of its own, with this number of threads and in this directory, by default the current one. It
    ends if the caller is killed (on Linux).

    The file appears under its name once it is complete. If it is there already, nothing is computed. Of two calls that run
    at the same time, both may write, and one of the files, which are equal, stays. The first call records the command and
    `of` in the folder, with a digest of the names, sizes and times of the files: a call with others is an error, as the
    parts would not belong together. Where a shard begins depends on all files, so they must not change until all shards
    are done; nobody checks this for URLs.

    Raises RuntimeError with the message of the command if it fails, ShardKilledError if it is killed, and ValueError for
    other arguments or files in the same folder.
    """
    line = [os.fspath(argument) for argument in arguments]
    place = os.path.abspath(directory or os.curdir)
    check(line, folder, of, place)
    target = pathlib.Path(os.path.abspath(folder))
    if not 1 <= number <= of:
        raise ValueError(f"shard {number} of {of}: expected 1 to {of}")
    inputs = _inputs.named(line, place)
    relative = next((path for path in inputs if not os.path.isabs(path)), None)
    if relative is not None and not os.path.isdir(place):
        raise ValueError(f"{relative} is relative to {place}, which does not exist on this machine")
    target.mkdir(parents=True, exist_ok=True)
    record = {"arguments": line, "shards": of, "version": __version__, "directory": None if relative is None else place}

    def claim() -> None:
        _claim(target / _RECORD, {**record, "files": _inputs.digest(inputs, place)})

    claim()
    name = _name(number, of)
    path, told = target / f"{name}.parquet", target / f".{name}.json"
    if not path.exists():
        with _attempt(target, name) as (output, report):
            options = ["--shard", f"{number}/{of}", "--output", str(output), "--report", str(report)]
            if not any(argument.split("=")[0] == "--threads" for argument in _inputs.options(line)):
                options += ["--threads", str(threads)]
            code, said = _run([line[0], *options, *line[1:]], place if os.path.isdir(place) else None)
            if path.exists():
                pass  # another attempt was first, and may have removed the files of this one
            elif code == 0:
                try:
                    module("pyarrow.parquet", "arrow").read_metadata(output)  # which fails unless it is Parquet
                    claim()  # which fails if the files have changed meanwhile
                    os.replace(report, told)
                    os.replace(output, path)
                except FileNotFoundError:
                    if not path.exists():
                        raise
            else:
                kind = ShardKilledError if code < 0 else RuntimeError
                reason = f"signal {-code} ended the command" if code < 0 else said or f"the command ended with code {code}"
                raise kind(f"shard {number} of {of}: {reason}")
    try:
        totals = json.loads(told.read_text())["totals"]
    except (FileNotFoundError, KeyError, ValueError):
        raise RuntimeError(f"{told}, the report of {path.name}, is lost: remove {path} to compute it again") from None
    rows = module("pyarrow.parquet", "arrow").read_metadata(path).num_rows
    return {
        "shard": number,
        "path": str(path),
        "rows": rows,
        "null": totals["null"],
        "skipped": totals["skipped"],
        "left_out": totals["left_out"],
    }


def check(line: list[str], folder: str | os.PathLike[str], of: int, directory: str | None = None) -> None:
    """Fails if the command, run in this directory, or the folder of this many shards makes no sense."""
    if not line or line[0] not in ("analyze", "convert"):
        raise ValueError(f"arguments begin with {line[:1]}: expected the command, analyze or convert")
    for argument in _inputs.options(line):
        name = argument.split("=")[0]
        if name in _OWN_OPTIONS or argument.startswith("-o") and not argument.startswith("--"):
            raise ValueError(f"argument {argument!r}: the output and the shard are chosen by run_shard")
        if name in _PER_SHARD:
            raise ValueError(f"argument {argument!r}: {_PER_SHARD[name]}")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", str(folder)):
        raise ValueError(f"{folder} is a URL, not a path: files are written to a folder that all machines see")
    if not 1 <= of <= _MOST:
        raise ValueError(f"{of} shards: expected 1 to {_MOST}")
    place, real = directory or os.getcwd(), os.path.realpath(folder)
    outputs = [os.path.join(real, f"{_name(number, of)}.parquet") for number in range(1, of + 1)]
    for path in _inputs.named(line, place):
        if _inputs.Pattern(path, place).gives(outputs):
            raise ValueError(f"{folder} is in {path}: shards would read what others have written")


def _name(number: int, of: int) -> str:
    """The name of the file of a shard, without its ending."""
    return f"part-{number:05}-of-{of:05}"


def _claim(path: pathlib.Path, wanted: dict[str, Any]) -> None:
    """Records what a folder is for, unless it is recorded already; fails if that is something else."""
    if not path.exists():
        new = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
        new.write_text(json.dumps(wanted, indent=2) + "\n")
        try:
            os.link(new, path)
        except FileExistsError:
            pass
        except OSError:  # the file system has no hard links
            if not path.exists():
                os.replace(new, path)
        with contextlib.suppress(FileNotFoundError):
            new.unlink()
    found = json.loads(path.read_text())
    for name, value in wanted.items():
        if found.get(name) != value:
            if name == "files":
                reason = "the files to read have changed since its first shard, or differ between machines"
                raise ValueError(f"{path.parent} has shards of another run: {reason}. Take another folder, or remove it")
            other = f"{name} {found.get(name)!r} and not {value!r}"
            raise ValueError(f"{path.parent} has shards of another run, with {other}: take another folder")


@contextlib.contextmanager
def _attempt(folder: pathlib.Path, name: str) -> Iterator[tuple[pathlib.Path, pathlib.Path]]:
    """A hidden folder for the files of one attempt, which is removed at its end, with those that killed attempts have left."""
    own = folder / f".{name}.{uuid.uuid4().hex}"
    own.mkdir()
    done = False
    try:
        yield own / "part.parquet", own / "report.json"
        done = True
    finally:
        for left in folder.glob(f".{name}.*") if done else [own]:
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)


def _run(line: list[str], directory: str | os.PathLike[str] | None) -> tuple[int, str]:
    """Runs the command, and returns its exit code, or minus the signal that ended it, and the end of what it says."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where this package is found without a path
    paths = os.pathsep.join([*(os.path.abspath(path) for path in sys.path if path), own])
    with subprocess.Popen(
        [sys.executable, "-P", "-c", _PROGRAM, str(os.getpid()), *line],
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
    ) as process:
        try:
            assert process.stderr is not None
            told = b""
            while more := process.stderr.read(_MESSAGE):
                told = (told + more)[-_MESSAGE:]
            code = process.wait()
        except BaseException:
            process.terminate()
            raise
    return code, told.decode(errors="replace").strip()
