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
import pytest
import slider_attacks
import slider_attacks.datafusion

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
        ([5], {}, TypeError, "row 0: positions are text, not int"),
        (texts, {"keep": "line"}, ValueError, "line"),
        (texts, {"keep": "movetext"}, ValueError, "movetext"),
        (texts, {"keep": ["ply", "ply"]}, ValueError, "two columns of that name"),
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
    query = f"select id, {names} from (select id, unnest(game_positions(movetext), recursive := true) from games) order by id, ply"
    connection.register("games", table)
    expected = list(zip(*(ALL[name].to_pylist() for name in ["row", *names.split(", ")]), strict=True))
    assert connection.execute(query).fetchall() == expected
    context.register_record_batches("games", [table.to_batches()])
    frame = context.sql("select id, unnest(game_positions(movetext)) as position from games order by id").to_pylist()
    assert sorted((row["id"], *row["position"].values()) for row in frame if row["position"]) == sorted(expected)
    none = connection.execute("select id from games where game_positions(movetext) is null").fetchall()
    assert none == [(300,), (301,)]
    strict = duckdb.connect(config=unsigned)
    slider_attacks.duckdb.register(strict, on_error="raise")
    with pytest.raises(duckdb.Error, match="column 4, ply 0: expected a legal move, found .e5.: '1. e5'"):
        strict.sql("select game_positions('1. e5')").fetchall()
