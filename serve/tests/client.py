"""Tests the client for Python, and the examples of its guide, against a server: `client.py SERVER`.

SERVER is the path of `slider-attacks-serve`. Needs pyarrow, and no other package: not slider_attacks either.
"""

import contextlib
import importlib.util
import re
import socket
import subprocess
import sys
import time
import types
from pathlib import Path

import pyarrow as pa

ROOT = Path(__file__).parents[2]


def load() -> types.ModuleType:
    """The client, without the package that it is in, which would have to be built."""
    path = ROOT / "python/package/slider_attacks/client.py"
    spec = importlib.util.spec_from_file_location("slider_attacks.client", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules.update({"slider_attacks": types.ModuleType("slider_attacks"), "slider_attacks.client": module})
    return module


def fails(call, message: str) -> None:
    try:
        call()
    except pa.ArrowException as error:
        assert message in str(error), error
    else:
        raise AssertionError(f"no error: {message}")


def rook(square: int, occ: int) -> int:
    """The squares that a rook attacks, one step at a time."""
    attacks = 0
    for step, count in [(1, 7 - square % 8), (-1, square % 8), (8, 7 - square // 8), (-8, square // 8)]:
        for distance in range(1, count + 1):
            bit = 1 << square + step * distance
            attacks |= bit
            if occ & bit:
                break
    return attacks


def check(Client: type, address: str) -> None:
    start = pa.scalar(0xFFFF_0000_0000_FFFF, pa.uint64())
    with Client(address) as client:
        assert client.health() == "serving"
        assert "computing " in client.cpu()
        assert list(client.calls()) == ["queen_attacks", "rook_attacks", "bishop_attacks", "attack_sets", "analyze"]
        assert client.queen_attacks([3, None, 59], [start.as_py()] * 3).to_pylist() == [0x1C14, None, 0x141C << 48]
        assert client.bishop_attacks([0], [1 << 18]).to_pylist() == [0x40200]
        assert client.attack_sets([0x81], [0x04], [0x28D]).to_pylist() == [0x8181_81C1_A191_8B7E]
        assert client.queen_attacks([], []).to_pylist() == []
        # More than one batch, and columns in pieces.
        squares = pa.chunked_array([pa.array([0, 27] * 50_000, pa.int64()), pa.array([63] * 10, pa.int64())])
        occs = pa.array([index * 0x9E37_79B9_7F4A_7C15 % 2**64 for index in range(100_010)], pa.uint64())
        attacks = client.rook_attacks(squares, occs).to_pylist()
        assert len(attacks) == 100_010
        pairs = list(zip(squares.to_pylist(), occs.to_pylist()))
        assert attacks[:500] + attacks[-500:] == [rook(*pair) for pair in pairs[:500] + pairs[-500:]]

        table = client.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -", "x"], ["maps"], on_error="null", integers="signed")
        assert table.to_pydict() == {
            "white_attacks": [0x0101_0101_0101_393E, None],
            "black_attacks": [0x2838 << 48, None],
        }
        table = client.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -", None, "4k3/8 w"], ["maps"], on_error="report")
        assert table.schema.names == ["white_attacks", "black_attacks", "error"]
        assert table["white_attacks"].to_pylist() == [0x0101_0101_0101_393E, None, None]
        assert table["error"].to_pylist() == [None, None, "column 6: expected 8 ranks separated by /, found 2"]
        names = [
            f"{color}_{piece}"
            for color in ("white", "black")
            for piece in ("pawn", "knight", "bishop", "rook", "queen", "king")
        ]
        boards = {name: pa.array([0], pa.uint64()) for name in names}
        boards |= {
            "white_rook": pa.array([1], pa.uint64()),
            "white_king": pa.array([16], pa.uint64()),
            "black_king": pa.array([1 << 60], pa.uint64()),
        }
        assert client.analyze(pa.table(boards), ["maps"])["white_attacks"].to_pylist() == [0x0101_0101_0101_393E]

        fails(
            lambda: client.queen_attacks([0, 64], [0, 0]),
            "batch 0, column squares, row 1: square 64 is not on the board",
        )
        fails(lambda: client.analyze(["nonsense"]), "batch 0, column fen, row 0, column 2: ")
        fails(lambda: client.analyze(["x"], ["nope"]), 'expected one of pieces, maps, counts, ')
        fails(lambda: client.exchange("nope", pa.schema([]), []).__next__(), "expected one of the calls")

        batch = pa.record_batch({"squares": pa.array([1], pa.uint8()), "occupancies": pa.array([1], pa.uint64())})

        def broken():
            yield batch
            raise ZeroDivisionError("of the caller")

        try:
            list(client.exchange("queen_attacks", batch.schema, broken()))
        except ZeroDivisionError as error:
            assert str(error) == "of the caller"
        else:
            raise AssertionError("the caller's error is lost")

        def endless():
            while True:
                yield batch

        for answer in client.exchange("queen_attacks", batch.schema, endless()):
            assert answer.num_rows == 1
            break
        assert client.health() == "serving"


def check_addresses(Client: type, address: str) -> None:
    """Another address is tried if one does not answer, not one that has answered, and no longer than the deadline."""
    with socket.socket() as silent, socket.socket() as closed:
        silent.bind(("127.0.0.1", 0))
        silent.listen()  # it takes connections, and says nothing
        closed.bind(("127.0.0.1", 0))
        nobody = f"grpc://127.0.0.1:{closed.getsockname()[1]}"
        for _ in range(8):
            with Client([nobody, address], attempts=3) as client:
                assert client.rook_attacks([0], [0]).to_pylist() == [rook(0, 0)]
                assert client.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"])["white_attacks"].to_pylist() == [0x0101_0101_0101_393E]
        with Client([nobody, nobody], attempts=4) as client:
            fails(lambda: client.health(), "")
            assert client._current == 3
        with Client([address, nobody], attempts=4) as client:
            while client.health() != "serving":
                pass
            before = client._current
            fails(lambda: client.analyze(["nonsense"]), "batch 0, column fen, row 0, column 2: ")
            fails(lambda: client.analyze(pa.table({"fen": ["x"], "x" * 300_000: [1]})), "a header has at most ")
            assert client._current == before, "what is wrong with the rows, or too large, is not tried again"
        unresponsive = f"grpc://127.0.0.1:{silent.getsockname()[1]}"
        for _ in range(3):
            with Client([unresponsive, address], attempts=2, attempt_deadline=0.5, deadline=20) as client:
                assert client.rook_attacks([0], [0]).to_pylist() == [rook(0, 0)]
        started = time.monotonic()
        with Client(unresponsive, attempts=100, deadline=0.5) as client:
            fails(lambda: client.rook_attacks([0], [0]), "")
            fails(lambda: list(client.exchange("rook_attacks", pa.schema([]), [])), "")
        assert time.monotonic() - started < 5
    for wrong in [{"attempts": 0}, {"deadline": 0}, {"deadline": float("nan")}, {"attempt_deadline": 0}]:
        try:
            Client(address, **wrong)
        except ValueError as error:
            assert next(iter(wrong)) in str(error)
        else:
            raise AssertionError(wrong)


def check_limits(Client: type, address: str) -> None:
    """A call that is refused because of the rate is tried again."""
    with Client(address, attempts=1) as client:
        fails(lambda: [client.health() for _ in range(50)], "calls per second of one client are served")
    with Client(address, attempts=20, deadline=20) as client:
        assert [client.health() for _ in range(8)] == ["serving"] * 8


@contextlib.contextmanager
def served(server: str, *options: str):
    """The address of a server, which ends well."""
    command = [server, "--listen", "127.0.0.1:0", "--log-level", "error", "--grace", "1", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
    assert process.wait(20) == 0


def main(server: str) -> None:
    Client = load().Client
    with served(server) as address:
        check(Client, address)
        check_addresses(Client, address)
        examples = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/service.md").read_text(), re.M | re.S)
        assert len(examples) == 2
        for example in examples:
            assert "grpc://127.0.0.1:8815" in example
            exec(compile(example.replace("grpc://127.0.0.1:8815", address), "docs/service.md", "exec"), {})
    with served(server, "--client-calls", "5") as address:
        check_limits(Client, address)
    print("the client for Python, and the examples of its guide: right")


main(*sys.argv[1:])
