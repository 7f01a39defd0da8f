"""Columns for Ray Data, computed by its workers, which read Arrow from the object store without a copy.

>>> import ray
>>> import slider_attacks.ray
>>> dataset = ray.data.from_items([{"fen": "4k3/8/8/8/8/8/8/R3K3 w Q -"}])
>>> slider_attacks.ray.with_attacks(dataset, what=["maps", "hanging"]).take(1)[0]["white_attacks"]
72340172838091070
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from . import shards
from ._engines import (
    GameOptions,
    GameRows,
    Options,
    Products,
    appended,
    command_line,
    documented,
    files_and_options,
    lists,
    module,
    names,
    reusable,
)
from ._native import read

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["read_positions", "run_shards", "with_attacks", "with_positions"]
__doc__ = documented(__doc__)


def with_attacks(
    dataset: "Dataset",
    fen: str = "fen",
    what: Products = ("maps",),
    *,
    keep_fen: bool = True,
    map_batches: Mapping[str, Any] | None = None,
    **options: Unpack[Options],
) -> "Dataset":
    """Appends the columns of products to a data set: `slider_attacks.analyze` in `Dataset.map_batches`.

    The product "boards" stands for the columns of `Positions.boards`; `analyze` describes the options. With
    `keep_fen=False`, the positions are not part of the result. `map_batches` has further arguments for that method of Ray,
    such as `num_cpus` or `concurrency`. By default, a batch is a block.

    >>> import ray
    >>> import slider_attacks.ray
    >>> dataset = ray.data.from_items([{"fen": "4k3/8/8/8/8/8/8/R3K3 w Q -"}, {"fen": "?"}])
    >>> pins = slider_attacks.ray.with_attacks(dataset, what="pins", on_error="null", map_batches={"num_cpus": 0.5})
    >>> [row["white_pinned"] for row in pins.take_all()]
    [0, None]
    """
    module("pyarrow", "ray")
    wanted, options = names(what), reusable(options)

    def append(table: Any) -> Any:
        return appended(table, fen, wanted, keep_fen=keep_fen, **options)

    return _mapped(dataset, append, map_batches)


def with_positions(
    dataset: "Dataset",
    movetext: str = "movetext",
    what: Products = (),
    *,
    fen: str | None = None,
    map_batches: Mapping[str, Any] | None = None,
    **options: Unpack[GameOptions],
) -> "Dataset":
    """Returns the positions of games with their products, a row per position: `slider_attacks.game_positions` of a column of
    PGN, with its options, in `Dataset.map_batches`.

    The columns are those of the data set except the games, then those of `keep`, by default `ply`, then those of products.
    `fen` names a column with the positions that games start from, as in Chess960; by default `FEN`, if there is one. With
    `on_error="skip"`, an error leaves out the rest of a game; with "null", a row without a position ends it, and with
    "report", a last column `error` has the reason. `map_batches` is that of `with_attacks`.

    >>> import ray
    >>> import slider_attacks.ray
    >>> games = ray.data.from_items([{"id": 7, "movetext": "1. e4 e5"}, {"id": 8, "movetext": "1. d4"}])
    >>> positions = slider_attacks.ray.with_positions(games, what="legal_moves", from_ply=1)
    >>> sorted(tuple(row.values()) for row in positions.take_all())
    [(7, 1, 20), (7, 2, 29), (8, 1, 20)]
    """
    module("pyarrow", "ray")
    columns = dataset.columns()
    if columns is None:
        return dataset  # it has no rows
    games = GameRows(columns, movetext, what, fen, "unsigned", options)

    def positions(table: Any) -> Iterator[Any]:
        has_rows = False
        for batch in games.batches(table):
            has_rows = True
            yield module("pyarrow", "ray").Table.from_batches([batch])
        if not has_rows:
            fields = [*table.select(games.others).schema, *games.schema]
            yield module("pyarrow", "ray").schema(fields).empty_table()

    return _mapped(dataset, positions, map_batches)


def read_positions(
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    what: Products = ("maps",),
    *,
    count: int,
    map_batches: Mapping[str, Any] | None = None,
    **options: Any,
) -> "Dataset":
    """Returns the rows of files: `slider_attacks.read` with its options, except file objects. `count` tasks read a part each.

    All nodes must see the same files under these paths. `on_error="skip"` does not count the rows that it leaves out.
    `map_batches` is that of `with_attacks`.

    >>> import pathlib, tempfile
    >>> import slider_attacks.ray
    >>> path = pathlib.Path(tempfile.mkdtemp(), "games.pgn")
    >>> _ = path.write_text('[White "A"]\\n\\n1. e4 e5 *\\n\\n[White "B"]\\n\\n1. d4 *\\n')
    >>> slider_attacks.ray.read_positions(path, "legal_moves", keep=["White", "ply"], count=2).count()
    5
    """
    pa, ray = module("pyarrow", "ray"), module("ray", "ray")
    files, options = files_and_options(path, options)
    wanted = names(what)
    with read(files, wanted, shard=(1, count), **options) as reader:
        empty = lists(pa.schema(reader.schema).empty_table())

    def rows(table: Any) -> Iterator[Any]:
        yield empty
        for number in table["id"].to_pylist():
            with read(files, wanted, shard=(number + 1, count), **options) as reader:
                for batch in reader:
                    yield pa.Table.from_batches([lists(pa.record_batch(batch))])

    numbers: Any = ray.data.range(count, override_num_blocks=count)
    return _mapped(numbers, rows, map_batches)


def run_shards(
    arguments: Iterable[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    count: int,
    *,
    remote: Mapping[str, Any] | None = None,
) -> list[shards.ShardReport]:
    """Runs a command, `analyze` or `convert`, in `count` tasks, one per shard, from files to files of Parquet in `folder`.

    `arguments` are those of the command without its output, such as `["analyze", "/data/games", "--what", "maps"]`. All nodes
    must see the same files, and `folder`, under these paths. `slider_attacks.shards.run_shard` describes what a task does:
    however often tasks fail or are repeated, `folder` has each row once. To resume a job, run it again. `remote` has options
    of `ray.remote`, such as `num_cpus`, which is also the number of threads, or `max_retries`.

    Returns the report of each shard, in order.

    >>> import pathlib, tempfile
    >>> import slider_attacks.ray
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "games.pgn").write_text('[White "A"]\\n\\n1. e4 e5 *\\n\\n[White "B"]\\n\\n1. d4 *\\n')
    >>> done = slider_attacks.ray.run_shards(["analyze", folder / "games.pgn", "--keep", "ply"], folder / "maps", 2)
    >>> len(done), sum(shard["rows"] for shard in done)
    (2, 5)
    """
    module("pyarrow", "ray")
    ray = module("ray", "ray")
    line, target, directory = command_line(arguments), os.path.abspath(folder), os.getcwd()
    how = {"num_cpus": 1, "retry_exceptions": [shards.ShardKilledError], **(remote or {})}
    threads = max(1, int(how["num_cpus"]))
    shards.check(line, folder, count, directory)

    def run(number: int) -> shards.ShardReport:
        return shards.run_shard(line, target, number, count, threads=threads, directory=directory)

    task = ray.remote(**how)(run)
    found: list[shards.ShardReport] = ray.get([task.remote(number + 1) for number in range(count)])
    return found


def _mapped(dataset: Any, function: Any, map_batches: Mapping[str, Any] | None) -> "Dataset":
    """The batches that a function makes of those of a data set."""
    how: dict[str, Any] = {"batch_size": None, "zero_copy_batch": True, **(map_batches or {})}
    found: Dataset = dataset.map_batches(function, batch_format="pyarrow", **how)
    return found
