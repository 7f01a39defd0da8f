"""Columns for Ray Data, computed by its workers, which read Arrow from the object store without a copy.

>>> import ray
>>> import slider_attacks.ray
>>> dataset = ray.data.from_items([{"fen": "4k3/8/8/8/8/8/8/R3K3 w Q -"}])
>>> slider_attacks.ray.with_attacks(dataset, what=["maps", "hanging"]).take(1)[0]["white_attacks"]
72340172838091070
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from ._engines import Options, Products, appended, documented, module, names, reusable

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["with_attacks"]
__doc__ = documented(__doc__)


def with_attacks(
    dataset: "Dataset",
    fen: str = "fen",
    what: Products = ("maps",),
    *,
    map_batches: Mapping[str, Any] | None = None,
    **options: Unpack[Options],
) -> "Dataset":
    """Appends the columns of products to a data set: `slider_attacks.analyze` in `Dataset.map_batches`.

    The product "boards" stands for the columns of `Positions.boards`; `analyze` describes the options. `map_batches` has
    further arguments for that method of Ray, such as `num_cpus` or `concurrency`. By default, a batch is a block.

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
        return appended(table, fen, wanted, **options)

    how: dict[str, Any] = {"batch_size": None, "zero_copy_batch": True, **(map_batches or {})}
    rows: Any = dataset
    found: Dataset = rows.map_batches(append, batch_format="pyarrow", **how)
    return found
