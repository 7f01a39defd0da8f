"""Callers that break their promises: what they get is an error or nonsense, but no memory that is not theirs."""

import contextlib
import ctypes
import itertools
import os
import pathlib
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import slider_attacks
from reference import attacks


@contextlib.contextmanager
def interrupted(after: float) -> Iterator[None]:
    """Sends Ctrl-C into what is done here, which must end 0.2 s later with a `KeyboardInterrupt`."""
    sent: list[float] = []

    def interrupt() -> None:
        time.sleep(after)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt)
    with pytest.raises(KeyboardInterrupt):
        sender.start()
        yield
        sender.join()
    took = time.perf_counter() - sent[0]
    sender.join()
    assert took < 0.2, took


class Writer:
    """A thread that writes a square that is not on the board, and again one that is, all the time."""

    def __init__(self, squares: Any) -> None:
        self.squares, self.done = squares, threading.Event()
        self.thread = threading.Thread(target=self.write)

    def write(self) -> None:
        while not self.done.is_set():
            self.squares[-1] = 255
            self.squares[-1] = 7

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self.thread.join()


@pytest.mark.parametrize("backend", ["scalar", *{"bmi2"} & set(slider_attacks.backends())])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("arrow", [False, True])
def test_tables_are_looked_up_by_squares_that_were_checked(backend: str, threads: int, arrow: bool) -> None:
    length = 1 << 15
    squares, occs, out = np.full(length, 7, np.uint8), np.full(length, 0x100, np.uint64), np.zeros(length, np.uint64)
    given: list[Any] = [squares, occs, out]
    if arrow:
        nulls = pa.array(occs, mask=np.arange(length) == 9)
        given = [pa.array(squares), nulls]
        assert given[0].buffers()[1].address == squares.ctypes.data, "the column has the memory of the array"
    right, ended = attacks("queen", 7, 0x100), 0
    with Writer(squares):
        deadline = time.monotonic() + 0.4
        while time.monotonic() < deadline:
            try:
                found = slider_attacks.batch_attacks(*given, backend=backend, threads=threads)
            except ValueError as error:
                assert "255" in str(error) or "square 7" in str(error)
            else:
                ended += 1
                sets = pa.array(found).fill_null(right).to_numpy() if arrow else out
                assert (sets == right).all()
    assert ended > 0


def test_no_array_is_resized_while_a_call_has_it() -> None:
    length = 1 << 24
    base, occs, out = np.full(length + 1, 7, np.uint8), np.full(length, 0x100, np.uint64), np.zeros(length, np.uint64)
    squares, started = base[1:], threading.Event()

    def work() -> None:
        started.set()
        slider_attacks.batch_attacks(squares, occs, out, backend="scalar")

    worker = threading.Thread(target=work)
    worker.start()
    started.wait()
    time.sleep(0.005)
    for array in (base, occs, out):
        with pytest.raises(ValueError, match="cannot resize an array"):
            array.resize(1, refcheck=False)
    worker.join()
    assert (out == attacks("queen", 7, 0x100)).all()
    out.resize(1, refcheck=False)


FIRST = """
import signal, sys
import numpy as np
try:
    import numpy._core.multiarray as multiarray
except ImportError:
    import numpy.core.multiarray as multiarray
import slider_attacks

squares, occs = np.zeros(1 << 16, np.uint8), np.ones(1 << 16, np.uint64)
if sys.argv[1] == "looks up":
    # What a signal does that arrives while a call looks something up in NumPy.
    def __getattr__(name):
        signal.raise_signal(signal.SIGINT)
        raise AttributeError(name)
    multiarray.__getattr__ = __getattr__
    np.lib.NumpyVersion.__init__ = __getattr__
    slider_attacks.batch_attacks(squares, occs, out=occs)
    slider_attacks.bits(occs)
    assert int(occs[0]) == slider_attacks.queen_attacks(0, 1), occs
else:
    # A signal that is there when the call begins.
    try:
        signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))
        for _ in range(200):
            slider_attacks.batch_attacks(squares, occs, out=occs)
    except KeyboardInterrupt:
        sys.exit(7)
    raise AssertionError("nothing was raised")
"""


@pytest.mark.parametrize("when", ["looks up", *(f"0.00{number:03}" for number in range(10, 200, 19))])
def test_the_first_call_of_a_process_hears_ctrl_c(when: str) -> None:
    code = FIRST.replace("import slider_attacks\n", "import slider_attacks\nsignal.signal(signal.SIGALRM, signal.default_int_handler)\n")
    run = subprocess.run([sys.executable, "-c", code, when], capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == (0 if when == "looks up" else 7), run.stderr
    assert "panicked" not in run.stderr


class ArrowSchema(ctypes.Structure):
    """A type of the C data interface."""


class ArrowArray(ctypes.Structure):
    """An array of the C data interface."""


RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.POINTER(ArrowSchema)),
    ("release", RELEASE),
    ("private_data", ctypes.c_void_p),
]
ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", RELEASE),
    ("private_data", ctypes.c_void_p),
]
capsule = ctypes.pythonapi.PyCapsule_New
capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


release = RELEASE(lambda _: None)  # Python keeps all memory


class Offer:
    """An object with an array whose claims are what they are."""

    def __init__(self, schema: ArrowSchema, array: ArrowArray, names: tuple[bytes, bytes] | None = None) -> None:
        self.schema, self.array, self.names = schema, array, names or (b"arrow_schema", b"arrow_array")

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        pointers = [ctypes.addressof(self.schema), ctypes.addressof(self.array)]
        return tuple(capsule(at, name, None) for at, name in zip(pointers, self.names, strict=True))


def pointers(kind: Any, things: list[Any]) -> Any:
    """An array of pointers to these things."""
    return (ctypes.POINTER(kind) * len(things))(
        *[ctypes.pointer(thing) if thing is not None else None for thing in things]
    )


def schema(form: bytes | None, children: list[Any] | None = None, **claims: Any) -> ArrowSchema:
    given: dict[str, Any] = {"format": form, "name": b"x", "flags": 2, "release": release}
    if children:
        given |= {"n_children": len(children), "children": pointers(ArrowSchema, children)}
    return ArrowSchema(**(given | claims))


def array(length: int, buffers: list[bytes | None], children: list[Any] | None = None, **claims: Any) -> ArrowArray:
    places = [None if buffer is None else ctypes.cast(ctypes.c_char_p(buffer), ctypes.c_void_p) for buffer in buffers]
    KEPT.extend([buffers, places])
    given: dict[str, Any] = {"length": length, "n_buffers": len(buffers), "release": release}
    given["buffers"] = (ctypes.c_void_p * len(places))(*places)
    if children:
        given |= {"n_children": len(children), "children": pointers(ArrowArray, children)}
    return ArrowArray(**(given | claims))


KEPT: list[Any] = []
FEN = b"4k3/8/8/8/8/8/8/R3K3 w Q -"
ENDS = struct.pack("3i", 0, len(FEN), 2 * len(FEN))


def texts(offsets: bytes | None = ENDS, **claims: Any) -> ArrowArray:
    return array(2, [None, offsets, 2 * FEN], **claims)


def view(length: int, buffer: int, start: int) -> bytes:
    return struct.pack("i4sii", length, FEN[:4], buffer, start)


def cyclic() -> ArrowSchema:
    made = schema(b"+s")
    made.n_children, made.children = 1, pointers(ArrowSchema, [made])
    return made


WRONG: dict[str, Callable[[], tuple[ArrowSchema, ArrowArray]]] = {
    "length": lambda: (schema(b"u"), texts(length=-1)),
    "long": lambda: (schema(b"u"), texts(length=2**62)),
    "offset": lambda: (schema(b"u"), texts(offset=-1)),
    "overflow": lambda: (schema(b"u"), texts(offset=2**63 - 1)),
    "no buffers": lambda: (schema(b"u"), texts(n_buffers=0)),
    "two buffers": lambda: (schema(b"u"), texts(n_buffers=2)),
    "a buffer too many": lambda: (schema(b"u"), texts(n_buffers=4)),
    "-1 buffers": lambda: (schema(b"u"), texts(n_buffers=-1)),
    "null buffers": lambda: (schema(b"u"), texts(buffers=None)),
    "null offsets": lambda: (schema(b"u"), texts(None)),
    "null text": lambda: (schema(b"u"), array(2, [None, ENDS, None])),
    "negative end": lambda: (schema(b"u"), texts(struct.pack("3i", 0, 1, -1))),
    "negative start": lambda: (schema(b"u"), texts(struct.pack("3i", -9, 1, 2))),
    "back and forth": lambda: (schema(b"u"), texts(struct.pack("3i", 0, 2**30, 2 * len(FEN)))),
    "negative within": lambda: (schema(b"u"), texts(struct.pack("3i", 0, -5, 2 * len(FEN)))),
    "large": lambda: (schema(b"U"), texts(struct.pack("3q", 0, 2**40, 9))),
    "nulls without bitmap": lambda: (schema(b"u"), texts(null_count=1)),
    "children": lambda: (schema(b"u"), texts(n_children=1)),
    "released schema": lambda: (schema(b"u", release=RELEASE()), texts()),
    "released array": lambda: (schema(b"u"), texts(release=RELEASE())),
    "no format": lambda: (schema(None), texts()),
    "format not UTF-8": lambda: (schema(b"\xff"), texts()),
    "name not UTF-8": lambda: (schema(b"+s", [schema(b"u", name=b"\xff")]), array(2, [None], [texts()])),
    "unknown format": lambda: (schema(b"?"), texts()),
    "number of children": lambda: (schema(b"+s", n_children=-1), texts()),
    "missing children": lambda: (schema(b"+s", n_children=2), texts()),
    "missing child": lambda: (schema(b"+s", [None]), texts()),
    "list of nothing": lambda: (schema(b"+l"), texts()),
    "map of text": lambda: (schema(b"+m", [schema(b"u")]), array(0, [None, ENDS], [texts()])),
    "runs of text": lambda: (schema(b"+r", [schema(b"u"), schema(b"u")]), array(0, [], [texts(), texts()])),
    "nested in itself": lambda: (cyclic(), texts()),
    "metadata": lambda: (schema(b"u", metadata=b"\xff\xff\xff\x7f"), texts()),
    "size": lambda: (schema(b"w:-1"), array(2, [None, b""])),
    "list size": lambda: (schema(b"+w:-1", [schema(b"u")]), array(0, [None], [texts()])),
    "long lists": lambda: (schema(b"+w:2147483647", [schema(b"u")]), array(2**40, [None], [texts()])),
    "short child": lambda: (schema(b"+s", [schema(b"u")]), array(3, [None], [texts()])),
    "offset before child": lambda: (schema(b"+s", [schema(b"u")]), array(2, [None], [texts()], offset=1)),
    "absent child": lambda: (schema(b"+s", [schema(b"u")]), array(2, [None], [None])),
    "no child": lambda: (schema(b"+s", [schema(b"u")]), array(2, [None])),
    "absent dictionary": lambda: (schema(b"c", dictionary=ctypes.pointer(schema(b"u"))), array(2, [None, b"\0\0"])),
    "unexpected dictionary": lambda: (schema(b"u"), texts(dictionary=ctypes.pointer(texts()))),
    "keys": lambda: (
        schema(b"c", dictionary=ctypes.pointer(schema(b"u"))),
        array(2, [None, b"\0\2"], dictionary=ctypes.pointer(texts())),
    ),
    "negative keys": lambda: (
        schema(b"c", dictionary=ctypes.pointer(schema(b"u"))),
        array(2, [None, b"\0\xff"], dictionary=ctypes.pointer(texts())),
    ),
    "keys of text": lambda: (
        schema(b"u", dictionary=ctypes.pointer(schema(b"u"))),
        texts(dictionary=ctypes.pointer(texts())),
    ),
    "view of no buffer": lambda: (
        schema(b"vu"),
        array(1, [None, view(26, 1, 0), FEN, struct.pack("q", 26)]),
    ),
    "view beyond its buffer": lambda: (
        schema(b"vz"),
        array(1, [None, view(26, 0, 1), FEN, struct.pack("q", 26)]),
    ),
    "negative view": lambda: (
        schema(b"vz"),
        array(1, [None, view(-26, 0, 0), FEN, struct.pack("q", 26)]),
    ),
    "negative length of a buffer": lambda: (
        schema(b"vz"),
        array(1, [None, view(26, 0, 0), FEN, struct.pack("q", -1)]),
    ),
    "no lengths of buffers": lambda: (schema(b"vz"), array(1, [None, view(26, 0, 0), FEN, None])),
    "no views": lambda: (schema(b"vz"), array(1, [None])),
    "two buffers of nothing": lambda: (schema(b"n"), array(2, [None, None])),
    "-1 buffers of nothing": lambda: (schema(b"n"), array(2, [], n_buffers=-1)),
    "-1 rows of nothing": lambda: (schema(b"n"), array(-1, [None])),
    "more nothing than memory": lambda: (schema(b"n"), array(2**60, [None])),
    "children of nothing": lambda: (schema(b"n"), array(2, [], [texts()])),
    "a column of two that is wrong": lambda: (
        schema(b"+s", [schema(b"u", name=b"fen"), schema(b"i")]),
        array(2, [None], [texts(struct.pack("3i", 0, -5, 2 * len(FEN))), array(2, [None, bytes(8)])]),
    ),
    "a column of two that is too short": lambda: (
        schema(b"+s", [schema(b"u", name=b"fen"), schema(b"i")]),
        array(2, [None], [texts(), array(1, [None, bytes(8)])]),
    ),
    "a column of two that nobody needs and is missing": lambda: (
        schema(b"+s", [schema(b"u", name=b"fen"), schema(b"i")]),
        array(2, [None], [texts(), None]),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_claim_of_an_arrow_array_is_an_error(name: str) -> None:
    calls: list[Callable[[Any], Any]] = [
        slider_attacks.analyze,
        lambda offer: slider_attacks.batch_attacks(offer, 0),
        lambda offer: slider_attacks.Positions({"white_king": offer}),
    ]
    for call in calls:
        with pytest.raises((ValueError, TypeError)):
            call(Offer(*WRONG[name]()))


def test_right_claims() -> None:
    """That the wrong ones above are wrong in nothing else; and nulls are counted, whatever their number is said to be."""
    assert slider_attacks.Positions(Offer(schema(b"u"), texts())).fens().tolist() == [FEN.decode()] * 2  # type: ignore[arg-type]
    viewed = array(1, [None, view(26, 0, 0), FEN, struct.pack("q", 26)])
    assert len(slider_attacks.analyze(Offer(schema(b"vz"), viewed))) == 1  # type: ignore[arg-type]
    keys = array(2, [None, b"\0\1"], dictionary=ctypes.pointer(texts()))
    assert len(slider_attacks.analyze(Offer(schema(b"c", dictionary=ctypes.pointer(schema(b"u"))), keys))) == 2  # type: ignore[arg-type]
    assert len(slider_attacks.analyze(Offer(schema(b"u"), array(0, [None, None, None])))) == 0  # type: ignore[arg-type]
    # Nulls of Polars have a buffer, and those of the interface have none. What is in it is nobody's business.
    no_buffers: list[list[bytes | None]] = [[], [None], [b"\xff"]]
    for buffers in no_buffers:
        nothing: Any = Offer(schema(b"n"), array(2, buffers, null_count=2))
        assert slider_attacks.Positions(nothing).fens().tolist() == [None, None]
        columns = [array(2, buffers), array(2, [None, bytes(8)])]
        nothing = Offer(schema(b"+s", [schema(b"n", name=b"fen"), schema(b"i")]), array(2, [None], columns))
        assert slider_attacks.Positions(nothing).fens().tolist() == [None, None]
    # A column that nobody needs may hold anything.
    other = texts(struct.pack("3i", 0, 2**30, 2 * len(FEN)))
    pair: Any = Offer(schema(b"+s", [schema(b"u", name=b"fen"), schema(b"u")]), array(2, [None], [texts(), other]))
    assert slider_attacks.Positions(pair).fens().tolist() == [FEN.decode()] * 2
    pair = Offer(
        schema(b"+s", [schema(b"u", name=b"fen"), schema(b"u")]), array(1, [b"\1"], [texts(), other], offset=1)
    )
    assert slider_attacks.Positions(pair).fens().tolist() == [None]
    for count in (-1, 0, 1, 2, 2**40):
        # The second text is null, and so is the second square, which is not on the board.
        found = slider_attacks.analyze(Offer(schema(b"u"), array(2, [b"\1", ENDS, FEN + 26 * b"?"], null_count=count)))  # type: ignore[arg-type]
        assert found["white_attacks"].null_count == 1
        squares: Any = Offer(schema(b"C"), array(2, [b"\1", b"\x07\xff"], null_count=count))
        assert slider_attacks.batch_attacks(squares, 0x100).tolist() == [attacks("queen", 7, 0x100), None]
    for names in [(b"arrow_array", b"arrow_schema"), (b"x", b"arrow_array"), (b"arrow_schema", b"x")]:
        with pytest.raises(ValueError, match="PyCapsule"):
            slider_attacks.analyze(Offer(schema(b"u"), texts(), names))  # type: ignore[arg-type]


def test_an_endless_stream_ends_with_ctrl_c() -> None:
    batch = pa.record_batch({"fen": pa.array([], pa.string())})
    reader = pa.RecordBatchReader.from_batches(batch.schema, itertools.repeat(batch))
    with interrupted(0.05):
        slider_attacks.analyze(reader)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_signals_are_heard_while_a_pipe_has_no_reader(tmp_path: pathlib.Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with interrupted(0.05):
        slider_attacks.write(pipe, ["4k3/8/8/8/8/8/8/4K3 w - -"], format="fen")
    os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))  # lets the thread end that opens it


def test_buffers_stay_while_a_call_has_them() -> None:
    memory, occs, started = bytearray(b"\7" * (1 << 24)), np.full(1 << 24, 0x100, np.uint64), threading.Event()
    squares, found = memoryview(memory), []

    def work() -> None:
        started.set()
        found.append(slider_attacks.batch_attacks(squares, occs, backend="scalar"))

    worker = threading.Thread(target=work)
    worker.start()
    started.wait()
    time.sleep(0.005)
    squares.release()
    with pytest.raises(BufferError):
        memory.clear()
    worker.join()
    assert (found[0] == attacks("queen", 7, 0x100)).all()
    memory.clear()


class Liar(list[Any]):
    """A sequence that says that it is long, and changes while it is read."""

    def __len__(self) -> int:
        return 1 << 62

    def __iter__(self) -> Iterator[Any]:
        for item in list(super().__iter__()):
            self.clear()
            yield item


class Clearing:
    """A number that empties a list when it is asked for."""

    def __init__(self, numbers: list[Any]) -> None:
        self.numbers = numbers

    def __index__(self) -> int:
        self.numbers.clear()
        return 7


class Odd(np.ndarray[Any, Any]):
    """An array whose methods give something else."""

    def astype(self, *_: Any, **__: Any) -> Any:
        return np.zeros(3, np.uint64)

    def view(self, *_: Any, **__: Any) -> Any:
        return np.zeros(3, np.uint64)

    @property
    def flat(self) -> Any:
        return itertools.repeat(7)


def test_sequences_and_arrays_that_lie() -> None:
    assert len(slider_attacks.analyze(Liar([FEN.decode()] * 5))) == 5
    numbers: list[Any] = [7] * 20_000
    numbers.append(Clearing(numbers))
    numbers.extend([7] * 20_000)
    found: Any = slider_attacks.batch_attacks(numbers, 0x100)
    assert (found == attacks("queen", 7, 0x100)).all()
    for kind in ["u1", "i4", "i8", "u8", ">u8", "O"]:
        for length in [10, 20_000]:
            odd = np.full(length, 7, kind).view(Odd)
            for arguments in [(odd, np.zeros(length, np.uint64)), (np.zeros(length, np.uint8), odd), (odd, odd)]:
                given: tuple[Any, Any] = arguments
                with contextlib.suppress(ValueError, TypeError):
                    slider_attacks.batch_attacks(*given)


SMALL_MEMORY = f"""
import resource, sys
import numpy as np, pyarrow as pa, slider_attacks
rows = 1 << 20
texts, bad = pa.array([{FEN.decode()!r}] * rows), pa.array(["?"] * 4 * rows)
squares, occs = np.zeros(20 * rows, np.uint8), np.zeros(20 * rows, np.uint64)
positions = slider_attacks.Positions(texts)
sets = positions.analyze()["white_attacks"]
slider_attacks.analyze(texts[:100_000], threads=2)
names = [side + "_" + piece for side in ("white", "black") for piece in "pawn knight bishop rook queen king".split()]
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]) * 2**20,) * 2)
calls = [
    lambda: slider_attacks.analyze(texts, "counts"),
    lambda: slider_attacks.analyze(texts, "counts", threads=2),
    lambda: slider_attacks.analyze(texts, ["maps", "threats", "mobility"]),
    lambda: slider_attacks.analyze(bad, on_error="report"),
    lambda: slider_attacks.Positions(texts),
    lambda: slider_attacks.Positions({{name: occs for name in names}}),
    lambda: positions.analyze(["counts", "threats"]),
    lambda: positions.fens(),
    lambda: positions.boards(),
    lambda: slider_attacks.batch_attacks(pa.array(squares), pa.array(occs)),
    lambda: slider_attacks.batch_attacks(squares, occs),
    lambda: slider_attacks.batch_attacks(squares.astype("i4"), occs),
    lambda: slider_attacks.batch_attacks(squares[:1000, None], occs),
    lambda: sets.tolist(),
]
failed = 0
for call in calls:
    try:
        call()
    except MemoryError:
        failed += 1
print("failed", failed)
"""


@pytest.mark.parametrize("megabytes", [20, 100])
def test_a_lack_of_memory_is_an_error(megabytes: int) -> None:
    code = [sys.executable, "-c", SMALL_MEMORY, str(megabytes)]
    done = subprocess.run(code, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.removeprefix("failed ")) >= 5


READS_WITH_LITTLE_MEMORY = """
import resource, sys
import slider_attacks

path, megabytes, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
what = ["boards", "counts", "threats"]
for batch in slider_attacks.read(path, what, keep="all", threads=threads):
    break  # and all that a first call takes
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + megabytes * 2**20,) * 2)
kept = []
try:
    for batch in slider_attacks.read(path, what, keep="all", threads=threads, batch_rows=30_000):
        kept.append(batch)
except MemoryError as error:
    kept.clear()
    print("MemoryError", error)
"""


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("megabytes", [0, 8, 30, 61, 90])
def test_files_that_do_not_fit_the_memory_are_an_error(tmp_path: pathlib.Path, megabytes: int, threads: int) -> None:
    path = tmp_path / "many.epd"
    path.write_text("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - id \"many pieces\";\n" * 500_000)
    code = [sys.executable, "-c", READS_WITH_LITTLE_MEMORY, str(path), str(megabytes), str(threads)]
    done = subprocess.run(code, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "MemoryError out of memory" in done.stdout, done.stderr
