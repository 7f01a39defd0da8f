"""Arrow arrays in and out, between this package and all that speak the PyCapsule interface."""

import re
from collections.abc import Callable
from typing import Any

import duckdb
import nanoarrow
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import slider_attacks
import slider_attacks.polars
from reference import expected, random_pairs

LENGTH = 3000
SQUARES, OCCS = random_pairs(LENGTH)
SETS = expected("queen", SQUARES, OCCS)
PRODUCTS: Any = [product["name"] for product in slider_attacks.products()]
FENS = [
    "4k3/8/8/8/8/8/8/R3K3 w Q -",
    "rn1q4/3p1k1r/2p4p/N3p1pP/1p3nP1/PQ1PpP1R/6BB/2R1K3 b - - 1 25",
    None,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
]
VALID = np.arange(LENGTH) % 7 != 3


def nullable(values: Any) -> Any:
    """As a pyarrow array in which every seventh row is null, over a number that is no square."""
    over = values.copy()
    over[~VALID] = 255
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype),
        len(values),
        [pa.py_buffer(np.packbits(VALID, bitorder="little").tobytes()), pa.py_buffer(over)],
    )


@pytest.mark.parametrize("kind", ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8"])
@pytest.mark.parametrize("boards", ["u8", "i8"])
def test_nulls_slices_and_types(kind: str, boards: str) -> None:
    squares, occs = pa.array(SQUARES.astype(kind)), pa.array(OCCS.view(boards))
    assert pa.array(slider_attacks.batch_attacks(squares, occs)).to_pylist() == SETS.tolist()
    with_nulls = pa.array(slider_attacks.batch_attacks(nullable(SQUARES).cast(kind, safe=False), occs))
    assert with_nulls.to_pylist() == [
        attacks if valid else None for attacks, valid in zip(SETS.tolist(), VALID, strict=True)
    ]
    for start, stop in [(0, 0), (1, 2), (5, 1000), (63, 64), (1001, LENGTH)]:
        part = slider_attacks.batch_attacks(squares[start:stop], occs[start:stop])
        assert pa.array(part).to_pylist() == SETS[start:stop].tolist()
    assert pa.array(slider_attacks.batch_attacks(3, occs[:9])).to_pylist() == [
        slider_attacks.queen_attacks(3, occ) for occ in OCCS[:9]
    ]
    rook = slider_attacks.batch_attacks(squares, np.uint64(5), slider="rook")
    assert rook.null_count == 0 and len(rook) == LENGTH


@pytest.mark.parametrize("threads", [1, 3])
def test_pieces_and_threads(threads: int) -> None:
    squares, occs = random_pairs(100_000)
    alone = slider_attacks.batch_attacks(squares, occs)
    in_pieces = [
        pa.chunked_array(np.array_split(squares, [7, 60_000])),
        pa.chunked_array(np.array_split(occs, [50_000])),
    ]
    sets = slider_attacks.batch_attacks(in_pieces[0], in_pieces[1], threads=threads)
    np.testing.assert_array_equal(sets.to_numpy(), alone)
    squares[77_777] = 64
    with pytest.raises(ValueError, match="row 77777: square 64 is not on the board"):
        slider_attacks.batch_attacks(pa.array(squares), pa.array(occs), threads=threads)
    union = slider_attacks.batch_attack_sets(pa.array(occs), 0, pa.array(occs), threads=threads)
    np.testing.assert_array_equal(union.to_numpy(), slider_attacks.batch_attack_sets(occs, 0, occs))


def test_arrow_and_numpy_together_give_numpy() -> None:
    squares = pa.array(SQUARES)
    np.testing.assert_array_equal(slider_attacks.batch_attacks(squares, OCCS), SETS)
    out = np.zeros(LENGTH, np.uint64)
    assert slider_attacks.batch_attacks(squares, pa.array(OCCS), out) is out
    np.testing.assert_array_equal(out, SETS)
    with pytest.raises(ValueError, match="values are null, which NumPy arrays cannot hold"):
        slider_attacks.batch_attacks(nullable(SQUARES), OCCS)


def test_malformed_columns() -> None:
    occs = pa.array([1, 2, 3], pa.uint64())
    cases: list[tuple[Any, Any, type[Exception], str]] = [
        (pa.array([1.5, 2.5, 3.5]), occs, TypeError, "squares must be integers, not a column of Float64: cast it first"),
        (pa.array(["a", "b", "c"]), occs, TypeError, "squares must be integers, not a column of Utf8: cast it first"),
        (pa.array([1, 64, -1]), occs, ValueError, "row 1: square 64 is not on the board"),
        (pa.array([1, -1, 64], pa.int8()), occs, ValueError, "row 1: square -1 is not on the board"),
        (pa.array([1, 2]), occs, ValueError, "column occupancies: expected 2 rows, found 3"),
        (64, occs, ValueError, "square 64 is not on the board"),
        (
            pa.array([1, 2, 3]),
            occs.cast(pa.int32()),
            TypeError,
            "column occupancies: expected UInt64 or Int64, found Int32",
        ),
        (pa.array([1, 2, 3]), 2**64, ValueError, f"{2**64} is out of range: occs have 64 bits"),
    ]
    for squares, boards, error, text in cases:
        with pytest.raises(error) as caught:
            slider_attacks.batch_attacks(squares, boards)
        assert str(caught.value) == text

    class Failing:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            def batches() -> Any:
                yield pa.record_batch({"x": pa.array([1])})
                raise RuntimeError("the disk is full")

            schema = pa.schema({"x": pa.int64()})
            return pa.RecordBatchReader.from_batches(schema, batches()).__arrow_c_stream__()

    with pytest.raises(ValueError, match="the disk is full"):
        slider_attacks.batch_attacks(Failing(), occs)

    class Odd:
        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            return None

    with pytest.raises(TypeError):
        slider_attacks.batch_attacks(Odd(), occs)
    capsules = occs.__arrow_c_array__()

    class Twice:
        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            return capsules

    slider_attacks.batch_attacks(1, Twice())
    with pytest.raises((ValueError, TypeError)):
        slider_attacks.batch_attacks(1, Twice())


def test_pyarrow() -> None:
    attacks = slider_attacks.batch_attacks(pa.array(SQUARES), pa.array(OCCS))
    assert pa.array(attacks).type == pa.uint64()
    assert np.shares_memory(pa.array(attacks).to_numpy(), attacks.to_numpy()), "no copy"
    table = pa.table(slider_attacks.analyze(pa.chunked_array([["4k3/8/8/8/8/8/8/R3K3 w Q -"], [None]]), "maps"))
    assert table.schema == pa.schema(slider_attacks.schema("maps"))
    assert table["white_attacks"].null_count == 1
    reader = pa.RecordBatchReader.from_stream(slider_attacks.analyze(pa.array(["4k3/8/8/8/8/8/8/R3K3 w Q -"])))
    assert reader.read_all().num_rows == 1


def test_polars() -> None:
    frame = pl.DataFrame({"square": SQUARES, "occ": OCCS})
    attacks = pl.Series("attacks", slider_attacks.batch_attacks(frame["square"], frame["occ"]))
    assert attacks.to_list() == SETS.tolist()

    sliders: list[Any] = ["queen", "rook", "bishop"]
    engines: list[Any] = ["in-memory", "streaming"]
    for slider in sliders:
        lazy = frame.lazy().select(slider_attacks.polars.attacks("square", pl.col("occ"), slider))
        for engine in engines:
            assert lazy.collect(engine=engine)["attacks"].to_list() == expected(slider, SQUARES, OCCS).tolist()
    nulls = frame.with_columns(square=pl.when(pl.Series(VALID)).then("square"))
    assert nulls.select(slider_attacks.polars.attacks("square", "occ"))["attacks"].null_count() == sum(~VALID)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_polars_expressions_of_positions(engine: Any) -> None:
    frame = pl.DataFrame({"fen": FENS * 1000})
    lazy = frame.lazy().select(slider_attacks.polars.analyze("fen", PRODUCTS).struct.unnest())
    wanted = pl.DataFrame(slider_attacks.analyze(frame["fen"], PRODUCTS))
    assert lazy.collect(engine=engine).equals(wanted)
    assert lazy.collect_schema() == wanted.schema
    assert lazy.filter(pl.col("white_attacks").is_null()).select(pl.len()).collect(engine=engine).item() == 1000
    boards = frame.select(slider_attacks.polars.analyze(pl.col("fen"), "boards").struct.unnest())
    assert boards.equals(pl.DataFrame(slider_attacks.Positions(frame["fen"]).boards()))
    both = frame.select(slider_attacks.polars.analyze("fen", ["xrays", "boards"], through="enemy").struct.unnest())
    assert both.equals(
        pl.concat(
            [boards, pl.DataFrame(slider_attacks.analyze(frame["fen"], "xrays", through="enemy"))], how="horizontal"
        )
    )
    assert not both["white_xrays"].equals(wanted["white_xrays"])
    bad = pl.LazyFrame({"fen": ["?"]})
    assert bad.select(slider_attacks.polars.analyze("fen", on_error="null").struct.unnest()).collect().null_count().row(
        0
    ) == (1, 1)
    with pytest.raises(Exception, match=r"^column 1: .*found '\?': \"\?\""):
        bad.select(slider_attacks.polars.analyze("fen")).collect(engine=engine)


def test_pandas() -> None:
    frame = pd.DataFrame({"square": SQUARES, "occ": OCCS})
    frame["attacks"] = slider_attacks.batch_attacks(frame["square"], frame["occ"])
    assert frame["attacks"].dtype == np.uint64 and frame["attacks"].tolist() == SETS.tolist()
    fens = pd.Series(["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 w - -"])
    batch = slider_attacks.analyze(fens)
    frame = pd.DataFrame.from_arrow(batch) if hasattr(pd.DataFrame, "from_arrow") else pa.table(batch).to_pandas()
    assert frame.shape == (2, 2)
    backed = pd.array(SQUARES, dtype=pd.ArrowDtype(pa.uint8()))
    np.testing.assert_array_equal(slider_attacks.batch_attacks(pd.Series(backed), pd.Series(OCCS)), SETS)


def test_duckdb() -> None:
    connection = duckdb.connect()
    pairs = pa.table({"square": SQUARES, "occ": OCCS})  # noqa: F841 (DuckDB finds it by its name)
    squares, occs = connection.sql("select square from pairs"), connection.sql("select occ from pairs")
    np.testing.assert_array_equal(slider_attacks.batch_attacks(squares, occs).to_numpy(), SETS)
    fens = connection.sql("select unnest(['4k3/8/8/8/8/8/8/R3K3 w Q -', null]) as fen")
    batch = pa.table(slider_attacks.analyze(fens, ["maps"]))  # noqa: F841
    assert connection.sql("select count(white_attacks), count(*) from batch").fetchall() == [(1, 2)]


EXTENSIONS: Any = {"allow_unsigned_extensions": True}
"""What a database of DuckDB needs for `register`."""


def test_duckdb_functions() -> None:
    connection = duckdb.connect(config=EXTENSIONS)
    slider_attacks.duckdb.register(connection, on_error="raise")
    with pytest.raises(Exception, match=r"square 64 is not on the board") as raised:
        connection.sql("select queen_attacks(square::utinyint, 0) from range(60, 70) as squares(square)").fetchall()
    assert not re.search(r"row \d", str(raised.value))
    queries = [
        "mobility('4k3/8/8/8/8/8/8/R3K3 w Q -')",
        "attacker_counts('4k3/8/8/8/8/8/8/R3K3 w Q -').black_attackers",
    ]
    for numbers in queries:  # lists, which DuckDB's functions of lists take as they are
        assert connection.sql(f"select typeof({numbers})").fetchall() == [("UTINYINT[]",)]
        assert "CAST" not in str(connection.sql(f"explain select {numbers}[5], list_sum({numbers})").fetchall())
    moves = connection.sql("select legal_moves('4k3/8/8/8/8/8/8/R3K3 w Q -') as n, typeof(n)").fetchall()
    assert moves == [(16, "USMALLINT")]
    slider_attacks.duckdb.register(connection)  # a row that is wrong is null by default
    assert connection.sql("select queen_attacks(64, 0), pins('?')").fetchall() == [(None, None)]
    pairs = pa.table({"square": nullable(SQUARES), "occ": OCCS})  # noqa: F841
    for slider in ["queen", "rook", "bishop"]:
        found = connection.sql(f"select {slider}_attacks(square, occ) as attacks from pairs").fetchall()
        wanted = expected(slider, SQUARES, OCCS).tolist()
        assert found == [(attacks if valid else None,) for attacks, valid in zip(wanted, VALID, strict=True)]


def test_duckdb_needs_databases_that_load_extensions_without_a_signature() -> None:
    with pytest.raises(ValueError, match="open it with duckdb.connect"):
        slider_attacks.duckdb.register(duckdb.connect())
    connection = duckdb.connect(config=EXTENSIONS)
    pending = connection.execute("select 5")
    for options in [{}, {"values": "1,2,3,4,5", "pinned": "stay"}]:
        slider_attacks.duckdb.register(connection, **options)
    assert pending.fetchall() == [(5,)]
    wrong: Any
    for wrong in [{"through": "all"}, {"values": "1"}, {"backend": "mmx"}]:
        with pytest.raises(ValueError, match=next(iter(wrong))):
            slider_attacks.duckdb.register(connection, **wrong)


def duckdb_functions(**options: Any) -> Callable[[str, list[str | None]], list[Any]]:
    """What a function of a position gives for some positions, in DuckDB."""
    connection = duckdb.connect(config=EXTENSIONS)
    slider_attacks.duckdb.register(connection, **{"on_error": "raise"} | options)

    def call(name: str, fens: list[str | None]) -> list[Any]:
        texts = pa.table({"fen": pa.array(fens, pa.string())})  # noqa: F841
        return list(pa.table(connection.sql(f"select {name}(fen) as found from texts").arrow())["found"].to_pylist())

    return call


def datafusion_functions(**options: Any) -> Callable[[str, list[str | None]], list[Any]]:
    """The same in DataFusion."""
    datafusion = pytest.importorskip("datafusion")
    import slider_attacks.datafusion

    context = datafusion.SessionContext()
    slider_attacks.datafusion.register(context, **options)

    def call(name: str, fens: list[str | None]) -> list[Any]:
        values = ", ".join("(null)" if fen is None else f"('{fen}')" for fen in fens)
        query = f"select {name}(fen) as found from (values {values}) as texts(fen)"
        return list(context.sql(query).to_arrow_table()["found"].to_pylist())

    return call


@pytest.mark.parametrize("engine", [duckdb_functions, datafusion_functions])
def test_functions_of_positions(engine: Callable[..., Callable[[str, list[str | None]], list[Any]]]) -> None:
    call = engine()
    functions = [(product["function"], product["name"]) for product in slider_attacks.products()]
    assert ("attack_maps", "maps") in functions
    for function, product in [*functions, ("boards", "boards")]:
        products: Any = product
        positions = slider_attacks.Positions(FENS)
        columns = pa.table(positions.boards() if product == "boards" else positions.analyze(products))
        wanted: list[Any] = [row if fen else None for row, fen in zip(columns.to_pylist(), FENS, strict=True)]
        if columns.num_columns == 1:
            wanted = columns.column(0).to_pylist()
        assert plain(call(function, FENS)) == wanted
        if product != "boards":
            for name in columns.column_names:
                assert plain(call(name, FENS)) == columns[name].to_pylist()
    for function in ["white_attacks", "attack_maps", "boards"]:
        with pytest.raises(Exception, match=r"column 1: .*found \\?'\?\\?': (\"\?\"|'\?')") as raised:
            call(function, ["4k3/8/8/8/8/8/8/R3K3 w Q -", "?"])
        assert not re.search(r"row \d", str(raised.value))
    call = engine(on_error="null", through="enemy", victims="own", backend="scalar")
    assert call("white_attacks", ["?"]) == call("pins", ["?"]) == [None]
    options: Any = {"through": "enemy", "victims": "own"}
    columns = pa.table(slider_attacks.analyze(FENS, ["xrays", "threats"], **options))
    usual = pa.table(slider_attacks.analyze(FENS, ["xrays", "threats"]))
    assert call("white_xrays", FENS) == columns["white_xrays"].to_pylist() != usual["white_xrays"].to_pylist()
    assert call("threats", FENS) == columns["threats"].to_pylist() != usual["threats"].to_pylist()
    with pytest.raises(ValueError, match="on_error='ignore': expected one of raise, null"):
        engine(on_error="ignore")


HUNG = "3k4/8/3r4/8/8/8/3R4/3K4 w - -"


@pytest.mark.parametrize("engine", [duckdb_functions, datafusion_functions])
def test_values_of_pieces(engine: Callable[..., Callable[[str, list[str | None]], list[Any]]]) -> None:
    for values in ["1,3,3,7,9", (1, 3, 3, 7, 9), np.array([1, 3, 3, 7, 9]), iter([1, 3, 3, 7, 9])]:
        call = engine(values=values)
        assert max(call("white_gains", [HUNG])[0]) == max(call("exchanges", [HUNG])[0]["white_gains"]) == 7
    wrong: list[tuple[Any, type[Exception]]] = [
        ((1, 3), ValueError),
        (iter([1]), ValueError),
        (5, TypeError),
        ({1, 2, 3, 4, 5}, TypeError),
        ((1, 3, 3, 5, 9.5), TypeError),
    ]
    for values, kind in wrong:
        with pytest.raises(kind, match="^values"):
            engine(values=values)


def test_values_of_pieces_in_expressions() -> None:
    frame = pl.DataFrame({"fen": [HUNG]})
    for values in [(1, 3, 3, 7, 9), iter([1, 3, 3, 7, 9])]:
        gains = slider_attacks.polars.analyze("fen", "exchanges", values=values).struct.field("white_gains")
        assert max(frame.select(gains).row(0)[0]) == 7


def test_messages_quote_the_row_in_place_of_its_number() -> None:
    def message(frame: pl.DataFrame, column: Any = "fen") -> str:
        with pytest.raises(Exception, match="expected") as raised:
            frame.select(slider_attacks.polars.analyze(column, ["maps", "boards"]))
        return str(raised.value).partition("\n\n")[0]

    good = "4k3/8/8/8/8/8/8/R3K3 w Q -"
    for text, begin, end in [
        ("4k3/8/8\t", "column 8: expected 8 ranks", ': "4k3/8/8\\t"'),
        (good.replace("w", "\x1b"), "column 22: expected w or b", ': "4k3/8/8/8/8/8/8/R3K3 \\u{1b} Q -"'),
        ("x" * 300, "column 1: expected KQRBNP", f': "{"x" * 80}…"'),
    ]:
        found = message(pl.DataFrame({"fen": [good, None, text]}))
        assert found.startswith(begin) and found.endswith(end), found
    boards = pl.DataFrame(slider_attacks.Positions([good] * 2).boards("signed"))
    boards = boards.with_columns(white_queen=pl.Series([0, -(1 << 63)]), black_pawn=pl.Series([0, -(1 << 63)]))
    found = message(boards, pl.struct(pl.all().exclude("side_to_move", "castling", "en_passant")))
    pieces = "white_rook 0x1, white_queen 0x8000000000000000, white_king 0x10, black_pawn 0x8000000000000000, "
    assert found.startswith("expected") and found.endswith(f": {pieces}black_king 0x1000000000000000"), found
    pairs = pl.DataFrame({"square": [0, 64], "occ": [0, 0]}, {"square": pl.UInt8, "occ": pl.UInt64})
    with pytest.raises(Exception, match="^square 64 is not on the board"):
        pairs.select(slider_attacks.polars.attacks("square", "occ"))


def plain(value: Any) -> Any:
    """Tuples, as which DuckDB gives arrays, as lists."""
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return {name: plain(part) for name, part in value.items()} if isinstance(value, dict) else value


def test_nanoarrow() -> None:
    squares, occs = (
        nanoarrow.Array(SQUARES.tolist(), nanoarrow.uint8()),
        nanoarrow.Array(OCCS.tolist(), nanoarrow.uint64()),
    )
    attacks = nanoarrow.Array(slider_attacks.batch_attacks(squares, occs))
    assert attacks.to_pylist() == SETS.tolist()
    assert len(nanoarrow.ArrayStream(slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"])).read_all()) == 1


def test_datafusion() -> None:
    datafusion = pytest.importorskip("datafusion")
    import slider_attacks.datafusion

    context = datafusion.SessionContext()
    context.register_record_batches("pairs", [[pa.record_batch({"square": SQUARES, "occ": OCCS})]])

    slider_attacks.datafusion.register(context)
    for slider in ["queen", "rook", "bishop"]:
        found = context.sql(f"select {slider}_attacks(square, occ) as attacks from pairs").to_arrow_table()
        assert found["attacks"].to_pylist() == expected(slider, SQUARES, OCCS).tolist()


def test_results_outlive_what_they_come_from() -> None:
    views = []
    for number in range(20):
        positions = slider_attacks.Positions(
            [f"4k3/8/8/8/8/8/8/R3K{number % 2 + 1}N{1 - number % 2 or ''} w Q -"] * 1000
        )
        batch = positions.analyze(["maps", "counts"])
        views.append((positions.occupancies, batch["white_attacks"].to_numpy(), batch["white_attackers"].to_numpy()))
        del positions, batch
    for occupancies, maps, counts in views:
        assert not (occupancies.flags.writeable or maps.flags.writeable or counts.flags.writeable)
        bits = (maps[:, None] >> np.arange(64, dtype=np.uint64)[None, :]) & np.uint64(1)
        np.testing.assert_array_equal(bits.astype(bool), counts > 0)
