"""Inputs of networks: the same as a slow definition on python-chess, in every layout and form."""

import functools
import itertools
import pickle
from collections.abc import Callable
from typing import Any

import chess
import numpy as np
import pyarrow as pa
import pytest
import slider_attacks
from slider_attacks import PieceLayout, ThreatLayout
from test_positions import games

V10 = {"P": "PNR", "N": "PNBRQK", "B": "PNBRK", "R": "PNBRK", "Q": "PNBRQK", "K": "PNBR"}
V12 = {"P": "PNR", "N": "PNBRQ", "B": "PNBR", "R": "PNBR", "Q": "PNBRQ"}
V16 = V12 | {"P": "NR"}
VICTIMS = {"v10": V10, "v11": V12 | {"K": "PNBR"}, "v12": V12, "v13": V12, "v14": V12, "v15": V12, "v16": V16}

Row = Callable[[chess.Board, chess.Color], list[int]]


def seen(board: chess.Board, color: chess.Color, kingside: bool | None) -> chess.Board:
    """The board as one side sees it: its own pieces are White's, and its king is on one side."""
    board = board.copy(stack=False) if color else board.mirror()
    king = board.king(chess.WHITE)
    if kingside is not None and king is not None and (chess.square_file(king) >= 4) != kingside:
        board.apply_transform(chess.flip_horizontal)
    return board


def targets(board: chess.Board, square: chess.Square, pushes: bool) -> chess.SquareSet:
    """What the piece on a square attacks."""
    piece, found = board.piece_at(square), chess.SquareSet(board.attacks_mask(square))
    if piece is not None and piece.piece_type == chess.PAWN:
        if not 0 < chess.square_rank(square) < 7:
            return chess.SquareSet()
        if pushes:
            found.add(square + (8 if piece.color else -8))
    return found


@functools.cache
def reach(letter: str, pushes: bool) -> tuple[tuple[int, ...], ...]:
    """What a piece attacks on an empty board, from each square."""
    found = []
    for square in chess.SQUARES:
        board = chess.Board(None)
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
        found.append(tuple(targets(board, square, pushes)))
    return tuple(found)


def threats(victims: dict[str, str], pushes: bool) -> Row:
    bases, base = {}, 0
    for letter in "PNBRQKpnbrqk":
        pairs = list(itertools.chain.from_iterable(reach(letter, pushes)))
        bases[letter] = base, len(pairs)
        base += 2 * len(victims.get(letter.upper(), "")) * len(pairs)

    def row(board: chess.Board, color: chess.Color) -> list[int]:
        board, found = seen(board, color, False), []
        pieces = board.piece_map()
        for square, piece in pieces.items():
            slots = victims.get(piece.symbol().upper(), "")
            for target in targets(board, square, pushes):
                victim = pieces.get(target)
                if victim is None or victim.symbol().upper() not in slots:
                    continue
                is_mutual = victim.color != piece.color or piece.piece_type != chess.PAWN
                if victim.piece_type == piece.piece_type and is_mutual and square < target:
                    continue
                slot = slots.index(victim.symbol().upper()) + (0 if victim.color else len(slots))
                base, pairs = bases[piece.symbol()]
                squares = reach(piece.symbol(), pushes)
                before = sum(map(len, squares[:square])) + sum(other < target for other in squares[square])
                found.append(base + slot * pairs + before)
        return sorted(found)

    return row


def pawn_pairs(board: chess.Board, color: chess.Color) -> list[int]:
    board, found = seen(board, color, False), []
    squares = chess.SquareSet(board.pawns)
    pawns = [(square - 8 + (0 if board.color_at(square) else 48), square % 8) for square in squares]
    for (one, file), (other, next_file) in itertools.combinations(pawns, 2):
        if abs(file - next_file) <= 1:
            high, low = max(one, other), min(one, other)
            found.append(high * (high - 1) // 2 + low)
    return sorted(found)


def pieces(planes: str, buckets: list[int], kingside: bool | None) -> Row:
    """`planes` are the letters of the pieces in order."""

    def row(board: chess.Board, color: chess.Color) -> list[int]:
        board = seen(board, color, kingside)
        king = board.king(chess.WHITE)
        assert king is not None
        first = buckets[king] * len(planes) * 64
        return sorted(first + 64 * planes.index(it.symbol()) + square for square, it in board.piece_map().items())

    return row


HALF_KA = [4 * (7 - square // 8) + 7 - square % 8 for square in range(64)]
CASTLED = [int(square % 8 < 2) for square in range(64)]
ROOKS = ThreatLayout({"R": "QP", "P": "P"}, pushes=True)
SETS: list[tuple[Any, int, Row]] = [
    *((f"threats:{name}", 0, threats(it, name in ("v14", "v15"))) for name, it in VICTIMS.items()),
    ("threats", 59_808, threats(V16, False)),
    ("pawn_pairs", 4_560, pawn_pairs),
    ("halfka_hm", 24_576, pieces("PpNnBbRrQqKk", HALF_KA, True)),
    ("pieces", 768, pieces("PNBRQKpnbrqk", [0] * 64, None)),
    (ROOKS, 2 * 2 * (132 + 2 * 896), threats({"R": "QP", "P": "P"}, True)),
    (PieceLayout(buckets=CASTLED, mirror="queenside"), 2 * 768, pieces("PNBRQKpnbrqk", CASTLED, False)),
]


def lists(rows: slider_attacks.FeatureRows) -> list[list[int]]:
    indices, offsets = rows.indices.tolist(), rows.offsets.tolist()
    return [indices[start:end] for start, end in itertools.pairwise(offsets)]


@pytest.mark.parametrize(("name", "size", "row"), SETS, ids=[str(it[0]) for it in SETS])
def test_the_same_inputs_as_the_definition(name: Any, size: int, row: Row) -> None:
    boards = games()[::50]
    positions = slider_attacks.Positions([board.fen() for board in boards])
    found = slider_attacks.features(positions, name, sort=True)
    assert found.size == size or size == 0
    assert lists(found.white) == [row(board, chess.WHITE) for board in boards]
    assert lists(found.black) == [row(board, chess.BLACK) for board in boards]
    for backend in slider_attacks.backends():
        again = slider_attacks.features(positions, name, sort=True, backend=backend)
        assert lists(again.white) == lists(found.white) and lists(again.black) == lists(found.black)
    unsorted = slider_attacks.features(positions, name)
    assert [sorted(it) for it in lists(unsorted.white)] == lists(found.white)


def test_sets_follow_each_other_in_a_sum() -> None:
    boards = games()[::100]
    fens = [board.fen() for board in boards]
    both = slider_attacks.features(fens, ["pawn_pairs", "threats"], perspective="mover", sort=True)
    assert (both.size, both.starts, both.own.indices.dtype.name) == (64_368, [0, 4_560], "uint16")
    row = threats(V16, False)
    expected = [pawn_pairs(it, it.turn) + [4_560 + index for index in row(it, it.turn)] for it in boards]
    assert lists(both.own) == expected
    expected = [pawn_pairs(it, not it.turn) + [4_560 + index for index in row(it, not it.turn)] for it in boards]
    assert lists(both.other) == expected
    three = slider_attacks.features(fens, ("halfka_hm", "threats", "pawn_pairs"))
    assert (three.size, three.white.indices.dtype.name) == (88_944, "uint32")
    for name in ["white", "black"]:
        with pytest.raises(AttributeError, match=f"no {name}: with this perspective, rows are own and other"):
            getattr(both, name)
    with pytest.raises(AttributeError, match="no own: with this perspective, rows are white and black"):
        three.own  # noqa: B018


def test_rows_padded() -> None:
    fens = [board.fen() for board in games()[:3000]]
    rows = slider_attacks.features(fens, "threats").black
    longest = max(map(len, lists(rows)))
    types: list[tuple[Any, int]] = [("int32", -1), ("uint16", 65_535), (np.int64, -7), ("u4", 0), ("uint64", 2**40)]
    for dtype, fill in types:
        padded = rows.padded(longest + 1, fill=fill, dtype=dtype)
        assert padded.dtype == np.dtype(dtype) and padded.shape == (3000, longest + 1)
        assert padded.tolist() == [it + [fill] * (longest + 1 - len(it)) for it in lists(rows)]
    assert rows.padded().shape == (3000, longest) and rows.padded().dtype == np.int32
    row = next(at for at, it in enumerate(lists(rows)) if len(it) == longest)
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"width": longest - 1}, ValueError, f"row {row} has {longest} inputs, and width is {longest - 1}"),
        ({"dtype": "int16"}, ValueError, "does not fit the dtype"),
        ({"dtype": "uint16"}, ValueError, "fill=-1 does not fit uint16"),
        ({"dtype": "float32"}, TypeError, "dtype must be one of integers with 2, 4 or 8 bytes, not float32"),
    ]
    for how, kind, text in wrong:
        with pytest.raises(kind, match=text):
            rows.padded(**how)
    empty = slider_attacks.features([], "threats").white
    assert (empty.padded().shape, empty.padded(5).shape, len(empty)) == ((0, 0), (0, 5), 0)


def test_views_of_the_memory() -> None:
    fens = [board.fen() for board in games()[:100]]
    features = slider_attacks.features(pa.table({"fen": fens}), "pieces")
    rows = features.white
    assert (len(features), len(rows)) == (100, 100)
    assert not rows.indices.flags.writeable and not rows.offsets.flags.writeable
    assert (rows.indices.dtype.name, rows.offsets.dtype.name, rows.offsets.shape) == ("uint16", "int64", (101,))
    assert np.shares_memory(rows[7], rows.indices) and rows[-1].tolist() == lists(rows)[-1]
    indices = rows.indices
    del features, rows
    assert indices.tolist() == slider_attacks.features(fens, "pieces").white.indices.tolist()
    with pytest.raises(IndexError, match="row 100 is out of range"):
        slider_attacks.features(fens, "pieces").white[100]


def test_rows_in_arrow() -> None:
    fens = [board.fen() for board in games()[:100]]
    for name, kind in [("threats", pa.uint16()), ("threats:v10", pa.uint32())]:
        rows = slider_attacks.features(fens, name).white
        column = pa.array(rows)
        assert column.type == pa.large_list(pa.field("item", kind, nullable=False))
        column.validate(full=True)
        assert column.to_pylist() == lists(rows)
    assert pa.array(slider_attacks.features([], "threats").black).to_pylist() == []


def test_any_number_of_threads_gives_the_same_rows() -> None:
    fens = [board.fen() for board in games()] * 2
    positions = slider_attacks.Positions(fens)
    one = slider_attacks.features(positions, ["threats", "pawn_pairs"])
    for threads in [2, 5]:
        more = slider_attacks.features(positions, ["threats", "pawn_pairs"], threads=threads)
        for name in ["white", "black"]:
            for part in ["indices", "offsets"]:
                expected, found = getattr(getattr(one, name), part), getattr(getattr(more, name), part)
                np.testing.assert_array_equal(expected, found)


def typed(value: Any) -> Any:
    """A value whose type is wrong."""
    return value


ONE = "4k3/8/8/8/8/8/8/4K3 w - -"


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: slider_attacks.features([ONE], "threat"), ValueError, "expected one of halfka_hm, threats,"),
        (lambda: slider_attacks.features([ONE], "threats", layout="v9"), ValueError, "expected one of v10, v11"),
        (lambda: slider_attacks.features([ONE], "pieces:v16"), ValueError, "pieces has one layout, without a name"),
        (lambda: slider_attacks.features([ONE], ["threats"], layout="v14"), TypeError, 'write "threats:v14"'),
        (lambda: slider_attacks.features([ONE], typed(3)), TypeError, "sets must be names, .* not int"),
        (lambda: slider_attacks.features([ONE], typed(["threats", None])), TypeError, "not NoneType"),
        (lambda: slider_attacks.features([ONE], itertools.repeat("pieces")), ValueError, "more than ten sets"),
        (lambda: slider_attacks.features([ONE], "pieces", perspective="own"), ValueError, "expected colors or mover"),
        (lambda: slider_attacks.features([ONE, None], "pieces"), ValueError, "row 1 is null, which has no inputs"),
        (lambda: slider_attacks.features([ONE, "x"], "pieces"), ValueError, "row 1"),
        (
            lambda: slider_attacks.features([ONE] * 40_000 + ["P3k3/8/8/8/8/8/8/4K3 w - -"], "threats", threads=2),
            ValueError,
            "row 40000: a pawn on a8 has no threats and pairs",
        ),
        (lambda: ThreatLayout({"N": "KK"}), ValueError, "expected letters of PNBRQK, each once"),
        (lambda: ThreatLayout({"PN": "K"}), ValueError, "expected letters of PNBRQK, each once"),
        (lambda: ThreatLayout({"N": "x"}), ValueError, "expected letters of PNBRQK, each once"),
        (lambda: PieceLayout([[0] * 6]), ValueError, "planes must be two sequences of six numbers below 12"),
        (lambda: PieceLayout([[12] * 6] * 2), ValueError, "planes must be two sequences of six numbers below 12"),
        (lambda: PieceLayout(buckets=[0] * 63), ValueError, "there are 63 buckets, not 64"),
        (lambda: PieceLayout(mirror="west"), ValueError, "expected never, queenside or kingside"),
    ],
)
def test_what_is_wrong_is_said(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text.replace("(", r"\(")):
        call()


def test_layouts_are_values() -> None:
    assert ThreatLayout(V16) == ThreatLayout(V16) != ThreatLayout(V12)
    assert len({ThreatLayout(V16), ThreatLayout(V16), ThreatLayout(V16, pushes=True)}) == 2
    assert eval(repr(ROOKS), {"ThreatLayout": ThreatLayout}) == ROOKS
    assert (ThreatLayout(V16).size, PieceLayout().size) == (59_808, 768)
    assert PieceLayout() == PieceLayout(buckets=[0] * 64) != PieceLayout(mirror="kingside")


def test_inputs_and_layouts_are_pickled() -> None:
    fens = ["r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", "4k3/8/8/8/8/8/8/R3K3 b Q -"]
    buckets = [square // 16 for square in range(64)]
    threats = ThreatLayout({"N": "KQ", "P": "N"}, pushes=True)
    layouts = [threats, PieceLayout(buckets=buckets, mirror="kingside"), PieceLayout()]
    sums: list[Any] = ["pieces", ["threats", "halfka_hm"], [], threats]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        for layout in layouts:
            found = pickle.loads(pickle.dumps(layout, protocol))
            assert found == layout and hash(found) == hash(layout)
        for sets in sums:
            features = slider_attacks.features(fens, sets)
            again = pickle.loads(pickle.dumps(features, protocol))
            assert (repr(again), again.starts, again.size) == (repr(features), features.starts, features.size)
            alone = pickle.loads(pickle.dumps(features.black, protocol))
            for rows, other in [(again.white, features.white), (again.black, features.black), (alone, features.black)]:
                assert np.array_equal(rows.offsets, other.offsets) and np.array_equal(rows.indices, other.indices)
                assert rows.indices.dtype == other.indices.dtype
    mover = slider_attacks.features(fens, "pieces", perspective="mover")
    assert pickle.loads(pickle.dumps(mover)).own[1].tolist() == mover.own[1].tolist()
    restore, (kind, *_) = mover.__reduce__()
    _, (_, good, *_) = slider_attacks.features(fens, ["pieces", "pieces"]).__reduce__()
    for before, after in [(b"0,768", b"1,768"), (b"0,768", b"0,999"), (b"0,768", b"9,768"), (b"1536", b"0768"), (b"1536", b"0700")]:
        # The metadata are texts of the stream.
        assert before in good
        bad = good.replace(before, after)
        if (before, after) == (b"0,768", b"0,999"):
            assert restore(kind, bad, [], 0).starts == [0, 999]
            continue
        with pytest.raises(ValueError, match="malformed pickle"):
            restore(kind, bad, [], 0)
    _, (_, stream, *_) = slider_attacks.analyze(fens).__reduce__()
    for other_kind in [kind, type(mover.own)]:
        with pytest.raises((ValueError, TypeError), match="malformed pickle"):
            restore(other_kind, stream, [], 0)
