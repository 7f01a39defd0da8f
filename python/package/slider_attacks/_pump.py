"""Reads file objects for `read`. Each has a thread of its own, which the interpreter can end: there is no Rust below it."""

from typing import Any, Protocol

CHUNK = 1 << 20


class Chunks(Protocol):
    """Takes the chunks of one file object, in the native part."""

    def begin(self) -> None: ...
    def put(self, chunk: object, /) -> bool: ...
    def fail(self, error: BaseException, /) -> None: ...


def pump(file: Any, chunks: Chunks) -> None:
    """Hands over chunk after chunk, up to the end or until no more are wanted."""
    try:
        chunks.begin()
        while chunks.put(file.read(CHUNK)):
            pass
    except BaseException as error:
        chunks.fail(error)
