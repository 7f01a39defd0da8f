"""Arrow arrays in and out, between this package and all that speak the PyCapsule interface."""

from typing import Any

import duckdb
import nanoarrow
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import slider_attacks
from reference import expected, random_pairs

LENGTH = 3000
SQUARES, OCCS = random_pairs(LENGTH)
SETS = expected("queen", SQUARES, OCCS)
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
    rook = slider_attacks.batch_rook_attacks(squares, np.uint64(5))
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
        (pa.array([1.5, 2.5, 3.5]), occs, TypeError, "column squares: expected integers, found Float64"),
        (pa.array(["a", "b", "c"]), occs, TypeError, "column squares: expected integers, found Utf8"),
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
        (pa.array([1, 2, 3]), 2**64, ValueError, f"{2**64} is not from 0 to 2**64 - 1: occs have 64 bits"),
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

    def expression(columns: Any) -> Any:
        return pl.Series(slider_attacks.batch_attacks(columns.struct.field("square"), columns.struct.field("occ")))

    lazy = frame.lazy().select(
        pl.struct("square", "occ").map_batches(expression, return_dtype=pl.UInt64).alias("attacks")
    )
    assert lazy.collect()["attacks"].to_list() == SETS.tolist()
    assert lazy.collect(engine="streaming")["attacks"].to_list() == SETS.tolist()
    fens = pl.Series(["4k3/8/8/8/8/8/8/R3K3 w Q -", None])
    assert pl.DataFrame(slider_attacks.analyze(fens, ["maps", "counts", "threats"])).shape == (2, 5)


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


def test_duckdb_functions() -> None:
    connection = duckdb.connect()
    slider_attacks.duckdb.register(connection)
    pairs = pa.table({"square": nullable(SQUARES), "occ": OCCS})  # noqa: F841
    for slider in ["queen", "rook", "bishop"]:
        found = connection.sql(f"select {slider}_attacks(square, occ) as attacks from pairs").fetchall()
        wanted = expected(slider, SQUARES, OCCS).tolist()
        assert found == [(attacks if valid else None,) for attacks, valid in zip(wanted, VALID, strict=True)]
    fens = ["4k3/8/8/8/8/8/8/R3K3 w Q -", None]
    maps = connection.execute(
        "select white_attacks(fen), black_attacks(fen) from (select unnest(?) as fen)", [fens]
    ).fetchall()
    assert maps == [(0x0101_0101_0101_393E, 0x2838_0000_0000_0000), (None, None)]
    with pytest.raises(duckdb.Error, match="row 0, column 1"):
        connection.sql("select white_attacks('?')").fetchall()


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
    context = datafusion.SessionContext()
    context.register_record_batches("pairs", [[pa.record_batch({"square": SQUARES, "occ": OCCS})]])

    def attacks(squares: Any, occs: Any) -> Any:
        return pa.array(slider_attacks.batch_attacks(squares, occs))

    function = datafusion.udf(attacks, [pa.uint8(), pa.uint64()], pa.uint64(), "immutable", name="queen_attacks")
    context.register_udf(function)
    found = context.sql("select queen_attacks(square, occ) as attacks from pairs").to_arrow_table()
    assert found["attacks"].to_pylist() == SETS.tolist()


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
