"""A client of the service `slider-attacks serve`: the functions of this package, computed remotely.

    from slider_attacks.client import Client

    with Client("grpc://127.0.0.1:8815") as client:
        client.queen_attacks([3, 27], [0, 0])
        client.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"], ["maps"])

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
import threading
from collections.abc import Iterable, Iterator
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


class Client:
    """A connection to a service.

    Args:
        location: where it listens, such as `grpc://127.0.0.1:8815`, or `grpc+tls://` with TLS.
        token: a token that the service knows.
        certificates: root certificates as PEM; by default, those of the system.
        options: further options of `pyarrow.flight.FlightClient`.

        All arrays may be pyarrow arrays, chunked arrays, or anything that `pyarrow.array` accepts. The service raises
        errors of `pyarrow.flight`, or `pyarrow.ArrowInvalid` for malformed rows; the message names the row.
    """

    def __init__(
        self, location: str, *, token: str | None = None, certificates: bytes | None = None, **options: Any
    ) -> None:
        if certificates is not None:
            options["tls_root_certs"] = certificates
        self._client = flight.FlightClient(location, **options)
        headers = [] if token is None else [(b"authorization", b"Bearer " + token.encode())]
        self._options = flight.FlightCallOptions(headers=headers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._client.close()

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
        return pyarrow.Table.from_batches(self.exchange(command, positions.schema, batches), self.schema(command))

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
        descriptor = _descriptor(call)
        writer, reader = self._client.do_exchange(descriptor, self._options)
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
        return self._client.get_schema(_descriptor(call), self._options).schema.remove_metadata()

    def calls(self) -> dict[str, pyarrow.Schema]:
        """All calls and their result schemas; the metadata describes the arguments."""
        infos = self._client.list_flights(options=self._options)
        return {info.descriptor.path[0].decode(): info.schema for info in infos}

    def cpu(self) -> str:
        """What was detected about the CPU of the service, and which backend computes."""
        return self._action("cpu")

    def health(self) -> str:
        """The word `serving`."""
        return self._action("health")

    def _action(self, name: str) -> str:
        (answer,) = self._client.do_action(flight.Action(name, b""), self._options)
        return str(answer.body.to_pybytes().decode())

    def _attacks(self, call: str, squares: Any, occs: Any) -> pyarrow.Array:
        return self._column(call, {"squares": _column(squares, "uint8"), "occupancies": _column(occs, "uint64")})

    def _column(self, call: str, columns: dict[str, Any]) -> pyarrow.Array:
        table = pyarrow.table(columns)
        answers = [batch.column(0) for batch in self.exchange(call, table.schema, table.to_batches(ROWS))]
        return pyarrow.chunked_array(answers, pyarrow.uint64()).combine_chunks()


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
