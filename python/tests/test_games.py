"""Games in columns: the same positions as files of PGN give, and as python-chess has them."""

import io
import pathlib
import random
from typing import Any

import chess
import chess.pgn
import datafusion
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import slider_attacks
import slider_attacks.datafusion
import slider_attacks.ray

COLUMNS = ["ply", "san", "uci", "move", "next_san", "next_uci", "eval", "mate", "clk", "result", "depth", "fen"]


def games(count: int) -> list[str]:
    """Random games, some with clocks and evaluations, some with a result."""
    choose = random.Random(5)
    texts = []
    for number in range(count):
        board, words = chess.Board(), []
        for ply in range(choose.randrange(60)):
            moves = list(board.legal_moves)
            if not moves:
                break
            move = choose.choice(moves)
            words += ([f"{ply // 2 + 1}."] if ply % 2 == 0 else []) + [board.san(move)]
            if number % 3 == 0:
                words.append(f"{{ [%eval {choose.randrange(-999, 999) / 100}] [%clk 0:{choose.randrange(10, 60)}:07] }}")
            board.push(move)
        texts.append(" ".join([*words, choose.choice(["1-0", "0-1", "1/2-1/2", "*"])]))
    return texts


GAMES = games(300)
ALL: Any = pa.record_batch(slider_attacks.game_positions(GAMES, keep=COLUMNS))


def test_the_positions_are_those_of_python_chess() -> None:
    expected = []
    for row, text in enumerate(GAMES):
        game = chess.pgn.read_game(io.StringIO(text))
        node: chess.pgn.GameNode | None = game
        while node is not None:
            san = node.san() if isinstance(node, chess.pgn.ChildNode) else None
            score = node.eval()
            centipawns = None if score is None else score.white().score()
            fen = " ".join(node.board().fen(en_passant="legal").split()[:4])
            after = node.next()
            played = (None, None) if after is None else (after.san(), after.uci())
            expected.append((row, node.ply(), san, *played, centipawns, node.clock(), fen))
            node = after
    names = ["row", "ply", "san", "next_san", "next_uci", "eval", "clk", "fen"]
    found = zip(*(ALL[name].to_pylist() for name in names), strict=True)
    assert list(found) == expected and len(expected) > 5000


def test_files_have_the_same(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.pgn").write_text("".join(f'[Event "?"]\n\n{text}\n\n' for text in GAMES))
    rows = pa.table(slider_attacks.read(tmp_path / "a.pgn", "maps", keep=COLUMNS))
    batch: Any = pa.record_batch(slider_attacks.game_positions(GAMES, "maps", keep=COLUMNS))
    assert rows["line"].to_pylist() == [row + 1 for row in batch["row"].to_pylist()]
    assert rows.drop_columns("line").equals(pa.table(batch).drop_columns("row"))


def test_all_kinds_of_columns() -> None:
    chunks = pa.chunked_array([GAMES[:7], [], GAMES[7:]])
    for column in [chunks, pa.array(GAMES, pa.large_string()), pl.Series(GAMES), pd.Series(GAMES), pa.array(GAMES).dictionary_encode()]:
        for threads in (1, 3):
            assert pa.record_batch(slider_attacks.game_positions(column, keep=COLUMNS, threads=threads)) == ALL
    table = pl.DataFrame({"Id": range(len(GAMES)), "Movetext": GAMES})
    assert pa.record_batch(slider_attacks.game_positions(table, keep=COLUMNS)) == ALL
    assert len(slider_attacks.game_positions([])) == 0
    nulls = slider_attacks.game_positions([None, GAMES[0], None], keep=COLUMNS)
    assert nulls["row"].tolist() == [1] * ALL["row"].to_pylist().count(0)
    # More than one part of work.
    many: Any = pa.record_batch(slider_attacks.game_positions(GAMES * 40, ["boards", "maps"], keep="ply", threads=2))
    assert many["row"].to_numpy().tolist() == [n * 300 + row for n in range(40) for row in ALL["row"].to_pylist()]
    assert slider_attacks.Positions(many).fens().tolist() == ALL["fen"].to_pylist() * 40


def test_which_positions() -> None:
    text = ["1. e4 e5 (1... c5 2. Nf3) 2. Nc3"]

    def plies(**options: Any) -> list[int]:
        found: list[int] = slider_attacks.game_positions(text, keep="ply", **options)["ply"].tolist()
        return found

    assert plies() == [0, 1, 2, 3] and plies(from_ply=1, every=2) == [1, 3] and plies(to_ply=1) == [0, 1]
    assert plies(variations=True) == [0, 1, 2, 2, 3, 3]


def test_mistakes() -> None:
    texts = ["1. e4", "1. e4 e4", None, "1. d4 d5", "1. e4 1-0 1. e4", ""]
    with pytest.raises(ValueError, match='^row 1, field "movetext", column 7, ply 1: expected a legal move, found "e4"$'):
        slider_attacks.game_positions(texts)
    skipped = slider_attacks.game_positions(texts, keep="ply", on_error="skip")
    assert skipped["row"].tolist() == [0, 0, 1, 1, 3, 3, 3, 4, 4] and skipped.error_count == 3
    assert [row for row, _ in skipped.errors] == [1, 4, 5]
    reported = slider_attacks.game_positions(texts, keep="ply", on_error="report")
    assert [row for row, error in zip(reported["row"], reported["error"], strict=True) if error] == [1, 4, 5]
    wrong: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        ("1. e4", {}, TypeError, "put"),
        ([5], {}, TypeError, "row 0: positions must be str, not int"),
        (pa.array([["e4", "e5"]]), {}, TypeError, "found List.*; for game_positions, join the moves"),
        (pl.DataFrame({"m": [["e4", "e5"]]}), {"column": "m"}, TypeError, '"m" is LargeList.*; for game_positions, join the moves'),
        (pd.Series(["*"] * 2), {"fen": pd.Series([None] * 2, index=[1, 0])}, ValueError, "have different indices"),
        (texts, {"keep": "line"}, ValueError, "line"),
        (texts, {"keep": "movetext"}, ValueError, "movetext"),
        (texts, {"keep": ["ply", "ply"]}, ValueError, "already has a column of that name"),
        (texts, {"what": "mops"}, ValueError, "expected one of boards"),
        (texts, {"every": 0}, ValueError, "every=0"),
    ]
    for games, options, kind, said in wrong:
        with pytest.raises(kind, match=said):
            slider_attacks.game_positions(games, **options)


def test_sql() -> None:
    unsigned: Any = {"allow_unsigned_extensions": True}
    connection, context = duckdb.connect(config=unsigned), datafusion.SessionContext()
    slider_attacks.duckdb.register(connection, on_error="null")
    slider_attacks.datafusion.register(context, on_error="null")
    table = pa.table({"id": range(len(GAMES) + 2), "movetext": [*GAMES, None, "1. e5"]})
    names = "ply, san, uci, eval, mate, clk, fen"
    query = f"select id, {names}, error from (select id, unnest(game_positions(movetext), recursive := true) from games) order by id, ply"
    connection.register("games", table)
    expected = list(zip(*(ALL[name].to_pylist() for name in ["row", *names.split(", ")]), [None] * len(ALL), strict=True))
    # Of a game with a mistake, the positions before it, and then what is wrong.
    start = " ".join(chess.STARTING_FEN.split()[:4])
    expected.append((301, 0, *[None] * 5, start, None))
    expected.append((301, 1, *[None] * 6, 'column 4, ply 0: expected a legal move, found "e5"'))
    assert connection.execute(query).fetchall() == expected
    context.register_record_batches("games", [table.to_batches()])
    frame = context.sql("select id, unnest(game_positions(movetext)) as position from games order by id").to_pylist()
    found = [(row["id"], *row["position"].values()) for row in frame if row["position"]]
    assert sorted(found, key=repr) == sorted(expected, key=repr)
    for engine in (connection, context):
        assert pa.table(engine.sql("select id from games where game_positions(movetext) is null"))["id"].to_pylist() == [300]
    strict = duckdb.connect(config=unsigned)
    slider_attacks.duckdb.register(strict, on_error="raise")
    with pytest.raises(duckdb.Error, match="column 4, ply 0: expected a legal move, found .e5.: '1. e5'"):
        strict.sql("select game_positions('1. e5')").fetchall()
    other = datafusion.SessionContext()
    slider_attacks.datafusion.register(other)
    for query in ["game_positions('1. e5')", "game_positions_from('1. e5', null)", f"game_positions_from('1. e5', '{FISCHER}')"]:
        with pytest.raises(Exception, match="'column 4, ply 0: expected a legal move, found .e5.: .*1. e5"):
            other.sql(f"select {query}").collect()


# Positions of Chess960, in which the usual moves of pawns can be played.
FISCHER = "rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w QEqe -"
OTHER = "1k2r2r/pppppppp/8/8/8/8/PPPPPPPP/1K2R2R w EHeh - 0 1"
STARTS: dict[str, Any] = {
    "movetext": ["1. e4 e5", "1. e4 e5", "1. O-O", None, f'[FEN "{FISCHER}"]\n\n1. e4', "1. e4"],
    "FEN": [FISCHER, None, OTHER, FISCHER, OTHER, "  "],
}


def beginnings(batch: Any) -> dict[int, str]:
    """The first position of each game."""
    found: dict[int, str] = {}
    for row, fen in zip(batch["row"].tolist(), batch["fen"].tolist(), strict=True):
        found.setdefault(row, fen)
    return found


def test_games_begin_where_their_row_says() -> None:
    usual = " ".join(chess.STARTING_FEN.split()[:4])
    expected = {0: FISCHER, 1: usual, 2: "1k2r2r/pppppppp/8/8/8/8/PPPPPPPP/1K2R2R w KEke -", 4: FISCHER, 5: usual}
    table = pa.table(STARTS)
    relation = duckdb.from_arrow(table).select("movetext, \"FEN\", 1 as \"other \"\"one\"\"\"")
    frames: list[Any] = [STARTS, table, table.to_batches()[0], pl.DataFrame(STARTS), pd.DataFrame(STARTS), relation, table.to_reader()]
    chunked = pa.table({name: pa.chunked_array([column[:2], [], column[2:]]) for name, column in STARTS.items()})
    frames += [chunked, table.cast(pa.schema({"movetext": pa.large_string(), "FEN": pa.string_view()}))]
    for frame in frames:
        assert beginnings(slider_attacks.game_positions(frame)) == expected, type(frame)
    # A column that is handed over, or named; a table whose column has another name, and more than one part of work.
    emptied: Any = STARTS | {"FEN": [""] * 6}
    columns = (STARTS["FEN"], pa.array(STARTS["FEN"]), pl.Series(STARTS["FEN"]), pd.Series(STARTS["FEN"]), chunked["FEN"])
    for fen in (*columns, pa.array(STARTS["FEN"]).dictionary_encode()):
        assert beginnings(slider_attacks.game_positions(STARTS["movetext"], fen=fen)) == expected
        assert beginnings(slider_attacks.game_positions(emptied, fen=fen)) == expected
    renamed = {"movetext": STARTS["movetext"], "Start": STARTS["FEN"], "fen": ["8/8 w"] * 6}
    for frame in (renamed, pa.table(renamed), pl.DataFrame(renamed), pd.DataFrame(renamed)):
        assert beginnings(slider_attacks.game_positions(frame, fen="start")) == expected
        assert beginnings(slider_attacks.game_positions(frame, on_error="skip"))[0] == usual
    many = {name: column * 4000 for name, column in STARTS.items()}
    found = beginnings(slider_attacks.game_positions(many, threads=2))
    assert found == {6 * n + row: fen for n in range(4000) for row, fen in expected.items()}
    # Columns without values, whatever their type.
    for fen in (pa.nulls(6), [None] * 6, pa.array([None] * 6, pa.float64()), pd.Series([float("nan")] * 6)):
        assert beginnings(slider_attacks.game_positions(STARTS["movetext"][:2] + ["*"] * 4, fen=fen))[0] == usual
    wrong: list[tuple[Any, Any, type[Exception], str]] = [
        (STARTS["movetext"], "FEN", TypeError, "fen='FEN' names a column: pass a table"),
        (pa.array(STARTS["movetext"]), "FEN", TypeError, "fen='FEN' names a column: pass a table"),
        (table, "start", ValueError, "fen='start': no such column; the columns are movetext, FEN"),
        (table, STARTS["FEN"][:3], ValueError, "fen has 3 rows, and there are 6 games"),
        (STARTS["movetext"], pa.array(range(6)), TypeError, "FEN"),
        ({**STARTS, "FEN": ["8/8 w"] * 6}, None, ValueError, '^row 0, field "FEN", column 4: expected 8 ranks'),
    ]
    for games, fen, kind, said in wrong:
        with pytest.raises(kind, match=said.replace("'", "[\"']")):
            slider_attacks.game_positions(games, fen=fen)


def test_games_begin_where_their_row_says_in_sql(tmp_path: pathlib.Path) -> None:
    table = pa.table(STARTS)
    expected = beginnings(slider_attacks.game_positions(table))
    pq.write_table(table.append_column("id", pa.array(range(6))), tmp_path / "games.parquet")
    # `read` gives the same.
    rows = pa.table(slider_attacks.read(tmp_path / "games.parquet", column="movetext", keep=["id", "fen"], on_error="skip"))
    found: dict[int, str] = {}
    for row, fen in zip(rows["id"].to_pylist(), rows["fen"].to_pylist(), strict=True):
        found.setdefault(row, fen)
    assert found == expected
    connection, context = duckdb.connect(config={"allow_unsigned_extensions": True}), datafusion.SessionContext()
    slider_attacks.duckdb.register(connection)
    slider_attacks.datafusion.register(context, on_error="null")
    connection.execute(f"create view games as from '{tmp_path / 'games.parquet'}'")
    context.register_parquet("games", str(tmp_path / "games.parquet"))
    engines: list[tuple[Any, str]] = [(connection, "game_positions"), (context, "game_positions_from")]
    for engine, function in engines:
        lists = pa.table(engine.sql(f'select id, {function}(movetext, "FEN") as p from games')).to_pylist()
        assert {row["id"]: row["p"][0]["fen"] for row in lists if row["p"]} == expected
        wrong = pa.table(engine.sql(f"select {function}('1. e4', 'x') as p from games")).to_pylist()
        assert {(position["fen"], position["error"][:22]) for row in wrong for position in row["p"]} == {
            (None, 'field "FEN", column 1:')
        }


class Blocks:
    """A data set as `slider_attacks.ray` uses it: some tables, one block each."""

    def __init__(self, *tables: pa.Table) -> None:
        self.tables = tables

    def columns(self) -> list[str]:
        return list(self.tables[0].column_names)

    def map_batches(self, function: Any, **_: Any) -> list[list[pa.Table]]:
        return [list(function(table)) for table in self.tables]


def test_a_block_without_games_has_the_columns_of_others() -> None:
    games = pa.table({"id": [7], "movetext": ["1. e4 e5"]})
    dataset: Any = Blocks(games, games.slice(1), games.schema.empty_table())
    ((some,), (none,), (empty,)) = slider_attacks.ray.with_positions(dataset, what=["maps", "counts"])
    assert some.num_rows == 3 and none.num_rows == empty.num_rows == 0
    assert some.schema == none.schema == empty.schema
