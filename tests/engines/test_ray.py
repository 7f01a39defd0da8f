"""Ray Data, on a cluster of two nodes, one of which is removed in the end."""

import doctest
import pathlib
import threading
import time
from typing import Any

import killing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import expected, expected_positions

ray = pytest.importorskip("ray", reason="tests/engines/run installs it")
import slider_attacks.ray

WHAT = ["maps", "counts", "pins", "hanging", "threats"]
BLOCKS = 20


def blocks(rows: pa.Table) -> Any:
    """The rows in the object store."""
    size = -(-len(rows) // BLOCKS)
    return ray.data.from_arrow([rows.slice(start, size) for start in range(0, len(rows), size)])


def collected(dataset: Any) -> pa.Table:
    """All rows, in the order of `id`."""
    return pa.concat_tables(ray.get(dataset.to_arrow_refs())).sort_by("id")


def test_columns(cluster: Any, rows: pa.Table) -> None:
    found = collected(slider_attacks.ray.with_attacks(blocks(rows), what=[*WHAT, "boards"], on_error="null"))
    assert found.select(rows.column_names) == rows
    wanted = expected(rows, WHAT, "unsigned")
    assert found.select(wanted.column_names) == wanted
    boards = pa.table(slider_attacks.Positions(rows["fen"], on_error="null").boards())
    assert found.select(boards.column_names) == boards


def test_text_is_read_where_it_lies_in_the_object_store(cluster: Any, rows: pa.Table) -> None:
    def places(table: pa.Table) -> pa.Table:
        """The address and the length of the text in this batch, and whether the object store is there."""
        (fens,) = table["fen"].chunks
        text = fens.buffers()[2]
        shared = [line.split() for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if "plasma" in line]
        ranges = [[int(part, 16) for part in words[0].split("-")] for words in shared]
        within = any(start <= text.address and text.address + text.size <= end for start, end in ranges)
        answer = slider_attacks.analyze(table["fen"], on_error="null")
        return pa.table({"shared": [within], "bytes": [text.size], "rows": [len(answer)]})

    found = blocks(rows).map_batches(places, batch_format="pyarrow", batch_size=None, zero_copy_batch=True).take_all()
    assert [row["shared"] for row in found] == [True] * BLOCKS
    assert min(row["bytes"] for row in found) > 100_000 and sum(row["rows"] for row in found) == len(rows)


def test_rows_that_cannot_be_read_end_the_job(cluster: Any, rows: pa.Table) -> None:
    with pytest.raises(ray.exceptions.RayTaskError, match=r"expected KQRBNP, kqrbnp or 1 to 8 in rank 8.*: 'nonsense'"):
        slider_attacks.ray.with_attacks(blocks(rows)).materialize()
    again = blocks(rows.slice(0, 5)).rename_columns({"game": "white_attacks"})
    with pytest.raises(ray.exceptions.RayTaskError, match="there is a column white_attacks already"):
        slider_attacks.ray.with_attacks(again).materialize()


def test_positions_of_games(cluster: Any, games: pa.Table) -> None:
    """Positions with products, keep, from_ply, FEN and reports equal one call of the package."""
    dataset = ray.data.from_arrow([games.slice(start, 300) for start in range(0, len(games), 300)])
    keep, what = ["ply", "uci", "fen"], ["maps", "legal_moves"]
    options: dict[str, Any] = {"keep": keep, "from_ply": 1, "on_error": "report"}
    found = pa.concat_tables(ray.get(slider_attacks.ray.with_positions(dataset, what=what, **options).to_arrow_refs()))
    wanted = expected_positions(games, "unsigned", what, **options)
    order = [("id", "ascending"), ("ply", "ascending")]
    found, wanted = found.sort_by(order), wanted.sort_by(order)
    assert found.column_names == wanted.column_names
    for name in wanted.column_names[:-1]:
        assert found[name].to_pylist() == wanted[name].to_pylist(), name
    assert found["error"].null_count == wanted["error"].null_count < len(found)


def test_shards(cluster: Any, games: pa.Table, tmp_path: pathlib.Path) -> None:
    texts = [text for text in games["movetext"].to_pylist() if text and "Zz9" not in text and "O-O *" not in text]
    (tmp_path / "games.pgn").write_text("".join(f'[Event "{game}"]\n\n{text}\n\n' for game, text in enumerate(texts)))
    count = len(slider_attacks.game_positions(texts))
    line: list[Any] = ["analyze", tmp_path / "games.pgn", "--keep", "Event,ply"]
    done = slider_attacks.ray.run_shards(line, tmp_path / "maps", 3)
    assert sum(shard["rows"] for shard in done) == count == pq.read_table(tmp_path / "maps").num_rows
    read = slider_attacks.ray.read_positions(tmp_path / "games.pgn", "maps", keep=["Event", "ply"], count=3)
    found = pa.concat_tables(ray.get(read.to_arrow_refs()))
    assert found.num_rows == count
    assert set(zip(found["Event"].to_pylist(), found["ply"].to_pylist(), strict=True)) == set(
        zip(*(pq.read_table(tmp_path / "maps")[name].to_pylist() for name in ["Event", "ply"]), strict=True)
    )


@pytest.mark.parametrize("victim", ["command", "worker"])
def test_killed_shards(victim: str, cluster: Any, tmp_path: pathlib.Path) -> None:
    """What works on a shard is killed, and the job goes on: each row is there once."""
    count = killing.pgn(tmp_path / "games.pgn")
    killer = killing.Killer(tmp_path / "maps", victim)
    line: list[Any] = ["analyze", tmp_path / "games.pgn", "--what", "maps,counts", "--keep", "Event,ply"]
    done: Any = slider_attacks.ray.run_shards(line, tmp_path / "maps", 4)
    killer.check(count, done)
    rows = pq.read_table(tmp_path / "maps", columns=["Event", "ply"])
    assert rows.num_rows == count == rows.group_by(["Event", "ply"]).aggregate([]).num_rows


def test_examples(cluster: Any) -> None:
    results = doctest.testmod(slider_attacks.ray)
    assert results.failed == 0 and results.attempted >= 8


def test_a_removed_node(cluster: Any, rows: pa.Table, tmp_path: pathlib.Path) -> None:
    """A node goes while it works, with the blocks that lie there."""
    (second,) = cluster.worker_nodes
    nodes = {node["NodeID"] for node in ray.nodes() if node["Alive"]}
    assert second.node_id in nodes and len(nodes) == 2

    def slow(table: pa.Table) -> pa.Table:
        time.sleep(0.3)
        node = ray.get_runtime_context().get_node_id()
        (tmp_path / f"{node}-{table['id'][0]}").touch()
        return table.append_column("node", pa.array([node] * len(table)))

    def remove() -> None:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and len(list(tmp_path.glob(f"{second.node_id}-*"))) < 2:
            time.sleep(0.02)
        cluster.remove_node(second, allow_graceful=False)

    remover = threading.Thread(target=remove, daemon=True)
    remover.start()
    dataset = slider_attacks.ray.with_attacks(blocks(rows), on_error="null").map_batches(
        slow, batch_format="pyarrow", batch_size=None
    )
    found = collected(dataset.materialize())
    remover.join()
    assert [node["NodeID"] for node in ray.nodes() if node["Alive"]] == list(nodes - {second.node_id})
    assert len(list(tmp_path.glob(f"{second.node_id}-*"))) >= 2, "it had done a part of the work"
    assert set(found["node"].to_pylist()) == nodes - {second.node_id}, "which was done again"
    wanted = expected(rows, ["maps"], "unsigned")
    assert found.select(rows.column_names) == rows
    assert found.select(wanted.column_names) == wanted
