"""The loader: every position once per epoch, the order of a seed, shards, states, labels, errors, and threads that come to an end."""

import collections
import gzip
import itertools
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import slider_attacks
from test_positions import fens

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data"
LINES = [" ".join(fen.split()[:4]) for fen in fens()[:3000]]


@pytest.fixture
def lines(tmp_path: pathlib.Path) -> pathlib.Path:
    """Positions with a score that is their number, and a result."""
    path = tmp_path / "lines.epd"
    path.write_text("".join(f"{line} | {row} | {row % 3 / 2}\n" for row, line in enumerate(LINES)))
    return path


def scores(loader: slider_attacks.Loader) -> list[int]:
    return [score for batch in loader for score in batch["score"].tolist()]


def same(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> bool:
    return len(one) == len(other) and all(
        a.keys() == b.keys() and all(np.array_equal(a[key], b[key], equal_nan=True) for key in a)
        for a, b in zip(one, other, strict=True)
    )


def test_each_position_comes_once_per_epoch_with_its_labels(lines: pathlib.Path) -> None:
    loader = slider_attacks.Loader(lines, batch=128, shuffle=500, epochs=2, planes="boards", threads=2)
    found: list[list[int]] = [[], []]
    expected = slider_attacks.Positions(LINES).boards()
    names = list(expected)[:12]
    boards = np.stack([expected[name].to_numpy() for name in names], axis=1)
    bits = slider_attacks.bits(boards, shape=(8, 8), dtype="float32")
    for batch in loader:
        assert list(batch) == ["planes", "score", "result"]
        assert [batch[key].dtype.name for key in batch] == ["float32", "int32", "float32"]
        numbers = batch["score"]
        assert np.array_equal(batch["planes"], bits[numbers])
        assert np.array_equal(batch["result"], numbers % 3 / 2)
        for number in numbers.tolist():
            found[len(found[0]) >= len(LINES)].append(number)
    assert sorted(found[0]) == sorted(found[1]) == list(range(len(LINES)))
    assert found[0] != found[1]
    assert loader.positions == 2 * len(LINES)
    assert loader.bytes_read == loader.bytes_total == 2 * lines.stat().st_size
    assert scores(slider_attacks.Loader(lines, shuffle=0)) == list(range(len(LINES)))


def test_the_order_is_that_of_the_seed(lines: pathlib.Path) -> None:
    first = scores(slider_attacks.Loader(lines, seed=5, shuffle=100))
    assert scores(slider_attacks.Loader(lines, seed=5, shuffle=100, threads=3, batch=7)) == first
    assert scores(slider_attacks.Loader(lines, seed=6, shuffle=100)) != first


def test_products_are_those_of_analyze(lines: pathlib.Path) -> None:
    what = ["maps", "counts", "mobility"]
    planes = ["black_attacks", "white_pawn", "white_pinned"]
    (batch,) = slider_attacks.Loader(lines, what=[*what, "boards"], planes=planes, dtype="uint8", columns=(), shuffle=0)
    expected = slider_attacks.analyze(LINES, what)
    assert "white_pinned" not in batch
    assert "score" not in batch
    for name in expected:
        assert np.array_equal(batch[name], expected[name].to_numpy()), name
    boards = slider_attacks.Positions(LINES).boards()
    assert np.array_equal(batch["black_queen"], boards["black_queen"].to_numpy())
    pinned = slider_attacks.analyze(LINES, "pins")["white_pinned"]
    for plane, column in enumerate([expected["black_attacks"], boards["white_pawn"], pinned]):
        assert np.array_equal(batch["planes"][:, plane], slider_attacks.bits(column, shape=(8, 8)))
    (mover,) = slider_attacks.Loader(lines, what=what, columns="result", shuffle=0, perspective="mover")
    expected = slider_attacks.analyze(LINES, what, perspective="mover")
    for name in expected:
        assert np.array_equal(mover[name], expected[name].to_numpy()), name
    white = np.array([" w " in line for line in LINES])
    results = np.arange(len(LINES)) % 3 / 2
    assert np.array_equal(mover["result"], np.where(white, results, 1 - results))


@pytest.mark.parametrize("perspective", ["board", "mover"])
def test_inputs_of_networks_are_those_of_features(lines: pathlib.Path, perspective: str) -> None:
    sets = ["pawn_pairs", "threats:v16"]
    settings: dict[str, Any] = {"batch": 1000, "shuffle": 100, "perspective": perspective, "threads": 2}
    for batch in slider_attacks.Loader(lines, features=sets, **settings):
        order = "mover" if perspective == "mover" else "colors"
        fens = [LINES[score] for score in np.abs(batch["score"]).tolist()]
        expected = slider_attacks.features(fens, sets, perspective=order)
        found = batch["features"]
        assert repr(found) == repr(expected) and found.starts == [0, 4560]
        for side in ["own", "other"] if perspective == "mover" else ["white", "black"]:
            ours, theirs = getattr(found, side), getattr(expected, side)
            assert np.array_equal(ours.indices, theirs.indices) and np.array_equal(ours.offsets, theirs.offsets)
            assert np.array_equal(ours.padded(300), theirs.padded(300))
    (batch,) = slider_attacks.Loader(lines, features=slider_attacks.PieceLayout(), batch=10**6)
    assert batch["features"].size == 768
    with pytest.raises(ValueError, match="features=\"pawns\": expected one of"):
        slider_attacks.Loader(lines, features="pawns")
    with pytest.raises(TypeError, match="features must be names"):
        slider_attacks.Loader(lines, features=[1])  # type: ignore[list-item]


def test_inputs_that_somebody_has_are_not_written(lines: pathlib.Path) -> None:
    loader = slider_attacks.Loader(lines, features="threats", batch=10, epochs=None, threads=2)
    batch = next(loader)
    rows = batch["features"].white
    views = [rows.indices, rows.offsets, rows[3], np.from_dlpack(rows.indices)]
    copies = [view.copy() for view in views]
    address = views[0].ctypes.data
    del batch, rows
    addresses = [next(loader)["features"].white.indices.ctypes.data for _ in range(30)]
    assert address not in addresses
    assert all(np.array_equal(view, copy) for view, copy in zip(views, copies, strict=True))
    loader.close()
    del loader
    assert np.array_equal(views.pop(), copies.pop())


def test_positions_are_kept_with_their_chance(lines: pathlib.Path) -> None:
    found = scores(slider_attacks.Loader(lines, keep="0.5", seed=1))
    assert 1300 < len(found) < 1700 and len(set(found)) == len(found)
    assert scores(slider_attacks.Loader(lines, keep="0.5", seed=1, threads=3)) == found
    assert scores(slider_attacks.Loader(lines, keep="1", seed=1)) == scores(slider_attacks.Loader(lines, seed=1))
    halves = [scores(slider_attacks.Loader(lines, keep="if(white_to_move, 1, 0)"))]
    halves.append(scores(slider_attacks.Loader(lines, keep="black_to_move")))
    assert sorted(sum(halves, [])) == list(range(len(LINES)))
    for keep, text in [("2", "expected a chance from 0 to 1"), ("white_pins +", "expected a name"), ("'a'", "found the text")]:
        with pytest.raises(ValueError, match=text):
            slider_attacks.Loader(lines, keep=keep)


def test_planes_of_numbers_and_of_the_game(lines: pathlib.Path) -> None:
    names = ["white_attackers", "side_to_move", "castling", "black_attacks"]
    (batch,) = slider_attacks.Loader(lines, planes=names, shuffle=0, batch=10**6)
    planes, maps = batch["planes"], slider_attacks.analyze(LINES, ["counts", "maps"])
    assert planes.shape == (len(LINES), 7, 8, 8)
    assert np.array_equal(planes[:, 0].reshape(-1, 64), maps["white_attackers"].to_numpy())
    assert np.array_equal(planes[:, 1, 3, 4], [" w " in line for line in LINES])
    for plane, letter in enumerate("KQkq"):
        assert np.array_equal(planes[:, 2 + plane, 0, 7], [letter in line.split()[2] for line in LINES])
    assert np.array_equal(planes[:, 6], slider_attacks.bits(maps["black_attacks"], (8, 8)))


def test_planes_that_somebody_has_are_not_written(lines: pathlib.Path) -> None:
    def make() -> slider_attacks.Loader:
        return slider_attacks.Loader(lines, batch=100, planes="boards", dtype="uint8")

    copies = [batch["planes"].copy() for batch in make()]
    ways: list[Callable[[Any], Any]] = [lambda planes: planes, lambda planes: planes[3:], memoryview]
    for of in ways:
        kept = [of(batch["planes"]) for batch in make()]
        assert all(np.array_equal(one, of(copy)) for one, copy in zip(kept, copies, strict=True))
    places = {batch["planes"].ctypes.data for batch in make()}
    assert len(places) < 10
    loader = make()
    (planes, copy), _ = [(planes, planes.copy()) for planes in (next(loader)["planes"] for _ in range(2))]
    loader.close()
    del loader
    assert np.array_equal(planes, copy) and planes.flags.carray
    planes += 1  # it belongs to the caller
    assert np.array_equal(planes, copy + 1)


def test_labels_are_those_of_read() -> None:
    names: dict[str, str] = {"sample.binpack": "score", "games.pgn": "eval"}
    for file, score in names.items():
        ply = "fullmove" if file.endswith("binpack") else "ply"
        (batch,) = slider_attacks.Loader(DATA / file, columns=["score", "result", "ply"], shuffle=0, batch=10**6)
        (table,) = slider_attacks.read(DATA / file, keep=[score, "result", ply], batch_rows=10**6)
        known = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
        for result, text in zip(batch["result"].tolist(), table["result"].tolist(), strict=True):
            assert result == known[text] if text in known else np.isnan(result)
        for label, value in zip(batch["score"].tolist(), table[score].tolist(), strict=True):
            # A mate has no eval.
            assert label == round(value) if value is not None else label == -(2**31) or abs(label) > 31_000
        if ply == "ply":
            assert batch["ply"].tolist() == table["ply"].tolist()
        else:
            assert np.array_equal(batch["ply"] // 2 + 1, np.array(table[ply].tolist()))


@pytest.mark.parametrize("kind", ["viriformat", "marlinformat", "bulletformat", "csv", "jsonl", "parquet", "epd", "text"])
def test_all_formats_have_the_same_labels(tmp_path: pathlib.Path, kind: str) -> None:
    command, source = pathlib.Path(sys.executable).with_name("slider-attacks"), DATA / "sample.binpack"
    path = tmp_path / f"some.{'epd' if kind == 'text' else kind}"
    subprocess.run([command, "convert", source, "--to", kind, "-o", path], check=True)

    def make(path: pathlib.Path, **settings: Any) -> list[dict[str, Any]]:
        columns = ["score", "result"]
        return list(slider_attacks.Loader(path, columns=columns, planes="boards", perspective="mover", **settings))

    assert same(make(path, shuffle=0), make(source, shuffle=0))
    assert same(make(path, seed=3), make(source, seed=3))
    if path.suffix != ".parquet":
        compressed = path.with_name(path.name + ".gz")
        compressed.write_bytes(gzip.compress(path.read_bytes()))
        assert same(make(compressed, shuffle=0), make(source, shuffle=0))


def test_shards_are_disjoint_and_complete(tmp_path: pathlib.Path) -> None:
    for part in range(5):
        rows = range(part * 600, part * 600 + 600)
        (tmp_path / f"{part}.epd").write_text("".join(f"{LINES[row]} | {row} | 0.5\n" for row in rows))
    shards = [scores(slider_attacks.Loader(tmp_path, shard=(k, 3), shuffle=50)) for k in range(3)]
    assert sorted(sum(shards, [])) == list(range(3000))
    assert all(shards)
    with pytest.raises(ValueError, match="7 shards of 5 ranges"):
        slider_attacks.Loader(tmp_path, shard=(0, 7))


def test_where_chooses_positions(tmp_path: pathlib.Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("fen,score,result\n" + "".join(f"{line},{row},0.5\n" for row, line in enumerate(LINES)))
    condition = "black_to_move and score >= 1000"
    expected = [row for row, line in enumerate(LINES) if line.split()[1] == "b" and row >= 1000]
    found = scores(slider_attacks.Loader(table, where=condition, shuffle=100, seed=5, threads=2))
    assert sorted(found) == expected and found != expected
    loader = slider_attacks.Loader(table, where=condition, shuffle=100, seed=5)
    assert scores(loader) == found and loader.left_out == len(LINES) - len(expected)
    first = slider_attacks.Loader(table, where=condition, batch=64, shuffle=100, seed=5)
    begun = next(first)["score"].tolist()
    again = slider_attacks.Loader(table, where=condition, batch=64, shuffle=100, seed=5)
    again.load_state_dict(first.state_dict())
    assert begun + scores(again) == found
    with pytest.raises(ValueError, match="settings"):
        slider_attacks.Loader(table, shuffle=100, seed=5).load_state_dict(first.state_dict())
    with pytest.raises(ValueError, match="did you mean `white_pinned`"):
        slider_attacks.Loader(table, where="white_pined")
    with pytest.raises(ValueError, match="scoer"):
        list(slider_attacks.Loader(table, where="scoer > 3"))
    assert list(slider_attacks.Loader(table, where="no_squares")) == []


def test_states(lines: pathlib.Path) -> None:
    def make(**settings: Any) -> slider_attacks.Loader:
        return slider_attacks.Loader(lines, batch=100, shuffle=700, epochs=2, planes="boards", **settings)

    whole = list(make())
    loader = make()
    for done in range(0, len(whole), 7):
        state = pickle.loads(pickle.dumps(loader.state_dict()))
        assert (state["positions"], state["epoch"] <= 1) == (100 * done, True)
        again = make(threads=2)
        again.load_state_dict(state)
        assert same(list(again), whole[done:])
        for _ in range(7):
            next(loader, None)
    loader.close()
    with pytest.raises(ValueError, match="that of other settings"):
        make(seed=1).load_state_dict(state)
    with pytest.raises(ValueError, match="that of other files"):
        slider_attacks.Loader(DATA / "games.pgn").load_state_dict(state)
    with pytest.raises(TypeError, match="expected what `state_dict` returns"):
        make().load_state_dict({})
    for wrong in [b"", b"12345678", state["state"][:-8], state["state"][:-1] + b"?"]:
        with pytest.raises(ValueError, match="state"):
            make().load_state_dict({"state": wrong})


def test_names_without_end(lines: pathlib.Path) -> None:
    for argument in ["planes", "columns", "what", "games"]:
        given: dict[str, Any] = {argument: itertools.repeat("white_pawn")}
        with pytest.raises(ValueError, match=f"{argument} has more than 65536 names"):
            slider_attacks.Loader(lines, **given)


def test_errors(lines: pathlib.Path, tmp_path: pathlib.Path) -> None:
    wrong = tmp_path / "wrong.epd"
    wrong.write_text("".join(f"{line} | 1 | 0.5\n" for line in LINES[:500]) + "nonsense\n")
    loader, rows = slider_attacks.Loader(wrong, batch=64), 0
    with pytest.raises(ValueError, match=r"wrong\.epd, line 501, "):
        for batch in loader:
            rows += len(batch["score"])
    assert rows == 500
    assert next(loader, None) is None
    loader = slider_attacks.Loader(wrong, on_error="skip")
    assert len(scores(loader)) == 500
    assert (loader.skipped, len(loader.errors)) == (1, 1)
    with pytest.raises(FileNotFoundError):
        slider_attacks.Loader(tmp_path / "missing.pgn")
    for settings, error, text in [
        ({"batch": 0}, ValueError, "batch=0: expected 1 or more"),
        ({"epochs": 0}, ValueError, "epochs=0: expected 1 or more"),
        ({"shuffle": -1}, ValueError, "shuffle=-1: expected 0 or more"),
        ({"shard": (2, 2)}, ValueError, r"shard=\(2, 2\): expected k from 0 to n - 1"),
        ({"shard": 1}, TypeError, r"shard must be \(k, n\)"),
        ({"columns": ["name"]}, ValueError, "columns='name'|columns=\"name\""),
        ({"planes": "white_horse"}, ValueError, "planes=\"white_horse\": expected boards"),
        ({"planes": "white_pawns", "dtype": "str"}, TypeError, "dtype must be numeric"),
        ({"what": "moves"}, ValueError, "lists, which are no arrays"),
        ({"on_error": "null"}, ValueError, "expected one of raise, skip"),
        ({"colour": 1}, TypeError, "unexpected keyword argument 'colour'"),
    ]:
        with pytest.raises(error, match=text):
            slider_attacks.Loader(lines, **settings)  # type: ignore[arg-type]
    with open(lines, "rb") as file, pytest.raises(TypeError, match="pass a path"):
        slider_attacks.Loader(file)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="has no len"):
        len(loader)  # type: ignore[arg-type]


def test_a_forked_process_says_so(lines: pathlib.Path) -> None:
    loader, fresh = slider_attacks.Loader(lines, batch=10), slider_attacks.Loader(lines, batch=10)
    next(loader)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # that other threads do not live on is what is tested
        child = os.fork()
    if child == 0:
        code = 1
        try:
            there = len(scores(fresh))  # has not started threads yet
            next(loader)
        except RuntimeError as error:
            loader.close()
            del loader
            code = 0 if "forked" in str(error) and there == 3000 else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert len(scores(loader)) == 2990


def test_an_interpreter_that_ends_meanwhile(lines: pathlib.Path) -> None:
    code = f"import slider_attacks; kept = slider_attacks.Loader({str(lines)!r}, batch=5, epochs=None, threads=2); next(kept)"
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def seconds_to_interrupt(code: str, wait: float) -> float:
    """How long a program takes to print that it is interrupted, so many seconds after it has printed that it begins."""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "begin\n"
        time.sleep(wait)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        seconds = time.monotonic() - begin
        assert process.wait(20) == 0
    return seconds


SCARCE_PLANES = """
import pathlib, resource, sys
import slider_attacks

path, settings = sys.argv[1], {"batch": 1500, "shuffle": 0, "threads": 2}
loader = slider_attacks.Loader(path, planes="boards", epochs=2, dtype="float64", **settings)
kept = [next(loader)]

def limit(more):
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, -1))

limit(4 << 30)
(large,) = slider_attacks.Loader(path, planes="boards", batch=10**6, dtype="float64")  # 6 GB if there were so many
assert len(large["score"]) == 3000
del large
limit(1 << 20)
try:
    kept.extend(loader)
except MemoryError as error:
    print(error)
state, before = loader.state_dict(), sum(len(batch["score"]) for batch in kept)
assert loader.positions == state["positions"] == before < 6000
assert next(loader, None) is None
kept.clear()
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
again = slider_attacks.Loader(path, epochs=2, **settings)
again.load_state_dict(state)
assert [score for batch in again for score in batch["score"].tolist()] == [*range(3000), *range(3000)][before:]
"""


def test_planes_without_memory_end_it_and_lose_nothing(lines: pathlib.Path) -> None:
    environment = os.environ | {"MALLOC_ARENA_MAX": "1"}  # or glibc reserves addresses for each thread
    code = [sys.executable, "-c", SCARCE_PLANES, str(lines)]
    done = subprocess.run(code, check=True, capture_output=True, text=True, timeout=60, env=environment)
    assert done.stdout.startswith("out of memory: cannot allocate 9216000 bytes of planes")


def test_an_interrupt_ends_it(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "long.epd"
    path.write_text(f"{LINES[0]}\n" * 500_000)
    code = (
        "import slider_attacks, sys\n"
        f"loader = slider_attacks.Loader({str(path)!r}, epochs=None)\n"
        "print('begin', flush=True)\n"
        "try:\n    for batch in loader: pass\nexcept KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
    )
    assert seconds_to_interrupt(code, 0.2) < 2


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timers are those of Unix")
@pytest.mark.parametrize("makes", ["Loader", "read"])
def test_interrupts_lose_nothing(lines: pathlib.Path, makes: str) -> None:
    """An alarm rings while a batch is awaited: the batch is returned, or is the next one."""
    many = lines.with_name("many.epd")
    many.write_text(lines.read_text() * 20)
    if makes == "Loader":
        source: Any = slider_attacks.Loader(many, planes="boards", batch=4096, shuffle=0)
    else:
        source = slider_attacks.read(many, "legal_moves", batch_rows=4096)
    is_awaited, alarms, rows = False, 0, 0

    def ring(*_: object) -> None:
        nonlocal is_awaited, alarms
        alarms += 1
        if is_awaited:
            is_awaited = False
            raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        while True:
            batch, is_late = None, False
            try:
                is_awaited = True
                for batch in source:  # noqa: B007  # no alarm comes between it and the assignment
                    break
                is_awaited = False
            except TimeoutError:
                is_late = True
            if batch is not None:
                rows += len(batch["score"] if makes == "Loader" else batch)
            elif not is_late:
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rows == 20 * len(LINES)
    assert alarms


def test_an_interrupt_ends_the_search_for_rows(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "long.csv"
    with path.open("w") as file:
        file.write("fen,score,result\n")
    os.truncate(path, 4 << 30)  # a hole, all of which is looked at
    code = (
        "import slider_attacks\n"
        "print('begin', flush=True)\n"
        f"try:\n    slider_attacks.Loader({str(path)!r})\nexcept KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
    )
    assert seconds_to_interrupt(code, 0.1) < 1


# Writes the state and the scores of each batch, as one file that appears complete.
TRAINING = """
import os, pickle, sys
import slider_attacks

lines, saved = sys.argv[1:]
loader = slider_attacks.Loader(lines, batch=10, shuffle=500, threads=2)
scores = []
if os.path.exists(saved):
    with open(saved, "rb") as file:
        state, scores = pickle.load(file)
    loader.load_state_dict(state)
print("begin", flush=True)
for batch in loader:
    scores += batch["score"].tolist()
    with open(saved + ".new", "wb") as file:
        pickle.dump((loader.state_dict(), scores), file)
    os.replace(saved + ".new", saved)
"""


def test_a_run_that_is_killed_goes_on(lines: pathlib.Path, tmp_path: pathlib.Path) -> None:
    saved = tmp_path / "saved"

    def written() -> int:
        return saved.stat().st_mtime_ns if saved.exists() else 0

    command, kills, done = [sys.executable, "-c", TRAINING, str(lines), str(saved)], 0, False
    while not done:
        before = written()
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout
            assert process.stdout.readline() == b"begin\n"
            while kills < 3 and process.poll() is None and written() == before:
                time.sleep(0.001)
            if kills < 3:
                process.kill()
            code = process.wait(60)
            assert code in (0, -signal.SIGKILL)
            kills, done = kills + (code != 0), code == 0
    assert kills > 1
    whole = slider_attacks.Loader(lines, batch=10, shuffle=500)
    assert pickle.loads(saved.read_bytes())[1] == scores(whole)


SCARCE = """
import resource, sys
import slider_attacks

next(slider_attacks.Loader(sys.argv[1], batch=10, shuffle=10))  # and all that a first call takes
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (64 << 20), -1))
try:
    slider_attacks.Loader(sys.argv[1], shuffle=10_000_000)
except MemoryError as error:
    print(error)
print(sum(len(batch["score"]) for batch in slider_attacks.Loader(sys.argv[1], batch=10, shuffle=1000)))
"""


def test_memory_that_is_scarce_is_an_error(lines: pathlib.Path) -> None:
    # Otherwise glibc reserves 128 MiB of addresses for each thread that allocates.
    environment = os.environ | {"MALLOC_ARENA_MAX": "1"}
    command = [sys.executable, "-c", SCARCE, str(lines)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60, env=environment)
    assert done.stdout.splitlines() == ["out of memory: cannot allocate a buffer of 10000000 positions", "3000"]


def test_threads_end_and_memory_is_told(lines: pathlib.Path) -> None:
    def threads() -> int:
        return len(os.listdir("/proc/self/task"))

    before = threads()
    for end in ["close", "with", "drop"]:
        loader = slider_attacks.Loader(lines, epochs=None, threads=8, batch=10)
        next(loader)
        assert threads() > before + 8
        assert loader.bytes_total is None
        assert loader.bytes_read > 0
        if end == "close":
            loader.close()
            assert next(loader, None) is None
            loader.state_dict()
        elif end == "with":
            with loader:
                pass
            loader.close()
        del loader
        until = time.monotonic() + 10
        while threads() > before:
            assert time.monotonic() < until, end
            time.sleep(0.01)
    small, large = (slider_attacks.Loader(lines, shuffle=shuffle).memory for shuffle in [0, 10**6])
    assert large - small == 40 * 10**6
    counts = collections.Counter(scores(slider_attacks.Loader(lines, epochs=3, shuffle=10)))
    assert set(counts.values()) == {3}
