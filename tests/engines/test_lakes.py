"""Tables of Delta and Iceberg: which integers they take, files that are added as they are, and rows that are merged."""

import pathlib
import struct
import subprocess
import sys
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import slider_attacks

deltalake: Any = pytest.importorskip("deltalake", reason="tests/engines/run installs it")
catalogs: Any = pytest.importorskip("pyiceberg.catalog.sql", reason="tests/engines/run installs it")

FENS = ["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/7R/4K3 w - -"]
"""The second has a rook that attacks h8."""
PROGRAM = "import sys; from slider_attacks._native import command; sys.exit(command())"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pathlib.Path]:
    """What the command writes with either kind of integers."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "a.epd").write_text("\n".join(FENS) + "\n")
    for sign in ("unsigned", "signed"):
        places = [str(folder / "a.epd"), "-o", str(folder / f"{sign}.parquet")]
        line = ["analyze", *places, "--what", "maps,counts", "--integers", sign]
        subprocess.run([sys.executable, "-c", PROGRAM, *line], check=True)
    return {sign: folder / f"{sign}.parquet" for sign in ("unsigned", "signed")}


def sets(table: pa.Table) -> list[int]:
    """The sets of squares of White, whatever the sign."""
    return [value % 2**64 for value in table["white_attacks"].to_pylist()]


WANTED = sets(pa.table(slider_attacks.analyze(FENS)))


def test_delta(files: dict[str, pathlib.Path], tmp_path: pathlib.Path) -> None:
    """Unsigned columns become signed ones, so that a sample without h8 passes, and the first row with it fails."""
    unsigned, signed = (pq.read_table(files[sign]) for sign in ("unsigned", "signed"))
    deltalake.write_deltalake(tmp_path / "sample", unsigned.slice(0, 1))
    with pytest.raises(deltalake.exceptions.DeltaError, match="Can't cast value"):
        deltalake.write_deltalake(tmp_path / "sample", unsigned, mode="append")
    deltalake.write_deltalake(tmp_path / "maps", signed.slice(0, 1))
    for _ in range(2):  # the second time, nothing is new
        merge = deltalake.DeltaTable(tmp_path / "maps").merge(
            signed, "new.line = old.line", source_alias="new", target_alias="old"
        )
        merge.when_matched_update_all().when_not_matched_insert_all().execute()
        found = deltalake.DeltaTable(tmp_path / "maps").to_pyarrow_table().sort_by("line")
        assert sets(found) == WANTED and found["white_attacks"].to_pylist()[1] < 0


def test_iceberg(files: dict[str, pathlib.Path], tmp_path: pathlib.Path) -> None:
    """A file is added where it is, as its lists have the names that Iceberg asks for."""
    (tmp_path / "warehouse").mkdir()
    catalog = catalogs.SqlCatalog("test", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/warehouse")
    catalog.create_namespace("chess")
    signed = pq.read_table(files["signed"])
    table = catalog.create_table("chess.maps", schema=signed.schema)
    table.add_files([str(files["signed"])])
    found = table.scan().to_arrow()
    assert sets(found) == WANTED
    assert found["white_attackers"].to_pylist() == signed["white_attackers"].to_pylist()
    assert table.scan(row_filter="white_attacks < 0").to_arrow().num_rows == 1
    assert table.upsert(signed, join_cols=["line"]).rows_inserted == 0
    unsigned = pq.read_table(files["unsigned"])
    other = catalog.create_table("chess.unsigned", schema=unsigned.schema)
    other.append(unsigned.slice(0, 1))
    with pytest.raises(struct.error, match="out of range"):
        other.append(unsigned)
