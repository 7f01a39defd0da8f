"""The sample of positions, 200,000 rows of it, some games, and one small cluster of each engine for all tests."""

import pathlib
import random
from collections.abc import Iterator
from typing import Any

import chess
import clusters
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sample
import slider_attacks

ROWS = 200_000
GAMES = 3_000
FISCHER = "4k3/8/8/8/8/8/8/1K3R2 w F - 0 1"
"""A position of Chess960, in which White may castle."""


@pytest.fixture(scope="session")
def positions(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with the sample, `positions.parquet`."""
    folder = tmp_path_factory.mktemp("sample")
    pq.write_table(sample.positions(4000), folder / "positions.parquet")
    return folder


@pytest.fixture(scope="session")
def rows(positions: pathlib.Path) -> pa.Table:
    """Many rows of the sample: `id`, `game`, `fen`. Some are null, and some are no positions."""
    table = pq.read_table(positions / "positions.parquet")
    fens, games = table["fen"].to_pylist(), table["game"].to_pylist()
    texts = [fens[row % len(fens)] for row in range(ROWS)]
    texts[7::1000] = ["nonsense"] * len(texts[7::1000])
    texts[3::777] = [None] * len(texts[3::777])
    return pa.table({"id": range(ROWS), "game": [games[row % len(games)] for row in range(ROWS)], "fen": texts})


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> pa.Table:
    """Games: `id`, `event`, `movetext`, `FEN`. Some are malformed, some null, and some begin elsewhere."""
    texts = []
    dice = random.Random(5)
    for _ in range(40):
        board = chess.Board()
        moves: list[str] = []
        while len(moves) < 60 and (legal := list(board.legal_moves)):
            move = dice.choice(legal)
            moves.append(board.san(move))
            board.push(move)
        texts.append(" ".join(moves) + " *")
    rows: list[str | None] = [texts[row % len(texts)] for row in range(GAMES)]
    rows[7::100] = [f"{texts[0][:30]} Zz9 *"] * len(rows[7::100])
    rows[3::77] = [None] * len(rows[3::77])
    starts = [FISCHER if row % 50 == 5 else None for row in range(GAMES)]
    for row, start in enumerate(starts):
        if start and rows[row]:
            rows[row] = "1. O-O *"
    return pa.table({"id": range(GAMES), "event": [row % 9 for row in range(GAMES)], "movetext": rows, "FEN": starts})


def expected_positions(games: pa.Table, integers: Any, what: list[str], keep: list[str], **options: Any) -> pa.Table:
    """The positions of games, by one call of the package."""
    batch: Any = slider_attacks.game_positions(games, what, keep=keep, integers=integers, **options)
    found = pa.table(batch)
    columns = {name: games[name].take(found["row"]) for name in ["id", "event"]}
    return pa.table({**columns, **{name: found[name] for name in found.column_names[1:]}})


def expected(rows: pa.Table, what: list[str], integers: Any) -> pa.Table:
    """The columns of products, by one call of the package."""
    products: Any = what
    return pa.table(slider_attacks.analyze(rows["fen"], products, integers=integers, on_error="null"))


def malformed(rows: pa.Table) -> int:
    """How many rows cannot be read."""
    return list(rows["fen"].to_pylist()).count("nonsense")


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session with a cluster of two executors."""
    with clusters.spark() as session:
        yield session


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A cluster of two nodes, to which Ray is connected."""
    with clusters.ray() as nodes:
        yield nodes
