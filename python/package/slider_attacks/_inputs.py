"""The files that the arguments of a command name: as `analyze` and `convert` find them, for the checks of `shards`."""

import fnmatch
import hashlib
import os
from collections.abc import Iterable, Iterator

FLAGS = frozenset(
    "--after-first-move --csv-safe --each-move --help --keep-going --no-header --overwrite --stats --variations".split()
)
"""The options without a value. The word after any other option is its value, not a file."""

TEXTS = ("fen", "epd", "csv", "tsv", "jsonl", "ndjson", "pgn")
RECORDS = ("bulletformat", "marlinformat", "viriformat", "vf", "binpack")
ENDINGS = (*TEXTS, *RECORDS, "parquet")
"""How the names of files end that a directory gives, before `.gz` or `.zst`."""


def options(line: list[str]) -> list[str]:
    """The words of a command before `--`, after which all are files."""
    return line[: line.index("--")] if "--" in line else line


def named(line: list[str], directory: str) -> list[str]:
    """The files, directories and patterns that a command in a directory reads, without URLs and standard input."""
    before = options(line)
    found, lists, words = line[len(before) + 1 :], [], iter(before[1:])
    for word in words:
        name, sign, value = word.partition("=")
        if not word.startswith("-"):
            found.append(word)
        elif word.startswith("--") and name not in FLAGS:
            value = value if sign else next(words, "")
            lists += [value] if name == "--files-from" else []
    for path in lists:
        found += [path, *lines(os.path.join(directory, path))]
    return [word for word in found if word not in ("", "-") and "://" not in word and "\0" not in word]


def lines(path: str) -> list[str]:
    """The lines of a list of files: none if it cannot be read, which the command reports."""
    try:
        with open(path, "rb") as file:
            return [os.fsdecode(line.rstrip(b"\r\n")) for line in file]
    except (OSError, ValueError):
        return []


class Pattern:
    """A file, a directory, or a pattern of files, split where its signs begin."""

    def __init__(self, path: str, directory: str) -> None:
        self.root: str = os.path.abspath(os.path.join(directory, path))
        """The path, or of a pattern, the directory above its first part with a sign."""
        self.parts: list[str] | None = None
        """The rest of a pattern."""
        if any(sign in path for sign in "*?[") and not os.path.lexists(self.root):
            parts = os.path.normpath(path).split(os.sep)
            first = next(place for place, part in enumerate(parts) if any(sign in part for sign in "*?["))
            fixed = os.sep.join([*parts[:first], ""])
            self.root, self.parts = os.path.abspath(os.path.join(directory, fixed)), parts[first:]

    def gives(self, files: Iterable[str]) -> bool:
        """Whether this stands for one of these files, whose paths have no links."""
        root = os.path.realpath(self.root)
        for file in files:
            below = file.removeprefix(os.path.join(root, ""))
            is_in = below != file and (self.parts is None or matches(below.split(os.sep), self.parts))
            if file == root or is_in:
                return True
        return False

    def files(self) -> Iterator[str]:
        """The files that this stands for, in the order of their names. Links to directories are not followed."""
        if self.parts is None and not os.path.isdir(self.root):
            yield self.root
            return
        for folder, folders, names in os.walk(self.root):
            below = os.path.relpath(folder, self.root).split(os.sep) if folder != self.root else []
            is_deep = self.parts is not None and "**" not in self.parts and len(below) + 1 >= len(self.parts)
            folders[:] = [] if is_deep else sorted(name for name in folders if not name.startswith("."))
            for name in sorted(name for name in names if not name.startswith(".")):
                if has_known_ending(name) if self.parts is None else matches([*below, name], self.parts):
                    yield os.path.join(folder, name)


def matches(parts: list[str], pattern: list[str]) -> bool:
    """Whether the parts of a path match those of a pattern, in which `**` stands for any number of parts."""
    places = after(pattern, [0])
    for part in parts:
        wanted = [place for place in places if place < len(pattern)]
        stays = [place for place in wanted if pattern[place] == "**"]
        moves = [place + 1 for place in wanted if pattern[place] != "**" and fnmatch.fnmatchcase(part, pattern[place])]
        places = after(pattern, [*stays, *moves])
    return len(pattern) in places


def after(pattern: list[str], places: Iterable[int]) -> set[int]:
    """These places of a pattern, and those that follow them if `**` stands for nothing."""
    found = set()
    for place in places:
        found.add(place)
        while place < len(pattern) and pattern[place] == "**":
            place += 1
            found.add(place)
    return found


def has_known_ending(name: str) -> bool:
    """Whether a directory gives a file of this name."""
    name = name.lower().removesuffix(".gz").removesuffix(".zst")
    return name.rpartition(".")[2] in ENDINGS


def digest(paths: Iterable[str], directory: str) -> str:
    """A digest of the names, sizes and times of the files that paths stand for."""
    found = hashlib.sha256()
    for path in paths:
        for file in Pattern(path, directory).files():
            try:
                status = os.stat(file)
                state = f"{status.st_size} {status.st_mtime_ns}"
            except OSError:
                state = "missing"
            found.update(os.fsencode(file) + b"\0" + state.encode() + b"\0")
    return found.hexdigest()
