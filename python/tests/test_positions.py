"""Products of positions: the same values as python-chess, malformed input, and one way in after the other."""

import contextlib
import functools
import gc
import inspect
import io
import itertools
import math
import os
import random
import re
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any, Literal

import chess
import chess.polyglot
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import slider_attacks

PIECES = ["pawn", "knight", "bishop", "rook", "queen", "king"]
ONE = "4k3/8/8/8/8/8/8/R3K3 w Q -"


@functools.cache
def games(positions: int = 20_000) -> list[chess.Board]:
    """Positions of random games."""
    dice = random.Random(1)
    found: list[chess.Board] = []
    board = chess.Board()
    while len(found) < positions:
        moves = list(board.legal_moves)
        if not moves or board.ply() > 200:
            board = chess.Board()
            continue
        board.push(dice.choice(moves))
        found.append(board.copy(stack=False))
    return found


@functools.cache
def fens() -> list[str]:
    return [board.fen() for board in games()]


def test_the_same_maps_and_checks_as_python_chess() -> None:
    batch = slider_attacks.analyze(pa.array(fens()), ["maps", "pins"])
    columns = {name: batch[name].to_numpy().tolist() for name in batch.column_names}
    for row, board in enumerate(games()):
        maps = [0, 0]
        for square in chess.scan_forward(board.occupied):
            maps[bool(board.occupied_co[chess.BLACK] & chess.BB_SQUARES[square])] |= board.attacks_mask(square)
        assert [columns["white_attacks"][row], columns["black_attacks"][row]] == maps, board.fen()
        for color in chess.COLORS:
            side = chess.COLOR_NAMES[color]
            king = board.king(color)
            assert king is not None
            assert columns[f"{side}_king_checkers"][row] == board.attackers_mask(not color, king), board.fen()
            pieces = chess.scan_forward(board.occupied_co[color])
            pinned = sum(chess.BB_SQUARES[square] for square in pieces if board.is_pinned(color, square))
            assert columns[f"{side}_pinned"][row] == pinned, board.fen()


def test_the_same_counts_as_python_chess() -> None:
    batch = slider_attacks.analyze(fens()[:2000], "counts", threads=2)
    for row, board in enumerate(games()[:2000]):
        for color in chess.COLORS:
            counts = [chess.popcount(board.attackers_mask(color, square)) for square in chess.SQUARES]
            assert batch[f"{chess.COLOR_NAMES[color]}_attackers"].to_numpy()[row].tolist() == counts, board.fen()


def test_bitboards_of_python_chess() -> None:
    boards = games()[:3000]
    table: dict[str, Any] = {}
    for color in chess.COLORS:
        for number, piece in enumerate(PIECES, 1):
            masks = [board.pieces_mask(number, color) for board in boards]
            table[f"{chess.COLOR_NAMES[color]}_{piece}"] = np.array(masks, np.uint64)
    table["side_to_move"] = ["w" if board.turn else "b" for board in boards]
    table["castling"] = [board.castling_xfen() for board in boards]
    table["en_passant"] = [board.ep_square for board in boards]
    positions = slider_attacks.Positions(table)
    assert positions.fens().tolist() == [" ".join(board.fen(en_passant="fen").split()[:4]) for board in boards]
    assert positions.side_to_move.tolist() == [int(not board.turn) for board in boards]
    assert positions.castling.tolist() == [board.castling_rights for board in boards]
    outermost = ["4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 0 1", "rr2kr1r/8/8/8/8/8/8/R3K2R b Kbf - 0 1"]
    assert slider_attacks.Positions(outermost).castling.tolist() == [1 << 1 | 1 << 6, 1 << 7 | 1 << 57 | 1 << 61]
    assert positions.en_passant.tolist() == [-1 if board.ep_square is None else board.ep_square for board in boards]
    assert positions.occupancies.tolist() == [board.occupied for board in boards]
    assert positions.color("black").tolist() == [board.occupied_co[chess.BLACK] for board in boards]
    assert positions.pieces("black", "knight").tolist() == table["black_knight"].tolist()
    of_text = slider_attacks.analyze(positions.fens().tolist(), ["maps", "threats"])
    assert pa.record_batch(of_text) == pa.record_batch(slider_attacks.analyze(table, ["maps", "threats"]))
    assert pa.record_batch(of_text) == pa.record_batch(positions.analyze(["threats", "maps", "maps"]))
    for integers in ["unsigned", "signed"]:
        again = slider_attacks.Positions(positions.boards(integers))
        assert again.fens().tolist() == positions.fens().tolist()


def test_squares_of_python_chess() -> None:
    board = games()[50]
    square = chess.SquareSet(board.occupied)
    found = chess.SquareSet(slider_attacks.queen_attacks(chess.D4, square))
    assert found == chess.SquareSet(slider_attacks.batch_attacks([chess.D4], [int(square)])[0].item())
    assert str(slider_attacks.show(square)).count("1") == len(square) + 1  # and the name of the rank


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.large_binary(),
        pa.dictionary(pa.int32(), pa.string()),
    ],
)
def test_columns_of_text(kind: Any) -> None:
    texts = [*fens()[:500], None, *fens()[500:1000]]
    wanted = pa.record_batch(slider_attacks.analyze(texts))
    assert wanted["white_attacks"].null_count == 1
    try:
        column = pa.array(texts).cast(kind)
    except pa.ArrowNotImplementedError as error:  # an old version
        pytest.skip(str(error))
    assert pa.record_batch(slider_attacks.analyze(column)) == wanted
    assert pa.record_batch(slider_attacks.analyze(column[3:900])) == wanted[3:900]
    pieces = pa.chunked_array([column[:1], column[1:700], column[700:700], column[700:]])
    assert pa.record_batch(slider_attacks.analyze(pieces)) == wanted
    assert pa.record_batch(slider_attacks.analyze(pieces, threads=2)) == wanted
    assert slider_attacks.Positions(pieces).fens().tolist() == slider_attacks.Positions(texts).fens().tolist()
    assert (
        pa.array(slider_attacks.Positions(pieces).fens()).to_pylist() == slider_attacks.Positions(texts).fens().tolist()
    )


def test_the_schema_is_known_before() -> None:
    whats: list[Any] = [product["name"] for product in slider_attacks.products()]
    for what in [*whats, ["threats", "maps"]]:
        for integers in ["unsigned", "signed"]:
            batch: Any = slider_attacks.analyze([ONE, None], what, integers=integers)
            schema: Any = slider_attacks.schema(what, integers=integers)
            assert pa.record_batch(batch).schema == pa.schema(schema)
            pa.record_batch(batch).validate(full=True)
    signed = slider_attacks.analyze([ONE], integers="signed")["white_attacks"].to_numpy()
    unsigned = slider_attacks.analyze([ONE])["white_attacks"].to_numpy()
    assert signed.dtype == np.int64 and signed.view(np.uint64).tolist() == unsigned.tolist()


def test_keys_and_status_of_python_chess() -> None:
    some = games()[:2000]
    batch = slider_attacks.analyze([board.fen() for board in some], ["keys", "status"])
    keys = batch["polyglot_key"].to_numpy()
    assert keys.dtype == np.uint64 and keys.tolist() == [chess.polyglot.zobrist_hash(board) for board in some]
    assert batch["in_check"].to_numpy().tolist() == [board.is_check() for board in some]
    assert batch["checkmate"].to_numpy().tolist() == [board.is_checkmate() for board in some]


def test_moves_of_python_chess() -> None:
    some = games()[:2000]
    fens = [board.fen() for board in some]
    batch = slider_attacks.analyze([*fens, None], ["moves", "checking_moves", "mating_moves", "targets"], on_error="null")
    order = lambda move: (move.from_square, move.to_square, move.promotion or 0)

    def mates(board: chess.Board, move: chess.Move) -> bool:
        board.push(move)
        is_mate = board.is_checkmate()
        board.pop()
        return is_mate

    moves = [sorted(board.legal_moves, key=order) for board in some]
    checks = [[move for move in legal if board.gives_check(move)] for board, legal in zip(some, moves, strict=True)]
    mating = [[move for move in of if mates(board, move)] for board, of in zip(some, checks, strict=True)]
    assert any(mating)
    for name, expected in [("moves", moves), ("checking_moves", checks), ("mating_moves", mating)]:
        column = batch[name]
        assert column.uci().tolist() == [*([move.uci() for move in of] for of in expected), None]
        assert column.offsets.tolist() == np.cumsum([0, *map(len, expected), 0]).tolist()
        values = column.values
        assert values.dtype == np.uint16 and not values.flags.writeable
        assert (values & 63).tolist() == [move.from_square for of in expected for move in of]
        text = slider_attacks.analyze([*fens, None], name, notation="uci")[name]
        assert pa.array(text) == pa.array(column.uci())
        signed = slider_attacks.analyze([*fens, None], name, integers="signed")[name]
        assert signed.values.dtype == np.int16 and signed.uci() == column.uci()
        middle = column[500:700]
        assert middle.uci().tolist() == column.uci().tolist()[500:700]
        assert middle.values[middle.offsets[3] : middle.offsets[4]].tolist() == column.tolist()[503]
    mask = batch["targets"][:-1].to_numpy(bits=64)
    assert mask.shape == (2000, 64, 64)
    for at in range(0, 2000, 7):
        expected_mask = np.zeros((64, 64), np.uint8)
        for move in moves[at]:
            # Castling goes to the rook.
            castles = some[at].is_castling(move)
            to = {6: 7, 2: 0, 62: 63, 58: 56}[move.to_square] if castles else move.to_square
            expected_mask[move.from_square, to] = 1
        assert np.array_equal(mask[at], expected_mask)
    targets = batch["targets"]
    for name in ["offsets", "values"]:
        with pytest.raises(TypeError, match="list"):
            getattr(targets, name)
    with pytest.raises(TypeError, match="list"):
        targets.uci()


@pytest.mark.parametrize("backend", slider_attacks.backends())
def test_positions_after_moves_are_those_of_python_chess(backend: str) -> None:
    some = games()[:800]
    positions = slider_attacks.Positions([None, *(board.fen() for board in some), None])
    moves = positions.analyze("moves", integers="signed")["moves"]
    after = positions.after(moves, backend=backend)
    expected = []
    for board, texts in zip(some, moves.uci().tolist()[1:-1], strict=True):
        for text in texts:
            board.push_uci(text)
            expected.append(board.fen(en_passant="legal").rsplit(" ", 2)[0])
            board.pop()
    assert after.fens().tolist() == expected and after.null_count == after.error_count == 0
    # Any lists of moves will do, and those of a part of the positions.
    checks = positions[100:300].after(positions.analyze("checking_moves")["checking_moves"][100:300], backend=backend)
    assert checks.analyze("status")["in_check"].to_numpy().all() and len(checks) > 50


def test_the_side_to_move_sees_what_python_chess_mirrors() -> None:
    some = games()[:300]
    fens = [board.fen() for board in some]
    mirrored = [(board if board.turn else board.mirror()).fen() for board in some]
    assert sum(fen != other for fen, other in zip(fens, mirrored, strict=True)) > 100
    what = ["pieces", "maps", "exchanges", "moves", "threats", "keys"]
    seen, expected = slider_attacks.analyze(fens, what, perspective="mover"), slider_attacks.analyze(mirrored, what)
    assert seen == expected
    assert np.array_equal(seen.planes(["white_pawns"]), expected.planes(["white_pawns"]))
    sums = slider_attacks.Positions(fens).summarize("counts", perspective="mover")
    others = slider_attacks.Positions(mirrored).summarize("counts")
    for column in sums.column_names:
        assert np.array_equal(sums.to_numpy(column, "sum"), others.to_numpy(column, "sum"))


def test_positions_after_moves_that_they_do_not_have() -> None:
    positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 b - -"] * 20_000)
    moves = positions.analyze("moves")["moves"]
    with pytest.raises(ValueError, match="lengths differ: 39999 positions, 40000 lists of moves"):
        positions[1:].after(moves)
    with pytest.raises(ValueError, match="move a1b1 is not one of position 0$"):
        positions[1:].after(moves[:-1])
    with pytest.raises(TypeError, match="moves are lists of uint16 or int16, not uint16"):
        positions.after(positions.analyze("legal_moves")["legal_moves"])



def test_a_number_for_each_position() -> None:
    some = games()[:2000]
    batch = slider_attacks.analyze([board.fen() for board in some], "legal_moves")
    moves = batch["legal_moves"].to_numpy()
    assert moves.dtype == np.uint16 and moves.tolist() == [board.legal_moves.count() for board in some]
    signed = slider_attacks.analyze([ONE, None], "legal_moves", integers="signed", on_error="null")["legal_moves"]
    assert signed.dtype == np.int16 and signed.tolist() == [16, None]
    assert str(slider_attacks.analyze([ONE], "legal_moves")).splitlines()[-1].split() == ["legal_moves", "uint16", "16"]


def test_values_of_pieces_are_a_text_or_integers() -> None:
    wanted = slider_attacks.analyze(fens()[:200], "exchanges", values="2,3,3,5,9")
    given: list[Any] = [(2, 3, 3, 5, 9), [2, 3, 3, 5, 9], np.array([2, 3, 3, 5, 9]), np.array([2, 3, 3, 5, 9], np.uint8)]
    given += [pd.Series([2, 3, 3, 5, 9], index=[4, 3, 2, 1, 0]), iter([2, 3, 3, 5, 9]), pa.array([2, 3, 3, 5, 9])]
    positions, sums = slider_attacks.Positions(fens()[:200]), slider_attacks.summarize(fens()[:200], "exchanges")
    for values in given:
        assert slider_attacks.analyze(fens()[:200], "exchanges", values=values) == wanted
        if not isinstance(values, Iterator):
            assert positions.analyze("exchanges", values=values) == wanted
            file = io.BytesIO("\n".join(fens()[:200]).encode())
            (batch,) = slider_attacks.read(file, "exchanges", values=values)
            assert pa.record_batch(batch).drop_columns("line") == pa.record_batch(wanted)
            for found in (slider_attacks.summarize(fens()[:200], "exchanges", values=values), positions.summarize("exchanges", values=values)):
                assert found == slider_attacks.summarize(fens()[:200], "exchanges", values="2,3,3,5,9") != sums
    assert slider_attacks.analyze(fens()[:200], "exchanges", values=(1, 3, 3, 5, 9)) != wanted
    games = ["1. e4 d5 2. Nc3 d4"]
    one = slider_attacks.game_positions(games, "exchanges", values=(2, 3, 3, 5, 9))
    assert one == slider_attacks.game_positions(games, "exchanges", values="2,3,3,5,9") != slider_attacks.game_positions(games, "exchanges")


def test_options_reach_the_products() -> None:
    text = ["4k3/8/8/8/q7/r7/1P6/R3K3 w Q -"]
    for through, victims in [("any", "any"), ("own", "own"), ("enemy", "enemy")]:
        batch: Any = slider_attacks.analyze(text, ["xrays", "threats"], through=through, victims=victims)
        table = pa.record_batch(batch)
        codes = {threat["victim"] for threat in table["threats"][0].as_py() if chr(threat["attacker"]).isupper()}
        sides = {chr(code).isupper() for code in codes}
        assert sides == {"any": {True, False}, "own": {True}, "enemy": {False}}[victims]
    xrays = [
        slider_attacks.analyze(text, "xrays", through=side)["white_xrays"].to_numpy()[0] for side in ("own", "enemy")
    ]
    assert xrays[0] != xrays[1]
    pinned_knight = ["4r2k/8/8/3p4/8/4N3/8/4K3 w - -"]  # attacks the pawn on d5
    for values, pinned, gain in [("1,3,3,5,9", "capture", 1), ("2,3,3,5,9", "capture", 2), ("1,3,3,5,9", "stay", 0)]:
        batch = slider_attacks.analyze(pinned_knight, "exchanges", values=values, pinned=pinned)
        assert batch["white_gains"].to_numpy()[0, 35] == gain
        assert batch["white_wins"].to_numpy()[0] == (1 << 35 if gain else 0)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_rows_that_cannot_be_read(threads: int) -> None:
    texts = list(fens()[:7000])
    bad = {3: "", 2999: "8/8/8/8/8/8/8/8 w - -", 5000: "x", 6999: ONE.replace("w", "?")}
    for row, text in bad.items():
        texts[row] = text
    with pytest.raises(ValueError, match=r"^row 3, column 1: expected a position, found the end of the line: \"\"$"):
        slider_attacks.analyze(texts, threads=threads)
    in_pieces = pa.chunked_array([texts[4000:4100], texts[4100:]])
    with pytest.raises(ValueError, match=r"^row 1000, column 1: "):
        slider_attacks.analyze(in_pieces, threads=threads)
    with pytest.raises(ValueError, match=r"^row 1000, column 1: "):
        slider_attacks.Positions(in_pieces, threads=threads)
    batch = slider_attacks.analyze(texts, on_error="null", threads=threads)
    assert [row for row, _ in batch.errors] == list(bad)
    assert all(text.startswith(f"row {row}, column ") for row, text in batch.errors)
    assert [row for row, value in enumerate(pa.array(batch["white_attacks"])) if not value.is_valid] == list(bad)
    positions = slider_attacks.Positions(texts, on_error="null", threads=threads)
    assert positions.errors == batch.errors and positions.null_count == 4
    assert [row for row, fen in enumerate(positions.fens().tolist()) if fen is None] == list(bad)
    report = slider_attacks.analyze(texts, on_error="report", threads=threads)
    assert report.column_names == [*batch.column_names, "error"]
    assert pa.array(report["white_attacks"]) == pa.array(batch["white_attacks"])
    reasons = {row: text for row, text in enumerate(report["error"].tolist()) if text is not None}
    told = [(row, f'row {row}, {text}: "{bad[row]}"') for row, text in reasons.items()]
    assert told == batch.errors == report.errors
    good = [text for row, text in enumerate(texts) if row not in bad]
    skip = slider_attacks.analyze(texts, on_error="skip", threads=threads)
    assert skip.errors == batch.errors
    assert pa.array(skip["white_attacks"]) == pa.array(slider_attacks.analyze(good)["white_attacks"])
    rest = slider_attacks.Positions(texts, on_error="skip")
    assert (len(rest), rest.null_count, rest.errors) == (len(good), 0, batch.errors)
    for options in [{}, {"on_error": "report"}]:
        schema: Any = slider_attacks.schema(**options)
        assert pa.schema(schema) == pa.table(slider_attacks.analyze([ONE], **options)).schema  # type: ignore[arg-type]


@pytest.mark.parametrize("on_error", ["null", "report", "skip"])
def test_threads_change_nothing(on_error: Literal["null", "report", "skip"]) -> None:
    dice = random.Random(3)
    texts: list[str | None] = [*fens()[:20_000], *fens()]
    for row in [*(dice.randrange(len(texts)) for _ in range(2000)), len(texts) - 1]:
        texts[row] = dice.choice(["?", "", None, "8/8/8/8/8/8/8/8 w - -"])
    texts[0] = "?"
    whole, every = pa.array(texts), [product["name"] for product in slider_attacks.products()]
    given = [whole, whole[3:], pa.chunked_array([whole[:1], whole[1:30_000], whole[30_000:]])]
    for column in given:
        one = slider_attacks.analyze(column, every, on_error=on_error)
        read = slider_attacks.Positions(column, on_error="skip" if on_error == "skip" else "null")
        again = pa.record_batch(read.analyze(every))
        assert again == pa.record_batch(one).select(again.schema.names)
        for threads in [2, 3, 7]:
            several = slider_attacks.analyze(column, every, on_error=on_error, threads=threads)
            pa.record_batch(several).validate(full=True)
            assert pa.record_batch(several) == pa.record_batch(one)
            assert (several.errors, several.error_count) == (one.errors, one.error_count)
            positions = slider_attacks.Positions(
                column, on_error="skip" if on_error == "skip" else "null", threads=threads
            )
            assert (positions.errors, positions.error_count) == (one.errors, one.error_count)
            assert positions.null_count == read.null_count and positions.fens().tolist() == read.fens().tolist()
            assert pa.record_batch(positions.analyze(every, threads=threads)) == again
    for threads in [1, 2, 3]:
        with pytest.raises(ValueError, match=r"^row 0, "):
            slider_attacks.Positions(whole, threads=threads)


@pytest.mark.parametrize("on_error", ["null", "report", "skip"])
def test_threads_change_nothing_in_later_parts(on_error: Literal["null", "report", "skip"]) -> None:
    """A part of two threads has 65,536 rows."""
    texts: list[str | None] = [*fens() * 9]
    del texts[170_000:]
    for border in range(0, len(texts), 1 << 14):
        for row in range(max(border - 2, 0), border + 3):
            texts[row] = [None, "?"][row % 2]
    column = pa.array(texts)
    one = slider_attacks.analyze(column, ["pins", "threats"], on_error=on_error)
    for threads in [2, 3]:
        several = slider_attacks.analyze(column, ["pins", "threats"], on_error=on_error, threads=threads)
        assert pa.record_batch(several) == pa.record_batch(one)
        assert (several.errors, several.error_count) == (one.errors, one.error_count)
        read = slider_attacks.Positions(column, on_error="skip" if on_error == "skip" else "null", threads=threads)
        again = pa.record_batch(read.analyze(["pins", "threats"], threads=threads))
        assert again == pa.record_batch(one).select(again.schema.names)
    for first in [65_537, 131_073]:
        bad = pa.concat_arrays([pa.array([ONE] * first), column])
        calls: list[Any] = [slider_attacks.analyze, slider_attacks.Positions]
        for call in calls:
            with pytest.raises(ValueError, match=rf"^row {first + 1}, "):
                call(bad, threads=2)


def test_products_are_what_can_be_asked_for() -> None:
    products = slider_attacks.products()
    for product in products:
        assert slider_attacks.analyze([ONE], product["name"]).column_names == list(product["columns"])
        assert product["definition"]
    names: Any = [product["name"] for product in reversed(products)]
    columns = [name for product in products for name in product["columns"]]
    assert slider_attacks.analyze([ONE], names).column_names == columns


def test_every_call_has_the_options_of_all_products() -> None:
    options = {option for product in slider_attacks.products() for option in product["options"]}
    assert options >= {"through", "victims", "values", "pinned"}
    assert options <= set(slider_attacks._engines.Options.__annotations__)
    positions = slider_attacks.Positions([ONE])
    calls: dict[str, tuple[Any, list[Any]]] = {
        "analyze": (slider_attacks.analyze, [[ONE]]),
        "summarize": (slider_attacks.summarize, [[ONE]]),
        "game_positions": (slider_attacks.game_positions, [["1. e4"]]),
        "read": (slider_attacks.read, [io.BytesIO(ONE.encode())]),
        "Positions.analyze": (positions.analyze, []),
        "Positions.summarize": (positions.summarize, []),
    }
    for name, (call, arguments) in calls.items():
        parameters = inspect.signature(call).parameters
        assert not any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters.values()), name
        with pytest.raises(TypeError, match=rf"^{re.escape(name)}\(\) got an unexpected keyword argument 'depth'$"):
            call(*arguments, depth=1)
        for option in options:
            usual = parameters[option].default
            call(*arguments, **{option: usual})
            with pytest.raises(ValueError, match=f'^{option}="x": expected '):
                call(*arguments, **{option: "x"})
            with pytest.raises(TypeError, match=rf"^(argument '{option}':|{option} must be) "):
                call(*arguments, **{option: 1.5})


def test_malformed_input() -> None:
    analyze: Any = slider_attacks.analyze
    positions: Any = slider_attacks.Positions
    kings = {f"{color}_{piece}": [0] for color in ("white", "black") for piece in PIECES} | {
        "white_king": [1],
        "black_king": [2],
    }
    assert positions(kings).fens().tolist() == ["8/8/8/8/8/8/8/Kk6 w - -"]
    cases: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        (ONE, {}, TypeError, "positions must be a sequence of str, not one str"),
        (ONE.encode(), {}, TypeError, "positions must be a sequence of str, not one str"),
        (5, {}, TypeError, "positions must be an Arrow column or table, a sequence of str, or a dictionary, not int"),
        ([ONE, 5], {}, TypeError, "row 1: positions must be str, not int"),
        (
            pa.array([1]),
            {},
            TypeError,
            "column positions: expected strings or bytes, or a dictionary of them, found Int64",
        ),
        ([ONE], {"what": "move"}, ValueError, 'what="move": expected one of pieces, maps, counts'),
        ([ONE], {"what": [1]}, TypeError, "what is a name or several, as in ["),
        ([ONE], {"what": 1}, TypeError, "what is a name or several, as in ["),
        ([ONE], {"on_error": "fail"}, ValueError, 'on_error="fail": expected one of raise, skip, null, report'),
        ([ONE], {"integers": "int"}, ValueError, 'integers="int": expected one of unsigned, signed'),
        ([ONE], {"through": "x"}, ValueError, 'through="x": expected one of own, enemy, any'),
        ([ONE], {"victims": "x"}, ValueError, 'victims="x": expected one of own, enemy, any'),
        ([ONE], {"values": "1,2"}, ValueError, 'values="1,2": expected five numbers from 0 to 63'),
        ([ONE], {"pinned": "x"}, ValueError, 'pinned="x": expected one of capture, stay'),
        ([ONE], {"backend": "x"}, ValueError, 'backend="x": expected one of scalar'),
        ({}, {}, TypeError, "the table has no columns"),
        (
            {1: 2},
            {},
            TypeError,
            "positions must be an Arrow column or table, a sequence of str, or a dictionary, not int",
        ),
        ({"white_king": [1]}, {}, TypeError, "column white_pawn is missing"),
        (kings | {"white_king": [3]}, {}, ValueError, "row 0: "),
        (kings | {"white_king": [2]}, {}, ValueError, "row 0: "),
        (kings | {"white_king": [1.5]}, {}, TypeError, "white_king must be integers, not float at index 0"),
        (kings | {"white_king": [[1]]}, {}, ValueError, "white_king has 2 dimensions, not one"),
        (kings | {"white_king": [1, 1]}, {}, ValueError, "column white_king has 2 rows, and white_pawn has 1"),
        (kings | {"side_to_move": ["x"]}, {}, ValueError, 'row 0, column side_to_move: expected w or b, found "x"'),
        (kings | {"castling": ["x"]}, {}, ValueError, "row 0, column castling: "),
        (kings | {"en_passant": [64]}, {}, ValueError, "square 64 in row 0 is not on the board"),
        (kings | {"en_passant": [0]}, {}, ValueError, "row 0: "),
    ]
    for given, options, error, text in cases:
        with pytest.raises(error) as caught:
            analyze(given, **options)
        assert str(caught.value).startswith(text)
    calls: list[Any] = [lambda: positions([ONE]).pieces("red", "rook"), lambda: positions([ONE]).pieces("white", "cat")]
    for call in calls:
        with pytest.raises(ValueError, match="expected one of"):
            call()
    with pytest.raises(KeyError):
        analyze([ONE])["moves"]


def test_no_positions() -> None:
    for none in [[], pa.array([], pa.string()), pa.chunked_array([], pa.string())]:
        batch = slider_attacks.analyze(none, ["maps", "threats"], threads=2)
        assert len(batch) == 0 and len(batch.column_names) == 3
    with pytest.raises(TypeError, match="found Int8"):
        slider_attacks.analyze(pa.array([], pa.int8()))
    assert len(slider_attacks.analyze([ONE], [])) == 1


def test_many_positions_that_have_been_read() -> None:
    texts = fens() * 14  # enough for another thread to compute them
    texts[7] = "nonsense"
    positions = slider_attacks.Positions(texts, on_error="null")
    for what in ([], "maps", ["threats", "maps", "pins"]):
        options: Any = {"integers": "signed", "through": "own", "victims": "any", "backend": "scalar"}
        found = positions.analyze(what, **options)
        expected = slider_attacks.analyze(texts, what, on_error="null", **options)
        assert len(found) == len(texts) and found.errors == expected.errors
        assert pa.record_batch(found) == pa.record_batch(expected)


def test_the_first_row_that_cannot_be_read_is_found_on_all_threads() -> None:
    texts = fens() * 30
    rows = len(texts)  # 600,000
    good = pa.array(texts)
    dice = random.Random(7)
    for threads in [1, 2, 3, 4]:
        for _ in range(3):
            # Other threads find one at the beginning of what is theirs, before the first has come to its end.
            bad = sorted({dice.randrange(rows), *(share * rows // threads for share in range(1, threads))})
            if dice.random() < 0.5:
                bad.insert(0, dice.randrange(bad[0]))
            with_bad = list(texts)
            for row in bad:
                with_bad[row] = "?"
            with pytest.raises(ValueError, match=rf"^row {bad[0]}, column 1: "):
                slider_attacks.analyze(pa.array(with_bad), [], threads=threads)
    # A bad row at the end takes no longer than a good one: what has been computed is not computed again.
    texts[-1] = "?"
    bad_at_end = pa.array(texts)
    took = {True: math.inf, False: math.inf}
    for _ in range(3):
        for is_good in took:
            started = time.process_time()
            with contextlib.suppress(ValueError):
                slider_attacks.analyze(good if is_good else bad_at_end, ["maps", "counts"], threads=2)
            took[is_good] = min(took[is_good], time.process_time() - started)
    assert took[False] < 1.4 * took[True], took


@functools.cache
def long_calls() -> dict[str, Any]:
    """Calls that take long, and not because of a batch of vector instructions."""
    texts = fens() * 50
    column, squares = pa.array(texts), [7] * 3_000_000
    positions = slider_attacks.Positions(column)
    counts, maps = (
        slider_attacks.analyze(texts[:200_000], "counts")["white_attackers"],
        positions.analyze()["white_attacks"],
    )
    many, occs = np.full(1 << 25, 7, np.uint8), np.zeros(1 << 25, np.uint64)
    return {
        "analyze": lambda: slider_attacks.analyze(column, ["counts", "mobility", "threats"]),
        "read": lambda: slider_attacks.Positions(column),
        "read a list": lambda: slider_attacks.Positions(texts),
        "analyze on threads": lambda: slider_attacks.analyze(column, ["counts", "mobility", "threats"], threads=2),
        "read on threads": lambda: slider_attacks.Positions(column, threads=2),
        "analyze again on threads": lambda: positions.analyze(["counts", "mobility", "threats"], threads=2),
        "analyze again": lambda: positions.analyze(["counts", "mobility", "threats"]),
        "fens": positions.fens,
        "boards": positions.boards,
        "list of counts": counts.tolist,
        "list of maps": maps.tolist,
        "list of texts": positions.fens().tolist,
        "squares in a list": lambda: slider_attacks.batch_attacks(squares, 0),
        "new array": lambda: slider_attacks.batch_attacks(many, occs),
    }


@pytest.mark.parametrize("name", long_calls())
def test_a_signal_ends_a_long_call(name: str) -> None:
    call, took = long_calls()[name], []
    for _ in range(8):  # a machine with much else to do may be late
        sent: list[float] = []

        def interrupt(sent: list[float] = sent) -> None:
            time.sleep(0.05)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=interrupt)
        with pytest.raises(KeyboardInterrupt):
            sender.start()
            while True:
                call()
        took.append(time.perf_counter() - sent[0])
        sender.join()
        if took[-1] < 0.2:
            return
    raise AssertionError(took)


@pytest.mark.parametrize("name", long_calls())
def test_other_threads_run_during_a_long_call(name: str) -> None:
    call, waits = long_calls()[name], []
    for _ in range(8):
        done = threading.Event()
        ticks: list[float] = []

        def tick(done: threading.Event = done, ticks: list[float] = ticks) -> None:
            while not done.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.0005)

        ticker = threading.Thread(target=tick)
        ticker.start()
        gc.collect()
        gc.disable()  # Python's own collector holds the lock
        started = time.perf_counter()
        kept = call()
        ended = time.perf_counter()
        gc.enable()
        done.set()
        ticker.join()
        assert kept is not None
        del kept
        during = [started, *(tick for tick in ticks if started < tick < ended), ended]
        waits.append((max(after - before for before, after in itertools.pairwise(during)), ended - started))
        if waits[-1][0] < max(0.05, waits[-1][1] / 3):
            return
    raise AssertionError(waits)
