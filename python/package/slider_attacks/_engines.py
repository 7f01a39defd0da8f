"""What the modules for engines share: which functions SQL gets, and their results as pyarrow has them."""

import importlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

import numpy as np

from . import _inputs
from ._native import Batch, Positions, analyze, batch_attacks, game_positions, products

Products: TypeAlias = str | Iterable[str]
Slider: TypeAlias = Literal["queen", "rook", "bishop"] | str

ROW = re.compile(r"^row \d+[:,] ")
"""How a message begins that names a row: its number within a batch of the engine, which nobody knows."""

QUOTED = 100
"""How many characters of a row a message quotes."""

_HEADING = "Products\n--------\n"


def documented(text: str | None) -> str:
    """The documentation of a module, and below it the list of products of the help of `analyze`."""
    return f"{text or ''}\n{_HEADING}{(analyze.__doc__ or '').partition(_HEADING)[2]}"


class ProductOptions(TypedDict, total=False):
    """The options of products."""

    through: Literal["any", "own", "enemy"] | str
    victims: Literal["enemy", "own", "any"] | str
    values: str | Iterable[int]
    pinned: Literal["capture", "stay"] | str
    notation: Literal["bits", "uci"] | str
    perspective: Literal["board", "mover"] | str
    backend: str | None


class Options(ProductOptions, total=False):
    """The options of `slider_attacks.analyze` that every engine has."""

    on_error: Literal["raise", "null", "report"] | str


def module(name: str, extra: str) -> Any:
    """A module of another package, or an error that says what to install."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        package = name.partition(".")[0]
        if error.name != package:
            raise
        message = f"{package} is not installed: pip install 'slider-attacks[{extra}]'"
        raise ImportError(message, name=package) from None


def pairs(slider: Slider) -> Callable[[Any, Any], Any]:
    """The function from pyarrow columns of squares and occupancies to a pyarrow array of attack sets."""

    def attacks(squares: Any, occs: Any) -> Any:
        try:
            return module("pyarrow", "arrow").array(batch_attacks(squares, occs, slider=slider))
        except ValueError as error:
            raise ValueError(ROW.sub("", str(error))) from None

    return attacks


PAIRS = {f"{slider}_attacks": pairs(slider) for slider in ("queen", "rook", "bishop")}
"""The functions of pyarrow columns of squares and occupancies, which return a pyarrow array."""

POSITIONS: dict[str, str] = {product["function"]: product["name"] for product in products()} | {"boards": "boards"}
"""The functions of a position, and what they give."""


def names(what: Products) -> Products:
    """Names that can be read more than once."""
    return what if isinstance(what, str) else list(what)


def reusable(options: Options) -> Options:
    """Options that can be read more than once, as an iterator of `values` cannot."""
    values = options.get("values")
    return {**options, "values": list(values)} if isinstance(values, Iterator) else options


def files_and_options(path: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Paths that are absolute, and options, both of which can be read more than once, for `read` in other processes."""
    if "shard" in options or "integers" in options:
        raise TypeError("shard and integers are chosen by the engine")
    several = not isinstance(path, str | os.PathLike)
    paths = [os.fspath(each) for each in path] if several else [os.fspath(path)]
    paths = [each if "://" in each else os.path.abspath(each) for each in paths]
    reusable = {name: list(value) if isinstance(value, Iterator) else value for name, value in options.items()}
    return paths if several else paths[0], reusable


def command_line(arguments: Iterable[str | os.PathLike[str]], *more: str) -> list[str]:
    """The arguments of a command as texts, with these options, unless there are others with the same name."""
    line = [os.fspath(argument) for argument in arguments]
    is_analyze = line[:1] == ["analyze"]
    has_one = any(argument.split("=")[0] == more[0] for argument in _inputs.options(line) if more)
    return [*line[:1], *more, *line[1:]] if is_analyze and not has_one else line


def batches(
    fens: Any,
    what: Products,
    *,
    integers: Literal["unsigned", "signed"] | str = "unsigned",
    on_error: str = "raise",
    count: Callable[[int], object] | None = None,
    **options: Any,
) -> list[Batch]:
    """The columns of products, among them "boards", the columns of `Positions.boards`; with on_error="report" also `error`.

    `count` is called with the number of rows that cannot be read, if there are any. An error quotes the row in place of its
    number, as engines divide columns as they like.
    """
    check_on_error(on_error, ["raise", "null", "report"])
    wanted = [what] if isinstance(what, str) else list(what)
    computed = [name for name in wanted if name != "boards"]
    if "boards" in wanted:
        positions = Positions(fens, on_error="null")
        found = [positions.boards(integers)]
        if computed:
            found.append(positions.analyze(computed, integers=integers, **options))
        errors, bad = positions.errors, positions.error_count
        if on_error == "report":
            found.append(analyze(fens, [], on_error="report"))
    else:
        kept = "report" if on_error == "report" else "null"
        found = [analyze(fens, computed, integers=integers, on_error=kept, **options)]
        errors, bad = found[0].errors, found[0].error_count
    if errors and on_error == "raise":
        row, message = errors[0]
        boards = bitboards(fens[row])
        raise ValueError(ROW.sub("", message) + (boards and f": {boards}"))
    if bad and count:
        count(bad)
    return found


def check_on_error(on_error: str, known: list[str]) -> None:
    """Fails if malformed rows cannot be handled like this."""
    if on_error not in known:
        raise ValueError(f"on_error={on_error!r}: expected one of {', '.join(known)}, as an engine needs each row")


def bitboards(row: Any) -> str:
    """The bitboards of a row that have pieces, as an error shows them. Errors about texts quote these already."""
    value: Any = row.as_py() if hasattr(row, "as_py") else row
    found = value.items() if hasattr(value, "items") else ()
    return ", ".join(f"{name} {bits % 2**64:#x}" for name, bits in found if isinstance(bits, int) and bits)


def quoted(row: Any) -> str:
    """A text as an error shows it, with its control characters visible."""
    text: str = row.as_py() if hasattr(row, "as_py") else row
    return repr(text[:QUOTED]) + "…" * (len(text) > QUOTED)


def columns(fens: Any, what: Products, **options: Any) -> Any:
    """The columns of products as a pyarrow record batch."""
    pa = module("pyarrow", "arrow")
    parts: list[Any] = [pa.record_batch(batch) for batch in batches(fens, what, **options)]
    if len(parts) == 1:
        return parts[0]
    fields = [field for part in parts for field in part.schema]
    return pa.RecordBatch.from_arrays([column for part in parts for column in part.columns], schema=pa.schema(fields))


def lists(table: Any) -> Any:
    """A pyarrow record batch with lists in place of lists of a fixed size.

    Spark does not take these, and DuckDB and DataFusion turn the column of a whole batch into lists for each function of
    lists.
    """
    pa = module("pyarrow", "arrow")
    fields: Any = table.schema
    for place, field in enumerate(table.schema):
        if pa.types.is_fixed_size_list(field.type):
            fields = fields.set(place, field.with_type(pa.list_(field.type.value_field)))
    return table if fields is table.schema else table.cast(fields)


def struct(fens: Any, what: Products, **options: Any) -> Any:
    """The columns of products as one pyarrow array of structs: null where there is no position, unless `error` says why."""
    pa = module("pyarrow", "arrow")
    found = lists(columns(fens, what, **options))
    nulls = found.column(0).is_null() if found.num_columns and found.column(0).null_count else None
    if nulls is not None and options.get("on_error") == "report":
        nulls = module("pyarrow.compute", "arrow").and_(nulls, found.column(found.num_columns - 1).is_null())
    return pa.StructArray.from_arrays(found.columns, fields=list(found.schema), mask=nulls)


def schema(what: Products, **options: Any) -> Any:
    """The pyarrow schema of products. Fails if an option is wrong, which would otherwise be seen in the first batch."""
    return lists(columns([], what, **options)).schema


GAME_COLUMNS = ["ply", "san", "uci", "eval", "mate", "clk", "fen"]
"""What each position of a game has in SQL, before `error`."""

FIELD = re.compile(r'^field "movetext"[,:] ')
"""How a message about a game begins: with a name that the column may not have in the query."""


def games(texts: Any, fens: Any = None, *, on_error: str = "raise", **_: Any) -> Any:
    """The positions of games as a pyarrow array of lists of structs: null where the text is null. `fens` has the positions that the
    games start from, where that is not the usual one.

    Of a game with a mistake, the list has the positions before it, and then an element without a position, whose `error` says what
    is wrong.
    """
    pa = module("pyarrow", "arrow")
    check_on_error(on_error, ["raise", "null"])
    found = game_positions(texts, fen=fens, keep=GAME_COLUMNS, on_error="report")
    if found.errors and on_error == "raise":
        raise malformed_game(found, texts, fens)
    table: Any = pa.record_batch(found)
    if found.error_count:
        table = with_short_errors(table)
    starts = np.searchsorted(table["row"].to_numpy(), np.arange(len(texts) + 1)).astype(np.int32)
    positions = pa.StructArray.from_arrays(table.columns[1:], fields=list(table.schema)[1:])
    return pa.ListArray.from_arrays(pa.array(starts), positions, mask=texts.is_null())


def malformed_game(found: Batch, texts: Any, fens: Any) -> ValueError:
    """The error for the first malformed game, which it quotes."""
    row, message = found.errors[0]
    start = None if fens is None else fens[row].as_py()
    begins = f", from {quoted(start)}" if start else ""
    return ValueError(f"{FIELD.sub('', ROW.sub('', message))}: {quoted(texts[row])}{begins}")


def with_short_errors(table: Any) -> Any:
    """A record batch whose last column, `error`, does not name the column of the games."""
    pa = module("pyarrow", "arrow")
    error = [text and FIELD.sub("", text) for text in table["error"].to_pylist()]
    return table.set_column(table.num_columns - 1, table.schema.field("error"), pa.array(error, pa.string()))


class GameOptions(ProductOptions, total=False):
    """The options of `slider_attacks.game_positions` that engines have."""

    keep: str | Iterable[str]
    variations: bool
    from_ply: int
    to_ply: int | None
    every: int
    on_error: Literal["raise", "skip", "null", "report"] | str


START = "FEN"
"""The column with the positions that games start from, unless the caller names one."""

TEXT = 256 << 10
"""How many bytes of games are read at a time, about: games of 50,000 positions."""


class GameRows:
    """Makes tables of positions of tables with a column of games. The texts are not part of these."""

    def __init__(
        self,
        columns: Iterable[str],
        movetext: str,
        what: Products,
        fen: str | None,
        integers: Literal["unsigned", "signed"],
        options: GameOptions,
    ) -> None:
        names = list(columns)
        self.movetext, self.fen = movetext, START if fen is None and START in names else fen
        for name in (movetext, fen):
            if name is not None and name not in names:
                raise ValueError(f"no column {name!r}; the columns are {', '.join(names)}")
        self.others = [name for name in names if name not in (self.movetext, self.fen)]
        self.what = [what] if isinstance(what, str) else list(what)
        keep = options.get("keep", "ply")
        values = options.get("values")
        self.options: dict[str, Any] = {
            **options,
            "keep": [keep] if isinstance(keep, str) else list(keep),
            "integers": integers,
        }
        if isinstance(values, Iterator):
            self.options["values"] = list(values)
        self.on_error = self.options.pop("on_error", "raise")
        check_on_error(self.on_error, ["raise", "skip", "null", "report"])
        self.schema: Any = self.positions(module("pyarrow", "arrow").array([], "string"), None, None)[1].schema
        check_names(self.others, self.schema.names)

    def positions(self, texts: Any, fens: Any, count: Callable[[int], object] | None) -> tuple[Any, Any]:
        """The row of the game, for each position; and the columns about positions."""
        pa = module("pyarrow", "arrow")
        # Games that end the job are found like others, so that the error quotes them.
        kept = "null" if self.on_error == "raise" else self.on_error
        found = game_positions(texts, self.what, fen=fens, on_error=kept, **self.options)
        if found.error_count and self.on_error == "raise":
            raise malformed_game(found, texts, fens)
        if found.error_count and count:
            count(found.error_count)
        table: Any = pa.record_batch(found)
        if found.error_count and self.on_error == "report":
            table = with_short_errors(table)
        return table.column(0), lists(table.select(table.schema.names[1:]))

    def batches(self, table: Any, count: Callable[[int], object] | None = None) -> Iterator[Any]:
        """Record batches of positions: the columns of the table other than the games, and those about positions."""
        pa = module("pyarrow", "arrow")
        batches = table.to_batches() if isinstance(table, pa.Table) else [table]
        for batch in batches:
            for start, end in parts(batch[self.movetext]):
                games = batch.slice(start, end - start)
                fens = None if self.fen is None else games[self.fen]
                rows, positions = self.positions(games[self.movetext], fens, count)
                others = games.select(self.others)
                if others.num_columns:
                    others = others.take(rows)
                schema = pa.schema([*others.schema, *positions.schema])
                yield pa.RecordBatch.from_arrays([*others.columns, *positions.columns], schema=schema)


def parts(texts: Any) -> Iterator[tuple[int, int]]:
    """Divides a column of texts into parts of some bytes, or of a single text: the first row of each, and that after the last."""
    pa, compute = module("pyarrow", "arrow"), module("pyarrow.compute", "arrow")
    if texts.type not in (pa.string(), pa.large_string()):
        texts = texts.cast(pa.large_string())
    lengths = compute.binary_length(texts).fill_null(0).to_numpy(zero_copy_only=False)
    ends = np.cumsum(lengths, dtype=np.int64)
    start = 0
    while start < len(ends):
        before = int(ends[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(ends, before + TEXT, side="right")))
        yield start, end
        start = end


def functions(**options: Unpack[Options]) -> Iterator[tuple[str, int, Any, Callable[..., Any]]]:
    """The functions of texts: the name, how many columns it takes, the pyarrow type of the result, and the function.

    A product of one column is that column, others are structs. The columns of analysed products are functions too. The functions
    of games give lists of positions.
    """
    pa, options = module("pyarrow", "arrow"), reusable(options)
    check_on_error(options.get("on_error", "raise"), ["raise", "null"])
    kind = games(pa.array([], pa.string())).type
    yield "game_positions", 1, kind, lambda texts: games(texts, **options)
    yield "game_positions_from", 2, kind, lambda texts, fens: games(texts, fens, **options)

    def all_of(product: str) -> Callable[[Any], Any]:
        return lambda fens: struct(fens, product, **options)

    def one_of(product: str, name: str) -> Callable[[Any], Any]:
        return lambda fens: lists(columns(fens, product, **options).select([name])).column(0)

    for name, product in POSITIONS.items():
        fields = schema(product, **options)
        if len(fields) > 1:
            yield name, 1, pa.struct(fields), all_of(product)
        if product != "boards":
            for field in fields:
                yield field.name, 1, field.type, one_of(product, field.name)


def appended(table: Any, fen: str, what: Products, *, keep_fen: bool = True, **options: Any) -> Any:
    """A pyarrow table or record batch with the columns of products at its end, and on request without the positions."""
    pa = module("pyarrow", "arrow")
    found = columns(table[fen], what, **options)
    if not keep_fen:
        table = table.select([name for name in table.schema.names if name != fen])
    check_names(table.schema.names, found.schema.names)
    fields = pa.schema([*table.schema, *found.schema])
    return table.from_arrays([*table.columns, *found.columns], schema=fields)


def check_names(old: Iterable[str], new: Iterable[str]) -> None:
    """Fails if a new column has the name of an old one."""
    if both := sorted(set(old) & set(new)):
        raise ValueError(f"there is a column {both[0]} already")
