"""A client of the service `slider-attacks serve`: the functions of this package, computed remotely.

    from slider_attacks.client import Client

    with Client("grpc://127.0.0.1:8815") as client:
        client.queen_attacks([3, 27], [0, 0])
        client.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"], ["maps"])

With several addresses, the next one is tried if one refuses the connection or closes it, or is silent for
`attempt_deadline` seconds:

    client = Client(["grpc://one:8815", "grpc://two:8815"], attempts=5, attempt_deadline=10, deadline=30)

It needs only pyarrow, not the rest of this package. The guide to the service, docs/service.md, shows how to call it with
`pyarrow.flight` directly.
"""

# pyarrow has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownParameterType=false, reportUnknownArgumentType=false

from __future__ import annotations

import contextlib
import json
import operator
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

try:
    import pyarrow
    from pyarrow import flight
except ModuleNotFoundError as error:
    if error.name != "pyarrow":
        raise
    raise ImportError("pyarrow is not installed: pip install 'slider-attacks[client]'", name="pyarrow") from None

__all__ = ["Client"]

ROWS = 65536
"""How many rows are sent at a time."""

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
"""About how many seconds pass before the second attempt, and the most before a later one."""

UNAVAILABLE = (flight.FlightUnavailableError, flight.FlightTimedOutError)
"""Errors after which another attempt may succeed. All calls compute, and change nothing, so that they may be repeated."""

REFUSED = "resource exhausted error"
"""What the message of a refusal has because of a limit, for which `pyarrow.flight` has no class of its own."""

TOO_LARGE = ", found "
"""What such a message has if it is about the size of the call, which is the same in the next attempt."""


class Client:
    """A connection to a service, or to one of several that are the same.

    Args:
        location: where it listens, such as `grpc://127.0.0.1:8815`, or `grpc+tls://` with TLS; or several of these, which are
            used in any order.
        token: a token that the service knows.
        certificates: root certificates as PEM; by default, those of the system.
        attempts: how often a call is tried that gets no answer, or is refused because of a limit. Between the attempts is a
            pause of random length, which doubles. `exchange`, whose batches may exist only once, has one attempt.
        deadline: the most seconds for a call with all its attempts; by default, there is no limit.
        attempt_deadline: the most seconds for one attempt. By default, an address that is silent takes the whole deadline.
        options: further options of `pyarrow.flight.FlightClient`.

        All arrays may be pyarrow arrays, chunked arrays, or anything that `pyarrow.array` accepts. The service raises
        errors of `pyarrow.flight`, or `pyarrow.ArrowInvalid` for malformed rows; the message names the row.
    """

    def __init__(
        self,
        location: str | Iterable[str],
        *,
        token: str | None = None,
        certificates: bytes | None = None,
        attempts: int = 3,
        deadline: float | None = None,
        attempt_deadline: float | None = None,
        **options: Any,
    ) -> None:
        if certificates is not None:
            options["tls_root_certs"] = certificates
        locations = [location] if isinstance(location, str) else list(location)
        if not locations:
            raise ValueError("no location")
        if operator.index(attempts) < 1:
            raise ValueError(f"attempts={attempts}: expected 1 or more")
        for name, seconds in [("deadline", deadline), ("attempt_deadline", attempt_deadline)]:
            if seconds is not None and not seconds > 0:
                raise ValueError(f"{name}={seconds}: expected a number of seconds above 0")
        random.shuffle(locations)  # so that many clients do not all begin with the same one
        self._attempts, self._deadline, self._current = attempts, deadline, 0
        self._attempt_deadline = attempt_deadline
        self._headers = [] if token is None else [(b"authorization", b"Bearer " + token.encode())]
        self._clients = [flight.FlightClient(location, **options) for location in locations]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connections."""
        for client in self._clients:
            client.close()

    def queen_attacks(self, squares: Any, occs: Any) -> pyarrow.Array:
        """The attack set of a queen on each square: one per row. Nulls propagate."""
        return self._attacks("queen_attacks", squares, occs)

    def rook_attacks(self, squares: Any, occs: Any) -> pyarrow.Array:
        """The attack set of a rook on each square."""
        return self._attacks("rook_attacks", squares, occs)

    def bishop_attacks(self, squares: Any, occs: Any) -> pyarrow.Array:
        """The attack set of a bishop on each square."""
        return self._attacks("bishop_attacks", squares, occs)

    def attack_sets(self, orthogonal: Any, diagonal: Any, occs: Any) -> pyarrow.Array:
        """For each board, the union of the attacks of all its sliders."""
        boards = {"orthogonal": orthogonal, "diagonal": diagonal, "occupancies": occs}
        return self._column("attack_sets", {name: _column(array, "uint64") for name, array in boards.items()})

    def analyze(self, positions: Any, what: str | Iterable[str] = ("maps",), **options: Any) -> pyarrow.Table:
        """The products of positions, one row per position.

        Args:
            positions: text in FEN or EPD; or a table of bitboards, with the columns `white_pawn` to `black_king`.
            what: names of products, or one name. `help(slider_attacks.analyze)` defines them, and so do the metadata of
                `calls()["analyze"]`.
            options: `through`, `victims`, `values` (a text, or five integers), `pinned`, `notation`, `integers` ("signed"),
                `on_error`: with "null", malformed rows are null; with "report", a last column `error` also has the reason.
        """
        if not isinstance(positions, pyarrow.Table | pyarrow.RecordBatch):
            positions = pyarrow.table({"fen": _column(positions, "string")})
        if not isinstance(values := options.get("values", ""), str):
            options["values"] = ",".join(str(operator.index(value)) for value in values)
        command = {"call": "analyze", "what": [what] if isinstance(what, str) else list(what), **options}
        batches = positions.to_batches(ROWS) if isinstance(positions, pyarrow.Table) else [positions]

        def call(until: float | None) -> pyarrow.Table:
            schema = self._schema(command, until)
            return pyarrow.Table.from_batches(self._exchange(command, positions.schema, batches, until), schema)

        return self._repeat(call)

    def exchange(
        self,
        call: str | dict[str, Any],
        schema: pyarrow.Schema,
        batches: Iterable[pyarrow.RecordBatch],
    ) -> Iterator[pyarrow.RecordBatch]:
        """Yields result batches while the batches are sent. Neither side has to fit into memory.

        Args:
            call: a name, or a dictionary with the name in `call` and further options.
            schema: the schema of the batches.
            batches: the batches to send. A result may have fewer rows than a batch; the order of rows is the same.
        """
        yield from self._exchange(call, schema, batches, self._attempt_until(self._until()))

    def _exchange(
        self,
        call: str | dict[str, Any],
        schema: pyarrow.Schema,
        batches: Iterable[pyarrow.RecordBatch],
        until: float | None,
    ) -> Iterator[pyarrow.RecordBatch]:
        """The same, up to a time."""
        descriptor = _descriptor(call)
        writer, reader = self._client.do_exchange(descriptor, self._options(until))
        failures: list[BaseException] = []

        def send() -> None:
            try:
                writer.begin(schema)
                for batch in batches:
                    writer.write_batch(batch)
                writer.done_writing()
            except pyarrow.ArrowException as failure:
                # The service has ended the stream: the reader knows why.
                failures.append(failure)
            except BaseException as failure:  # of the batches
                failures.append(failure)
                reader.cancel()

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        try:
            for chunk in reader:
                yield chunk.data
        except pyarrow.ArrowException:
            sender.join()
            for failure in failures:
                if not isinstance(failure, pyarrow.ArrowException):
                    raise failure from None
            raise
        finally:
            if sender.is_alive():
                reader.cancel()
            sender.join()
            with contextlib.suppress(pyarrow.ArrowException):  # the reader has told why
                writer.close()

    def schema(self, call: str | dict[str, Any]) -> pyarrow.Schema:
        """The result schema of a call."""
        return self._repeat(lambda until: self._schema(call, until))

    def _schema(self, call: str | dict[str, Any], until: float | None) -> pyarrow.Schema:
        return self._client.get_schema(_descriptor(call), self._options(until)).schema.remove_metadata()

    @property
    def _client(self) -> flight.FlightClient:
        return self._clients[self._current % len(self._clients)]

    def _until(self) -> float | None:
        """When a call that begins now must have ended."""
        return None if self._deadline is None else time.monotonic() + self._deadline

    def _attempt_until(self, until: float | None) -> float | None:
        """When an attempt that begins now must have ended, and no later than this."""
        if self._attempt_deadline is None:
            return until
        end = time.monotonic() + self._attempt_deadline
        return end if until is None else min(end, until)

    def _options(self, until: float | None) -> flight.FlightCallOptions:
        """The options of a call that must end by this time."""
        if until is None:
            return flight.FlightCallOptions(headers=self._headers)
        return flight.FlightCallOptions(headers=self._headers, timeout=max(0.001, until - time.monotonic()))

    def _repeat(self, call: Callable[[float | None], Any]) -> Any:
        """Calls until there is an answer, at the next address each time."""
        until = self._until()
        for attempt in range(1, self._attempts + 1):
            try:
                return call(self._attempt_until(until))
            except pyarrow.ArrowException as error:
                if not isinstance(error, UNAVAILABLE) and not _is_refused_now(str(error)):
                    raise
                if attempt == self._attempts:
                    raise
                pause = random.uniform(0, min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt))
                if until is not None and time.monotonic() + pause >= until:
                    raise
            self._current += 1
            time.sleep(pause)
        raise AssertionError("there is at least one attempt")

    def calls(self) -> dict[str, pyarrow.Schema]:
        """All calls and their result schemas; the metadata describes the arguments."""
        infos = self._repeat(lambda until: list(self._client.list_flights(options=self._options(until))))
        return {info.descriptor.path[0].decode(): info.schema for info in infos}

    def cpu(self) -> str:
        """What was detected about the CPU of the service, and which backend computes."""
        return self._action("cpu")

    def health(self) -> str:
        """The word `serving`."""
        return self._action("health")

    def _action(self, name: str) -> str:
        action = flight.Action(name, b"")
        (answer,) = self._repeat(lambda until: list(self._client.do_action(action, self._options(until))))
        return str(answer.body.to_pybytes().decode())

    def _attacks(self, call: str, squares: Any, occs: Any) -> pyarrow.Array:
        return self._column(call, {"squares": _column(squares, "uint8"), "occupancies": _column(occs, "uint64")})

    def _column(self, call: str, columns: dict[str, Any]) -> pyarrow.Array:
        table = pyarrow.table(columns)
        batches = table.to_batches(ROWS)
        answers = self._repeat(
            lambda until: [batch.column(0) for batch in self._exchange(call, table.schema, batches, until)]
        )
        return pyarrow.chunked_array(answers, pyarrow.uint64()).combine_chunks()


def _is_refused_now(message: str) -> bool:
    """Whether a call may be served later that is refused with this message."""
    return REFUSED in message and TOO_LARGE not in message


def _column(array: Any, kind: str) -> Any:
    """A column that is not copied if it is an Arrow array already."""
    if isinstance(array, pyarrow.Array | pyarrow.ChunkedArray):
        return array
    if hasattr(array, "dtype"):
        return pyarrow.array(array)  # NumPy: the service takes other integers as well
    return pyarrow.array(array, kind)


def _descriptor(call: str | dict[str, Any]) -> flight.FlightDescriptor:
    if isinstance(call, str):
        return flight.FlightDescriptor.for_path(call)
    return flight.FlightDescriptor.for_command(json.dumps(call))
