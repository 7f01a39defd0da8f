"""The sample of positions, 200,000 rows of it, and one small cluster of each engine for all tests."""

import pathlib
from collections.abc import Iterator
from typing import Any

import clusters
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sample
import slider_attacks

ROWS = 200_000


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
