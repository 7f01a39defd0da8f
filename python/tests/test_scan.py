"""Files as lazy frames of Polars: the rows of `read`, and of these no more than a query needs."""

import operator
import pathlib
import re
from collections.abc import Callable
from functools import reduce
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import slider_attacks
from slider_attacks.polars import scan_positions

DATA = pathlib.Path(__file__).parent.parent.parent / "tests" / "data"
BINPACK, GAMES = DATA / "sample.binpack", [DATA / "tour.pgn", DATA / "games.pgn"]
PRODUCTS = ["maps", "boards", "pins", "status", "legal_moves", "keys", "counts"]
c = pl.col

Query = Callable[[pl.LazyFrame], pl.LazyFrame]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The products and options with which scans have called `read`."""
    found: list[Any] = []

    def read(path: Any, what: Any, **options: Any) -> Any:
        found.append((what, options))
        return slider_attacks.read(path, what, **options)

    monkeypatch.setattr("slider_attacks.polars.read", read)
    return found


QUERIES: list[tuple[Any, Query, dict[str, Any], list[str], list[str], str | None]] = [
    # The files, a query, options, and the products, kept columns and the condition that it needs.
    (BINPACK, lambda rows: rows.select(pl.len()), {}, [], [], None),
    (BINPACK, lambda rows: rows.select("score", "black_attacks"), {}, ["maps"], ["score"], None),
    (
        BINPACK,
        lambda rows: rows.filter(c("score").abs() < 100, c("in_check") == 0, c("white_pinned") != 0).select("line"),
        {},
        ["pins", "status"],
        ["score"],
        "(((in_check = 0) and ((abs(`score`) < 100 or `score` <= -999999999999999))) and (white_pinned))",
    ),
    (
        BINPACK,
        lambda rows: rows.filter((c("score") > -50) | (c("result") == "1-0")).select("white_attacks"),
        {"where": "legal_moves > 20"},
        ["maps"],
        ["score", "result"],
        '(legal_moves > 20) and ((`score` > -50) or (`result` = "1-0"))',
    ),
    (
        BINPACK,
        lambda rows: rows.filter(c("white_pawn").bitwise_count_ones() >= 6, c("black_queen") == 0).select("line"),
        {"integers": "signed"},
        ["boards"],
        [],
        "((count(white_pawns) >= 6) and (not (black_queens)))",
    ),
    (
        BINPACK,
        lambda rows: rows.filter(c("white_attacks") & 0xFF00 != 0, 30 < c("legal_moves")).select("line"),
        {},
        ["maps", "legal_moves"],
        [],
        "((legal_moves > 30) and (white_attacks & 0xff00))",
    ),
    # No other part of a condition holds wherever the predicate does.
    (
        BINPACK,
        lambda rows: rows.filter((c("score") > c("line")) | (c("score") > 3)).select("score"),
        {},
        [],
        ["score"],
        None,
    ),
    (BINPACK, lambda rows: rows.head(7).filter(c("score") > 3).select("score"), {}, [], ["score"], None),
    (BINPACK, lambda rows: rows.filter(c("score") > 3).select("score"), {"unique": True}, [], ["score"], None),
    (
        BINPACK,
        lambda rows: rows.filter(c("next_gain") < 0).select("next_gain"),
        {"next_gain": True},
        [],
        ["next_uci", "next_move"],
        None,
    ),
    (BINPACK, lambda rows: rows.filter(c("result") > 0).select("result"), {"points": True}, [], ["result"], None),
    (
        BINPACK,
        lambda rows: rows.filter(c("white_pinned") != 0).select("line"),
        {"perspective": "mover"},
        ["pins"],
        [],
        None,
    ),
    (
        GAMES,
        lambda rows: rows.filter(c("White") == "Bishop, Bo").select("line", "White", "file"),
        {"dictionary": "all"},
        [],
        ["White"],
        '(`White` = "Bishop, Bo")',
    ),
    (
        GAMES,
        lambda rows: rows.filter(c("Round") != "1").select("Round"),
        {"dictionary": ["White", "Round"]},
        [],
        ["Round"],
        '(`Round` != "1")',
    ),
    (
        GAMES,
        lambda rows: rows.filter(c("White").str.starts_with("A"), c("ply").is_between(2, 9)).select("file", "White"),
        {},
        [],
        ["ply", "White"],
        '((starts_with(`White`, "A")) and (`ply` >= 2 and `ply` <= 9))',
    ),
]


def words(condition: str | None) -> list[str]:
    """The words of a condition, without parentheses."""
    return re.sub(r"[()]", " ", condition or "").split()


@pytest.mark.parametrize("place", range(len(QUERIES)))
def test_a_scan_has_the_rows_of_the_files_and_computes_what_a_query_needs(place: int, calls: list[Any]) -> None:
    files, query, options, products, kept, condition = QUERIES[place]
    options = {"keep": "all", **options}
    frame = pl.DataFrame(slider_attacks.read(files, PRODUCTS, **options))
    expected = query(frame.lazy()).collect()
    assert expected.height > 0
    lazy = scan_positions(files, PRODUCTS, **options)
    assert lazy.collect_schema() == frame.schema
    calls.clear()
    assert query(lazy).collect().equals(expected)
    assert query(lazy).collect(engine="streaming").equals(expected)
    for what, read in calls:
        assert (what, read["keep"]) == (products, kept)
        # Polars orders the parts of a predicate as it likes.
        assert sorted(words(read.get("where"))) == sorted(words(condition))


def test_a_scan_of_few_rows_reads_few(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "positions.fen"
    path.write_text("4k3/8/8/8/8/8/8/R3K3 w Q -\n" * 300_000 + "nonsense\n")
    lazy = scan_positions(path, "legal_moves")
    assert lazy.head(3).collect().rows() == [(1, 16), (2, 16), (3, 16)]
    with pytest.raises(Exception, match="positions.fen, line 300001"):
        lazy.select(pl.len()).collect()


def test_a_column_without_values_has_no_rows_for_a_predicate(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text('[White "A"]\n[BlackTeam "T"]\n\n1. e4 *\n')
    for predicate, rows in ((c("Black") == "B", 0), ((c("Black") == "B") | (c("ply") == 1), 1)):
        lazy = scan_positions(path, [], keep=["Black", "ply"])
        assert lazy.filter(predicate).collect().height == rows
    # `where` has this column only as a part of a word, or as text.
    for where in ("BlackTeam = 'T'", 'White != "Black"', "White != 'no \\' Black'"):
        lazy = scan_positions(path, [], keep=["Black", "ply"], where=where)
        assert lazy.filter(c("Black") == "B").collect().height == 0
    for where in ("Black = 'B'", "`Black` = 'B'"):
        with pytest.raises(Exception, match='no record has "Black"'):
            scan_positions(path, [], keep="Black", where=where).filter(c("Black") == "B").collect()


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_comparisons_of_floats_are_those_of_polars(kind: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "positions.parquet"
    values = pa.array([float("nan"), float("inf"), float("-inf"), 0.1, 7.0, None], kind)
    pq.write_table(pa.table({"fen": ["4k3/8/8/8/8/8/8/R3K3 w Q -"] * 6, "value": values}), path)
    value = c("value")
    ranges = value > 5, 5 < value, value <= 0.1, value < 0.1, value.is_between(0.1, 9)
    for predicate in (*ranges, value != 7, value.abs() > 5):
        lazy = scan_positions(path, [], keep="value")
        assert lazy.filter(predicate).collect().equals(lazy.collect().filter(predicate)), predicate


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_the_smallest_integer_keeps_its_sign_as_in_polars(bits: int, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "positions.parquet"
    smallest = -(2 ** (bits - 1))
    values = pa.array([smallest, smallest + 1, -100, -5, 5, 127, -smallest - 1, None], f"int{bits}")
    pq.write_table(pa.table({"fen": ["4k3/8/8/8/8/8/8/R3K3 w Q -"] * 8, "value": values}), path)
    value = c("value").abs()
    for predicate in (value < 100, value <= 5, value == 5, value == -128, value != 5, value > 5, value >= -128):
        lazy = scan_positions(path, [], keep="value")
        assert lazy.filter(predicate).collect().equals(lazy.collect().filter(predicate)), predicate


@pytest.mark.parametrize("count", [70, 250])
@pytest.mark.parametrize("word", ["or", "and"])
def test_predicates_of_many_terms(count: int, word: str, calls: list[Any]) -> None:
    lazy = scan_positions(BINPACK, [], keep="score")
    terms = [c("score") == number if word == "or" else c("score") != number for number in range(count)]
    predicate = reduce(operator.or_ if word == "or" else operator.and_, terms)
    assert lazy.filter(predicate).collect().equals(lazy.collect().filter(predicate))
    found = [(options.get("where") or "").count(f") {word} (") for _, options in calls]
    assert max(found) == (count - 1 if count == 70 else 0)


def test_predicates_that_are_nested_deeply() -> None:
    for given, levels in ((None, 40), ("(" * 62 + "legal_moves > 1" + ")" * 62, 3)):
        lazy = scan_positions(BINPACK, [], keep="score", where=given)
        predicate = c("line") < 0
        for number in range(levels):
            predicate = (predicate | (c("score") > number)) & (c("score") != 0)
        assert lazy.filter(predicate).collect().equals(lazy.collect().filter(predicate))


def test_columns_of_the_input_have_the_names_of_a_reader(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "positions.csv"
    path.write_text("fen,file,error,move\n4k3/8/8/8/8/8/8/R3K3 w Q -,a,none,e4\n")
    lazy = scan_positions(path, [], keep="all")
    for name, value in (("file", "a"), ("error", "none"), ("move", "e4")):
        for query in (lazy.select(name), lazy.filter(c(name) == value).select(name)):
            assert query.collect().rows() == [(value,)]
    both = scan_positions([path], [], keep=["move"], on_error="report").select("error", "file", "move").collect()
    assert both.rows() == [(None, str(path), "e4")]


def test_a_scan_warns_of_the_lines_that_it_skips(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "positions.fen"
    path.write_text("4k3/8/8/8/8/8/8/R3K3 w Q -\n" * 3 + "nonsense\n" * 2)
    lazy = scan_positions(path, "legal_moves", on_error="skip")
    for query in (lazy.select(pl.len()), lazy.filter(c("legal_moves") > 99).select("line")):
        with pytest.warns(UserWarning, match=r"^skipped 2 malformed records: .*positions.fen, line 4"):
            query.collect()


def test_what_a_scan_refuses(tmp_path: pathlib.Path) -> None:
    with BINPACK.open("rb") as file, pytest.raises(TypeError, match="a file object is read once"):
        scan_positions(file)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        scan_positions(tmp_path / "nothing.pgn")
    with pytest.raises(ValueError, match="where="):
        scan_positions(BINPACK, where="nothing(")
