"""Every example of docs/scale.md, engine by engine, and its three answers compared with those of python-chess."""

import pathlib
import re
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sample
import slider_attacks

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "scale.md"
ENGINES = {"NumPy": None, "DuckDB": None, "DataFusion": None, "Polars": None, "Spark": "spark", "Ray": "cluster"}
MODULES = {"spark": "pyspark", "cluster": "ray"}


def examples() -> dict[str, list[str]]:
    """The Python examples of each section."""
    sections = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
    found = {
        section.partition("\n")[0]: re.findall(r"^```python\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
        for section in sections
    }
    return {name: blocks for name, blocks in found.items() if blocks}


@pytest.fixture(scope="session")
def answers(positions: pathlib.Path) -> dict[str, list[tuple[Any, ...]]]:
    """What python-chess answers."""
    return sample.answers(pq.read_table(positions / "positions.parquet"))


def rows(answer: Any) -> list[tuple[Any, ...]]:
    """The rows of an answer, in whatever form the engine gives it."""
    if hasattr(answer, "fetchall"):
        return list(answer.fetchall())  # DuckDB
    if hasattr(answer, "rows"):
        return list(answer.rows())  # Polars
    if hasattr(answer, "to_pydict"):
        return list(zip(*answer.to_pydict().values(), strict=True))  # DataFusion
    return [tuple(row) for row in (answer.collect() if hasattr(answer, "collect") else answer)]


def test_sections() -> None:
    assert list(examples()) == list(ENGINES)


@pytest.mark.parametrize("engine", ENGINES)
def test_examples(
    engine: str,
    positions: pathlib.Path,
    answers: dict[str, list[tuple[Any, ...]]],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if fixture := ENGINES[engine]:
        pytest.importorskip(MODULES[fixture], reason="tests/engines/run installs it")
        request.getfixturevalue(fixture)
    monkeypatch.chdir(positions)
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, block in enumerate(examples()[engine]):
        exec(compile(block, f"{engine}, example {number + 1}", "exec"), names)  # noqa: S102
    for name, wanted in answers.items():
        assert rows(names[name]) == wanted, name
    assert sums(names["sums"]) == sums(slider_attacks.summarize("positions.parquet", "counts", by="result"))


def sums(answer: Any) -> list[tuple[Any, ...]]:
    """The rows of sums by result, column and square, whatever has added them up: result, column, square, positions, count, sum."""
    if isinstance(answer, slider_attacks.Summary):
        columns = pa.table(answer).select(["result", "column", "square", "positions", "count", "sum"]).to_pydict()
        return sorted(zip(*columns.values(), strict=True), key=repr)
    return sorted(rows(answer), key=repr)
