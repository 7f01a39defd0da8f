"""Files: the same rows as the lines of each format, errors with their place, and threads that come to an end."""

import contextlib
import gc
import gzip
import io
import itertools
import json
import os
import pathlib
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import chess
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import slider_attacks
from test_memory import resident
from test_positions import fens

LINES = [" ".join(fen.split()[:4]) for fen in fens()[:3000]]
PRODUCTS: list[Any] = [product["name"] for product in slider_attacks.products()]
ALL = pa.table(slider_attacks.analyze(LINES, PRODUCTS))
ONE = "4k3/8/8/8/8/8/8/R3K3 w Q -"


def rows() -> Iterator[tuple[int, str]]:
    return enumerate(LINES)


def write_parquet(path: pathlib.Path) -> None:
    ids = pa.array([row if row % 5 else None for row, _ in rows()], pa.int16())
    tags = pa.array([f"tag {row % 3}" for row, _ in rows()]).dictionary_encode()
    lists = pa.array([[row, row + 1] for row, _ in rows()])
    pq.write_table(pa.table({"Id": ids, "FEN": LINES, "Tag": tags, "List": lists}), path, row_group_size=700)


def text(path: pathlib.Path, content: str) -> None:
    path.write_text(content)


FORMATS: dict[str, tuple[int, Callable[[pathlib.Path], Any]]] = {
    # The number of the first line, and what writes the file.
    "a.fen": (1, lambda path: text(path, "\n".join(f"{line} 0 1" for line in LINES))),
    "a.epd": (1, lambda path: text(path, "".join(f"{line} bm Nf3; id 1;\r\n" for line in LINES))),
    "a.csv": (2, lambda path: text(path, "Id,FEN\n" + "".join(f"{row},{line}\n" for row, line in rows()))),
    "a.tsv": (2, lambda path: text(path, "Fen\tId\n" + "".join(f'"{line}"\t{row}\n' for row, line in rows()))),
    "a.jsonl": (1, lambda path: text(path, "".join(json.dumps({"fen": line}) + "\n" for line in LINES))),
    "a.fen.gz": (1, lambda path: path.write_bytes(gzip.compress("\n".join(LINES).encode()))),
    "a.zst": (1, lambda path: path.write_bytes(pa.compress("\n".join(LINES).encode(), "zstd", asbytes=True))),
    "a.parquet": (1, write_parquet),
    "no extension": (1, write_parquet),
}


def make(directory: pathlib.Path, name: str) -> tuple[pathlib.Path, int]:
    first, write = FORMATS[name]
    write(directory / name)
    return directory / name, first


@pytest.mark.parametrize("name", FORMATS)
def test_the_rows_are_those_of_analyze(name: str, tmp_path: pathlib.Path) -> None:
    path, first = make(tmp_path, name)
    for batch_rows, threads in [(65_536, 1), (1000, 3), (7, 2)]:
        batches = list(slider_attacks.read(path, PRODUCTS, batch_rows=batch_rows, threads=threads))
        table = pa.Table.from_batches([pa.record_batch(batch) for batch in batches])
        assert table.column("line").to_pylist() == list(range(first, first + len(LINES)))
        assert table.drop_columns("line").equals(ALL.cast(table.drop_columns("line").schema))
        lengths = [len(batch) for batch in batches]
        assert lengths[:-1] == [batch_rows] * (len(LINES) // batch_rows) or sum(lengths) == batch_rows * len(lengths)
        assert 0 < lengths[-1] <= batch_rows


@pytest.mark.parametrize("name", FORMATS)
def test_boards_are_positions(name: str, tmp_path: pathlib.Path) -> None:
    path, _ = make(tmp_path, name)
    for integers in ("unsigned", "signed"):
        found: list[str] = []
        for batch in slider_attacks.read(path, "boards", integers=integers, batch_rows=999):
            assert batch.column_names[:2] == ["line", "white_pawn"] and batch.column_names[-1] == "en_passant"
            found += slider_attacks.Positions(batch).fens().tolist()
        assert found == slider_attacks.Positions(LINES).fens().tolist()


def test_who_takes_them(tmp_path: pathlib.Path) -> None:
    path, _ = make(tmp_path, "a.csv")

    def reader() -> slider_attacks.Reader:
        return slider_attacks.read(path, "maps", keep="Id", batch_rows=800)

    expected = ALL.select(["white_attacks", "black_attacks"]).to_pydict()
    expected = {"line": list(range(2, 3002)), "Id": [str(row) for row, _ in rows()]} | expected
    assert pa.schema(reader()) == pa.schema(reader().schema) == pa.table(reader()).schema
    assert pa.table(reader()).to_pydict() == expected
    assert pa.RecordBatchReader.from_stream(reader()).read_all().to_pydict() == expected
    batches = map(pa.record_batch, reader())
    assert pa.Table.from_batches(batches, pa.schema(reader().schema)).to_pydict() == expected
    assert pl.DataFrame(reader()).to_dict(as_series=False) == expected
    assert pl.concat(pl.DataFrame(batch) for batch in reader()).to_dict(as_series=False) == expected
    frame = pd.DataFrame.from_arrow(reader()) if hasattr(pd.DataFrame, "from_arrow") else pa.table(reader()).to_pandas()
    assert frame.to_dict("list") == expected
    stream = pa.RecordBatchReader.from_stream(reader())
    connection = duckdb.connect()
    found = connection.execute("select sum(Id::int), bit_xor(white_attacks) from stream").fetchall()
    xor = 0
    for board in expected["white_attacks"]:
        xor ^= board
    assert stream is not None and found == [(2999 * 3000 // 2, xor)]
    # Each batch is given once.
    shared = reader()
    next(shared)
    assert pa.table(shared).num_rows == 2200
    assert list(shared) == [] and pa.table(shared).num_rows == 0
    assert [pa.table(reader()).num_rows for _ in range(2)] == [3000, 3000]


def test_columns_to_keep(tmp_path: pathlib.Path) -> None:
    path, _ = make(tmp_path, "a.parquet")
    before = pq.read_table(path)
    kept = pa.table(slider_attacks.read(path, [], keep="all", batch_rows=1100))
    assert kept.drop_columns("line").to_pydict() == before.to_pydict()
    assert kept.schema.remove(0) == before.schema
    assert kept.schema.field("Id").type == pa.int16() and pa.types.is_dictionary(kept.schema.field("Tag").type)
    batch = next(slider_attacks.read(path, keep=["id", "Tag"]))
    assert batch.column_names == ["line", "Id", "Tag", "white_attacks", "black_attacks"]
    fen, _ = make(tmp_path, "a.epd")
    assert pa.table(slider_attacks.read(fen, (), keep="fen")).column("fen").to_pylist() == [
        f"{line} bm Nf3; id 1;" for line in LINES
    ]
    path = tmp_path / "b.jsonl"
    path.write_text(f'{{"Fen": "{ONE}", "a": 5, "b": [1]}}\n{{"a": "x", "fen": "{ONE}"}}\n')
    assert pa.table(slider_attacks.read(path, (), keep=["a", "b"])).to_pydict() == {
        "line": [1, 2],
        "a": ["5", "x"],
        "b": ["[1]", None],
    }
    assert pa.table(slider_attacks.read(path, (), column="FEN")).num_rows == 2
    for keep, said in [("all", "name the columns to keep$"), ("c", 'no record .* has a field "c" to keep')]:
        with pytest.raises(ValueError, match=said):
            list(slider_attacks.read(path, keep=keep))


def moves(board: chess.Board) -> list[chess.Move]:
    """The legal moves in their order; the king castles with its rook."""
    return sorted(board.legal_moves, key=lambda move: (move.from_square, move.to_square, move.promotion or 0))


def uci(board: chess.Board, move: chess.Move) -> str:
    """A move as `uci` of games: a king on the e-file castles with a rook in a corner as in chess."""
    if board.is_castling(move) and chess.square_file(move.from_square) == 4 and chess.square_file(move.to_square) in (0, 7):
        return move.uci()[:2] + {"a": "c", "h": "g"}[move.uci()[2]] + move.uci()[3]
    return move.uci()


def test_each_move_is_that_of_python_chess(tmp_path: pathlib.Path) -> None:
    dice = random.Random(44)
    boards = [chess.Board(line, chess960=True) for line in LINES[:60]]
    for number in dice.sample(range(960), 40):
        board = chess.Board.from_chess960_pos(number)
        for _ in range(dice.randrange(60)):
            # Castling is rare otherwise.
            possible = [move for move in board.legal_moves if board.is_castling(move)] or list(board.legal_moves)
            if not possible or dice.random() < 0.02:
                break
            board.push(dice.choice(possible if dice.random() < 0.2 else list(board.legal_moves)))
        boards.append(board)
    boards += [chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - -"), chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", chess960=True)]
    boards += [chess.Board(fen, chess960=True) for fen in ("1r2kr2/8/8/8/8/8/8/1R2KR2 w FBfb -", "r4k1r/8/8/8/8/8/8/R4K1R w HAha -")]
    path = tmp_path / "a.csv"
    path.write_text("id,fen\n" + "".join(f"{at},{board.fen(en_passant='fen')}\n" for at, board in enumerate(boards)))
    wanted = []
    for at, board in enumerate(boards):
        for move in moves(board):
            after = board.copy(stack=False)
            after.push(move)
            white, black = (
                sum(1 << square for square in chess.SQUARES if after.is_attacked_by(color, square)) for color in chess.COLORS
            )
            pieces = [int(after.pieces(piece, color)) for color in chess.COLORS for piece in chess.PIECE_TYPES]
            en_passant = after.ep_square if after.has_legal_en_passant() else None
            side, count = "wb"[after.turn == chess.BLACK], after.legal_moves.count()
            wanted.append([at + 2, uci(board, move), str(at), *pieces, side, en_passant, white, black, count])
    castlings = {row[1] for row in wanted} & {"e1g1", "e1c1", "e8g8", "e8c8"}
    assert castlings and len(wanted) > 2000
    boards_of = slider_attacks.Positions([ONE]).boards()
    names = [name for name in pa.table(boards_of).column_names if name != "castling"]
    columns = ["line", "move", "id", *names, "white_attacks", "black_attacks", "legal_moves"]
    for threads, rows in [(1, 65_536), (3, 100)]:
        what: Any = ["boards", "maps", "legal_moves"]
        reader = slider_attacks.read(path, what, keep="id", each_move=True, threads=threads, batch_rows=rows)
        table = pa.table(reader)
        assert table.column_names[:3] == columns[:3] and table.schema.field("move").type == pa.string()
        assert [list(row) for row in zip(*(table[name].to_pylist() for name in columns))] == wanted


def test_several_files(tmp_path: pathlib.Path) -> None:
    paths = [make(tmp_path, name)[0] for name in ("a.fen", "a.jsonl", "a.parquet")]
    table = pa.table(slider_attacks.read(paths, "maps", integers="signed", threads=2))
    assert table.column("file").to_pylist() == [str(path) for path in paths for _ in LINES]
    assert table.column("line").to_pylist() == list(range(1, 3001)) * 3 and table.column("line").type == pa.int64()
    signed = pa.table(slider_attacks.analyze(LINES * 3, integers="signed"))
    assert table.drop_columns(["file", "line"]).to_pydict() == signed.to_pydict()
    assert pa.table(slider_attacks.read(paths[:1])).column_names[:2] == ["file", "line"]
    for side in ("own", "enemy"):
        options: Any = {"through": side, "victims": side}
        table = pa.table(slider_attacks.read(paths[0], ["xrays", "threats"], **options)).drop_columns("line")
        assert table.to_pydict() == pa.table(slider_attacks.analyze(LINES, ["xrays", "threats"], **options)).to_pydict()
    other = tmp_path / "other.csv"
    other.write_text(f"a,b,fen\n1,2,{ONE}\n")
    with pytest.raises(ValueError, match=r"other.csv: kept columns differ from those of earlier files"):
        list(slider_attacks.read([paths[0], other], keep="all"))


def test_directories_and_patterns(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b.epd", "a.fen", "sub/c.epd.gz", "sub/deep/d.csv", "x[1].epd", ".hidden.epd", "notes.txt", ".git/e.epd"):
        path = pathlib.Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = f"fen\n{ONE}\n" if name.endswith(".csv") else f"{ONE}\n"
        path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    every = ["a.fen", "b.epd", "sub/c.epd.gz", "sub/deep/d.csv", "x[1].epd"]

    def files(given: Any) -> list[str]:
        table = pa.table(slider_attacks.read(given, "legal_moves", threads=2))
        assert table["legal_moves"].to_pylist() == [16] * table.num_rows
        assert slider_attacks.summarize(given, "maps").positions.tolist() == [table.num_rows]
        return table["file"].to_pylist()  # type: ignore[no-any-return]

    assert files(tmp_path) == [str(tmp_path / name) for name in every]
    assert files(".") == [f"./{name}" for name in every]
    assert files("sub") == files("sub/**/*.*") == every[2:4] and files(pathlib.Path("*.epd")) == ["b.epd", "x[1].epd"]
    assert files("**/*.epd*") == ["b.epd", "sub/c.epd.gz", "x[1].epd"] and files("[ab].*") == every[:2]
    # In a list, in the order of the list, and as often as they are named.
    assert files(["sub", pathlib.Path("?.fen"), "b.epd", "b.*"]) == [*every[2:4], "a.fen", "b.epd", "b.epd"]
    mixed = pa.table(slider_attacks.read(["sub", io.BytesIO(ONE.encode()), "a.fen"]))
    assert mixed["file"].to_pylist() == [*every[2:4], "<BytesIO>", "a.fen"]
    # A path that exists is no pattern, and alone it has no column of files.
    assert "file" not in slider_attacks.read("x[1].epd").schema
    for given, kind in [("empty/*", FileNotFoundError), ("*.pgn", ValueError), (["a.fen", "*.pgn"], ValueError)]:
        for call in (slider_attacks.read, slider_attacks.summarize):
            calls: Any = call
            with pytest.raises(kind):
                calls(given)
    pathlib.Path("sub/deep/d.csv").write_text("id,x\n1,2\n")
    with pytest.raises(ValueError, match=r"^sub/deep/d.csv has no column"):
        list(slider_attacks.read("sub"))


GAMES = """\
[White "Rook, Rosa"]
[WhiteElo "2301"]
[Result "1-0"]

1. e4 { [%eval 0.25] [%clk 0:05:00] } e5 2. Nf3 (2. f4 exf4) Nc6 1-0

[White "Bishop, Bo"]
[WhiteElo "1987"]

1. d4 d5 *
"""


def test_games(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(GAMES)

    def rows(**options: Any) -> list[tuple[Any, ...]]:
        found = pa.table(slider_attacks.read(path, "boards", keep=["ply", "san", "clk", "White"], **options))
        fens = slider_attacks.Positions(found).fens().tolist()
        keys = [found.column(name).to_pylist() for name in ["line", "ply", "san", "clk", "White"]]
        return list(zip(*keys, fens, strict=True))

    moves: list[tuple[Any, list[tuple[str | None, float | None]]]] = [
        ("Rook, Rosa", [(None, None), ("e4", 300.0), ("e5", None), ("Nf3", None), ("Nc6", None)]),
        ("Bishop, Bo", [(None, None), ("d4", None), ("d5", None)]),
    ]
    expected: list[tuple[Any, ...]] = []
    for game, (white, played) in enumerate(moves, 1):
        board = chess.Board()
        for ply, (san, clk) in enumerate(played):
            if san:
                board.push_san(san)
            fen = " ".join(board.fen(en_passant="legal").split()[:4])
            expected.append((game, ply, san, clk, white, fen))
    assert rows() == expected
    assert rows(games="WhiteElo>=2000") == expected[:5] == rows(games=["White=\"Rook, Rosa\"", "WhiteElo<9000"])
    assert rows(from_ply=1, to_ply=3, every=2) == [row for row in expected if row[1] in (1, 3)]
    assert len(rows(variations=True)) == len(expected) + 2
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"games": "WhiteElo"}, ValueError, 'games="WhiteElo": expected a tag'),
        ({"games": 5}, TypeError, "games is a name or several"),
        ({"every": 0}, ValueError, "every=0: expected 1 to"),
        ({"from_ply": -1}, ValueError, "from_ply=-1: expected 0 to"),
        ({"to_ply": "5"}, TypeError, "to_ply must be an integer, not str"),
        ({"from_ply": 5, "to_ply": 4}, ValueError, "to_ply=4 is before from_ply=5"),
    ]
    for options, kind, said in wrong:
        with pytest.raises(kind, match=said):
            slider_attacks.read(path, **options)
    path = tmp_path / "one.fen"
    path.write_text(ONE)
    with pytest.raises(ValueError, match="has no games: `games`, `games_where`, `variations`, `from_ply`, `to_ply` and `every` are for PGN"):
        slider_attacks.read(path, every=2)


def warned(call: Callable[[], object]) -> list[str]:
    """The warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert {warning.category for warning in caught} <= {UserWarning}
    return [str(warning.message) for warning in caught]


def test_a_tag_that_no_game_has(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(GAMES)

    def reader(**options: Any) -> slider_attacks.Reader:
        return slider_attacks.read(path, "maps", **options)

    elo, name = 'no game has a tag "WhiteELO"; did you mean "WhiteElo"?', 'no game has a tag "ECO"'
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"keep": ["White", "WhiteELO", "ECO"]}, [elo, name]),
        ({"games": "WhiteELO>=2000"}, [elo]),
        ({"games": "WhiteELO>=2000", "keep": "WhiteELO"}, [elo]),
        ({"keep": "PLY"}, ['no game has a tag "PLY"; did you mean "ply"?']),
        ({"keep": ["Result", "White", "ply"], "games": "WhiteElo>=2000"}, []),  # one game has a result
        ({"keep": "WhiteElo", "games": "Result=*"}, []),  # the tag is in a game that is left out
    ]
    for options, expected in cases:
        for take in (list, pa.table, pl.DataFrame, lambda it: pa.RecordBatchReader.from_stream(it).read_all()):
            assert warned(lambda options=options, take=take: take(reader(**options))) == expected  # type: ignore[misc]
    with pytest.warns(UserWarning, match="WhiteELO") as caught:
        list(reader(keep="WhiteELO"))
    assert caught[0].filename == __file__
    # Once for a reader, after its rows, and not at all if they are not all read.
    some = reader(keep="ECO", batch_rows=3)
    assert warned(lambda: next(some)) == [] and warned(lambda: pa.table(some)) == [name] and warned(lambda: list(some)) == []
    with reader(keep="ECO", batch_rows=3) as some:
        assert warned(lambda: next(some)) == []
    assert warned(lambda: list(some)) == []
    # As an error, after the rows.
    some = reader(keep="ECO", batch_rows=3)
    assert sum(len(next(some)) for _ in range(3)) == 8
    with pytest.raises(UserWarning, match=f"^{name}$"):
        next(some)
    assert list(some) == []
    with pytest.raises((pa.ArrowException, OSError), match=f"UserWarning: {name}"):
        pa.table(reader(keep="ECO"))
    # A stream that other threads take has the rows. They say nothing, as they may not wait for the interpreter.
    stream = pa.RecordBatchReader.from_stream(reader(keep="ECO"))
    taken: list[int] = []
    taker = threading.Thread(target=lambda: taken.append(stream.read_all().num_rows))
    taker.start()
    taker.join()
    assert taken == [8]
    code = f"import slider_attacks; list(slider_attacks.read({str(path)!r}, keep='ECO')); print('not here')"
    for action, status, printed in [("default", 0, "not here\n"), ("error", 1, ""), ("ignore", 0, "not here\n")]:
        done = subprocess.run([sys.executable, "-W", action, "-c", code], check=False, capture_output=True, text=True)
        assert (done.returncode, done.stdout, f"UserWarning: {name}" in done.stderr) == (status, printed, action != "ignore")


def test_a_field_that_some_files_lack(tmp_path: pathlib.Path) -> None:
    for name, fields in [("a.jsonl", '"Eval": 3'), ("b.jsonl", '"x": 1'), ("c.jsonl", '"x": 1, "EVAL": 2, "Eval": 3')]:
        (tmp_path / name).write_text(f'{{"fen": "{ONE}", {fields}}}\n')
    ambiguous = f'{tmp_path / "c.jsonl"}: fields "EVAL" and "Eval" both match "eval"; "EVAL" is read'
    for keep, names, expected in [
        ("Eval", ["a.jsonl", "c.jsonl"], []),
        ("eval", ["a.jsonl"], []),
        ("eval", ["a.jsonl", "c.jsonl"], [ambiguous]),
    ]:
        paths = [tmp_path / name for name in names]
        assert warned(lambda keep=keep, paths=paths: list(slider_attacks.read(paths, keep=keep))) == expected  # type: ignore[misc]
        assert warned(lambda keep=keep, paths=paths: slider_attacks.summarize(paths, by=keep)) == expected  # type: ignore[misc]


def test_training_records(tmp_path: pathlib.Path) -> None:
    board, records, expected = chess.Board(), b"", []
    for number, san in enumerate(["e4", "e5", "Nf3", "Nc6"]):
        codes = "PNBRQK"
        nibbles = [
            codes.index(piece.symbol().upper()) | (0 if piece.color else 8)
            for _, piece in sorted(board.piece_map().items())
        ]
        # In marlinformat, a rook that may castle has a number of its own.
        castling = [square for square in sorted(board.piece_map()) if chess.BB_SQUARES[square] & board.castling_rights]
        for square in castling:
            nibbles[sorted(board.piece_map()).index(square)] += 3
        packed = bytes(low | high << 4 for low, high in zip(nibbles[::2], nibbles[1::2], strict=True))
        side = 0x40 | (0 if board.turn else 0x80)
        counters = bytes([side, board.halfmove_clock]) + board.fullmove_number.to_bytes(2, "little")
        label = (10 * number - 15).to_bytes(2, "little", signed=True) + bytes([number % 3, 0])
        records += board.occupied.to_bytes(8, "little") + packed.ljust(16, b"\0") + counters + label
        fen = " ".join(board.fen(en_passant="legal").split()[:4])
        expected.append((number + 1, 10 * number - 15, ["0-1", "1/2-1/2", "1-0"][number % 3], number // 2 + 1, fen))
        board.push_san(san)
    (tmp_path / "a.marlinformat").write_bytes(records)
    (tmp_path / "b.bin").write_bytes(records)
    keep = ["score", "result", "fullmove", "fen"]
    for path, name in [("a.marlinformat", None), ("a.marlinformat", "marlinformat"), ("b.bin", "marlinformat")]:
        found = pa.table(slider_attacks.read(tmp_path / path, "maps", format=name, keep=keep))
        assert list(zip(*(found[name].to_pylist() for name in ["line", *keep]), strict=True)) == expected
    with pytest.raises(ValueError, match='format="bulletforma": expected one of bulletformat, marlinformat'):
        slider_attacks.read(tmp_path / "b.bin", format="bulletforma")
    with pytest.raises(ValueError, match="record 1"):
        list(slider_attacks.read(tmp_path / "b.bin", format="bulletformat"))


def test_a_malformed_line(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("fen\n" + f"{ONE}\n" * 5000 + "4k3/8 w - -\n" + f"{ONE}\n" * 10)
    said = r'a.csv, line 5002, field "fen", column 6: expected 8 ranks separated by /, found 2'
    reader = slider_attacks.read(path, batch_rows=600)
    before = []
    with pytest.raises(ValueError, match=said):
        for batch in reader:
            before.append(len(batch))
    assert before == [600] * 8 + [200] and list(reader) == [] and reader.errors == []
    with pytest.raises(pa.ArrowInvalid, match=said):
        pa.table(slider_attacks.read(path))
    reader = slider_attacks.read(path, on_error="skip")
    assert pa.table(reader).num_rows == 5010
    assert reader.skipped == 1 and reader.errors[0].startswith(f"{path}, line 5002, ") and len(reader.errors) == 1
    # Rows that stay, in batches of both kinds and with the reasons.
    for on_error in ["null", "report"]:
        reader = slider_attacks.read(path, ["boards", "maps"], keep="fen", on_error=on_error, batch_rows=600)
        table = pa.table(reader)
        assert table.num_rows == 5011 and reader.skipped == 0 and len(reader.errors) == 1
        row = table.slice(5000, 1).to_pylist()[0]
        reason = 'field "fen", column 6: expected 8 ranks separated by /, found 2'
        assert row.pop("error", None) == (reason if on_error == "report" else None)
        assert (row.pop("line"), row.pop("fen")) == (5002, "4k3/8 w - -") and set(row.values()) == {None}
        rest = table.filter(table["white_attacks"].is_valid()).drop_columns(["error"] * (on_error == "report"))
        skipped = pa.table(slider_attacks.read(path, ["boards", "maps"], keep="fen", on_error="skip"))
        assert rest.to_pydict() == skipped.to_pydict()
    path.write_text("fen\n" + "nonsense\n" * 50_000)
    reader = slider_attacks.read(path, on_error="skip", batch_rows=1000)
    assert list(reader) == [] and reader.skipped == 50_000 and len(reader.errors) == 100
    path.write_text("# nothing\n")
    assert list(slider_attacks.read(path)) == [] and pa.table(slider_attacks.read(path, "boards")).num_columns == 16


def parquet_of(nodes: list[tuple[str, int]], groups: bytes = b"\x0c") -> bytes:
    """A file of Parquet with groups of these names and numbers of children, and a column. Its row groups are a list."""

    def number(value: int) -> bytes:
        return bytes([value]) if value < 0x80 else bytes([value & 0x7F | 0x80]) + number(value >> 7)

    named = [b"\x35\0\x18" + number(len(name)) + name.encode() + b"\x15" + number(2 * count) for name, count in nodes]
    # The first has no repetition, and the last one is a column of texts.
    schema = [text + b"\0" for text in [b"\x48" + named[0][3:], *named[1:], b"\x15\x0c\x25\0\x18\x03fen"]]
    footer = b"\x15\x02\x19\xfc" + number(len(schema)) + b"".join(schema) + b"\x16\x02\x19" + groups + b"\0"
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def test_files_that_cannot_be_read(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"cannot open .*/none: No such file or directory$"):
        slider_attacks.read(tmp_path / "none")
    with pytest.raises(FileNotFoundError, match="-"):
        slider_attacks.read("-")  # standard input is for the command
    good, _ = make(tmp_path, "a.csv")
    with pytest.raises(FileNotFoundError):
        slider_attacks.read([good, tmp_path / "none"])
    bad: list[tuple[bytes, str]] = [
        (gzip.compress(b"\n".join([ONE.encode()] * 100_000))[:-50], "cannot read .*bad"),
        (b"PAR1" + b"?" * 100, "cannot read .*bad as Parquet"),
        (parquet_of([("schema", 2**31 - 1)]), "2147483647 children, but only 1 follow"),
        (parquet_of([("schema", 1)] + [("group", 1)] * 1_199), "schema nests deeper than 100 levels"),
        (parquet_of([("schema", 1)], groups=b"\xfc\xff\xff\xff\xff\x07"), "length 2147483647 exceeds"),
        (b"PARE" + b"?" * 100, "it is Parquet with an encrypted footer"),
        (b"BZh9", "compressed with bzip2"),
        (b"a,b\n1,2\n", 'has no column "fen"; its columns are a, b \\(`column` selects another\\)'),
        (b"[Event]", "it is a JSON array, or PGN"),
        (b'{"fen": 5}', 'line 1, JSON: field "fen": expected text, found 5'),
        (b"fen,x\n" + ONE.encode() + b',"2\n', "line 2, field 2: expected a closing quotation mark"),
        (b"x,fen,fen\n", 'columns 2 and 3 are both named "fen"'),
    ]
    for content, said in bad:
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(ValueError, match=said):
            list(slider_attacks.read(tmp_path / "bad"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"empty has no files that end in \.fen, "):
        slider_attacks.read(tmp_path / "empty")


def repetition(line: str) -> tuple[Any, ...]:
    """What makes positions equal, as python-chess has it."""
    board = chess.Board(f"{line} 0 1")
    legal = board.ep_square if board.has_legal_en_passant() else None
    return board.board_fen(), board.turn, board.clean_castling_rights(), legal


def test_the_first_of_equal_positions_is_taken(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.epd"
    generator = random.Random(3)
    # A square en passant makes no difference if nothing can capture there.
    double = [f"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq {square}" for square in ["e3", "-"]]
    lines = LINES + [swapped(line) for line in LINES] + LINES + double
    generator.shuffle(lines)
    path.write_text("".join(f"{line}\n" for line in lines))
    first: dict[Any, int] = {}
    for number, line in enumerate(lines, 1):
        first.setdefault(repetition(line), number)
    expected = sorted(first.values())
    keys = pa.table(slider_attacks.analyze(lines, "keys"))
    for threads in [1, 2, 16]:
        uniques: list[Any] = ["position", True]
        for unique in uniques:
            reader = slider_attacks.read(path, "maps", unique=unique, threads=threads)
            assert pa.table(reader)["line"].to_pylist() == expected
            assert (reader.left_out, reader.skipped) == (len(lines) - len(expected), 0)
        for kind in ["position", "canonical", "polyglot"]:
            rows_of_keys: dict[int, int] = {}
            for row, key in enumerate(keys[f"{kind}_key"].to_pylist(), 1):
                rows_of_keys.setdefault(key, row)
            of_kind = list(rows_of_keys.values())
            reader = slider_attacks.read(path, [], unique=kind, threads=threads, batch_rows=999)
            assert pa.table(reader)["line"].to_pylist() == of_kind
        parts = [
            pa.table(slider_attacks.read(path, [], unique=True, key_shard=f"{part}/3", threads=threads))["line"].to_pylist()
            for part in [1, 2, 3]
        ]
        assert all(parts) and sorted(sum(parts, [])) == expected
    assert len(first) < len(set(lines))
    summary = slider_attacks.summarize(path, unique=True)
    assert (summary.positions.tolist(), summary.left_out) == ([len(expected)], len(lines) - len(expected))
    copy = pickle.loads(pickle.dumps(summary))
    assert copy == summary and (summary + copy).left_out == 2 * summary.left_out
    assert summary == slider_attacks.summarize([lines[number - 1] for number in expected])
    limit = 12 * (len(expected) - 5)
    said = f"a.epd, line {expected[-5]}, no room for more than {len(expected) - 5} different positions: raise `unique_memory`"
    for threads in [1, 3]:
        reader = slider_attacks.read(path, unique=True, unique_memory=limit, threads=threads)
        rows = []
        with pytest.raises(ValueError, match=said):
            for batch in reader:
                rows += batch["line"].tolist()
        assert rows == expected[:-5]
        with pytest.raises(ValueError, match=said):
            slider_attacks.summarize(path, unique=True, unique_memory=limit, threads=threads)


def swapped(line: str) -> str:
    """A position with colours swapped, upside down."""
    fen: str = chess.Board(f"{line} 0 1").mirror().fen(en_passant="fen")
    return " ".join(fen.split()[:4])


def test_malformed_arguments(tmp_path: pathlib.Path) -> None:
    read: Any = slider_attacks.read
    path, _ = make(tmp_path, "a.fen")
    cases: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception]]] = [
        ((), {}, TypeError),
        ((5,), {}, TypeError),
        (([5],), {}, TypeError),
        (([],), {}, ValueError),
        ((path, "mops"), {}, ValueError),
        ((path, 5), {}, TypeError),
        ((path, [5]), {}, TypeError),
        ((path,), {"keep": 5}, TypeError),
        ((path,), {"keep": "line"}, ValueError),
        ((path,), {"keep": ["fen", "fen"]}, ValueError),
        ((path,), {"column": None}, TypeError),
        ((path,), {"on_error": "fail"}, ValueError),
        ((path,), {"integers": "float"}, ValueError),
        ((path,), {"backend": "abacus"}, ValueError),
        ((path,), {"threads": 0}, ValueError),
        ((path,), {"batch_rows": 0}, ValueError),
        ((path,), {"batch_rows": -1}, ValueError),
        ((path,), {"unique": 5}, TypeError),
        ((path,), {"unique": "fen"}, ValueError),
        ((path,), {"unique": True, "unique_memory": -1}, ValueError),
        ((path,), {"key_shard": "3/2"}, ValueError),
        ((path, "maps", "fen"), {}, TypeError),
    ]
    for arguments, options, error in cases:
        with pytest.raises(error):
            read(*arguments, **options)


def settled(what: Callable[[], int], most: int) -> int:
    """What a number falls to, for threads take a moment to end."""
    patience = time.perf_counter() + 10
    while what() > most and time.perf_counter() < patience:
        time.sleep(0.01)
    return what()


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


@pytest.mark.parametrize("name", ["a.epd", "a.zst", "a.parquet"])
def test_thousands_of_iterators(name: str, tmp_path: pathlib.Path) -> None:
    path, _ = make(tmp_path, name)

    def early() -> None:
        reader = slider_attacks.read(path, batch_rows=100)
        assert len(next(reader)) == 100

    def streamed() -> None:
        pa.RecordBatchReader.from_stream(slider_attacks.read(path, batch_rows=100)).read_next_batch()

    def closed() -> None:
        with slider_attacks.read(path, batch_rows=100) as reader:
            next(reader)
        assert list(reader) == []

    def failed() -> None:
        with pytest.raises(ValueError):
            slider_attacks.read(path, keep="none")

    def many(calls: int) -> None:
        for call in range(calls):
            [early, streamed, closed, failed][call % 4]()

    before = descriptors(), threads()
    many(200)
    gc.collect()
    grown = []
    for _ in range(3):  # a leak grows each time; what an allocator takes for something else does not
        used = resident()
        many(1000)
        gc.collect()
        grown.append(resident() - used)
        if grown[-1] < 4000:
            break
    assert settled(descriptors, before[0]) <= before[0] and settled(threads, before[1]) <= before[1]
    # A leaked batch is 13 KiB, a leaked block 32 KiB.
    assert min(grown) < 4000


def test_memory_is_constant(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.fen.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(200):
            file.write(("\n".join(LINES) + "\n").encode())
    reader, sizes, count = slider_attacks.read(path, ["boards", "counts"], keep="fen", batch_rows=10_000), [], 0
    for batch in reader:
        sizes.append(resident())
        count += len(batch)
    assert count == 600_000 and len(sizes) == 60
    # A batch has 3 MB, all of them 190.
    assert max(sizes) - sizes[5] < 20_000


def test_other_threads_run_and_signals_are_heard(tmp_path: pathlib.Path) -> None:
    def feed(held: list[int]) -> None:
        held.append(os.open(pipe, os.O_WRONLY))
        os.write(held[0], f"{ONE}\n".encode())

    def wait_for_a_batch() -> None:
        next(slider_attacks.read(pipe))

    def wait_for_a_table() -> None:
        pa.table(slider_attacks.read(pipe))

    def wait_to_open() -> None:
        slider_attacks.read(pipe)

    for wait in (wait_for_a_batch, wait_for_a_table, wait_to_open):
        # The thread of the last one may still read its own.
        pipe = tmp_path / wait.__name__
        os.mkfifo(pipe)
        held: list[int] = []
        ticks: list[float] = []

        def interrupt(feeds: bool, held: list[int] = held, ticks: list[float] = ticks) -> None:
            if feeds:
                feed(held)
            for _ in range(20):
                time.sleep(0.01)
                ticks.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=interrupt, args=(wait != wait_to_open,))
        sender.start()
        try:
            with contextlib.suppress(pa.ArrowInvalid):  # the interrupt comes right after it
                wait()
            time.sleep(1)
            raise AssertionError("nothing was interrupted")
        except KeyboardInterrupt:
            pass
        took = time.perf_counter() - ticks[-1]
        sender.join()
        if held:
            os.close(held[0])
        else:
            os.close(os.open(pipe, os.O_WRONLY))  # lets the thread go that waits to open it
        assert took < 1, took
        assert max(after - before for before, after in itertools.pairwise(ticks)) < 1


def test_a_forked_process_says_so(tmp_path: pathlib.Path) -> None:
    path, _ = make(tmp_path, "a.fen")
    reader = slider_attacks.read(path, batch_rows=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # that other threads do not live on is what is tested
        child = os.fork()
    if child == 0:
        code = 1
        try:
            next(reader)
        except RuntimeError as error:
            there = len(list(slider_attacks.read(path, batch_rows=1000)))
            code = 0 if "forked" in str(error) and there == 3 else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert sum(len(batch) for batch in reader) == 3000


def test_an_interpreter_that_ends_meanwhile(tmp_path: pathlib.Path) -> None:
    path, _ = make(tmp_path, "a.fen")
    code = f"import slider_attacks; kept = slider_attacks.read({str(path)!r}, batch_rows=5, threads=2); next(kept)"
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("rows_of_group", [7_000, 8_192, 100_000])
def test_long_files_of_parquet(tmp_path: pathlib.Path, rows_of_group: int) -> None:
    """Columns stay open from range to range, and dictionaries become too long for a page."""
    path, dice = tmp_path / "long.parquet", random.Random(5)
    texts: list[str | None] = list(itertools.islice(itertools.cycle(fens()), 30_000))
    for _ in range(50):
        texts[dice.randrange(30_000)] = dice.choice([None, "?", "x" * 100, f"{texts[0]}\n{texts[0]}"])
    columns = pa.table({"Id": range(30_000), "fen": texts})
    # A file of one position per row has no line ends in them.
    one = [None if text is None or "\n" in text else text for text in texts]
    expected = pa.record_batch(slider_attacks.analyze(one, "maps", on_error="null"))
    for dictionary, keep in itertools.product([True, False], [(), ("Id", "fen")]):
        pq.write_table(columns, path, row_group_size=rows_of_group, use_dictionary=dictionary, data_page_size=50_000)
        found = pa.table(slider_attacks.read(path, "maps", keep=keep, on_error="null")).combine_chunks()
        assert found["line"].to_pylist() == list(range(1, 30_001))
        assert all(found[name].combine_chunks() == expected[name] for name in expected.schema.names)
        assert all(found[name].to_pylist() == columns[name].to_pylist() for name in keep)


def test_the_progress_of_a_reader(tmp_path: pathlib.Path) -> None:
    paths = [tmp_path / name for name in ("a.fen", "b.fen.gz", "c.fen")]
    for path in paths:
        content = "\n".join(LINES).encode()
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    with slider_attacks.read(paths, [], batch_rows=100) as reader:
        assert (reader.bytes_total, reader.files_total) == (sum(path.stat().st_size for path in paths), 3)
        progress = [(reader.bytes_read, reader.files_read) for _ in reader]
        assert progress == sorted(progress) and progress[0][1] == 0
        assert (reader.bytes_read, reader.files_read) == (reader.bytes_total, 3)
    with slider_attacks.read(io.BytesIO(b"\n".join(line.encode() for line in LINES)), []) as reader:
        assert sum(len(batch) for batch in reader) == len(LINES)
        assert (reader.bytes_total, reader.files_read, reader.files_total) == (None, 1, 1)


def test_results_as_numbers(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "rows.csv"
    results = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0, "*": None, "0.5": 0.5, "": None}
    path.write_text("fen,result\n" + "".join(f"{ONE},{text}\n" for text in results))
    (batch,) = slider_attacks.read(path, [], keep="result", points=True)
    assert batch["result"].tolist() == list(results.values())
    (batch,) = slider_attacks.read(path, [], keep="result", points=True, where='result = "1-0"')
    assert (batch["line"].tolist(), batch["result"].tolist()) == ([2], [1.0])
    data = pathlib.Path(__file__).parents[2] / "tests" / "data"
    for path in [data / "tour.pgn", data / "sample.binpack"]:
        tables = [pa.table(slider_attacks.read(path, [], keep="result", points=points)) for points in (False, True)]
        text, numbers = (table["result"].to_pylist() for table in tables)
        assert [results[one or ""] for one in text] == numbers
    path = tmp_path / "wrong.csv"
    path.write_text(f"fen,result\n{ONE},1-0\n{ONE},won\n")
    with pytest.raises(ValueError, match='wrong.csv, line 3, field "result": expected 1-0, .*, found .*won'):
        list(slider_attacks.read(path, [], keep="result", points=True))


def test_the_gain_of_the_move_that_was_played(tmp_path: pathlib.Path) -> None:
    cases = [
        ("4k3/8/1n6/3p4/8/4N3/8/3RK3 w - -", "e3d5", 1),  # NxP NxN RxN
        ("4k3/8/1n6/3p4/8/4N3/8/4K3 w - -", "e3d5", -2),  # NxP NxN
        ("4k3/8/1n6/3p4/8/4N3/8/3RK3 w - -", "e3f5", 0),
        ("4k3/8/1n6/3p4/8/4N3/8/3RK3 w - -", "d1d4", 0),
        ("4k3/8/1n6/3p4/4r3/4N3/8/3RK3 w - -", "d1d4", -5),  # RxR
        ("r3k3/1P6/8/8/8/8/8/4K3 w - -", "b7a8q", 13),
        ("r3k3/1P6/8/8/8/8/8/4K3 w - -", "b7b8q", -1),  # RxQ
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", 1),
        ("4k3/8/8/8/8/8/8/R3K3 w Q -", "e1c1", 0),
        ("4k3/8/8/8/3q4/8/4N3/4K3 b - -", "d4e3", 0),
        ("4k3/8/8/8/3q4/8/4N3/4K3 b - -", "d4f4", -9),
        ("4k3/8/8/8/8/8/8/4K3 w - -", "", None),
    ]
    path = tmp_path / "moves.csv"
    path.write_text("fen,next_uci\n" + "".join(f"{fen},{uci}\n" for fen, uci, _ in cases))
    (batch,) = slider_attacks.read(path, "legal_moves", keep="next_uci", next_gain=True)
    assert batch.column_names == ["line", "next_uci", "next_gain", "legal_moves"]
    assert batch["next_gain"].tolist() == [gain for *_, gain in cases]
    (batch,) = slider_attacks.read(path, [], keep="next_uci", next_gain=True, values=(2, 3, 3, 5, 9))
    assert batch["next_gain"].tolist()[0] == 2
    data = pathlib.Path(__file__).parents[2] / "tests" / "data"
    for name in ["tour.pgn", "sample.binpack"]:
        keep = ["fen", "next_uci", "next_move"]
        for row in pa.table(slider_attacks.read(data / name, "exchanges", keep=keep, next_gain=True)).to_pylist():
            assert (row["next_gain"] is None) == (row["next_uci"] is None)
            if not row["next_uci"]:
                continue
            target = chess.parse_square(row["next_uci"][2:4])
            if chess.Board(row["fen"]).piece_at(target):
                # No capture gains more than the best one on its square.
                assert -9 <= row["next_gain"] <= max(row["white_gains"][target], row["black_gains"][target])
    with pytest.raises(ValueError, match="moves.csv: next_gain needs the moves: keep next_move"):
        list(slider_attacks.read(path, next_gain=True))
    path.write_text(f"fen,next_uci\n{ONE},a1b3\n")
    with pytest.raises(ValueError, match='moves.csv, line 2, field "next_uci": '):
        list(slider_attacks.read(path, keep="next_uci", next_gain=True))


def test_shards_are_disjoint_and_together_everything(tmp_path: pathlib.Path) -> None:
    data = pathlib.Path(__file__).parents[2] / "tests" / "data"
    lines = [line.split(" id ")[0] for line in (data / "sample.epd").read_text().splitlines() if not line.startswith("#")]
    (tmp_path / "a.epd").write_text("".join(f"{line}\n" for line in lines) * 5)
    (tmp_path / "b.binpack").write_bytes((data / "sample.binpack").read_bytes() * 20)
    (tmp_path / "c.csv.gz").write_bytes(gzip.compress("".join(f"{line}\n" for line in ["fen", *lines]).encode()))
    whole = pa.table(slider_attacks.read(tmp_path, keep="fen"))
    summed = slider_attacks.summarize(tmp_path)
    for of in [1, 3, 40]:
        shards = [pa.table(slider_attacks.read(tmp_path, keep="fen", shard=(part, of))) for part in range(1, of + 1)]
        assert pa.concat_tables(shards) == whole
        assert sum(slider_attacks.summarize(tmp_path, shard=f"{part}/{of}") for part in range(1, of + 1)) == summed
    for shard in [(0, 2), (3, 2), (1, 0), "2", (-1, 2), 7]:
        with pytest.raises(ValueError, match="shard=.*: expected"):
            slider_attacks.read(tmp_path, shard=shard)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="shards cannot share"):
        slider_attacks.read(io.BytesIO(b"4k3/8/8/8/8/8/8/4K3 w - -\n"), shard=(1, 2))
    with pytest.raises(ValueError, match="shard is for files"):
        slider_attacks.summarize(lines, shard=(1, 2))
    # A part may lack a field that another part has.
    path, fen = tmp_path / "a.jsonl", f'{{"fen": "{ONE}"'
    path.write_text(f"{fen}}}\n" * 2000 + f'{fen}, "rating": 2}}\n' * 2000)
    options: Any = {"where": "rating > 1"}
    with pytest.warns(UserWarning, match='no record has "rating" for the condition'):
        rows = [sum(map(len, slider_attacks.read(path, shard=(1, 4), **options)))]
    rows += [sum(map(len, slider_attacks.read(path, shard=(part, 4), **options))) for part in (2, 3, 4)]
    assert rows[0] == 0 and sum(rows) == 2000
    # A field to keep is the same.
    with pytest.warns(UserWarning, match='none of the rows read has a field "rating"'):
        list(slider_attacks.read(path, keep="rating", shard=(1, 4)))


def test_texts_as_dictionaries(tmp_path: pathlib.Path) -> None:
    data = pathlib.Path(__file__).parents[2] / "tests" / "data"
    paths = [data / "tour.pgn", data / "games.pgn"]
    keep = ["White", "Result", "uci", "ply", "fen", "result"]
    plain = pa.table(slider_attacks.read(paths, "maps", keep=keep))
    texts = {"file", "White", "Result", "result"}
    kind = pa.dictionary(pa.int32(), pa.string())
    for dictionary, names in (("all", texts), (["white", "file"], {"White", "file"}), (["fen", "uci"], {"fen", "uci"})):
        for rows, threads in ((5, 1), (10_000, 2)):
            options: Any = {"keep": keep, "dictionary": dictionary, "batch_rows": rows, "threads": threads}
            batches = list(slider_attacks.read(paths, "maps", **options))
            for batch in batches:
                for name in names:
                    values = pa.array(batch[name]).dictionary.to_pylist()
                    assert sorted(set(filter(None, batch[name].tolist()))) == sorted(values)
            table = pa.Table.from_batches([batch.to_pyarrow() for batch in batches])
            assert {field.name for field in table.schema if field.type == kind} == names
            assert table.cast(plain.schema).equals(plain)
    encoded = pa.table(slider_attacks.read(paths, [], keep=keep, dictionary="all", batch_rows=7))
    assert isinstance(encoded.to_pandas()["White"].dtype, pd.CategoricalDtype)
    assert pl.DataFrame(encoded)["White"].to_list() == plain["White"].to_pylist()
    # A dictionary of the input stays one, and other texts become one: those of JSON by their meaning.
    pq.write_table(encoded.select(["fen", "White"]), tmp_path / "b.parquet")
    again = pa.table(slider_attacks.read(tmp_path / "b.parquet", [], keep="all", dictionary="all"))
    assert again.schema.field("White").type == kind and again["White"].to_pylist() == plain["White"].to_pylist()
    lines = "".join(f'{{"fen": "{ONE}", "a": {value}}}\n' for value in ('"\\u0041"', '"A"', "5", "null"))
    (tmp_path / "c.jsonl").write_text(lines)
    (batch,) = slider_attacks.read(tmp_path / "c.jsonl", [], keep="a", dictionary="a")
    assert batch["a"].tolist() == ["A", "A", "5", None]
    assert pa.array(batch["a"]).dictionary.to_pylist() == ["A", "5"]
    for named, said in (("Black", 'dictionary: column "Black" is not kept'), ("ply", '"ply" is no text, but Int64')):
        with pytest.raises(ValueError, match=f"tour.pgn: .*{said}"):
            slider_attacks.read(paths, keep=keep, dictionary=["White", named])
    with pytest.raises(TypeError, match="dictionary is a name or several"):
        slider_attacks.read(paths, dictionary=True)  # type: ignore[arg-type]
