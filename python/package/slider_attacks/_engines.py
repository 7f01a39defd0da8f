"""What the modules for engines share: which functions SQL gets, and their results as pyarrow has them."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeAlias, TypedDict

from ._native import (
    Batch,
    Positions,
    analyze,
    batch_attacks,
    products,
)

Products: TypeAlias = str | Iterable[str]


def _pairs(slider: Literal["queen", "rook", "bishop"]) -> Callable[[Any, Any], Any]:
    def of(squares: Any, occs: Any) -> Any:
        import pyarrow as pa

        return pa.array(batch_attacks(squares, occs, slider=slider))

    return of


PAIRS = {
    "queen_attacks": _pairs("queen"),
    "rook_attacks": _pairs("rook"),
    "bishop_attacks": _pairs("bishop"),
}
"""The functions of pyarrow columns of squares and occupancies, which return a pyarrow column."""

POSITIONS = {product["function"]: product["name"] for product in products()} | {"boards": "boards"}
"""The functions of a position, and what they give."""


class Options(TypedDict, total=False):
    """The options of `slider_attacks.analyze` that every engine has."""

    on_error: Literal["raise", "null"]
    through: Literal["any", "own", "enemy"]
    victims: Literal["enemy", "own", "any"]
    backend: str | None


def batches(
    fens: Any,
    what: Products,
    *,
    integers: Literal["unsigned", "signed"] = "unsigned",
    on_error: Literal["raise", "null"] = "raise",
    count: Callable[[int], object] | None = None,
    **options: Any,
) -> list[Batch]:
    """The columns of products, among them "boards", the columns of `Positions.boards`.

    `count` is called with the number of rows that cannot be read, if there are any. An error of `analyze` has the number of the
    row. Engines divide columns as they like, so the message quotes the text as well.
    """
    if on_error not in ("raise", "null"):
        raise ValueError(f"on_error={on_error!r}: expected one of raise, null, as an engine needs each row")
    names = [what] if isinstance(what, str) else list(what)
    computed: Any = [name for name in names if name != "boards"]
    if "boards" in names:
        positions = Positions(fens, on_error="null")
        found = [positions.boards(integers)]
        if computed:
            found.append(positions.analyze(computed, integers=integers, **options))
        errors, bad = positions.errors, positions.error_count
    else:
        found = [analyze(fens, computed, integers=integers, on_error="null", **options)]
        errors, bad = found[0].errors, found[0].error_count
    if errors and on_error == "raise":
        row, message = errors[0]
        raise ValueError(f"{message}: {fens[row]!s:.120}")
    if bad and count:
        count(bad)
    return found


def columns(fens: Any, what: Products, **options: Any) -> Any:
    """The columns of products as a pyarrow record batch."""
    import pyarrow as pa

    parts = [pa.record_batch(batch) for batch in batches(fens, what, **options)]
    if len(parts) == 1:
        return parts[0]
    fields = [field for part in parts for field in part.schema]
    return pa.RecordBatch.from_arrays([column for part in parts for column in part.columns], schema=pa.schema(fields))


def struct(fens: Any, what: Products, **options: Any) -> Any:
    """The columns of products as one pyarrow array of structs: null where there is no position."""
    import pyarrow as pa

    found = columns(fens, what, **options)
    nulls = found.column(0).is_null() if found.num_columns and found.column(0).null_count else None
    return pa.StructArray.from_arrays(found.columns, fields=list(found.schema), mask=nulls)


def fields(what: Products, **options: Any) -> Any:
    """The pyarrow schema of products. Fails if an option is wrong, which would otherwise be seen in the first batch."""
    return columns([], what, **options).schema


def functions(**options: Any) -> Iterator[tuple[str, Any, Callable[[Any], Any]]]:
    """The functions of a position: the name, the pyarrow type of the result, and the function over columns.

    A product of one column is that column, others are structs. The columns of analysed products are functions too.
    """
    import pyarrow as pa

    def of(product: str, column: str | None) -> Callable[[Any], Any]:
        if column is None:
            return lambda fens: struct(fens, product, **options)
        return lambda fens: pa.array(batches(fens, product, **options)[0][column])

    for name, product in POSITIONS.items():
        schema = fields(product, **options)
        if len(schema) > 1:
            yield name, pa.struct(schema), of(product, None)
        if product != "boards":
            for field in schema:
                yield field.name, field.type, of(product, field.name)


def appended(table: Any, fen: str, what: Products, **options: Any) -> Any:
    """A pyarrow table or record batch with the columns of products at its end."""
    import pyarrow as pa

    found = columns(table[fen], what, **options)
    check_names(table.schema.names, found.schema.names)
    schema = pa.schema([*table.schema, *found.schema])
    return type(table).from_arrays([*table.columns, *found.columns], schema=schema)


def check_names(old: Iterable[str], new: Iterable[str]) -> None:
    """Fails if a new column has the name of an old one."""
    if both := sorted(set(old) & set(new)):
        raise ValueError(f"there is a column {both[0]} already")
