"""Reads file objects for `read`. Each has a thread of its own, which the interpreter can end: there is no Rust below it."""

import io
from typing import Any, Protocol

CHUNK = 1 << 20

SLOW = {"bz2", "compression", "gzip", "lz4", "lzma", "tarfile", "zipfile"}
"""Modules whose objects seek by reading from the beginning."""


class Requests(Protocol):
    """Asks for the contents of one file object, and takes them, in the native part."""

    def begin(self) -> None: ...
    def next(self) -> tuple[str, int, int] | None: ...
    def put(self, chunk: object, /) -> None: ...
    def put_ends(self, ends: tuple[int, int] | None, /) -> None: ...
    def fail(self, error: BaseException, /) -> None: ...


def pump(file: Any, requests: Requests) -> None:
    """Reads what is asked for until nothing more is wanted: chunk after chunk, or ranges."""
    try:
        requests.begin()
        while request := requests.next():
            match request:
                case "chunk", _, _:
                    requests.put(file.read(CHUNK))
                case "ends", before, _:
                    requests.put_ends(ends(file, before))
                case _, place, count:
                    file.seek(place)
                    requests.put(file.read(count))
    except BaseException as error:
        requests.fail(error)


def is_slow(file: Any) -> bool:
    """Whether an object, by its type, seeks by reading from the beginning."""
    return any(kind.__module__.partition(".")[0] in SLOW for kind in type(file).__mro__)


def ends(file: Any, before: int) -> tuple[int, int] | None:
    """Where an object was before this many bytes were read, and where it ends. None if it cannot seek, or only slowly."""
    if is_slow(file) or isinstance(file, io.BufferedReader) and is_slow(file.raw):
        return None
    try:
        if not file.seekable() or (at := file.tell()) < before:
            return None
        file.seek(0, 2)
    except (AttributeError, NotImplementedError, OSError, ValueError):
        return None
    end = file.tell()
    file.seek(at)
    return (at - before, end) if at <= end else None
