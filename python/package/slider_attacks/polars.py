"""Expressions and files for Polars, in memory and streaming.

>>> import polars as pl
>>> import slider_attacks.polars
>>> frame = pl.DataFrame({"fen": ["4k3/8/8/8/8/8/8/R3K3 w Q -", None]})
>>> frame.select(slider_attacks.polars.analyze("fen", ["maps", "hanging"]).struct.field("white_attacks"))["white_attacks"].to_list()
[72340172838091070, None]

`scan_positions` reads files lazily.
"""

import json
import os
import re
import warnings
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, Unpack

from ._engines import ROW, Options, ProductOptions, Products, Slider, batches, documented, module, names, reusable
from ._native import Positions, batch_attacks, read, schema

if TYPE_CHECKING:
    from polars import DataFrame, Expr, LazyFrame

__all__ = ["analyze", "attacks", "scan_positions"]
__doc__ = documented(__doc__)


def attacks(square: "Expr | str", occ: "Expr | str", slider: Slider = "queen") -> "Expr":
    """Returns the attack set of a slider on each square with each occupancy, as UInt64. Nulls propagate.

    >>> import polars as pl
    >>> import slider_attacks.polars
    >>> frame = pl.DataFrame({"square": [0, 63], "occ": [256, 256]}, {"square": pl.UInt8, "occ": pl.UInt64})
    >>> frame.select(slider_attacks.polars.attacks("square", "occ", "rook"))["attacks"].to_list()
    [510, 9187484529235886208]
    """

    pl = module("polars", "polars")

    def compute(pairs: Any) -> Any:
        squares, occs = pairs.struct.unnest().get_columns()
        try:
            return pl.Series(batch_attacks(squares, occs, slider=slider))
        except ValueError as error:
            raise ValueError(ROW.sub("", str(error))) from None

    pair = pl.struct(_column(square).alias("square"), _column(occ).alias("occ"))
    expression: Expr = pair.map_batches(compute, return_dtype=pl.UInt64, is_elementwise=True).alias("attacks")
    return expression


def analyze(fen: "Expr | str", what: Products = ("maps",), **options: Unpack[Options]) -> "Expr":
    """Returns a struct of the columns of products: `slider_attacks.analyze` as an expression, with its options.

    The product "boards" stands for the columns of `Positions.boards`. `.struct.field("white_attacks")` extracts one column,
    `.struct.unnest()` all of them; each of these calls computes the struct. Numbers per square are an Array of 64 UInt8, a1
    first; a number of moves is a UInt16.

    >>> import polars as pl
    >>> import slider_attacks.polars
    >>> frame = pl.LazyFrame({"fen": ["4k3/8/8/8/8/8/8/R3K3 w Q -"]})
    >>> frame.select(slider_attacks.polars.analyze("fen", ["pins", "boards"]).struct.unnest()).collect().width
    19
    """
    pl, wanted, options = module("polars", "polars"), names(what), reusable(options)

    def compute(fens: Any) -> Any:
        frames = [pl.DataFrame(batch) for batch in batches(fens, wanted, **options)]
        return pl.concat(frames, how="horizontal").to_struct()

    kind = compute(pl.Series([], dtype=pl.String)).dtype
    expression: Expr = _column(fen).map_batches(compute, return_dtype=kind, is_elementwise=True)
    return expression


class ScanOptions(ProductOptions, total=False):
    """The options of `slider_attacks.read` that a scan has."""

    format: Literal["bulletformat", "marlinformat", "viriformat", "binpack"] | str | None
    column: str
    keep: str | Iterable[str]
    points: bool
    next_gain: bool
    dictionary: str | Iterable[str]
    games: str | Iterable[str]
    games_where: str | None
    variations: bool
    from_ply: int
    to_ply: int | None
    every: int
    after_first_move: bool
    each_move: bool
    where: str | None
    unique: bool | Literal["position", "canonical", "polyglot"] | str | None
    unique_memory: int | None
    key_shard: str | None
    shard: tuple[int, int] | str | None
    on_error: Literal["raise", "skip", "null", "report"] | str
    integers: Literal["unsigned", "signed"] | str
    threads: int


def scan_positions(
    path: "str | os.PathLike[str] | Iterable[str | os.PathLike[str]]",
    what: Products = ("maps",),
    **options: Unpack[ScanOptions],
) -> "LazyFrame":
    """Returns a lazy frame of the rows of files: `slider_attacks.read` with its options, without file objects.

    The types of columns come from the beginning of the first file. A query reads the files when it is collected, in
    batches, and each time anew. Of products and kept columns, it computes those that it names. Comparisons of these with
    numbers and texts, also joined by `&` and `|`, are part of `where`, except those of floats: rows for which they do not
    hold are left out before products are computed. With on_error="skip", a query warns of the number of malformed records,
    and of the first of them.

    >>> import pathlib, tempfile
    >>> import polars as pl
    >>> import slider_attacks.polars
    >>> path = pathlib.Path(tempfile.mkdtemp(), "puzzles.csv")
    >>> _ = path.write_text("Id,FEN,Rating\\na,4k3/8/8/8/8/8/8/R3K3 w Q -,1500\\nb,4k3/8/8/8/8/8/8/4K2R w K -,900\\n")
    >>> rows = slider_attacks.polars.scan_positions(path, ["maps", "pins", "legal_moves"], keep="all")
    >>> rows.filter(pl.col("Id") == "b", pl.col("legal_moves") > 3).select("line", "Rating").collect().rows()
    [(3, '900')]
    """
    if hasattr(path, "read"):
        raise TypeError(_READ_ONCE)
    files: Any = path
    if not isinstance(path, (str, os.PathLike)):
        files = list(path)
        if any(hasattr(file, "read") for file in files):
            raise TypeError(_READ_ONCE)
    given = {name: list(value) if isinstance(value, Iterator) else value for name, value in options.items()}
    return _Scan(files, what, given).frame()


_READ_ONCE = "a file object is read once, and a scan may be read again: pass a path, or take `read`"


class _Scan:
    """Files that queries read."""

    def __init__(self, path: Any, what: Products, options: dict[str, Any]) -> None:
        self.path, self.options = path, options
        self.what = [what] if isinstance(what, str) else list(what)
        with self.read(self.what, options) as reader:
            pass
        # An empty frame: the reader is closed.
        self.schema = module("polars", "polars").DataFrame(reader).schema
        self.boards: set[str] = set(Positions([]).boards().column_names) if "boards" in self.what else set()
        self.products = {name: list(schema(name)) for name in self.what if name != "boards"}
        computed = {"line", *self.boards, *chain.from_iterable(self.products.values())}
        if next(iter(self.schema), None) == "file":
            computed.add("file")  # as a column of the input, it comes after `line`
        if options.get("on_error") == "report":
            computed.add("error")
        if options.get("each_move"):
            computed.add("move")
        if options.get("next_gain"):
            computed.add("next_gain")
        self.kept = [name for name in self.schema if name not in computed]

    def read(self, what: list[str], options: dict[str, Any]) -> Any:
        return read(self.path, what, **options)

    def is_dictionary(self, name: str) -> bool:
        return name in self.schema and self.schema[name] == module("polars", "polars").Categorical

    def frame(self) -> "LazyFrame":
        register = module("polars.io.plugins", "polars").register_io_source
        found: LazyFrame = register(self.batches, schema=self.schema, is_pure=True)
        return found

    def batches(
        self, columns: list[str] | None, predicate: "Expr | None", rows: int | None, batch_rows: int | None
    ) -> "Iterator[DataFrame]":
        """What Polars asks for: some columns of the first rows, and of these the ones for which a predicate holds."""
        pl = module("polars", "polars")
        columns = list(self.schema) if columns is None else columns
        needed = {*columns, *(() if predicate is None else predicate.meta.root_names())}
        what = [name for name in self.what if needed.intersection(self.products.get(name, self.boards))]
        if "next_gain" in needed and self.options.get("next_gain"):
            needed |= _NEXT
        options = self.options | {"keep": [name for name in self.kept if name in needed]}
        if "dictionary" in options:
            options["dictionary"] = [name for name in ("file", *options["keep"]) if self.is_dictionary(name)]
        options["next_gain"] = "next_gain" in needed and bool(self.options.get("next_gain"))
        condition = None
        # Of equal positions, `unique` takes the first one, whether or not the predicate holds for its row.
        if predicate is not None and rows is None and not options.get("unique"):
            condition = self.condition(predicate)
        left = len(self.schema) and (2**63 if rows is None else rows)
        options["batch_rows"] = max(1, min(batch_rows or 65_536, left))
        with self.open(what, options, condition) as reader:
            while left > 0 and (batch := self.next(reader)) is not None:
                frame = pl.DataFrame(batch).head(left)
                left -= frame.height
                yield (frame if predicate is None else frame.filter(predicate)).select(columns)
            if reader.skipped:
                warnings.warn(f"skipped {reader.skipped} malformed records: {reader.errors[0]}", stacklevel=2)

    def open(self, what: list[str], options: dict[str, Any], condition: str | None) -> Any:
        """A reader, with the condition as a part of `where` if there is room for both."""
        if condition:
            given = options.get("where")
            where = " and ".join(f"({text})" for text in (given, condition) if text)
            try:
                return self.read(what, options | {"where": where})
            except ValueError:  # longer, or nested more deeply, than conditions may be
                pass
        return self.read(what, options)

    def next(self, reader: Any) -> Any:
        """The next batch, and `None` at the end."""
        try:
            return next(reader, None)
        except ValueError as error:
            # Nobody but the predicate asks for this column, and it may have no value in any row.
            missing = _MISSING.search(str(error))
            if missing and missing[1] not in _names(self.options.get("where") or ""):
                return None
            raise

    def condition(self, predicate: "Expr") -> str | None:
        """A condition of `where` that holds where the predicate does, and perhaps elsewhere; `None` if there is none.

        All but known nodes count as unknown, as Polars does not promise their names.
        """
        try:
            tree = json.loads(predicate.meta.serialize(format="json"))
            return _Translation(self).condition(tree)
        except Exception:  # some functions cannot be written, and deep trees cannot be read
            return None


_NEXT = {"next_move", "next_uci", "next_san"}
"""The columns that have the moves of `next_gain`."""

_MISSING = re.compile(r'no record has "(.*)" for the condition')
"""What `read` says at the end if no row has a value that a condition needs."""

_WORDS = re.compile(r"""`([^`]*)`|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(\w+(?:\.\w+)*)""", re.DOTALL)
"""The columns, texts and other words of a condition."""

_COMPARED = {"Eq": "=", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
"""The comparisons of Polars, as `where` has them."""

_FLIPPED = {"Lt": "Gt", "LtEq": "GtEq", "Gt": "Lt", "GtEq": "LtEq"}
"""Comparisons with their sides exchanged."""

_JOINED = {"And": "and", "LogicalAnd": "and", "Or": "or", "LogicalOr": "or"}
"""The operators that join conditions, as `where` has them."""

_LITERAL = re.compile(r"Literal|Scalar|Dyn|String|Float(32|64)?|U?Int(8|16|32|64)?")
"""The nodes around the value of a number or a text."""

_DIGITS = re.compile(r"-?\d{1,15}(\.\d{1,15})?")
"""Numbers that `where` reads as Polars does."""

_SMALLEST = {"Int8": -(2**7), "Int16": -(2**15), "Int32": -(2**31)}
"""The smallest integers of types."""

_SMALL = -999_999_999_999_999
"""An integer near the smallest one of Int64, which has more digits than `where` reads as Polars does."""

_MOST = 10_000
"""How many bytes a condition may have that is made of a predicate."""

_MOST_TERMS = 200
"""How many conditions one operator may join."""

_DEEPEST = 16
"""How deep operators may be nested that join conditions."""


class _Translation:
    """Parts of predicates as conditions on the rows of a scan."""

    def __init__(self, scan: _Scan) -> None:
        self.scan = scan
        self.columns: dict[str, str] = {}
        self.sets: dict[str, str] = {}
        text = module("polars", "polars").String
        for name in scan.kept:
            if name == "result" and scan.options.get("points"):
                continue  # in a condition, it is text
            # Not floats: Polars has NaN above all numbers, and here no comparison holds for it.
            is_known = scan.schema[name].is_integer() or scan.schema[name] == text or scan.is_dictionary(name)
            if "`" not in name and is_known:
                self.columns[name] = f"`{name}`"
        # `where` is about the board as it is.
        if scan.options.get("perspective", "board") == "board":
            self.sets |= {name: f"{name}s" for name in scan.boards if name.partition("_")[0] in ("white", "black")}
            for product in scan.products.keys() - {"keys"}:
                found = schema(product)
                for name, kind in zip(found.names, found.types, strict=True):
                    if kind == "uint64":
                        self.sets[name] = name
                    elif kind == "uint16":
                        self.columns[name] = name

    def condition(self, node: Any, depth: int = 0) -> str | None:
        """A condition that holds where this node is true; `None` if there is none."""
        match node:
            case {"BinaryExpr": {"op": str(op)}} if op in _JOINED:
                word, nodes = _JOINED[op], _chain(node)
                if depth == _DEEPEST or len(nodes) > _MOST_TERMS:
                    return None
                texts = [self.condition(part, depth + 1) for part in nodes]
                known = [f"({text})" for text in texts if text]
                if not known or word == "or" and len(known) < len(nodes):
                    return None
                return self.short(f" {word} ".join(known))
            case {"BinaryExpr": {"left": left, "op": str(op), "right": right}} if op in _COMPARED:
                return self.comparison(left, op, right) or self.comparison(right, _FLIPPED.get(op, op), left)
            case {"Function": {"input": [left, low, high], "function": {"Boolean": {"IsBetween": _}}}}:
                # It holds also for the ends, which may be left out.
                ends = self.comparison(left, "GtEq", low), self.comparison(left, "LtEq", high)
                return " and ".join(text for text in ends if text) or None
            case {"Function": {"input": [{"Column": str(name)}, text], "function": {"StringExpr": "StartsWith"}}}:
                start = _literal(text)
                return f"starts_with({self.columns[name]}, {start})" if start and name in self.columns else None
        return None

    @staticmethod
    def short(text: str) -> str | None:
        return text if len(text.encode()) <= _MOST else None

    def comparison(self, left: Any, op: str, right: Any) -> str | None:
        """A comparison with a number or a text."""
        value = _literal(right)
        if value is None or value.startswith('"') and op not in ("Eq", "NotEq"):
            return None
        match left:
            case {"Column": str(name)} if name in self.columns:
                return f"{self.columns[name]} {_COMPARED[op]} {value}"
            case {"Function": {"input": [{"Column": str(name)}], "function": function}}:
                if function == "Abs" and name in self.columns:
                    return self.absolute(name, op, value)
                if function == {"Bitwise": "CountOnes"} and name in self.sets:
                    return f"count({self.sets[name]}) {_COMPARED[op]} {value}"
        some = self.some_squares(left) if value == "0" else None
        return some and {"Eq": f"not ({some})", "NotEq": some}.get(op)

    def absolute(self, name: str, op: str, value: str) -> str:
        """A comparison without the sign. In Polars, the smallest integer of a type keeps its own."""
        column, kind = self.columns[name], self.scan.schema[name]
        text = f"abs({column}) {_COMPARED[op]} {value}"
        if op not in ("Lt", "LtEq", "Eq") or not kind.is_signed_integer():
            return text
        return f"({text} or {column} <= {_SMALLEST.get(str(kind), _SMALL)})"

    def some_squares(self, node: Any) -> str | None:
        """A set, or those of its squares that a number has."""
        match node:
            case {"Column": str(name)}:
                return self.sets.get(name)
            case {"BinaryExpr": {"left": {"Column": str(name)}, "op": "And", "right": right}} if name in self.sets:
                mask = _value(right)
                return f"{self.sets[name]} & {mask % 2**64:#x}" if isinstance(mask, int) else None
        return None


def _names(where: str) -> set[str]:
    """The names in a condition, and its other words."""
    return {column or word for column, word in _WORDS.findall(where)}


def _chain(node: Any) -> list[Any]:
    """The nodes that the operator of a node joins, however often. The tree may be as deep as their number."""
    word, found, rest = _JOINED[node["BinaryExpr"]["op"]], [], [node]
    while rest:
        match rest.pop():
            case {"BinaryExpr": {"left": left, "op": str(op), "right": right}} if _JOINED.get(op) == word:
                rest += [right, left]
            case other:
                found.append(other)
    return found


def _value(node: Any) -> Any:
    """The number or text of a literal; `None` for another node."""
    if not isinstance(node, dict) or "Literal" not in node:
        return None
    while isinstance(node, dict) and len(node) == 1:
        (name, node), *_ = node.items()
        if not _LITERAL.fullmatch(name):
            return None
    return node if isinstance(node, (int, float, str)) and not isinstance(node, bool) else None


def _literal(node: Any) -> str | None:
    """A number or a text as `where` has it; `None` for another node."""
    value = _value(node)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if value.isprintable() else None
    text = str(value)
    return text if _DIGITS.fullmatch(text) else None


def _column(column: "Expr | str") -> Any:
    return module("polars", "polars").col(column) if isinstance(column, str) else column
