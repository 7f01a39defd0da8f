"""Files to files in shards: what is refused, and each row once whatever happens to attempts."""

import os
import pathlib
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pyarrow.parquet as pq
import pytest
from slider_attacks import _inputs, shards
from test_command import COMMAND

GAMES = '[White "A"]\n\n1. e4 e5 *\n\n[White "B"]\n\n1. d4 *\n\n[White "C"]\n\n1. d4 d5 *\n\n[White "D"]\n\n1. c4 *\n'
LINE = ["analyze", "--keep", "White,ply", "--what", "maps", "games.pgn"]


def refused(line: list[str], folder: str, directory: pathlib.Path) -> str:
    """Why `check` refuses a command for two shards; empty if it does not."""
    try:
        shards.check(line, directory / folder, 2, str(directory))
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("analyze in", "out"),
        ("analyze in/*.parquet", "in/deep"),  # `*` does not stand for parts of a path
        ("analyze *", "out"),
        ("analyze in/**/*.pgn", "in/deep"),
        ("analyze part-00001-of-00003.parquet", "."),
        ("analyze in --what maps", "maps"),  # a product, and not the folder
        ("analyze in --what=maps", "in.maps"),
        ("analyze -- in --limit", "out"),
        ("analyze s3://bucket/**/*.parquet", "."),
        ("convert --files-from few.txt", "out"),
        ("analyze part-00001-of-00002.parquet", "out"),
    ],
)
def test_commands_that_are_accepted(line: str, folder: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "few.txt").write_text("in/a.pgn\r\n\nnone\n")
    for name in ("in", "maps", "in.maps"):
        (tmp_path / name).mkdir()
    assert refused(line.split(), folder, tmp_path) == ""


@pytest.mark.parametrize(
    ("line", "folder", "message"),
    [
        ("", "out", "expected the command"),
        ("summarize in", "out", "expected the command"),
        ("analyze in -o x", "out", "'-o': the output and the shard are chosen"),
        ("analyze in -ox", "out", "'-ox': the output"),
        ("analyze in --report=x", "out", "'--report=x': the output"),
        ("analyze in --unique", "out", "use --key-shard with all files"),
        ("analyze in --unique=polyglot", "out", "use --key-shard with all files"),
        ("analyze in --limit 5", "out", "the limit would hold for each shard"),
        ("analyze in", "in/out", "is in in: shards would read what others have written"),
        ("analyze .", "out", "shards would read"),
        ("analyze -- in", "in", "shards would read"),
        ("analyze **/*.parquet", ".", "shards would read"),  # `**` may stand for nothing
        ("analyze out/*/../*.parquet", "out", "shards would read"),
        ("analyze **/*.parquet", "in/out", "shards would read"),
        ("analyze out/*0002-of-*", "out", "shards would read"),
        ("analyze link/*.parquet", "in", "shards would read"),
        ("analyze link", "in/out", "shards would read"),
        ("analyze in", "link/out", "shards would read"),
        ("analyze out/part-00002-of-00002.parquet", "out", "shards would read"),
        ("analyze --files-from all.txt", "in/out", "is in in: shards would read"),
        ("analyze --files-from=all.txt", "in/out", "is in in: shards would read"),
    ],
)
def test_commands_that_are_refused(line: str, folder: str, message: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "link").symlink_to("in")
    (tmp_path / "all.txt").write_text("games.pgn\nin\n")
    assert message in refused(line.split(), folder, tmp_path)


def test_what_is_known_about_the_command(tmp_path: pathlib.Path) -> None:
    """The options without a value and the endings of files are those of the command."""
    flags = set()
    for command in ("analyze", "convert"):
        text = subprocess.run([COMMAND, command, "--help"], capture_output=True, check=True, text=True).stdout
        flags |= set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)$", text, re.MULTILINE))
    assert flags == _inputs.FLAGS
    text = subprocess.run([COMMAND, "analyze", tmp_path], capture_output=True, check=False, text=True).stderr
    assert re.findall(r"\.([a-z]+)[,\n]", text) == list(_inputs.ENDINGS)


def test_digests_are_those_of_what_the_command_reads(tmp_path: pathlib.Path) -> None:
    for name in ["a.pgn", "b.pgn.zst", ".c.pgn", "d.log", "deep/e.pgn", ".hidden/f.pgn", "deep/er/g.pgn"]:
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text("1. e4 *\n")
    (tmp_path / "deep" / "loop").symlink_to("..")

    def found(path: str) -> list[str]:
        return [os.path.relpath(file, tmp_path) for file in _inputs.Pattern(path, str(tmp_path)).files()]

    assert found(".") == ["a.pgn", "b.pgn.zst", "deep/e.pgn", "deep/er/g.pgn"]
    assert found("**/*.pgn") == ["a.pgn", "deep/e.pgn", "deep/er/g.pgn"]
    assert found("*/*.pgn") == ["deep/e.pgn"]
    assert found("d*/**/[!e].pgn") == ["deep/er/g.pgn"]
    assert found("*.log") == found("d.log") == ["d.log"]
    before = _inputs.digest(["**/*.pgn"], str(tmp_path))
    (tmp_path / "d.log").write_text("more")
    assert _inputs.digest(["**/*.pgn"], str(tmp_path)) == before
    os.utime(tmp_path / "a.pgn", ns=(1, 1))
    assert _inputs.digest(["**/*.pgn"], str(tmp_path)) != before


def test_each_row_once(tmp_path: pathlib.Path) -> None:
    """Several threads write the same shards at the same time."""
    (tmp_path / "games.pgn").write_text(GAMES)
    jobs = [(folder, number) for folder in range(2) for number in (1, 2) for _ in range(2)]

    def run(job: tuple[int, int]) -> shards.ShardReport:
        return shards.run_shard(LINE, tmp_path / str(job[0]), job[1], 2, directory=tmp_path)

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(run, jobs))
    assert done[::2] == done[1::2]
    for folder in range(2):
        table = pq.read_table(tmp_path / str(folder))
        rows = list(zip(table["White"].to_pylist(), table["ply"].to_pylist(), strict=True))
        assert sorted(rows) == [(game, ply) for game, count in zip("ABCD", (3, 2, 3, 2), strict=True) for ply in range(count)]
        assert not [path for path in (tmp_path / str(folder)).iterdir() if path.is_dir()]


def test_changed_files_and_lost_reports(tmp_path: pathlib.Path) -> None:
    games = tmp_path / "games.pgn"
    games.write_text(GAMES)

    def run(number: int, line: list[str] = LINE, directory: pathlib.Path = tmp_path) -> shards.ShardReport:
        return shards.run_shard(line, tmp_path / "out", number, 2, directory=directory)

    first = run(1)
    assert run(1) == first
    for line in ([*LINE, "--every", "2"], [*LINE[:-1], str(games)]):
        with pytest.raises(ValueError, match="has shards of another run, with arguments"):
            run(2, line)
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(ValueError, match=r"has shards of another run, with directory .* and not '.*elsewhere'"):
        run(2, LINE, tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="games.pgn is relative to .*none, which does not exist on this machine"):
        run(2, LINE, tmp_path / "none")
    games.write_text("1. e4 *\n\n" + GAMES)
    with pytest.raises(ValueError, match="the files to read have changed"):
        run(2)
    games.write_text(GAMES)
    line, folder = [*LINE[:-1], str(games)], tmp_path / "absolute"
    assert shards.run_shard(line, folder, 2, 2, directory=tmp_path / "none")["rows"] == 10 - first["rows"]
    (folder / ".part-00002-of-00002.json").unlink()
    with pytest.raises(RuntimeError, match=r"is lost: remove .*part-00002-of-00002\.parquet to compute it again"):
        shards.run_shard(line, folder, 2, 2)
    (folder / "part-00002-of-00002.parquet").unlink()
    dashes = [*line[:-1], "--", line[-1]]
    assert shards.run_shard(dashes, tmp_path / "dashes", 2, 2)["rows"] == 10 - first["rows"]
    assert shards.run_shard(line, folder, 2, 2)["rows"] == 10 - first["rows"]


def test_modules_in_the_directory_are_not_imported(tmp_path: pathlib.Path) -> None:
    (tmp_path / "games.pgn").write_text(GAMES)
    (tmp_path / "slider_attacks.py").write_text("raise SystemError('imported')")
    assert shards.run_shard(LINE, tmp_path / "out", 1, 1, directory=tmp_path)["rows"] == 10
