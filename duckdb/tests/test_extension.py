"""The extension in DuckDB, against python-chess and the package: every product, nulls, errors, groups and files.

EXTENSION names the file to test; without it, `slider_attacks.duckdb.register` loads the one that the package contains.
"""

import gzip
import http.server
import importlib.util
import inspect
import json
import os
import pathlib
import random
import re
import threading
import time
from typing import Any

import chess
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import slider_attacks

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data"
EXTENSION = os.environ.get("EXTENSION")
GOOD = "4k3/8/8/8/8/8/8/R3K3 w Q -"
VERSION = tuple(map(int, re.findall(r"\d+", duckdb.__version__)[:3]))


@pytest.fixture
def db() -> Any:
    """A connection to a database of its own."""
    connection = duckdb.connect(config={"allow_unsigned_extensions": True})
    if EXTENSION:
        connection.execute(f"load '{EXTENSION}'")
    else:
        slider_attacks.duckdb.register(connection)
    return connection


def fens(count: int) -> list[str]:
    """Positions of random games."""
    dice, board = random.Random(5), chess.Board()
    found: list[str] = []
    while len(found) < count:
        moves = list(board.legal_moves)
        if not moves:
            board = chess.Board()
            continue
        board.push(dice.choice(moves))
        found.append(board.fen())
    return found


FENS = fens(5000)


def table(db: Any, name: str, rows: list[Any], kind: str) -> None:
    """Makes a table of one column."""
    db.register("given", pa.table({name: pa.array(rows, getattr(pa, kind)())}))
    db.execute(f"create or replace table {name}s as select * from given")


def test_products_are_those_of_the_package(db: Any) -> None:
    texts: list[str | None] = [None if row % 7 == 3 else "?" if row % 11 == 5 else fen for row, fen in enumerate(FENS)]
    table(db, "fen", texts, "string")
    for product in slider_attacks.products():
        name: Any = product["name"]
        wanted = pa.table(slider_attacks.analyze(texts, name, on_error="null"))
        columns = ", ".join(f"{column}(fen)" for column in product["columns"])
        found = db.execute(f"select {columns}, {product['function']}(fen) from fens").fetchall()
        for place, column in enumerate(wanted.column_names):
            assert [row[place] for row in found] == wanted[column].to_pylist(), column
        whole = [row[-1] for row in found]
        assert whole == (wanted.to_pylist() if wanted.num_columns > 1 else wanted.column(0).to_pylist()) or all(
            row == (None if texts[place] in (None, "?") else wanted.slice(place, 1).to_pylist()[0])
            for place, row in enumerate(whole)
        )
    wanted = pa.table(slider_attacks.Positions(texts, on_error="null").boards()).to_pylist()
    found = [row for (row,) in db.execute("select boards(fen) from fens").fetchall()]
    assert found == [row if row["white_king"] is not None else None for row in wanted]


def test_pairs_are_those_of_python_chess(db: Any) -> None:
    dice = random.Random(3)
    pairs = [(dice.randrange(64), dice.getrandbits(64) & dice.getrandbits(64)) for _ in range(3000)]
    squares, occs = zip(*pairs, strict=True)
    db.register("pairs", pa.table({"s": pa.array(squares, pa.uint8()), "o": pa.array(occs, pa.uint64())}))
    found = db.execute("select queen_attacks(s, o), rook_attacks(s, o), bishop_attacks(s, o) from pairs").fetchall()
    for (square, occ), row in zip(pairs, found, strict=True):
        rook = chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occ]
        rook |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occ]
        bishop = chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occ]
        assert row == (rook | bishop, rook, bishop)
    rows = "(values (64, 0), (null, 0), (3, null), (63, 0)) t(s, o)"
    found = db.execute(f"select queen_attacks(s::utinyint, o::ubigint) is null from {rows}").fetchall()
    assert [row[0] for row in found] == [True, True, True, False]


def test_constants_dictionaries_slices_and_no_rows(db: Any) -> None:
    attacks = db.execute(f"select white_attacks('{GOOD}')").fetchone()[0]
    assert db.execute(f"select distinct white_attacks('{GOOD}') from range(5000)").fetchall() == [(attacks,)]
    assert db.execute("select white_attacks(null), mobility(null), threats(null), attack_maps(null)").fetchall() == [(None,) * 4]
    assert db.execute(f"select white_attacks('{GOOD}'), threats('?') from range(0)").fetchall() == []
    db.execute(f"create table few as select ['{GOOD}', null, '?'][1 + range % 3] as f from range(10000)")
    query = "select count(*), count(white_attacks(f)), count(mobility(f)), count(threats(f)) from few where rowid % 7 <> 2"
    good = db.execute(f"select count(*) from few where rowid % 7 <> 2 and f = '{GOOD}'").fetchone()[0]
    assert db.execute(query).fetchone()[1:] == (good, good, good)
    joined = "select count(white_attacks(a.f)) from few a join (select distinct f from few) b using (f)"
    assert db.execute(joined).fetchone()[0] == db.execute(f"select count(*) from few where f = '{GOOD}'").fetchone()[0]
    # Fields and elements under a null are null too.
    assert db.execute("select attack_maps(f).white_attacks is null from few where f = '?' limit 1").fetchall() == [(True,)]


def test_a_wrong_row_is_null_and_an_error_on_request(db: Any) -> None:
    wrong = ["?", "", "\n", f"{GOOD}\n{GOOD}", "x" * 100_000, "é", "a\\0b"]
    for text in wrong:
        assert db.execute("select white_attacks(?), boards(?)", [text, text]).fetchall() == [(None, None)], text
    db.execute("call slider_attacks_options(on_error := 'fail')")
    for query, message in [
        ("select white_attacks('?')", r"column 1: .*: '\?'"),
        ("select boards('?')", r"column 1: .*: '\?'"),
        ("select queen_attacks(64, 0)", "square 64 is not on the board"),
        ("select game_positions('1. e5')", "expected a legal move, found .e5.: '1. e5'"),
    ]:
        with pytest.raises(duckdb.Error, match=message) as raised:
            db.execute(query)
        assert not re.search(r"row \d", str(raised.value))
    assert db.execute("select white_attacks(null), queen_attacks(null, 0)").fetchall() == [(None, None)]
    wrong = ["piece_values := '1'", "piece_values := [1, 2]", "piece_values := [1, 3, 3, 5, null]", "piece_values := 5"]
    for call in ["on_error := 'x'", "through := 'x'", *wrong, "backend := 'x'", "nothing := 1"]:
        with pytest.raises(duckdb.Error, match=call.split()[0]):
            db.execute(f"call slider_attacks_options({call})")
    for option in {option for product in slider_attacks.products() for option in product["options"]}:
        usual = inspect.signature(slider_attacks.analyze).parameters[option].default
        option = {"values": "piece_values"}.get(option, option)
        if option == "notation":  # of the columns of `read_positions`; the types of functions are fixed
            with pytest.raises(duckdb.Error, match="notation"):
                db.execute("call slider_attacks_options(notation := 'uci')")
            continue
        db.execute(f"call slider_attacks_options({option} := '{usual}')")
        assert db.execute(f'select count(*) from read_positions(\'{DATA / "sample.epd"}\', {option} := \'{usual}\')').fetchone()
        with pytest.raises(duckdb.Error, match=f"{option}: expected .*, found .x"):
            db.execute(f"call slider_attacks_options({option} := 'x')")
    hung = "3k4/8/3r4/8/8/8/3R4/3K4 w - -"
    for values, gain in [("'1,3,3,5,9'", 5), ("[1, 3, 3, 7, 9]", 7), ("['1', '3', '3', '6', '9']", 6)]:
        db.execute(f'call slider_attacks_options(piece_values := {values})')
        assert db.execute(f"select list_max(white_gains('{hung}'))").fetchall() == [(gain,)]
    db.execute('call slider_attacks_options(piece_values := [1, 3, 3, 5, 9])')
    db.execute("call slider_attacks_options(on_error := 'null', through := 'enemy', backend := 'scalar')")
    table(db, "fen", FENS, "string")
    wanted = pa.table(slider_attacks.analyze(FENS, "xrays", through="enemy"))["white_xrays"].to_pylist()
    assert [row[0] for row in db.execute("select white_xrays(fen) from fens").fetchall()] == wanted


def test_count_squares(db: Any) -> None:
    dice = random.Random(9)
    boards = [None if dice.random() < 0.1 else dice.getrandbits(64) | 1 << 63 for _ in range(20_000)]
    table(db, "board", boards, "uint64")

    def counts(some: list[int | None]) -> list[int]:
        return [sum(board >> square & 1 for board in some if board is not None) for square in range(64)]

    assert db.execute("select count_squares(board) from boards").fetchone()[0] == counts(boards)
    assert db.execute("select count_squares(board) from boards where board = 5").fetchone()[0] == [0] * 64
    for groups in [3, 700]:
        found = db.execute(f"select rowid % {groups} as g, count_squares(board) from boards group by g order by g").fetchall()
        assert found == [(g, counts(boards[g::groups])) for g in range(groups)]
    windows = "select count_squares(board) over (order by rowid rows 9 preceding) from boards order by rowid limit 3000"
    found = [row for (row,) in db.execute(windows).fetchall()]
    assert found == [counts(boards[max(0, row - 9) : row + 1]) for row in range(3000)]
    lists = [row for (row,) in db.execute("select squares(board) from boards").fetchall()]
    assert lists == [None if board is None else list(chess.scan_forward(board)) for board in boards]


def test_games(db: Any) -> None:
    games: list[str | None] = ["1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0", None, "1. e5", "1. d4 { [%eval 0.3] } *", ""] * 700
    table(db, "game", games, "string")
    lists = "select rowid as id, game_positions(game) as p from games"
    query = f"select * from (select id, unnest(p, recursive := true) from ({lists})) order by id, ply"
    found = db.execute(query).fetchall()
    keep: Any = ["ply", "san", "uci", "eval", "mate", "clk", "fen"]
    wanted = pa.table(slider_attacks.game_positions(games, keep=keep, on_error="report")).to_pylist()
    for row in wanted:
        row["error"] = row["error"] and row["error"].removeprefix('field "movetext"').lstrip(",: ")
    assert {row["row"] % 5 for row in wanted if row["error"]} == {2, 4}
    assert sorted(found, key=repr) == sorted((tuple(row.values()) for row in wanted), key=repr)


def test_moves(db: Any, tmp_path: pathlib.Path) -> None:
    names = ["moves", "checking_moves", "mating_moves", "targets"]
    wanted = pa.table(slider_attacks.analyze(FENS, names))
    db.register("fens_of_moves", pa.table({"place": range(len(FENS)), "fen": FENS}))
    found = db.execute(f"select {', '.join(f'{name}(fen)' for name in names)} from fens_of_moves order by place").fetchall()
    for place, name in enumerate(names):
        assert [row[place] for row in found] == wanted[name].to_pylist()
    texts = pa.table(slider_attacks.analyze(FENS, "moves", notation="uci"))["moves"].to_pylist()
    query = "select list_transform(moves(fen), lambda m: uci(m)) from fens_of_moves order by place"
    assert [moves for (moves,) in db.execute(query).fetchall()] == texts
    assert db.execute("select uci(null), uci(0::usmallint)").fetchall() == [(None, "0000")]
    file = tmp_path / "a.epd"
    file.write_text("".join(f"{fen}\n" for fen in FENS))
    assert [moves for (moves,) in db.execute("select moves from read_positions(?, notation := 'uci')", [str(file)]).fetchall()] == texts
    with pytest.raises(duckdb.Error, match="notation"):
        db.execute("call slider_attacks_options(notation := 'uci')")


def test_read_positions(db: Any, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "o'clock.epd"
    file.write_text("".join(f"{fen}\n" for fen in FENS))
    (tmp_path / "z.epd.gz").write_bytes(gzip.compress(file.read_bytes()))
    wanted = pa.table(slider_attacks.analyze(FENS, ["maps", "counts", "threats"]))
    columns = ", ".join(wanted.column_names)
    for threads in [1, 4]:
        db.execute(f"set threads = {threads}")
        found = db.execute(f"select line, fen, {columns} from read_positions(?)", [str(file)]).fetchall()
        assert [row[0] for row in found] == list(range(1, len(FENS) + 1))
        assert [row[1] for row in found] == FENS
        for place, column in enumerate(wanted.column_names, 2):
            assert [row[place] for row in found] == wanted[column].to_pylist()
        for what in ["count(*)", "count(white_attacks)", "count(white_kings)", "max(line)"]:
            assert db.execute(f"select {what} from read_positions(?)", [str(file)]).fetchone()[0] == len(FENS), what
    found = db.execute("select filename, count(*) from read_positions(?) group by filename", [str(tmp_path / "*")]).fetchall()
    assert {(pathlib.Path(name).name, rows) for name, rows in found} == {("o'clock.epd", 5000), ("z.epd.gz", 5000)}
    # The columns are those of the first file.
    files = [str(file), str(DATA / "games.pgn")]
    found = db.execute("select distinct filename from (select filename, fen from read_positions(?))", [files]).fetchall()
    assert {name for (name,) in found} == set(files)
    with pytest.raises(duckdb.Error, match="has no column .ply. to keep"):
        db.execute("select ply from read_positions(?)", [files[::-1]]).fetchall()


def test_positions_after_moves(db: Any, tmp_path: pathlib.Path) -> None:
    some: list[str | None] = [*FENS[:300], None, "?", "7k/5Q2/6K1/8/8/8/8/8 b - -"]
    table(db, "fen", some, "string")
    found = db.execute("select positions_after(fen) from fens").fetchall()
    for (after,), fen in zip(found[:300], FENS):
        board = chess.Board(fen)
        wanted = {}
        for move in board.legal_moves:
            board.push(move)
            wanted[move.uci()] = " ".join(board.fen(en_passant="legal").split()[:4])
            board.pop()
        assert {row["move"]: row["fen"] for row in after} == wanted and len(after) == len(wanted)
    assert found[300:] == [(None,), (None,), ([],)]
    # All chunks of a large table, and with rows that are left out.
    many = "select fen from fens, range(100) where fen is not null"
    query = f"select sum(len(p)), count(p) from (select positions_after(fen) as p from ({many}))"
    assert db.execute(query).fetchall() == [(100 * sum(len(row[0]) for row in found[:300]), 100 * 301)]
    file = tmp_path / "a.epd"
    file.write_text("".join(f"{fen}\n" for fen in FENS[:300]))
    lists = "select unnest(positions_after(fen), recursive := true) from (select fen from fens limit 300)"
    columns = "move, white_attacks, black_attacks, legal_moves"
    query = f"select {columns} from read_positions('{file}', each_move := true)"
    assert db.execute(query).fetchall() == db.execute(
        f"select move, white_attacks(fen), black_attacks(fen), legal_moves(fen) from ({lists})"
    ).fetchall()
    query = f"from read_positions('{DATA / 'games.pgn'}', each_move := true, what := ['maps'], keep := ['ply', 'move'])"
    rows = db.execute(query)
    assert [name for name, *_ in rows.description] == ["line", "move", "ply", "move_1", "white_attacks", "black_attacks"]
    first = rows.fetchall()[0]
    assert first[1:4] == ("b1a3", 0, None)
    with pytest.raises(duckdb.Error, match=r"column 1: .*: '\?'"):
        db.execute("call slider_attacks_options(on_error := 'fail')")
        db.execute("select positions_after('?')")


def test_the_first_of_equal_positions_is_taken(db: Any, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "twice.epd"
    file.write_text("".join(f"{fen}\n" for fen in FENS * 2))
    keys = pa.table(slider_attacks.analyze(FENS, "keys"))
    for kind in ["position", "canonical", "polyglot"]:
        first: dict[int, int] = {}
        for line, key in enumerate(keys[f"{kind}_key"].to_pylist(), 1):
            first.setdefault(key, line)
        for threads in [1, 4]:
            call = "from read_positions(?, unique_by := ?, threads := ?)"
            found = db.execute(f"select line {call}", [str(file), kind, threads]).fetchall()
            assert [line for (line,) in found] == sorted(first.values())
            # Others columns than those that a query uses make no difference.
            assert db.execute(f"select count(*) {call}", [str(file), kind, threads]).fetchone() == (len(first),)
    call = "from read_positions(?, key_shard := ?)"
    parts = [db.execute(f"select line {call}", [str(file), f"{part}/2"]).fetchall() for part in [1, 2]]
    assert all(parts) and sorted(parts[0] + parts[1]) == [(line,) for line in range(1, 2 * len(FENS) + 1)]
    wrong = {
        "unique_by := 'fen'": "expected one of position",
        "key_shard := '3/2'": "expected K/N",
        "unique_by := 'position', unique_memory := 120": "more than 10 different positions",
    }
    for options, said in wrong.items():
        with pytest.raises(duckdb.Error, match=said):
            db.execute(f"select line from read_positions(?, {options})", [str(file)]).fetchall()


def test_conditions(db: Any, tmp_path: pathlib.Path) -> None:
    texts: list[str | None] = [None if row % 7 == 3 else "?" if row % 11 == 5 else fen for row, fen in enumerate(FENS)]
    table(db, "fen", texts, "string")
    positions = slider_attacks.Positions(texts, on_error="null")
    condition = "either(white_hanging) and turn = black or white_attacks[e5]"
    mask = positions.matches(condition).tolist()
    assert 500 < sum(mask) < 4000
    expected = [None if positions[row] is None else holds for row, holds in enumerate(mask)]
    found = db.execute("select matches(fen, ?) from fens", [condition]).fetchall()
    assert [row for (row,) in found] == expected
    other = positions.matches("white_pinned").tolist()
    # A condition for each row. Some are null.
    query = "select matches(fen, case when r % 3 = 0 then ? when r % 3 = 1 then 'white_pinned' end) from (select *, row_number() over () - 1 as r from fens)"
    each = [[expected[row], other[row] if positions[row] else None, None][row % 3] for row in range(len(texts))]
    assert [row for (row,) in db.execute(query, [condition]).fetchall()] == each
    unknown = re.escape("condition: column 1: unknown set `white_pined`: did you mean `white_pinned`?: 'white_pined & e4'")
    with pytest.raises(duckdb.Error, match=unknown):
        db.execute("select matches(fen, 'white_pined & e4') from fens")
    with pytest.raises(duckdb.Error, match='positions have no column "ply", and SQL compares columns'):
        db.execute("select matches(fen, 'ply > 1') from fens")
    db.execute("call slider_attacks_options(on_error := 'fail')")
    with pytest.raises(duckdb.Error, match=r"column 1: expected KQRBNP.*'\?'"):
        db.execute("select matches(fen, 'white_pinned') from fens")
    # Of games, all positions are taken if one meets the condition.
    games = tmp_path / "a.pgn"
    games.write_text("1. e4 e5 2. Ke2 *\n\n1. f3 e5 2. g4 Qh4# 0-1\n")
    plies = db.execute(f"select game, ply from read_positions('{games}', games_where := 'checkmate')").fetchall()
    assert plies == [(2, ply) for ply in range(5)]
    # In files, the columns of a file can be named.
    path = tmp_path / "a.csv"
    path.write_text("fen,ply\n" + "".join(f"{fen},{row}\n" for row, fen in enumerate(FENS[:500])))
    lines = db.execute(
        f"""select line from read_positions('{path}', positions_where := 'turn = white and ply >= 100') order by line"""
    ).fetchall()
    turns = [fen.split()[1] for fen in FENS[:500]]
    assert [line for (line,) in lines] == [row + 2 for row in range(100, 500) if turns[row] == "w"]
    for wrong, message in [("white_pined & e4", "positions_where: column 1"), ("plyy > 3", 'no column "plyy"')]:
        with pytest.raises(duckdb.Error, match=message):
            db.execute(f"""select count(*) from read_positions('{path}', positions_where := '{wrong}')""").fetchall()


def test_a_null_character_ends_no_text(db: Any, tmp_path: pathlib.Path) -> None:
    """DuckDB hands over texts that end at null characters, so that without a check, the file `a` would be read."""
    for text in ["a", "", "it's [a], \\'\\", "a, a]", "é" * 9, "a" * 100, "[", "'"]:
        path = str(tmp_path / "x").replace("'", "''") + text.replace("'", "''")
        pathlib.Path(path.replace("''", "'")).write_text(FENS[0] + "\n")
        assert db.execute(f"select count(*) from read_positions('{path}')").fetchall() == [(1,)]
        assert db.execute(f"select count(*) from read_positions(['{path}'])").fetchall() == [(1,)]
        for rest in ["", "x", "x" * 20, "]'', '']", "''", path]:
            cut = f"'{path}' || chr(0) || '{rest}'"
            for argument in [cut, f"['{path}', {cut}]"]:
                with pytest.raises(duckdb.Error, match="the text has a null character after"):
                    db.execute(f"select count(*) from read_positions({argument})")
    path = str(DATA / "sample.epd")
    for option in ["what", "keep", "column_name", "format", "games", "on_error", "backend", "through", "piece_values"]:
        for value in ["chr(0)", "'maps' || chr(0)"]:
            with pytest.raises(duckdb.Error, match=f"{option}: the text has a null character after"):
                db.execute(f"""select * from read_positions('{path}', "{option}" := {value})""")


def test_read_games_and_tables(db: Any, tmp_path: pathlib.Path) -> None:
    found = db.execute("select ply, san, fen, white_attacks from read_positions(?)", [str(DATA / "games.pgn")]).fetchall()
    keep: Any = ["ply", "san", "fen"]
    wanted = pa.concat_tables(pa.table(batch) for batch in slider_attacks.read(DATA / "games.pgn", "maps", keep=keep))
    assert found == [tuple(row.values()) for row in wanted.select([*keep, "white_attacks"]).to_pylist()]
    some = db.execute("select count(*) from read_positions(?, from_ply := 1, every := 2)", [str(DATA / "games.pgn")])
    assert 0 < some.fetchone()[0] < len(found)
    kinds = {
        "fen": pa.array(FENS[:3000]),
        "number": pa.array(range(3000), pa.int16()),
        "price": pa.array(range(3000), pa.decimal128(7, 2)),
        "day": pa.array(range(3000), pa.date32()),
        "at": pa.array(range(3000), pa.timestamp("us")),
        "yes": pa.array([row % 3 == 0 if row % 5 else None for row in range(3000)]),
        "list": pa.array([list(range(row % 4)) if row % 6 else None for row in range(3000)]),
        "nested": pa.array([{"a": row, "b": [{"c": str(row)}]} for row in range(3000)]),
        "map": pa.array([[(str(row), row)] for row in range(3000)], pa.map_(pa.string(), pa.int64())),
        "code": pa.array([f"word {row % 5}" for row in range(3000)]).dictionary_encode(),
        "data": pa.array([bytes([row % 256]) for row in range(3000)]),
    }
    pq.write_table(pa.table(kinds), tmp_path / "all.parquet")
    names = ", ".join(f'"{name}"' for name in kinds)
    ours = db.execute(f"select {names} from read_positions(?)", [str(tmp_path / "all.parquet")]).fetchall()
    theirs = db.execute(f"select {names} from read_parquet(?)", [str(tmp_path / "all.parquet")]).fetchall()
    assert ours == theirs


def test_wrong_files(db: Any, tmp_path: pathlib.Path) -> None:
    bad = tmp_path / "bad.epd"
    bad.write_text(f"{GOOD}\nnonsense\n{GOOD}\n")
    with pytest.raises(duckdb.Error, match="bad.epd, line 2, column 2"):
        db.execute("select white_attacks from read_positions(?)", [str(bad)]).fetchall()
    rows = {"null": 3, "report": 3, "skip": 2}
    for on_error, count in rows.items():
        found = db.execute("select white_attacks from read_positions(?, on_error := ?)", [str(bad), on_error]).fetchall()
        assert len(found) == count and sum(row == (None,) for row in found) == count - 2
    (tmp_path / "empty").write_bytes(b"")
    assert db.execute("select count(*) from read_positions(?)", [str(tmp_path / "empty")]).fetchone() == (0,)
    (tmp_path / "noise").write_bytes(random.Random(1).randbytes(5000))
    (tmp_path / "cut.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(30))
    (tmp_path / "cut.parquet").write_bytes(b"PAR1" + bytes(30))
    for name in ["noise", "cut.zst", "cut.parquet", "missing", "."]:
        with pytest.raises(duckdb.Error, match=re.escape(str(tmp_path / name)).rstrip(".")):
            db.execute("select * from read_positions(?)", [str(tmp_path / name)]).fetchall()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(duckdb.Error, match="pipe: not a regular file"):
        db.execute("select * from read_positions(?)", [str(tmp_path / "pipe")])
    for arguments in ["null", "5", "[]", "['a', null]", "'-'", "'http://a/b'", "'x', threads := 0", "'x', every := 0", "'x', what := 'y'"]:
        with pytest.raises(duckdb.Error):
            db.execute(f"select * from read_positions({arguments})")
    assert db.execute(f"select white_attacks('{GOOD}')").fetchone() is not None


def test_queries_end_early(db: Any, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "many.epd"
    file.write_text("".join(f"{fen}\n" for fen in FENS) * 40)
    for _ in range(20):
        assert len(db.execute("select fen, threats from read_positions(?) limit 3", [str(file)]).fetchall()) == 3
    timer = threading.Timer(0.2, db.interrupt)
    timer.start()
    started = time.monotonic()
    files = [str(file)] * 30
    with pytest.raises(duckdb.InterruptException):
        db.execute("select count(threats(fen)), count(white_gains) from read_positions(?)", [files]).fetchall()
    assert time.monotonic() - started < 5


def test_threads_agree(db: Any) -> None:
    table(db, "fen", FENS * 60, "string")
    query = "select bit_xor(white_attacks(fen)), sum(legal_moves(fen)), list_sum(count_squares(white_forks(fen))) from fens"
    found = set()
    for threads in [1, 2, 8]:
        db.execute(f"set threads = {threads}")
        found.add(str(db.execute(query).fetchall()))
    assert len(found) == 1


def test_two_databases_of_one_process(db: Any) -> None:
    others = [duckdb.connect(config={"allow_unsigned_extensions": True}) for _ in range(3)]
    for other in others:
        other.execute(f"load '{EXTENSION}'") if EXTENSION else slider_attacks.duckdb.register(other)
    db.execute("call slider_attacks_options(on_error := 'fail')")
    assert [other.execute("select pins('?')").fetchall() for other in others] == [[(None,)]] * 3
    with pytest.raises(duckdb.Error):
        db.execute("select pins('?')")


def names(db: Any, call: str) -> list[str]:
    """The names of the columns of a call of `read_positions`."""
    return [row[0] for row in db.execute(f"describe from read_positions({call})").fetchall()]


def test_names_that_differ_in_case_alone(db: Any, tmp_path: pathlib.Path) -> None:
    table: dict[str, list[Any]] = {
        "Event": ["a", "b", None],
        "Result": ["1-0", "*", None],
        "Result_1": [1, 2, 3],
        "movetext": ["1. e4 1-0", "1. d4 0-1", None],
        "line": [7, 8, 9],
        "LINE": [4, 5, 6],
        "white_attacks": [1, 2, 3],
        "error": ["x", "y", "z"],
        'a "b"': [0, 0, 0],
    }
    path = str(tmp_path / "lichess.parquet")
    pq.write_table(pa.table(table), path)
    call = f"""'{path}', column_name := 'movetext', what := ['maps'], on_error := 'report'"""
    found = names(db, call)
    assert len({name.lower() for name in found}) == len(found)
    assert found[0] == "line" and found[-3:] == ["white_attacks", "black_attacks", "error"]
    assert found[found.index("fen") : -3] == [
        "fen", "Event", "Result_2", "Result_1", "line_1", "LINE_2", "white_attacks_1", "error_1", 'a "b"'
    ]  # fmt: skip
    columns = 'line, ply, RESULT, "Result_2", result_1, line_1, line_2, white_attacks_1, error_1, "a ""b"""'
    rows = db.execute(f"select {columns} from read_positions({call}) where error is null order by line, ply").fetchall()
    assert rows == [
        (line, ply, *(["1-0", "1-0", 1, 7, 4, 1, "x", 0] if line == 1 else ["0-1", "*", 2, 8, 5, 2, "y", 0]))
        for line in (1, 2)
        for ply in (0, 1)
    ]
    kept = f"""'{path}', column_name := 'movetext', what := [], on_error := 'skip'"""
    for keep, wanted, value in [
        (["Result"], ["line", "Result"], "*"),
        (["result"], ["line", "result"], "0-1"),
        (["Result", "result"], ["line", "Result", "result_1"], "*"),
        (["LINE"], ["line", "LINE_1"], 5),
    ]:
        assert names(db, f"{kept}, keep := {keep}") == wanted
        last = f"select {wanted[1]} from read_positions({kept}, keep := {keep}) where line = 2"
        assert db.execute(last).fetchall() == [(value,)] * 2
    db.execute(f"create table copy as from read_positions({call})")
    # What the extension has written, it reads.
    again = str(tmp_path / "again.parquet")
    db.execute(f"copy (from read_positions('{DATA / 'games.pgn'}')) to '{again}'")
    same = "count(*), count_if(white_attacks = white_attacks_1 and line_1 > 0 and fen is not null)"
    assert db.execute(f"select {same} from read_positions('{again}')").fetchone() == (16, 16)
    # A column of this name is not all columns.
    pq.write_table(pa.table({"fen": [GOOD], "all": [5]}), tmp_path / "all.parquet")
    alone = f"""select "all" from read_positions('{tmp_path / "all.parquet"}')"""
    assert db.execute(alone).fetchall() == [(5,)]


def test_the_tags_of_the_first_games(db: Any, tmp_path: pathlib.Path) -> None:
    def game(number: int) -> str:
        tags = {"Event": "e", "White": f"w{number}", "Result": "1-0", "WhiteElo": 1500 + number, "TimeControl": "60+0"}
        tags |= {"WhiteTitle": "GM"} if number == 40 else {}
        return "".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + "\n1. e4 1-0\n\n"

    path = tmp_path / "games.pgn"
    path.write_text("".join(map(game, range(60))))
    for file in [path, tmp_path / "games.pgn.gz"]:
        if file != path:
            file.write_bytes(gzip.compress(path.read_bytes()))
        found = names(db, f"'{file}', what := []")
        assert found[-10:] == [
            "Event", "Site", "Date", "Round", "White", "Black", "Result_1", "WhiteElo", "TimeControl", "WhiteTitle"
        ]  # fmt: skip
        assert names(db, f"'{file}', what := [], keep := ['whiteelo', 'SAN']") == ["line", "WhiteElo", "san"]
        rare = f"'{file}', what := [], keep := ['WhitElo']"
        with pytest.raises(duckdb.Error, match="no column .WhitElo. to keep; its columns are .*WhiteElo, TimeControl, WhiteTitle"):
            names(db, rare)
        assert names(db, f"{rare}, allow_missing_tags := true") == ["line", "WhitElo"]
        query = "select White, WhiteElo, WhiteTitle, Site from read_positions(?) where ply = 1 order by line"
        wanted = [(f"w{row}", 1500 + row, "GM" if row == 40 else None, None) for row in range(60)]
        assert db.execute(query, [str(file)]).fetchall() == wanted


def estimate(db: Any, call: str) -> int:
    """How many rows DuckDB expects of a call of `read_positions`."""
    plan = db.execute(f"explain select line from read_positions({call})").fetchone()[1]
    return int(re.findall(r"~([\d,]+) rows?", plan)[-1].replace(",", ""))


def test_the_number_of_rows_is_estimated(db: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.epd").write_text("".join(f"{fen}\n" for fen in FENS) * 20)
    (tmp_path / "b.epd.gz").write_bytes(gzip.compress((tmp_path / "a.epd").read_bytes()))
    pq.write_table(pa.table({"fen": FENS}), tmp_path / "c.parquet", row_group_size=700)
    pq.write_table(pa.table({"movetext": ["1. e4 e5 2. Nf3"] * 5000}), tmp_path / "d.parquet")
    (tmp_path / "e.pgn").write_text('[Event "?"]\n\n1. e4 e5 2. Nf3 *\n\n' * 5000)
    pq.write_table(pa.table({"fen": FENS[:3], "text": ["x" * 9000] * 3}), tmp_path / "g.parquet")
    record = (1 << 4 | 1 << 60).to_bytes(8, "little") + bytes([0xD5, *[0] * 15, 0, 0, 2, 4, 60 ^ 56, 0, 0, 0])  # two kings
    (tmp_path / "h.bulletformat").write_bytes(record * 9999)
    (tmp_path / "f.csv").write_text("id,fen\n" + "".join(f"{row},{fen}\n" for row, fen in enumerate(FENS)))
    for name, more, rows, within in [
        ("a.epd", "", 100_000, 1.2),
        ("b.epd.gz", "", 100_000, 5),
        ("c.parquet", "", 5000, 1.001),
        ("d.parquet", """, column_name := 'movetext'""", 20_000, 1.001),
        ("e.pgn", "", 20_000, 1.2),
        ("e.pgn", ", every := 4", 5000, 1.2),
        ("f.csv", "", 5000, 1.2),
        ("[af].*", "", 105_000, 1.2),
        ("[cg].parquet", "", 5003, 1),
        ("h.bulletformat", "", 9999, 1),
    ]:
        assert rows / within <= estimate(db, f"'{tmp_path / name}'{more}") <= rows * within, name
    # So a join has the rows of the smaller table in memory.
    db.execute("create table few as select range::ubigint as line from range(50)")
    for order in [f"read_positions('{tmp_path / 'a.epd'}') join few", f"few join read_positions('{tmp_path / 'a.epd'}')"]:
        plan = db.execute(f"explain (format json) select sum(legal_moves) from {order} using (line)").fetchone()[1]
        join = json.loads(plan)[0]
        while "JOIN" not in join["name"]:
            join = join["children"][0]
        probed, built = (json.dumps(child).upper() for child in join["children"])
        assert "READ_POSITIONS" in probed and "READ_POSITIONS" not in built


def threads_of_a_query(db: Any, call: str) -> int:
    """How many more threads the process has while a query reads."""
    tasks = pathlib.Path("/proc/self/task")
    before = len(list(tasks.iterdir()))
    result = db.execute(f"select threats from read_positions({call})")
    assert len(result.fetchmany(10)) == 10
    during = len(list(tasks.iterdir()))
    db.execute("select 1")
    deadline = time.monotonic() + 20
    while len(list(tasks.iterdir())) > before and time.monotonic() < deadline:
        time.sleep(0.01)
    return during - before


@pytest.mark.skipif(not pathlib.Path("/proc/self/task").exists(), reason="this system does not list the threads of a process")
def test_threads_are_those_of_the_database(db: Any, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "many.epd"
    file.write_text("".join(f"{fen}\n" for fen in FENS) * 60)
    call = f"'{file}', what := ['threats']"
    found = {}
    for threads in [1, 2, 6, 1]:
        db.execute(f"set threads = {threads}")
        found[threads] = threads_of_a_query(db, call)
        assert threads_of_a_query(db, f"{call}, threads := 3") - threads_of_a_query(db, f"{call}, threads := 1") == 2
    if VERSION >= (1, 5, 6):
        assert {threads: count - found[1] for threads, count in found.items()} == {1: 0, 2: 1, 6: 5}
        db.execute("set threads = 6")
        assert threads_of_a_query(db, f"{call}, threads := 1") == found[1]


def test_one_thread_is_all_that_works(db: Any, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "many.epd.gz"
    file.write_bytes(gzip.compress("".join(f"{fen}\n" for fen in FENS).encode() * 20, 1))
    db.execute("set threads = 1")
    query = f"select count(white_attacks), count(legal_moves), count(fen) from read_positions('{file}', threads := 1)"
    excess = []
    for _ in range(5):
        started, worked = time.monotonic(), time.process_time()
        assert db.execute(query).fetchone() == (20 * len(FENS),) * 3
        started, worked = time.monotonic() - started, time.process_time() - worked
        excess.append(worked - 1.1 * started)
        if excess[-1] < 0.02:
            break
    # The thread that decompresses waits while DuckDB's computes. Other threads of the process may run in one of the tries.
    assert min(excess) < 0.02, excess


def test_several_threads_give_the_same_rows_and_games(db: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "many.epd").write_text("".join(f"{fen}\n" for fen in FENS) * 10)
    (tmp_path / "many.pgn").write_text("".join(f'[White "{n}"]\n\n1. e4 e5 {{x}} 2. Nf3 *\n\n' for n in range(20_000)))
    queries = [
        f"select count(*), sum(line), sum(legal_moves), bit_xor(position_key) from read_positions('{tmp_path / 'many.epd'}')",
        f"select count(*), sum(game), sum(plies), sum(White::int), count(distinct movetext) from read_games('{tmp_path / 'many.pgn'}')",
    ]
    found = set()
    for threads in [1, 2, 5]:
        db.execute(f"set threads = {threads}")
        found.add(str([db.execute(query).fetchall() for query in queries]))
        # A query that keeps the order has it with any number of threads.
        lines = db.execute(f"select line from read_positions('{tmp_path / 'many.epd'}')").fetchnumpy()["line"]
        assert (lines[1:] == lines[:-1] + 1).all() and len(lines) == 10 * len(FENS)
        games = db.execute(f"select game from read_games('{tmp_path / 'many.pgn'}')").fetchnumpy()["game"]
        assert (games[1:] == games[:-1] + 1).all() and len(games) == 20_000
    assert len(found) == 1


def test_duckdb_opens_urls(db: Any, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "year=2024"
    folder.mkdir()
    (folder / "a.epd.gz").write_bytes(gzip.compress("".join(f"{fen}\n" for fen in FENS).encode()))
    (folder / "b.pgn").write_text((DATA / "games.pgn").read_text())
    pq.write_table(pa.table({"fen": FENS[:100]}), folder / "c.parquet")
    url = f"file://{folder}"
    if VERSION < (1, 5, 6):
        with pytest.raises(duckdb.Error, match="is a URL, and DuckDB gives its file systems to extensions from version 1.5.6 on"):
            db.execute(f"from read_positions('{url}/a.epd.gz')")
        return
    for name in ["a.epd.gz", "b.pgn", "c.parquet"]:
        query = "select * exclude (year) from read_positions('{}')"
        assert db.execute(query.format(f"{url}/{name}")).fetchall() == db.execute(query.format(folder / name)).fetchall(), name
    assert db.execute(f"select distinct year, count(*) from read_positions('{url}/a.epd.gz') group by all").fetchall() == [(2024, len(FENS))]
    assert db.execute(f"select line from '{url}/a.epd.gz' limit 2").fetchall() == [(1,), (2,)]
    games = db.execute(f"select White, plies from '{url}/b.pgn'").fetchall()
    assert games == db.execute(f"select White, plies from read_games('{folder}/b.pgn')").fetchall()
    several = db.execute("select filename, count(*) from read_positions(?) group by 1", [[f"{url}/a.epd.gz", f"{folder}/a.epd.gz"]])
    assert dict(several.fetchall()) == {f"{url}/a.epd.gz": len(FENS), f"{folder}/a.epd.gz": len(FENS)}
    db.execute(f"prepare twice as select count(*) from read_positions('{url}/a.epd.gz')")
    assert [db.execute("execute twice").fetchone() for _ in range(2)] == [(len(FENS),)] * 2
    for names, error in [
        ([f"{url}/none.epd"], "cannot open file://.*none.epd: "),
        ([f"{url}/a.epd.gz", f"{url}/none.epd"], "cannot read file://.*none.epd"),
        ([f"{url}/*.epd"], "patterns are for local files"),
    ]:
        with pytest.raises(duckdb.Error, match=error):
            db.execute("select * from read_positions(?)", [names]).fetchall()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves the files of `DATA`, and says nothing."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given, directory=str(DATA))

    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.skipif(
    VERSION < (1, 5, 6) or not importlib.util.find_spec("aiohttp"), reason="only duckdb/test without `quick` installs it"
)
def test_a_web_server_is_read_through_the_file_system_of_duckdb(db: Any) -> None:
    fsspec = pytest.importorskip("fsspec")
    db.register_filesystem(fsspec.filesystem("http"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), QuietHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        for query in ["select * from read_positions('{}/sample.epd')", "select White, plies from '{}/games.pgn'"]:
            assert db.execute(query.format(url)).fetchall() == db.execute(query.format(DATA)).fetchall()
        with pytest.raises(duckdb.Error, match="cannot open http://.*/none.epd: "):
            db.execute(f"from read_positions('{url}/none.epd')")
        server.shutdown()


# A position of Chess960 in which the pawns can move as in the usual one.
FISCHER = "rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w QEqe -"


def test_games_begin_where_the_second_argument_says(db: Any) -> None:
    games = ["1. e4 e5", "1. e4 e5", None, "1. e4 e5", f'[FEN "{FISCHER}"]\n\n1. e4', "1. e4"]
    starts = [FISCHER, None, FISCHER, "", None, "8/8 w"]
    db.register("given", pa.table({"id": range(6), "game": pa.array(games), "start": pa.array(starts)}))
    lists = "select id, game_positions(game, start) as p from given"
    rows = db.execute(f"select id, unnest(p).fen, unnest(p).error from ({lists}) order by id").fetchall()
    usual = " ".join(chess.STARTING_FEN.split()[:4])
    begins = [(row, fen) for row, fen, _ in rows if fen in (usual, FISCHER)]
    assert begins == [(0, FISCHER), (1, usual), (3, usual), (4, FISCHER)]
    assert [(row, error) for row, _, error in rows if error] == [
        (5, 'field "FEN", column 4: expected 8 ranks separated by /, found 2')
    ]
    assert db.execute("select list(id) from given where game_positions(game, start) is null").fetchall() == [([2],)]
    # Constants, many rows, and nulls in all of them.
    assert db.execute("select len(game_positions('1. e4', null)), game_positions(null, 'x')").fetchall() == [(2, None)]
    many = f"select case when range % 3 = 0 then '{FISCHER}' end as start from range(10000)"
    counts = f"select p[1].fen, count(*) from (select game_positions('1. e4', start) as p from ({many})) group by all order by 2"
    assert db.execute(counts).fetchall() == [(FISCHER, 3334), (usual, 6666)]
    db.execute("call slider_attacks_options(on_error := 'fail')")
    with pytest.raises(duckdb.Error, match="field .FEN., column 4: .*: '1. e4', from '8/8 w'"):
        db.execute("select game_positions(game, start) from given").fetchall()


def test_a_mistake_is_the_last_element_of_a_game(db: Any) -> None:
    for game, plies, error in [
        ("1. e4 e5 2. Ke3", [0, 1, 2, 3], 'column 13, ply 2: expected a legal move, found "Ke3"'),
        ("1. e5", [0, 1], 'column 4, ply 0: expected a legal move, found "e5"'),
        ("1. e4 {x", [0, 1, 2], "column 7, ply 1: expected "),
        ("1. e4 1-0 1. d4", [0, 1, None], "expected a game, found several"),
        ("", [None], "expected a game, found none"),
        ("1. e4", [0, 1], None),
    ]:
        ((found,),) = db.execute("select game_positions(?)", [game]).fetchall()
        assert [position["ply"] for position in found] == plies, game
        assert [position["fen"] is None for position in found] == [position["error"] is not None for position in found]
        assert [position["error"] is None for position in found[:-1]] == [True] * (len(plies) - 1)
        assert (found[-1]["error"] or "").startswith(error or ""), game
    # In a table, the same.
    db.execute("create table games as select * from (values ('1. e4 e9'), (null), ('*')) t(movetext)")
    query = "select count(fen), count(error) from (select unnest(game_positions(movetext), recursive := true) from games)"
    assert db.execute(query).fetchone() == (3, 1)


def test_the_examples_of_the_page(db: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the pages say in SQL can be parsed and gives rows."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").symlink_to(DATA.parent)
    pq.write_table(pa.table({"movetext": ["1. e4 e9"], "WhiteElo": [2000], "FEN": pa.array([None], pa.string())}), "games.parquet")
    db.execute("create table games as select 1 as id, * from 'games.parquet'")
    root = pathlib.Path(__file__).parents[2]
    pages = (root / "duckdb" / "README.md").read_text() + (root / "docs" / "sql.md").read_text()
    examples = re.findall(r"^```sql\n(.*?)^```", pages, re.DOTALL | re.MULTILINE)
    statements = [text for example in examples for text in example.split(";\n") if text and not text.startswith("load")]
    assert len(statements) == 8
    for statement in statements:
        assert db.execute(statement).fetchall(), statement


def test_the_test_of_the_community_build(db: Any) -> None:
    """The file for DuckDB's test runner says what this extension gives, and its description is what that build reads."""
    folder = pathlib.Path(__file__).parents[2] / "packaging" / "duckdb"
    queries = re.findall(r"^query I\n(.*?)\n----\n(.*?)\n$", (folder / "test/sql/slider_attacks.test").read_text(), re.M | re.S)
    assert len(queries) == 4
    for query, expected in queries:
        ((found,),) = db.execute(f"select ({query.rstrip(';')})::text").fetchall()
        assert (found or "NULL") == expected, query
    description = (folder / "description.yml").read_text()
    example = re.search(r"hello_world: \|\n((?:    .*\n)+)", description)
    assert example
    for statement in example[1].replace("games.pgn.zst", str(DATA / "games.pgn")).split(";\n")[:-1]:
        assert db.execute(statement).fetchall(), statement


def test_quoted_views_prepared_statements_and_several_files(db: Any, tmp_path: pathlib.Path) -> None:
    games = (DATA / "games.pgn").read_text()
    for name in ["my games [2024].pgn", "o'clock.pgn"]:
        (tmp_path / name).write_text(games)
    one = str(tmp_path / "my games [2024].pgn")
    assert db.execute("SELECT COUNT(*) FROM READ_POSITIONS(?, WHAT := [], KEEP := ['White'])", [one]).fetchone() == (16,)
    db.execute(f"""create view "My Games" as from read_positions('{one}')""")
    assert db.execute('select WHITE, count(*) from "my games" group by 1 order by 1').fetchall() == [
        ("Bishop, Bo", 6), ("Rook, Rosa", 10)
    ]  # fmt: skip
    db.execute("prepare counted as select count(*), count(distinct filename) from read_positions($1, keep := $2)")
    pattern = str(tmp_path / "*.pgn").replace("'", "''")
    assert db.execute(f"execute counted('{pattern}', [])").fetchone() == (32, 2)
    both = f"select line, ply from read_positions('{one}')"
    assert db.execute(f"select count(*) from ({both} union all {both})").fetchone() == (32,)
    assert db.execute(f"select count(*) from ({both}) join ({both}) using (line, ply)").fetchone() == (16,)
    assert db.execute(f"{both} limit 3 offset 5").fetchall() == [(1, 5), (1, 6), (1, 7)]
    assert db.execute(f"select ply from ({both}) where false").fetchall() == []
    nulls = 'column_name := null, keep := null, what := null, threads := null, games := null'
    assert names(db, f"'{one}', {nulls}") == names(db, f"'{one}'")


def test_squares_and_integers_of_other_types(db: Any) -> None:
    names = [chess.square_name(square) for square in range(64)]
    found = db.execute("select square(square_name(i)), square_name(i), square(upper(square_name(i::utinyint))) from range(64) t(i)")
    assert found.fetchall() == [(square, names[square], square) for square in range(64)]
    assert db.execute("select square('e9'), square(null), square_name(64), square_name(-1), square_name(null)").fetchone() == (None,) * 5
    board = 1 << 63 | 1 << 8
    signed = board - (1 << 64)
    kinds = ["utinyint", "tinyint", "smallint", "integer", "bigint", "uinteger"]
    wanted = db.execute(f"select queen_attacks(3, {board}::ubigint)").fetchone()
    for kind in kinds:
        assert db.execute(f"select queen_attacks(3::{kind}, {board}::ubigint)").fetchone() == wanted, kind
        assert db.execute(f"select queen_attacks(3::{kind}, {signed}::bigint), squares(8::{kind})").fetchone() == (*wanted, [3]), kind
    assert db.execute("select queen_attacks(300::integer, 0), queen_attacks(-1::integer, 0)").fetchone() == (None, None)
    lists = f"squares({signed}), squares({board}), list_sum(count_squares(b)) from (values ({signed}::bigint)) t(b)"
    assert db.execute(f"select {lists}").fetchone() == ([8, 63], [8, 63], 2)
    assert db.execute("select uci(5::integer), uci(5::usmallint), uci(-1), uci(65535)").fetchone() == ("f1a1", "f1a1", "h8h8q", "h8h8q")
    db.execute("call slider_attacks_options(on_error := 'fail')")
    for call in ["square('e9')", "square_name(64)", "queen_attacks(-1::integer, 0)", "uci(70000)"]:
        with pytest.raises(duckdb.Error, match="square|move"):
            db.execute(f"select {call}")


def test_no_name_is_a_word_of_sql_and_none_stands_twice(db: Any) -> None:
    ours = "function_name in ('read_positions', 'slider_attacks_options')"
    words = "select unnest(parameters) from duckdb_functions() where " + ours
    reserved = "select keyword_name from duckdb_keywords() where keyword_category = 'reserved'"
    assert db.execute(f"{words} intersect ({reserved})").fetchall() == []
    found = names(db, f"'{DATA / 'sample.epd'}'")
    assert "white_pawns" in found and "white_pawn" not in found and "side_to_move" in found
    assert "white_pawn" in names(db, f"'{DATA / 'sample.epd'}', what := ['Boards']")
    for word in ["fail", "SKIP", "null", "report"]:
        assert db.execute(f"select count(*) from read_positions('{DATA / 'sample.epd'}', on_error := '{word}')").fetchone()
    with pytest.raises(duckdb.Error, match="only fail and null are possible, found skip"):
        db.execute("call slider_attacks_options(on_error := 'skip')")


def types(db: Any, call: str) -> dict[str, str]:
    """The types of the columns of a call of a table function."""
    return {row[0]: row[1] for row in db.execute(f"describe from {call}").fetchall()}


def test_types_of_text_are_guessed(db: Any, tmp_path: pathlib.Path) -> None:
    def game(elo: str, date: str) -> str:
        return f'[Round "1"]\n[Date "{date}"]\n[WhiteElo "{elo}"]\n[White "7"]\n\n1. e4 *\n\n'

    path = tmp_path / "games.pgn"
    path.write_text(game("1500", "2024.02.29") + game("?", "????.??.??") + game("2700", "1970.01.01"))
    call = f"read_positions('{path}', what := [], keep := ['Round', 'Date', 'WhiteElo', 'White'])"
    assert [*types(db, call).values()][1:] == ["VARCHAR", "DATE", "BIGINT", "VARCHAR"]
    rows = db.execute(f"select distinct Date::varchar, WhiteElo from {call} order by all").fetchall()
    assert rows == [("1970-01-01", 2700), ("2024-02-29", 1500), (None, None)]
    assert set(types(db, call[:-1] + ", all_varchar := true)").values()) == {"UBIGINT", "VARCHAR"}
    table = tmp_path / "a.csv"
    table.write_text("fen,rating,part,day,code,none\n" + f"{GOOD},1,0.5,2024-01-31,007,\n" * 3)
    kinds = types(db, f"read_positions('{table}', what := [])")
    assert kinds == {
        "line": "UBIGINT", "fen": "VARCHAR", "rating": "BIGINT", "part": "DOUBLE", "day": "DATE", "code": "VARCHAR", "none": "VARCHAR"
    }  # fmt: skip
    table.write_text("fen,rating\n" + f"{GOOD},1\n" * 9000 + f"{GOOD},high\n")
    message = ', line 9002, column "rating": expected a whole number.*found "high"; with `all_varchar'
    (tmp_path / "0.csv").write_text(f"fen,rating\n{GOOD},1\n")
    for call in [f"'{table}'", f"'{tmp_path}/*.csv', filename := false"]:
        with pytest.raises(duckdb.Error, match=re.escape(str(table)) + message):
            db.execute(f"select max(rating) from read_positions({call})").fetchall()
    assert db.execute(f"select max(rating) from read_positions('{table}', all_varchar := true)").fetchone() == ("high",)


def test_whole_numbers_keep_their_digits(db: Any, tmp_path: pathlib.Path) -> None:
    table = tmp_path / "a.csv"
    columns = {
        "key": ("UBIGINT", 17240987654321098765, 1),
        "long": ("VARCHAR", "18446744073709551616", "1"),
        "negative": ("VARCHAR", "17240987654321098765", "-1"),
        "mixed": ("VARCHAR", "9007199254740993", "0.5"),
        "float": ("DOUBLE", 9007199254740992.0, 0.5),
    }
    rows = [",".join(str(column[row]) for column in columns.values()) for row in [1, 2]]
    rows = [row.replace("9007199254740992.0", "9007199254740992") for row in rows]
    table.write_text(f"fen,{','.join(columns)}\n" + "".join(f"{GOOD},{row}\n" for row in rows))
    call = f"read_positions('{table}', what := [])"
    assert {name: kind for name, kind in types(db, call).items() if name in columns} == {name: c[0] for name, c in columns.items()}
    found = db.execute(f"select {', '.join(columns)} from {call} order by line").fetchall()
    assert found == [tuple(column[row] for column in columns.values()) for row in [1, 2]]
    table.write_text("fen,key\n" + f"{GOOD},17240987654321098765\n" * 9000 + f"{GOOD},-1\n")
    with pytest.raises(duckdb.Error, match='line 9002, column "key": expected a whole number from 0 .*found "-1"'):
        db.execute(f"select max(key) from read_positions('{table}')").fetchall()


def test_dates_with_unknown_parts_are_no_errors(db: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "games.pgn"

    def dates(first: str, last: str, more: str = "") -> tuple[str, Any]:
        games = [f'[Date "{date}"]\n\n*\n\n' for date in [*[first] * 20_000, last]]
        path.write_text("".join(games))
        call = f"read_games('{path}'{more})"
        return types(db, call)["Date"], db.execute(f"select Date::varchar from {call} where game = 20001").fetchone()[0]

    # As the functions' descriptions say.
    assert dates("1999.05.06", "1999.??.??") == ("DATE", None)
    assert dates("1999.05.06", "1999.05.07") == ("DATE", "1999-05-07")
    assert dates("1999.05.06", "1999.??.??", ", all_varchar := true") == ("VARCHAR", "1999.??.??")
    assert dates("1999.??.??", "1999.05.06") == ("VARCHAR", "1999.05.06")
    assert dates("????.??.??", "1999.??.??") == ("VARCHAR", "1999.??.??")
    for wrong in ["1999.02.30", "1999.?x.??", "1999.??-??"]:
        with pytest.raises(duckdb.Error, match=re.escape(f'{path}, game 20001, column "Date": expected a date') + ".*all_varchar"):
            dates("1999.05.06", wrong)


def test_directories_are_those_of_duckdb(db: Any, tmp_path: pathlib.Path) -> None:
    null = "__HIVE_DEFAULT_PARTITION__"
    groups = [
        ["01", "02"], ["1", null], [null], ["a%20b", "a%2", "%zz", "a+b"], ["+5"], ["-5"], ["2024-01-31", null], ["2024.01.31"],
        ["9223372036854775808"], ["%5F_HIVE_DEFAULT_PARTITION__"], ["x=y"], ["2024%2F01%2F31"],
    ]  # fmt: skip
    for number, values in enumerate(groups):
        for value in values:
            folder = tmp_path / str(number) / f"month={value}"
            folder.mkdir(parents=True)
            (folder / "a.epd").write_text(f"{GOOD}\n")
            (folder / "a.csv").write_text("fen\n1\n")
        ours = f"read_positions('{tmp_path}/{number}/*/a.epd', what := [])"
        other = f"read_csv('{tmp_path}/{number}/*/a.csv', hive_partitioning := true)"
        assert types(db, ours).get("month") == types(db, other).get("month"), values
        if "month" in types(db, ours):
            query = "select month from {} order by all"
            assert db.execute(query.format(ours)).fetchall() == db.execute(query.format(other)).fetchall(), values
    (tmp_path / "month=%FF").mkdir()
    (tmp_path / "month=%FF" / "a.epd").write_text(f"{GOOD}\n")
    with pytest.raises(duckdb.Error, match='a.epd: the value "%FF" of a directory is not UTF-8'):
        db.execute(f"from read_positions('{tmp_path}/month=%FF/a.epd')")


def test_names_of_files_and_directories(db: Any, tmp_path: pathlib.Path) -> None:
    for year, month in [(2023, "b"), (2024, "a")]:
        folder = tmp_path / f"year={year}" / f"month={month}"
        folder.mkdir(parents=True)
        (folder / "a.epd").write_text(f"{FENS[year - 2023]}\n" * (year - 2020))
    call = f"'{tmp_path}/*/*/*.epd', what := ['maps']"
    ours = types(db, f"read_positions({call})")
    assert [*ours] == ["filename", "line", "fen", "white_attacks", "black_attacks", "year", "month"]
    assert (ours["year"], ours["month"]) == ("BIGINT", "VARCHAR")
    query = f"select year, month, count(*) from read_positions({call}) group by all order by all"
    assert db.execute(query).fetchall() == [(2023, "b", 3), (2024, "a", 4)]
    assert "year" not in types(db, f"read_positions({call}, hive_partitioning := false)")
    one = f"'{tmp_path}/year=2023/month=b/a.epd'"
    assert "filename" not in types(db, f"read_positions({one})")
    found = db.execute(f"select distinct filename, year from read_positions({one}, filename := true)").fetchall()
    assert found == [(one.strip("'"), 2023)]
    (tmp_path / "b.epd").write_text(f"{GOOD}\n")
    assert "year" not in types(db, f"read_positions('{tmp_path}')")
    with pytest.raises(duckdb.Error, match="hive_partitioning: the directories of .* name different columns"):
        db.execute(f"from read_positions('{tmp_path}', hive_partitioning := true)")


def test_read_games(db: Any, tmp_path: pathlib.Path) -> None:
    dice, texts, wanted = random.Random(2), [], []
    for number in range(700):
        board, moves = chess.Board(), []
        if number % 5 == 0:
            board.push_san("e4")
        start = board.fen()
        for _ in range(dice.randrange(90)):
            legal = list(board.legal_moves)
            if not legal:
                break
            moves.append(dice.choice(legal))
            board.push(moves[-1])
        begin = chess.Board(start)
        text = begin.variation_san(moves) if moves else ""
        words, ply = [], 0
        for word in text.split():
            words.append(word)
            if not word.rstrip(".").isdigit():
                words.append(f"{{ [%clk 0:00:{59 - ply % 60:02}] }}")
                ply += 1
        clocks = [float(59 - ply % 60) for ply in range(len(moves))] or None
        tags = {"White": f"w{number}", "WhiteElo": 1000 + number, "Date": "2024.05.06", "Result": "1-0"}
        tags |= {"SetUp": "1", "FEN": start} if number % 5 == 0 else {}
        texts.append("".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + "\n" + " ".join(words) + " 1-0\n\n")
        # Where a move of Black begins, python-chess writes `1...e5`.
        wanted.append((number + 1, f"w{number}", 1000 + number, "2024-05-06", "1-0", len(moves), text.replace("...", "... "), clocks))
    path = tmp_path / "games.pgn.gz"
    path.write_bytes(gzip.compress("".join(texts).encode()))
    columns = "game, White, WhiteElo, Date::varchar, result, plies, movetext, clocks"
    for source in [f"read_games('{path}')", f"'{path}'"]:
        assert db.execute(f"select {columns} from {source}").fetchall() == wanted
    assert db.execute(f"select count(*), sum(plies) from '{path}'").fetchone() == (700, sum(row[5] for row in wanted))
    assert [*types(db, f"read_games('{path}', keep := ['whiteelo'])")][:3] == ["game", "WhiteElo", "result"]
    # Of two files, the last game of the first and the first of the second are two, whether or not there are their names.
    for name in ["a.pgn", "b.pgn"]:
        (tmp_path / name).write_text(f'[White "{name}"]\n\n1. e4 *\n')
    both = f"read_games('{tmp_path}/?.pgn', filename := false)"
    assert db.execute(f"select game, White, movetext from {both}").fetchall() == [(1, f"{name}.pgn", "1. e4") for name in "ab"]
    assert len(db.execute(f"from read_games('{tmp_path}/?.pgn')").fetchone()) == len(types(db, both)) + 1
    # A file that is named twice is read twice, whatever its only game has.
    for text in ["1. e4 *\n", "*\n", "1. e4 e9 *\n", "e9 *\n"]:
        (tmp_path / "a.pgn").write_text(text)
        again = f"read_games(['{tmp_path}/a.pgn', '{tmp_path}/a.pgn', '{tmp_path}/a.pgn'], on_error := 'report')"
        rows = db.execute(f"select game, plies, movetext, error from {again}").fetchall()
        assert len(rows) == 3 and rows[0] == rows[1] == rows[2], text


def test_malformed_games_have_tags_and_no_moves(db: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "bad.pgn"
    texts = ["1. e4 e5 *", "1. e4 { [%eval 0.3] [%clk 0:01:00] } e5 2. d4 { [%eval #3] } e9 *", "1. d4 d5 1/2-1/2"]
    path.write_text("".join(f'[White "w"]\n\n{text}\n\n' for text in texts))
    with pytest.raises(duckdb.Error, match="bad.pgn, game 2, .*expected a move, found .e9"):
        db.execute(f"from '{path}'").fetchall()
    call = f"select game, movetext from read_games('{path}', on_error := "
    assert db.execute(f"{call}'skip')").fetchall() == [(1, "1. e4 e5"), (3, "1. d4 d5")]
    assert db.execute(f"{call}'null')").fetchall() == [(1, "1. e4 e5"), (2, None), (3, "1. d4 d5")]
    for word in ["null", "report"]:
        columns = "White, plies, movetext, evals, mates, clocks"
        query = f"select {columns} from read_games('{path}', on_error := '{word}') where game = 2"
        assert db.execute(query).fetchall() == [("w", *[None] * 5)]
    found = db.execute(f"select game, error from read_games('{path}', on_error := 'report') where error is not null").fetchall()
    assert [game for game, _ in found] == [2] and "e9" in found[0][1]
    (tmp_path / "none.pgn").write_text("")
    assert db.execute(f"from '{tmp_path}/none.pgn'").fetchall() == []
    assert db.execute(f"select count(*) from '{DATA / 'sample.epd'}'").fetchone() == (146,)
    table = tmp_path / "games.parquet"
    pq.write_table(pa.table({"pgn": ["1. e4", "1. d4 d5 2. c4"], "rating": [1, 2]}), table)
    found = db.execute(f"select game, rating, movetext from read_games('{table}', column_name := 'pgn')").fetchall()
    assert found == [(1, 1, "1. e4"), (2, 2, "1. d4 d5 2. c4")]
    for file in [DATA / "sample.epd", table]:
        with pytest.raises(duckdb.Error, match="positions and no games|has no column .fen."):
            db.execute(f"from read_games('{file}')")
    with pytest.raises(duckdb.Error, match="does not exist"):
        db.execute("from 'nothing.pgx'")


def test_all_functions_are_described(db: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.pgn").write_bytes((DATA / "games.pgn").read_bytes())
    ours = "select distinct function_name from duckdb_functions()"
    plain = duckdb.connect().execute(ours).fetchall()
    new = {name for (name,) in set(db.execute(ours).fetchall()) - set(plain)}
    rows = db.execute("from slider_attacks_functions()").fetchall()
    assert {name for name, _, prefixed, *_ in rows for name in (name, prefixed) if name} == new
    assert len({row[0] for row in rows}) == len(rows)
    assert db.execute("select count(*) from slider_attacks_functions()").fetchone() == (len(rows),)
    types = dict(db.execute("select distinct function_name, function_type from duckdb_functions()").fetchall())
    for name, kind, prefixed, _, description, _, example in rows:
        assert kind == types[name]
        assert not description[0].islower() and prefixed in (None, f"chess_{name}")
        assert db.execute(example).fetchall() is not None, example
        if prefixed:
            assert str(db.execute(example.replace(f"{name}(", f"{prefixed}(")).fetchall()) == str(db.execute(example).fetchall())
    # What the table says of nulls.
    zeros = db.execute("select count_squares(null::ubigint), chess_count_squares(b) from (values (1::bigint)) t(b) where b > 5")
    assert zeros.fetchone() == ([0] * 64, [0] * 64)


def test_a_name_that_is_taken_is_left_to_others(tmp_path: pathlib.Path) -> None:
    database = str(tmp_path / "a.db")
    connection = duckdb.connect(database, config={"allow_unsigned_extensions": True})
    connection.execute("create macro pins(a) as a + 1")
    connection.execute(f"load '{EXTENSION}'") if EXTENSION else slider_attacks.duckdb.register(connection)
    assert connection.execute("select pins(1)").fetchone() == (2,)
    assert connection.execute(f"select chess_pins('{GOOD}').white_pinned").fetchone() == (0,)
