"""URLs, in a build with the feature `cloud`, from local servers: those of the tests of the command."""

import _thread
import gzip
import os
import pathlib
import socket
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy
import pyarrow
import pyarrow.parquet
import pytest
import slider_attacks

pytest.importorskip("moto", reason="moto[server] is not installed")
sys.path.append(str(pathlib.Path(__file__).parents[2] / "cli/tests/cloud"))
import hostile  # type: ignore[import-not-found] # noqa: E402
import stores  # type: ignore[import-not-found] # noqa: E402

Files = dict[str, pathlib.Path]
DATA = pathlib.Path(__file__).parents[2] / "tests/data"


with pytest.raises(ValueError, match="s3:///x") as raised:
    slider_attacks.read("s3:///x")
if "is a URL, not a path" in str(raised.value):
    pytest.skip("this is a build without URLs", allow_module_level=True)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Files of several formats, some of several blocks."""
    folder = tmp_path_factory.mktemp("urls")
    epd = (DATA / "sample.epd").read_bytes()
    few, many = folder / "few.epd", folder / "many.epd"
    few.write_bytes(epd)
    many.write_bytes(epd * (7_000_000 // len(epd)))
    (folder / "few.epd.gz").write_bytes(gzip.compress(epd))
    (folder / "games.pgn").write_bytes((DATA / "games.pgn").read_bytes())
    pyarrow.parquet.write_table(table(many, keep="fen"), folder / "many.parquet")
    return {file.name: file for file in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def server(files: Files) -> str:
    os.environ["NO_PROXY"] = "127.0.0.1"
    return str(hostile.start(files["few.epd"].parent))


@pytest.fixture(scope="module")
def bucket(files: Files) -> Iterator[Any]:
    with stores.moto() as endpoint:
        bucket = stores.S3Bucket(endpoint, "bucket")
        os.environ.update(bucket.environment)
        for name, file in files.items():
            bucket.put(f"in/{name}", file.read_bytes())
        yield bucket


def table(path: Any, **options: Any) -> Any:
    return pyarrow.table(slider_attacks.read(path, "maps", **options))


@pytest.mark.parametrize("mode", ["plain", "broken", "once500", "redirect"])
def test_rows_of_urls_are_those_of_files(mode: str, files: Files, server: str) -> None:
    for name, file in files.items():
        for threads in (1, 2):
            assert table(f"{server}/{mode}/{name}?signature=x", threads=threads).equals(table(file)), name
    url = f"{server}/{mode}/games.pgn"
    options: Any = {"keep": ["White", "san"], "where": "white_attacks & black_kings", "every": 3}
    assert table(url, **options).equals(table(files["games.pgn"], **options))


def test_stores_have_patterns_prefixes_and_shards(files: Files, bucket: Any) -> None:
    assert table(f"{bucket.url}/in/many.epd", threads=2).equals(table(files["many.epd"]))
    folder = files["few.epd"].parent
    for pattern in ("*.epd", "few.*", ""):
        found, here = table(f"{bucket.url}/in/{pattern}"), table(f"{folder}/{pattern}")
        names = [name.replace(f"{bucket.url}/in", str(folder)) for name in found["file"].to_pylist()]
        assert names == here["file"].to_pylist()
        assert found.drop("file").equals(here.drop("file"))
    shards = [table(f"{bucket.url}/in/many.parquet", shard=(number, 3)) for number in (1, 2, 3)]
    assert pyarrow.concat_tables(shards).equals(table(files["many.parquet"]))
    both: Any = [f"{bucket.url}/in/few.epd", files["few.epd"]]
    assert repr(slider_attacks.summarize(both)) == repr(slider_attacks.summarize([files["few.epd"]] * 2))
    bucket.put("sample.binpack", (DATA / "sample.binpack").read_bytes())
    scores = [
        numpy.concatenate([batch["score"] for batch in slider_attacks.Loader(path, seed=1)])
        for path in (f"{bucket.url}/sample.binpack", DATA / "sample.binpack")
    ]
    assert len(scores[0]) > 0
    assert numpy.array_equal(scores[0], scores[1])


def test_errors_have_their_classes_and_no_secrets(files: Files, server: str, bucket: Any) -> None:
    for url, expected, text in [
        (f"{server}/plain/none.epd", FileNotFoundError, "404 Not Found"),
        (f"{server}/refused/403", PermissionError, "403 Forbidden: ExpiredToken"),
        (f"{server}/refused/400", OSError, "400 Bad Request: ExpiredToken"),
        (f"{bucket.url}/none.epd", FileNotFoundError, "404 Not Found"),
        (f"{bucket.url}/*.none", ValueError, "no object matches"),
        (f"http://127.0.0.1:{stores.free_port()}/x.epd", OSError, "Connection refused"),
        (f"{server}/short206/many.epd", OSError, "end of file before message length reached"),
        (f"{server}/changes/many.epd", OSError, "it changed during reading"),
    ]:
        for read in (table, lambda url: list(slider_attacks.read(url)), slider_attacks.summarize):
            with pytest.raises(expected, match=text) as raised:
                read(f"{url}?signature=secret" if url.startswith("http") else url)
            assert url in str(raised.value)
            assert "secret" not in str(raised.value)
            assert raised.type is expected
    (files["few.epd"].parent / "bad.x").write_bytes(files["few.epd"].read_bytes() + b"nonsense\n")
    with pytest.raises(ValueError, match=f"{server}/plain/bad.x, line [0-9]+, column 2: "):
        table(f"{server}/plain/bad.x?signature=secret")


def test_forked_processes_have_their_own_connections(files: Files, server: str, bucket: Any) -> None:
    for url in (f"{server}/plain/many.epd", f"{bucket.url}/in/many.epd"):
        rows = len(table(url))
        child = os.fork()
        if child == 0:
            os._exit(0 if len(table(url)) == rows else 1)
        end = time.monotonic() + 60
        while (done := os.waitpid(child, os.WNOHANG)) == (0, 0):
            assert time.monotonic() < end, "the child hangs"
            time.sleep(0.01)
        assert done == (child, 0)
        assert len(table(url)) == rows


def test_a_server_that_does_not_answer_can_be_interrupted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        start = time.monotonic()
        threading.Timer(0.3, _thread.interrupt_main).start()
        with pytest.raises(KeyboardInterrupt):
            slider_attacks.read(f"http://127.0.0.1:{silent.getsockname()[1]}/x.epd")
        assert time.monotonic() - start < 5
