"""Kills what works on a shard: the command, the Python worker that started it, or the executor that started that."""

import os
import pathlib
import signal
import threading
import time

import slider_attacks

LEVELS = {"command": 0, "worker": 1, "executor": 3}
"""How many parents up from the command each victim is: between a worker of Spark and its executor is a daemon."""

SECONDS = 120


def parent(process: int) -> int:
    """The parent of a process."""
    status = pathlib.Path(f"/proc/{process}/stat").read_text()
    return int(status.rpartition(")")[2].split()[1])


def commands(folder: pathlib.Path) -> list[int]:
    """The processes that write shards to a folder."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"--shard" in words and any(word.startswith(os.fsencode(folder)) for word in words):
            found.append(int(path.parent.name))
    return found


class Killer:
    """Kills one victim as soon as it has begun a shard in a folder."""

    def __init__(self, folder: pathlib.Path, victim: str) -> None:
        self.folder, self.victim = folder, victim
        self.killed: list[int] = []
        self.thread = threading.Thread(target=self.kill, daemon=True)
        self.thread.start()

    def kill(self) -> None:
        deadline = time.monotonic() + SECONDS
        while not self.killed and time.monotonic() < deadline:
            for process in commands(self.folder)[:1]:
                try:
                    for _ in range(LEVELS[self.victim]):
                        process = parent(process)
                    if process > 1:
                        os.kill(process, signal.SIGKILL)
                        self.killed.append(process)
                except OSError:
                    pass  # it has ended by itself
            time.sleep(0.005)

    def check(self, count: int, done: list[dict[str, int]]) -> None:
        """Fails unless something was killed, and there is each row once, and nothing else."""
        self.thread.join()
        assert self.killed, "nothing was killed"
        deadline = time.monotonic() + SECONDS
        while commands(self.folder) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not commands(self.folder), "a command outlives its task"
        assert sum(shard["rows"] for shard in done) == count
        parts = sorted(path.name for path in self.folder.glob("part-*"))
        assert parts == [f"part-{number:05}-of-{len(done):05}.parquet" for number in range(1, len(done) + 1)]
        assert not [path for path in self.folder.iterdir() if path.is_dir()], "what the killed attempt left is removed"


def pgn(path: pathlib.Path, games: int = 6000, plies: int = 200) -> int:
    """Writes games whose positions take a second or more, and returns how many positions these are."""
    moves = " ".join(["Nf3 Nf6 Ng1 Ng8"] * (plies // 4))
    path.write_text("".join(f'[Event "{game}"]\n\n{moves} *\n\n' for game in range(games)))
    return games * len(slider_attacks.game_positions([moves]))
