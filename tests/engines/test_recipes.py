"""The recipes of docs/scale.md for Dask and for the data sets of Hugging Face."""

from typing import Any

import pyarrow as pa
import pytest
import slider_attacks

FENS = ["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/7R/4K3 w - -"] * 50
WANTED = pa.table(slider_attacks.analyze(FENS))["white_attacks"].to_pylist()


def maps(table: Any) -> pa.Table:
    """A table with the columns of attack maps at its end."""
    found = pa.table(slider_attacks.analyze(table["fen"]))
    for name in found.column_names:
        table = table.append_column(name, found[name])
    return table


def test_dask() -> None:
    dataframe: Any = pytest.importorskip("dask.dataframe", reason="tests/engines/run installs it")
    pandas: Any = pytest.importorskip("pandas")
    frame = dataframe.from_pandas(pandas.DataFrame({"fen": FENS}), npartitions=3)

    def part(rows: Any) -> Any:
        return rows.join(pa.table(slider_attacks.analyze(rows["fen"])).to_pandas().set_index(rows.index))

    found = frame.map_partitions(part, meta=part(frame._meta)).compute(scheduler="synchronous")
    assert found["white_attacks"].tolist() == WANTED


def test_hugging_face() -> None:
    datasets: Any = pytest.importorskip("datasets", reason="tests/engines/run installs it")
    dataset = datasets.Dataset.from_dict({"fen": FENS}).with_format("arrow")
    found = dataset.map(maps, batched=True, batch_size=30)
    assert found[:]["white_attacks"].to_pylist() == WANTED
