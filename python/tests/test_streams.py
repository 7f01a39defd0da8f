"""`read` of file objects: all formats, and objects that do not keep to what a file object is."""

import bz2
import contextlib
import gc
import gzip
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import weakref
import zipfile
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import slider_attacks
from slider_attacks import _pump
from test_soundness import interrupted

FEN = "4k3/8/8/8/8/8/8/R3K3 w Q -"
TEXT = (FEN + " 0 1\n").encode()
ROWS = 50_000


def files() -> dict[str, bytes]:
    """The same positions in all formats."""
    parquet = io.BytesIO()
    pq.write_table(pa.table({"fen": [FEN] * ROWS}), parquet, row_group_size=20_000)
    return {
        "x.epd": TEXT * ROWS,
        "x.epd.gz": gzip.compress(TEXT * ROWS, 1),
        "x.csv": b"id,FEN\n" + f"1,{FEN}\n".encode() * ROWS,
        "x.jsonl": f'{{"fen": "{FEN}"}}\n'.encode() * ROWS,
        "x.parquet": parquet.getvalue(),
    }


FILES = files()


class File:
    """A file object with nothing but `read`."""

    def __init__(self, read: Callable[[int], Any], name: Any = "some file") -> None:
        self.read, self.name = read, name


def rows(file: Any, **options: Any) -> int:
    return sum(len(batch) for batch in slider_attacks.read(file, [], **options))


@pytest.mark.parametrize("name", FILES)
def test_all_formats_from_file_objects(name: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    wanted = pa.table(slider_attacks.read(path))
    assert wanted.num_rows == ROWS
    with open(path, "rb") as file:
        assert pa.table(slider_attacks.read(file)) == wanted
        assert file.read() == b"" and not file.closed
    assert pa.table(slider_attacks.read(io.BytesIO(FILES[name]), threads=2)) == wanted
    # Without a buffer, in bits, from a pipe, and from where the object stands.
    with open(path, "rb", buffering=0) as file:
        assert pa.table(slider_attacks.read(file)) == wanted
    bits = io.BytesIO(FILES[name])
    assert pa.table(slider_attacks.read(File(lambda _: bits.read(10_007)))) == wanted
    with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as process:
        assert pa.table(slider_attacks.read(process.stdout)) == wanted  # type: ignore[arg-type]
    later = io.BytesIO(b"garbage" + FILES[name])
    later.seek(7)
    assert pa.table(slider_attacks.read(later)) == wanted
    # Among paths.
    with open(path, "rb") as file:
        both = pa.table(slider_attacks.read([path, io.BytesIO(FILES[name]), file]))
    assert both.num_rows == 3 * ROWS
    assert both["file"].unique().to_pylist() == [str(path), "<BytesIO>"]
    assert both["file"].value_counts().to_pylist()[0]["counts"] == 2 * ROWS


def test_what_python_decompresses() -> None:
    assert rows(bz2.open(io.BytesIO(bz2.compress(TEXT)))) == 1
    assert rows(gzip.open(io.BytesIO(gzip.compress(FILES["x.csv"], 1)))) == ROWS
    assert rows(gzip.open(io.BytesIO(gzip.compress(FILES["x.parquet"], 1)))) == ROWS
    with tempfile.NamedTemporaryFile() as file:
        file.write(TEXT * 2)
        file.seek(0)
        assert rows(file) == 2


def test_what_seeks_by_reading_from_the_beginning_is_read_in_order(tmp_path: pathlib.Path) -> None:
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as archive:
        archive.add(__file__, "x.epd")
    (tmp_path / "x.gz").write_bytes(gzip.compress(TEXT))
    with tarfile.open(tmp_path / "x.tar.gz") as archive, gzip.open(tmp_path / "x.gz") as file:
        buffered: Any = io.BufferedReader(file)
        assert _pump.ends(archive.extractfile("x.epd"), 0) is None
        assert _pump.ends(file, 0) is None and _pump.ends(buffered, 0) is None
    with open(tmp_path / "x.gz", "rb") as plain:
        assert _pump.ends(plain, 0) == (0, (tmp_path / "x.gz").stat().st_size)


def wide() -> bytes:
    """Parquet with a column of positions, and much else."""
    table = {"fen": [FEN] * ROWS, "id": range(ROWS), "other": [os.urandom(100) for _ in range(ROWS)]}
    file = io.BytesIO()
    pq.write_table(pa.table(table), file, row_group_size=20_000, data_page_size=1 << 14)
    return file.getvalue()


class Counted(io.RawIOBase):
    """A file object that can seek, behind some other bytes. It counts what is read, by the bytes and by the calls."""

    def __init__(self, content: bytes, most: int = 1 << 60, fails_at: int | None = None) -> None:
        self.file, self.most, self.fails_at = io.BytesIO(b"other" + content), most, fails_at
        self.file.seek(5)
        self.calls = self.bytes = self.largest = 0

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = 0) -> int:
        return self.file.seek(place, whence)

    def tell(self) -> int:
        return self.file.tell()

    def read(self, count: int = -1) -> bytes:
        self.calls += 1
        if self.calls == self.fails_at:
            raise OSError(5, "the disk is old")
        found = self.file.read(min(count, self.most))
        self.bytes += len(found)
        self.largest = max(self.largest, len(found))
        return found


def test_parquet_is_read_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    """Of an object that can seek, only the needed columns are read, in bounded pieces, and nothing is copied to the disk."""
    content = wide()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    plain = Counted(content)
    table = pa.table(slider_attacks.read(plain, [], keep="id", threads=4))
    assert table["id"].to_pylist() == list(range(ROWS))
    assert plain.bytes < len(content) / 3 and plain.largest <= 1 << 20 and plain.calls < 60
    short = Counted(content, 1021)
    assert pa.table(slider_attacks.read(short, [], keep="id")) == table
    assert plain.bytes - (2 << 20) < short.bytes < plain.bytes + (1 << 17)
    # An error of the object, wherever it comes, is the cause of what `read` raises.
    for call in [*range(1, 5), plain.calls // 2, plain.calls]:
        with pytest.raises(OSError, match="the disk is old") as raised:
            rows(Counted(content, fails_at=call), keep="id", threads=4)
        assert raised.value.errno == 5 and isinstance(raised.value.__cause__, OSError), call


def test_objects_that_seek_wrongly() -> None:
    content = wide()

    def changed(**methods: Any) -> Any:
        return type("Changed", (Counted,), methods)(content)

    def refuse(*_: Any) -> Any:
        raise io.UnsupportedOperation("no seeking")

    streams: list[dict[str, Any]]
    streams = [{"seekable": lambda _: False}, {"tell": refuse}, {"seek": refuse}, {"tell": lambda _: -7}]
    for methods in streams:
        assert rows(changed(**methods)) == ROWS, "it is read from its beginning to its end"
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"tell": lambda self: self.file.tell() + 100}, "Parquet"),
        ({"read": lambda self, count: self.file.read(count) + b"x"}, "`read` returned|Parquet"),
        ({"read": lambda self, count: self.file.read(count) if self.file.tell() < 100 else b""}, "Parquet"),
        ({"read": lambda self, count: self.file.read(count) if self.file.tell() < 100 else "text"}, "not bytes"),
    ]
    for methods, text in wrong:
        with pytest.raises((OSError, ValueError), match=text):
            rows(changed(**methods))


def test_an_empty_file_has_no_rows() -> None:
    assert rows(io.BytesIO()) == rows([io.BytesIO(), io.BytesIO(b"\n")]) == 0


def test_names_in_messages() -> None:
    bad = b"nonsense\n"
    cases: list[tuple[Any, str]] = [
        (io.BytesIO(bad), r"^<BytesIO>, line 1, "),
        ([io.BytesIO(TEXT), io.BytesIO(bad)], r"^<BytesIO>, line 1, "),
        (File(io.BytesIO(bad).read, "an\nobject"), r"^an\\nobject, line 1, "),
        (File(io.BytesIO(bad).read, 7), "^<File>, line 1, "),
        (File(io.BytesIO(bad).read, "x\ud800"), "^x\ufffd+, line 1, "),
        (File(io.BytesIO(bad).read, b"x.epd"), "^x.epd, line 1, "),
        (File(io.BytesIO(bad).read, pathlib.Path("y/x.epd")), "^y/x.epd, line 1, "),
        (File(io.BytesIO(bad).read, ""), "^<File>, line 1, "),
        (File(io.BytesIO(bad).read, None), "^<File>, line 1, "),
    ]
    for given, text in cases:
        with pytest.raises(ValueError, match=text):
            rows(given)
    # The end of the name can show the format.
    pairs = File(io.BytesIO(FILES["x.csv"]).read, "a.csv")
    assert rows(pairs) == ROWS
    with pytest.raises(ValueError, match=r'^<BytesIO> has no column "x"; its columns are id, FEN'):
        rows(io.BytesIO(FILES["x.csv"]), column="x")
    with pytest.raises(ValueError, match="<BytesIO> is in the list twice"):
        rows([file := io.BytesIO(TEXT), file])


class Raises:
    """A name that cannot be told."""

    def __get__(self, *_: object) -> str:
        raise OSError


@pytest.mark.parametrize(
    ("attributes", "name"),
    [
        ({"full_name": "s3://bucket/x.marlinformat", "path": "bucket/x.marlinformat"}, "s3://bucket/x.marlinformat"),
        ({"path": "bucket/x.marlinformat"}, "bucket/x.marlinformat"),
        ({"name": 3, "path": "x.marlinformat"}, "x.marlinformat"),
        ({"name": None, "full_name": None, "path": b"x.marlinformat"}, "x.marlinformat"),
        ({"name": Raises(), "path": pathlib.Path("x.marlinformat")}, "x.marlinformat"),
        ({"name": "x.marlinformat", "full_name": "y"}, "x.marlinformat"),
        ({"url": "https://example.com/x.marlinformat?key=secret"}, "https://example.com/x.marlinformat"),
        ({"path": "http://example.com/x.marlinformat#part"}, "http://example.com/x.marlinformat"),
    ],
)
def test_file_objects_of_others_have_names(attributes: dict[str, Any], name: str) -> None:
    kind: Any = type("File", (io.BytesIO,), attributes)
    # Which shows the format, as 32 zeros do not: the error is one of records.
    with pytest.raises(ValueError, match=rf"^{re.escape(name)}, record 1\b"):
        rows(kind(bytes(32)))
    with pytest.raises(ValueError, match=rf"^{re.escape(name)}, record 1\b"):
        slider_attacks.summarize([kind(bytes(32))])


def test_file_objects_of_python_have_names(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.epd"
    path.write_bytes(TEXT)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("in/b.epd", TEXT)
    with gzip.open(tmp_path / "c.epd.gz", "wb") as compressed:
        compressed.write(TEXT)
    with contextlib.ExitStack() as stack:
        temporary: Any = stack.enter_context(tempfile.NamedTemporaryFile(suffix=".epd"))
        nameless: Any = stack.enter_context(tempfile.TemporaryFile())
        for file in (temporary, nameless):
            file.write(TEXT)
            file.seek(0)
        archive = stack.enter_context(zipfile.ZipFile(tmp_path / "a.zip"))
        files: list[tuple[Any, str]] = [
            (path.open("rb"), str(path)),
            (path.open("rb", buffering=0), str(path)),
            (open(str(path).encode(), "rb"), str(path)),
            (archive.open("in/b.epd"), "in/b.epd"),
            (gzip.open(tmp_path / "c.epd.gz"), str(tmp_path / "c.epd.gz")),
            (temporary, temporary.name),
            (nameless, "<BufferedRandom>"),
            (os.fdopen(os.open(path, os.O_RDONLY), "rb"), "<BufferedReader>"),
        ]
        for file, _ in files:
            stack.enter_context(contextlib.closing(file))
        table = pa.table(slider_attacks.read([file for file, _ in files]))
        assert table["file"].to_pylist() == [name for _, name in files]


def test_files_of_text() -> None:
    for file in [io.StringIO(FEN), open(__file__), gzip.open(io.BytesIO(), "rt")]:
        with file, pytest.raises(TypeError, match='is a text file: open it with mode "rb"'):
            slider_attacks.read(file)  # type: ignore[call-overload, arg-type, unused-ignore]
    with pytest.raises(OSError, match='`read` returned str, not bytes: it is a text file; open it with mode "rb"'):
        rows(File(io.StringIO(FEN).read))


def test_what_the_object_raises_is_the_cause() -> None:
    def raising(error: BaseException, after: int) -> Any:
        chunks = iter([TEXT * 1000] * after)

        def read(_: int) -> Any:
            for chunk in chunks:
                return chunk
            raise error

        return File(read)

    errors: list[BaseException] = [
        ValueError("the disk is full"),
        OSError(5, "the disk is old"),
        RuntimeError(),
        StopIteration(3),
        SystemExit(7),
        KeyboardInterrupt(),
        MemoryError(),
        InterruptedError("a signal"),
        EOFError("too early"),
    ]
    for error in errors:
        for after in [0, 1, 200]:
            with pytest.raises(OSError, match="^(\\[Errno 5\\] )?cannot read some file: ") as caught:
                rows(raising(error, after))
            assert caught.value.__cause__ is error
            assert type(error).__name__ in str(caught.value)
            assert caught.value.errno == (5 if isinstance(error, OSError) and error.errno else None)
    # All rows before it come first, and there is no more after it.
    reader = slider_attacks.read(raising(ValueError("x"), 200), [], batch_rows=1000)
    found = 0
    with pytest.raises(OSError, match="ValueError: x"):
        for batch in reader:
            found += len(batch)
    assert found == 200_000 and list(reader) == []
    with open(os.devnull, "wb") as file, pytest.raises(OSError, match="cannot read /dev/null: UnsupportedOperation"):
        rows(file)
    closed = io.BytesIO(TEXT)
    closed.close()
    with pytest.raises(OSError, match="I/O operation on closed file"):
        rows(closed)
    with pytest.raises(OSError, match="disk is old"):
        pa.table(slider_attacks.read(raising(OSError(5, "the disk is old"), 10)))
    for parquet in [FILES["x.parquet"][:50_000], FILES["x.parquet"][:4]]:
        chunk = iter([parquet])
        with pytest.raises(OSError, match="copy it to a temporary file: StopIteration"):
            rows(File(lambda _, chunk=chunk: next(chunk)))  # type: ignore[misc]


class Odd:
    """An error that cannot be shown."""


class Unshown(Exception):
    def __str__(self) -> str:
        raise ValueError("no")


def test_what_is_not_bytes() -> None:
    wrong: list[tuple[Any, str]] = [(None, "NoneType"), (5, "int"), ([b"x"], "list"), (Odd(), "Odd"), ("x", "str")]
    for given, kind in wrong:
        with pytest.raises(OSError, match=f"`read` returned {kind}, not bytes") as caught:
            rows(File(lambda _, given=given: given))  # type: ignore[misc]
        assert isinstance(caught.value.__cause__, TypeError)

    def fail(_: int) -> Any:
        raise Unshown

    with pytest.raises(OSError, match="cannot read some file: Unshown"):
        rows(File(fail))
    with pytest.raises(OSError, match="TypeError"):
        rows(File(lambda: b""))  # type: ignore[arg-type, misc]
    with pytest.raises(OSError, match="TypeError"):
        rows(File(5))  # type: ignore[arg-type]

    class Bytes(bytes):
        def __len__(self) -> int:
            return 1 << 40

    def every_other(chunk: bytes) -> memoryview:
        return memoryview(b"".join(bytes([byte, 0]) for byte in chunk))[::2]

    kinds: list[Callable[[bytes], Any]] = [bytearray, memoryview, Bytes, every_other]
    for make in kinds:
        chunks = iter([TEXT] * 9 + [b""])
        assert rows(File(lambda _, make=make, chunks=chunks: make(next(chunks)))) == 9  # type: ignore[misc]


def test_more_than_was_asked_for_and_less() -> None:
    sizes: list[int] = []

    def read(size: int) -> bytes:
        sizes.append(size)
        return [TEXT * 100_000, TEXT[:1], TEXT[1:], b""][len(sizes) - 1]

    assert rows(File(read)) == 100_001
    assert len(sizes) == 4 and min(sizes) > 0, "an object is not asked again after its end"


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def endless(_: int) -> bytes:
    return TEXT * 1000


def test_the_thread_ends_with_the_reader() -> None:
    """It reads ahead by little, and lets go of the object when nobody wants more."""
    reads = 0

    def read(_: int) -> bytes:
        nonlocal reads
        reads += 1
        return TEXT * 1000

    def ended(end: Callable[[Any], Any]) -> None:
        file = File(read)
        gone = weakref.ref(file)
        reader: Any = slider_attacks.read(file, [])
        next(reader)
        del file
        end(reader)
        del reader
        gc.collect()
        wait_for(lambda: gone() is None)

    ended(lambda reader: reader.close())
    ended(lambda reader: None)
    ended(lambda reader: reader.__exit__(None, None, None))
    ended(lambda reader: pa.RecordBatchReader.from_stream(reader).close())
    file = slider_attacks.read(File(read), [])
    next(file)
    time.sleep(0.2)
    before = reads
    time.sleep(0.2)
    assert reads == before, "it does not run ahead"


@pytest.mark.parametrize("start", [b"", TEXT * 100, FILES["x.parquet"][:1000]])
def test_a_file_that_never_answers(start: bytes) -> None:
    event, chunks = threading.Event(), iter([start] if start else [])

    def read(_: int) -> bytes:
        for chunk in chunks:
            return chunk
        event.wait()
        return b""

    with interrupted(0.05):
        list(slider_attacks.read(File(read), []))
    event.set()


def test_a_reader_that_is_closed_while_its_file_does_not_answer() -> None:
    event, started = threading.Event(), threading.Event()

    def read(_: int) -> bytes:
        if started.is_set():
            event.wait()
        started.set()
        return TEXT * 70_000

    reader = slider_attacks.read(File(read), [])
    closer = threading.Timer(0.1, reader.close)
    closer.start()
    before = time.monotonic()
    list(reader)
    assert time.monotonic() - before < 1
    event.set()


def test_a_file_that_uses_its_own_reader() -> None:
    readers: list[Any] = []
    raised: list[BaseException] = []

    def read(_: int) -> bytes:
        if readers:
            try:
                next(readers[0])
            except RuntimeError as error:
                raised.append(error)
            readers[0].close()
        return TEXT * 70_000

    readers.append(slider_attacks.read(File(read), []))
    list(readers[0])
    wait_for(lambda: bool(raised))
    assert "its own reader" in str(raised[0])

    # Another reader is none of its own.
    inner = slider_attacks.read(io.BytesIO(TEXT * 5), [], batch_rows=1)
    found = iter([b"".join(TEXT for _ in batch["line"]) for batch in [next(inner)]] + [b""])
    assert rows(File(lambda _: next(found) + b"".join(TEXT for _ in inner))) >= 1


def tasks() -> int:
    """The number of threads of this process, of any kind."""
    return len(os.listdir("/proc/self/task"))


def test_many_file_objects_and_threads() -> None:
    assert rows(io.BytesIO(TEXT)) == 1
    before = tasks()
    assert rows([io.BytesIO(TEXT * 10) for _ in range(500)], threads=2) == 5000
    found: list[int] = []

    def work() -> None:
        found.append(rows(io.BytesIO(TEXT * 1000)))

    threads = [threading.Thread(target=work) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1000] * 20
    wait_for(lambda: tasks() <= before)


@pytest.mark.parametrize("consumer", ["nanoarrow", "datafusion"])
def test_who_asks_while_he_holds_the_interpreter(consumer: str) -> None:
    """The thread that reads the file object needs it, too."""
    pytest.importorskip(consumer)
    script = f"""
import io
import {consumer} as consumer
import slider_attacks
reader = slider_attacks.read(io.BytesIO(b"4k3/8/8/8/8/8/8/R3K3 w Q -\\n" * 100_000))
if "{consumer}" == "nanoarrow":
    print(sum(len(batch) for batch in consumer.ArrayStream(reader)))
else:
    print(consumer.SessionContext().from_arrow(reader).count())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "100000\n", done.stderr


def test_a_forked_process_does_not_have_the_thread() -> None:
    script = """
import os, threading, time, warnings
warnings.simplefilter("ignore")
import slider_attacks
go = threading.Event()
class File:
    given = 0
    def read(self, size):
        self.given += 1
        self.given < 50 or go.wait()
        return b"4k3/8/8/8/8/8/8/R3K3 w Q -\\n" * 1000
reader = slider_attacks.read(File(), [])
waiting = threading.Thread(target=lambda: [next(reader) for _ in range(20)])  # and has the lock of the reader
waiting.start()
time.sleep(0.3)
if (child := os.fork()) == 0:
    failed = 0
    for ask in [lambda: next(reader), lambda: reader.skipped, lambda: reader.errors]:
        try:
            ask()
        except RuntimeError:
            failed += 1
    reader.close()
    os._exit(failed)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
go.set()
waiting.join()
assert len(next(reader)) > 0
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


ENDS = {
    "while it reads": "read = lambda size: time.sleep(0.001) or TEXT",
    "while it computes": "read = lambda size: TEXT * 1000",
    "while it waits": "import threading; read = lambda size: threading.Event().wait()",
    "while it prints": "read = lambda size: sys.stdout.write('') or TEXT",
    "while it blocks": "import os; pipe = os.pipe(); read = lambda size: os.read(pipe[0], size)",
    "in Parquet": "read = lambda size: b'PAR1' * 1000",
}


@pytest.mark.parametrize("kind", ENDS)
def test_the_end_of_the_interpreter(kind: str) -> None:
    """Whatever the threads do then, the process ends, and at once."""
    script = f"""
import sys, time
import slider_attacks
TEXT = b"4k3/8/8/8/8/8/8/R3K3 w Q -\\n" * 100
{ENDS[kind]}
class File: pass
file = File()
file.read, readers = read, []
def start():
    readers.append(slider_attacks.read(file, []))
    readers.append(next(readers[0]))
import threading
threading.Thread(target=start, daemon=True).start()
time.sleep(float(sys.argv[1]))
"""
    for after in ["0.05", "0.1", "0.101"]:
        subprocess.run([sys.executable, "-c", script, after], check=True, timeout=20)
