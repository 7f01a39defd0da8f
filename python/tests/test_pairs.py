"""Batch calls over NumPy arrays, buffers, sequences and numbers."""

import array
import os
import signal
import threading
import time
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import slider_attacks
from reference import Boards, attacks, expected, random_pairs

SLIDERS = ["queen", "rook", "bishop"]
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i2", ">u8"]
LENGTHS = [0, 1, 7, 8, 63, 64, 65, 500, 8191, 8192, 10_000]


@pytest.mark.parametrize("slider", SLIDERS)
@pytest.mark.parametrize("backend", [None, *slider_attacks.backends()])
def test_every_backend_agrees_with_the_ray_walk(slider: Any, backend: str | None) -> None:
    squares, occs = random_pairs(3000)
    sets = slider_attacks.batch_attacks(squares, occs, slider=slider, backend=backend)
    assert sets.dtype == np.uint64
    np.testing.assert_array_equal(sets, expected(slider, squares, occs))
    one = getattr(slider_attacks, f"{slider}_attacks")
    assert [one(square, occ) for square, occ in zip(squares[:99], occs[:99], strict=True)] == sets[:99].tolist()


@pytest.mark.parametrize("length", LENGTHS)
def test_any_length(length: int) -> None:
    squares, occs = random_pairs(length)
    sets = slider_attacks.batch_attacks(squares, occs)
    np.testing.assert_array_equal(sets, expected("queen", squares, occs))
    out = np.full(length + 2, 7, np.uint64)
    assert slider_attacks.batch_attacks(squares, occs, out[1:-1]).base is out
    np.testing.assert_array_equal(out[1:-1], sets)
    assert out[0] == out[-1] == 7


@pytest.mark.parametrize("kind", INTEGERS)
def test_squares_of_any_integer_type(kind: str) -> None:
    squares, occs = random_pairs(5000)
    sets = slider_attacks.batch_attacks(squares.astype(kind), occs)
    np.testing.assert_array_equal(sets, expected("queen", squares, occs))


# What is said of large numbers, which may be boards.
ADVICE = "(: squares are 0 to 63, and come before occs)?"


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("index", [0, 4095, 4096, 9999])
def test_a_square_that_is_not_on_the_board(kind: str, index: int) -> None:
    squares, occs = random_pairs(10_000)
    out = np.full(10_000, 7, np.uint64)
    for square in {64, 127, min(np.iinfo(kind).max, 2**63), max(np.iinfo(kind).min, -(2**63))} - {0}:
        bad = squares.astype(kind)
        bad[index:] = square
        with pytest.raises(ValueError, match=rf"^square {square} at index {index} is not on the board{ADVICE}$"):
            slider_attacks.batch_attacks(bad, occs, out)
        row, column = divmod(index, 100)
        with pytest.raises(
            ValueError, match=rf"^square {square} at index \({row}, {column}\) is not on the board{ADVICE}$"
        ):
            slider_attacks.batch_attacks(bad.reshape(100, 100), occs.reshape(100, 100), out.reshape(100, 100))
    assert (out == 7).all(), "nothing has been written"


def test_boards_as_signed_numbers_and_smaller_ones() -> None:
    squares, occs = random_pairs(1000)
    sets = expected("queen", squares, occs)
    np.testing.assert_array_equal(slider_attacks.batch_attacks(squares, occs.view(np.int64)), sets)
    np.testing.assert_array_equal(slider_attacks.batch_attacks(squares, occs.astype(">u8")), sets)
    low = occs.astype(np.uint16)
    np.testing.assert_array_equal(
        slider_attacks.batch_attacks(squares, low), expected("queen", squares, low.astype(np.uint64))
    )


def views(values: npt.NDArray[Any]) -> list[Any]:
    """The same values in other layouts: strided, backwards, misaligned, read-only, in Fortran order."""
    wide = np.zeros((len(values), 3), values.dtype)
    wide[:, 1] = values
    shifted = np.zeros(values.nbytes + 1, np.uint8)
    shifted[1:] = values.view(np.uint8)
    fixed = values.copy()
    fixed.flags.writeable = False
    return [wide[:, 1], values[::-1].copy()[::-1], shifted[1:].view(values.dtype), fixed]


def test_layouts() -> None:
    squares, occs = random_pairs(1000)
    sets = expected("queen", squares, occs)
    for square_view in [squares, *views(squares)]:
        for occ_view in [occs, *views(occs)]:
            np.testing.assert_array_equal(slider_attacks.batch_attacks(square_view, occ_view), sets)
    for view in views(np.zeros_like(sets))[:3]:
        assert slider_attacks.batch_attacks(squares, occs, view) is view
        np.testing.assert_array_equal(view, sets)
    shaped: Any = [np.asfortranarray(values.reshape(20, 50)) for values in (squares, occs)]
    np.testing.assert_array_equal(slider_attacks.batch_attacks(shaped[0], shaped[1]), sets.reshape(20, 50))
    out = np.zeros((20, 50), np.uint64, order="F")
    slider_attacks.batch_attacks(squares.reshape(20, 50), shaped[1], out)
    np.testing.assert_array_equal(out, sets.reshape(20, 50))


def test_broadcasting_is_that_of_numpy() -> None:
    squares, occs = random_pairs(60)
    for left, right in [
        ((60,), ()),
        ((), (60,)),
        ((3, 20), (20,)),
        ((5, 1), (5, 12)),
        ((4, 1, 3), (5, 1)),
        ((1,), (0,)),
    ]:
        some = squares[: int(np.prod(left))].reshape(left), occs[: int(np.prod(right))].reshape(right)
        whole = [np.ascontiguousarray(values) for values in np.broadcast_arrays(*some)]
        sets = slider_attacks.batch_attacks(*some)
        assert sets.shape == whole[0].shape
        np.testing.assert_array_equal(sets.ravel(), expected("queen", whole[0].ravel(), whole[1].ravel()))
    one = slider_attacks.batch_attacks(27, 0)
    assert type(one) is np.uint64 and one == attacks("queen", 27, 0)
    assert slider_attacks.batch_attacks(np.uint8(27), np.uint64(0)) == one
    # One element whose stride is 0, twice in the same memory.
    strideless = np.lib.stride_tricks.as_strided(occs[1:], (1,), (0,))
    np.testing.assert_array_equal(
        slider_attacks.batch_attacks(squares[:1], strideless), expected("queen", squares[:1], occs[1:2])
    )


def test_sequences_and_buffers() -> None:
    squares, occs = random_pairs(300)
    sets = expected("queen", squares, occs)
    for some in [
        squares.tolist(),
        tuple(squares.tolist()),
        bytes(squares),
        bytearray(squares),
        memoryview(bytes(squares)),
        array.array("q", squares.tolist()),
        list(squares),
    ]:
        np.testing.assert_array_equal(slider_attacks.batch_attacks(some, occs), sets)
    for boards in [occs.tolist(), array.array("Q", occs.tolist()), list(occs)]:
        np.testing.assert_array_equal(slider_attacks.batch_attacks(squares, boards), sets)
    nested = slider_attacks.batch_attacks(squares.reshape(3, 100).tolist(), occs.reshape(3, 100).tolist())
    np.testing.assert_array_equal(nested, sets.reshape(3, 100))
    out = array.array("Q", [0] * 300)
    assert slider_attacks.batch_attacks(squares, occs, out) is out
    assert out.tolist() == sets.tolist()
    # One of these needs all 64 bits. NumPy would make floats of them.
    assert slider_attacks.batch_attacks([0, 0], [2**63, 1]).tolist() == [
        attacks("queen", 0, 2**63),
        attacks("queen", 0, 1),
    ]
    assert slider_attacks.batch_attacks([], []).shape == (0,)


@pytest.mark.parametrize("shift", [-9, -8, -1, 0, 1, 8, 9])
def test_out_may_share_memory_with_the_inputs(shift: int) -> None:
    squares, occs = random_pairs(1000)
    sets = expected("queen", squares, occs)
    whole = np.zeros(1100, np.uint64)
    whole[50:1050] = occs
    slider_attacks.batch_attacks(squares, whole[50:1050], whole[50 + shift : 1050 + shift])
    np.testing.assert_array_equal(whole[50 + shift : 1050 + shift], sets)
    # The same memory under another object and type, which only its addresses tell; and every second element.
    memory = bytearray(16_100)
    left = np.frombuffer(memory, np.uint8, 1000, 4000 + shift)
    left[:] = squares
    out = np.frombuffer(memory, np.uint64, 1000)
    slider_attacks.batch_attacks(left, occs, out)
    np.testing.assert_array_equal(out, sets)
    twice = np.zeros(2100, np.uint64)
    twice[50:2050:2] = occs
    slider_attacks.batch_attacks(squares, twice[50:2050:2], twice[50 + shift : 2050 + shift : 2])
    np.testing.assert_array_equal(twice[50 + shift : 2050 + shift : 2], sets)


def laid_out(values: npt.NDArray[Any], dice: np.random.Generator) -> npt.NDArray[Any]:
    """The same values somewhere in a larger array of bytes, with steps, backwards, misaligned or in Fortran order."""
    memory = np.zeros(values.nbytes * 3 + 64, np.uint8)
    start = int(dice.integers(0, 16))
    if values.ndim == 1 and dice.random() < 0.5:
        step = int(dice.integers(1, 4))
        view = memory[start : start + values.nbytes * step].view() if step == 1 else memory[start:]
        view = np.ndarray(values.shape, values.dtype, view.data, 0, (values.itemsize * step,))
        if dice.random() < 0.3:
            view = view[::-1]
    else:
        order: Any = "F" if dice.random() < 0.5 else "C"
        view = np.ndarray(values.shape, values.dtype, memory[start:].data, 0, order=order)
    view[...] = values
    return view


def test_random_calls() -> None:
    dice = np.random.default_rng(3)
    squares, occs = random_pairs(4096)
    sets = {slider: expected(slider, squares, occs) for slider in SLIDERS}
    for _ in range(3000):
        length = int(dice.choice([0, 1, 2, 7, 8, 60, 64, 66, 120, 600]))
        start = int(dice.integers(0, 4096 - length))
        rows = slice(start, start + length)
        shape = (length,) if length % 6 or dice.random() < 0.5 else (2, 3, length // 6)
        slider: Any = dice.choice(SLIDERS)
        some: Any = laid_out(squares[rows].astype(dice.choice(INTEGERS)).reshape(shape), dice)
        boards: Any = laid_out(occs[rows].astype(dice.choice([">u8", "<u8", "i8"])).reshape(shape), dice)
        wanted = sets[slider][rows].reshape(shape)
        out: Any = None
        match int(dice.integers(0, 4)):
            case 1:
                out = laid_out(np.zeros(shape, np.uint64), dice)
            case 2 if boards.dtype == np.uint64:
                out = boards
            case 3 if boards.dtype == np.uint64 and boards.ndim == 1:
                out = boards[::-1]
        found = slider_attacks.batch_attacks(some, boards, out, slider=slider, threads=int(dice.integers(1, 3)))
        assert out is None or found is out
        np.testing.assert_array_equal(found, wanted)


def test_two_threads_do_not_write_to_the_same_array() -> None:
    squares, occs = random_pairs(1 << 22)
    out, refused = np.zeros_like(occs), 0
    for _ in range(20):
        worker = threading.Thread(target=lambda: slider_attacks.batch_attacks(squares, occs, out, backend="scalar"))
        worker.start()
        time.sleep(0.001)
        try:
            slider_attacks.batch_attacks(squares[:9], occs[:9], out[:9])
        except ValueError as error:
            assert str(error) == "out is in use by a call on another thread"
            refused += 1
        worker.join()
    assert refused > 0
    np.testing.assert_array_equal(out, slider_attacks.batch_attacks(squares, occs))


def test_sets_of_sliders() -> None:
    random = np.random.default_rng(5)
    orthogonal, diagonal, occs = (random.integers(0, 2**64, 200, dtype=np.uint64) for _ in range(3))
    orthogonal &= random.integers(0, 2**64, 200, dtype=np.uint64)
    wanted = np.zeros(200, np.uint64)
    for square in range(64):
        for sets, slider in [(orthogonal, "rook"), (diagonal, "bishop")]:
            here = (sets >> np.uint64(square) & np.uint64(1)).astype(bool)
            wanted[here] |= expected(slider, np.full(200, square, np.uint8)[here], occs[here])
    for backend in slider_attacks.backends():
        found = slider_attacks.batch_attack_sets(orthogonal, diagonal, occs, backend=backend)
        np.testing.assert_array_equal(found, wanted)
    out = np.zeros((2, 100), np.uint64)
    shaped: Any = [values.reshape(2, 100).view(np.int64) for values in (orthogonal, diagonal, occs)]
    assert slider_attacks.batch_attack_sets(shaped[0], shaped[1], shaped[2], out) is out
    np.testing.assert_array_equal(out.ravel(), wanted)
    np.testing.assert_array_equal(slider_attacks.batch_attack_sets(orthogonal, diagonal, occs, occs), wanted)
    long = [np.resize(values, 100_000) for values in (orthogonal, diagonal, shaped[2])]
    parallel = slider_attacks.batch_attack_sets(*long, threads=3)
    np.testing.assert_array_equal(parallel, slider_attacks.batch_attack_sets(*long))


@pytest.mark.parametrize("threads", [2, 3])
def test_several_threads(threads: int) -> None:
    squares, occs = random_pairs(100_000)
    alone = slider_attacks.batch_attacks(squares, occs)
    np.testing.assert_array_equal(slider_attacks.batch_attacks(squares, occs, threads=threads), alone)
    squares[99_999] = 64
    with pytest.raises(ValueError, match="square 64 at index 99999"):
        slider_attacks.batch_attacks(squares, occs, threads=threads)


def test_threads_after_a_fork() -> None:
    squares, occs = random_pairs(100_000)
    alone = slider_attacks.batch_attacks(squares, occs, threads=2)
    child = os.fork()
    if child == 0:
        same = (slider_attacks.batch_attacks(squares, occs, threads=2) == alone).all()
        os._exit(0 if same else 1)
    deadline = time.monotonic() + 30
    while (done := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    if done == (0, 0):
        os.kill(child, signal.SIGKILL)
    assert done == (child, 0)


def test_many_python_threads_at_once() -> None:
    squares, occs = random_pairs(20_000)
    wanted = expected("queen", squares[:1000], occs[:1000])
    found: list[Boards] = []

    def work() -> None:
        for _ in range(20):
            found.append(slider_attacks.batch_attacks(squares, occs)[:1000])

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 160 and all((sets == wanted).all() for sets in found)


def test_other_threads_run_meanwhile() -> None:
    squares, occs = random_pairs(1 << 22)
    out, ticks, done = np.zeros_like(occs), [time.perf_counter()], threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())

    ticker = threading.Thread(target=tick)
    ticker.start()
    started = time.perf_counter()
    for _ in range(10):
        slider_attacks.batch_attacks(squares, occs, out, backend="scalar")
    ended = time.perf_counter()
    done.set()
    ticker.join()
    during = [tick for tick in ticks if started < tick < ended]
    assert len(during) > 1000, f"{len(during)} ticks in {ended - started:.3f} s"


def test_a_signal_ends_a_long_call() -> None:
    length = 1 << 26  # four parts
    squares, occs, out = np.zeros(length, np.uint8), np.ones(length, np.uint64), np.full(length, 7, np.uint64)
    for _ in range(5):
        sent: list[float] = []

        def interrupt(sent: list[float] = sent) -> None:
            time.sleep(0.02)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=interrupt)
        with pytest.raises(KeyboardInterrupt):
            sender.start()
            slider_attacks.batch_attacks(squares, occs, out, backend="scalar")
            sender.join()  # if the call was done before
        took = time.perf_counter() - sent[0]
        sender.join()
        if out[-1] == 7:
            assert took < 0.2, took
            return
    raise AssertionError("no call ended before its last part")


@pytest.mark.parametrize(
    ("squares", "occs", "error", "text"),
    [
        ([1.5], [0], TypeError, "squares must be integers, not float at index 0"),
        ([True], [0], TypeError, "squares must be integers, not bool at index 0"),
        (np.zeros(2), [0, 0], TypeError, "squares must be integers, not float64"),
        (np.zeros(2, bool), [0, 0], TypeError, "squares must be integers, not bool"),
        ("d4", [0], TypeError, "squares must be integers, not str"),
        (None, [0], TypeError, "squares must be integers, not NoneType"),
        ({1: 2}, [0], TypeError, "squares must be integers, not dict"),
        ([[1], [2, 3]], [0, 0], TypeError, "squares must be integers, not list at index 0"),
        ([-1], [0], ValueError, "square -1 at index 0 is not on the board"),
        (10**30, 0, ValueError, f"square {10**30} is not on the board"),
        ([0], np.zeros(1, np.int32), TypeError, "occs must be unsigned integers, or int64 for their bits, not int32"),
        ([0], np.zeros(1), TypeError, "occs must be unsigned integers, or int64 for their bits, not float64"),
        ([0], [0.5], TypeError, "occs must be integers, not float at index 0"),
        ([0], [2**64], ValueError, f"{2**64} at index 0 is out of range: occs have 64 bits"),
        ([0], [-1], ValueError, "-1 at index 0 is out of range: occs have 64 bits"),
        ([0, 1], [0, 1, 2], ValueError, "shapes do not match: squares (2,), occs (3,)"),
        ([[0], [1]], [[0, 1]] * 3, ValueError, "shapes do not match: squares (2, 1), occs (3, 2)"),
    ],
)
def test_malformed_input(squares: Any, occs: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        slider_attacks.batch_attacks(squares, occs)
    said, _, advice = str(caught.value).partition(text)
    assert said == "" and (advice == "" or advice[:2] in (": ", ", "))


def test_malformed_options() -> None:
    squares, occs = random_pairs(10)
    fixed = occs.copy()
    fixed.flags.writeable = False
    call: Any = slider_attacks.batch_attacks
    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"slider": "pawn"}, ValueError, 'slider="pawn": expected one of bishop, rook, queen'),
        ({"backend": "x"}, ValueError, 'backend="x": expected one of scalar, '),
        ({"slider": 3}, TypeError, "'int' object"),
        ({"threads": 0}, ValueError, "threads=0: expected 1 to 256"),
        ({"threads": 257}, ValueError, "threads=257: expected 1 to 256"),
        ({"threads": -1}, ValueError, "threads=-1: expected 1 to 256"),
        ({"threads": "2"}, TypeError, "threads must be an integer from 1 to 256, not str"),
        ({"out": np.zeros(9, np.uint64)}, ValueError, "out has shape (9,), but the attack sets have shape (10,)"),
        ({"out": np.zeros(10, np.int64)}, TypeError, "out must be an array of uint64, not int64"),
        ({"out": np.zeros(10, ">u8")}, TypeError, "out must be an array of uint64, not >u8"),
        ({"out": fixed}, ValueError, "out is read-only"),
        ({"out": fixed[::-1]}, ValueError, "out is read-only"),
        ({"out": bytes(80)}, TypeError, "out must be an array of uint64, not uint8"),
        ({"out": memoryview(bytes(80)).cast("Q")}, ValueError, "out is read-only"),
        ({"out": [0] * 10}, TypeError, "out must be a NumPy array or a buffer of uint64, not list"),
    ]
    for options, error, text in cases:
        with pytest.raises(error) as caught:
            call(squares, occs, **options)
        assert str(caught.value).startswith(text)
    huge = np.zeros((10**6, 1), np.uint8), np.zeros((1, 10**7), np.uint64)
    with pytest.raises(MemoryError):
        slider_attacks.batch_attacks(*huge)


def test_one_pair() -> None:
    assert slider_attacks.queen_attacks(np.int8(0), np.uint64(0x100)) == 0x8040_2010_0804_03FE
    one: Any = slider_attacks.rook_attacks
    for square, occ, error in [
        (64, 0, ValueError),
        (-1, 0, ValueError),
        (0, -1, ValueError),
        (0, 2**64, ValueError),
        ("a", 0, TypeError),
        (0, 1.0, TypeError),
        (True, 0, TypeError),
        (None, None, TypeError),
    ]:
        with pytest.raises(error):
            one(square, occ)


def test_the_chosen_backend_is_named() -> None:
    assert slider_attacks.backends()[0] == "scalar"
    assert slider_attacks.backends()[-1] in slider_attacks.cpu()
