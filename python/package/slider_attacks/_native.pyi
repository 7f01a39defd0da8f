import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, ClassVar, Literal, NoReturn, Protocol, Self, SupportsIndex, TypeAlias, TypeVar, final, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer, CapsuleType

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = ..., /) -> tuple[CapsuleType, CapsuleType]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = ..., /) -> CapsuleType: ...

class _Array(Protocol):
    def __array__(self) -> npt.NDArray[Any]: ...

class _Frame(Protocol):
    @property
    def columns(self) -> Any: ...
    def __getitem__(self, label: Any, /) -> Any: ...

class _File(Protocol):
    def read(self, size: int, /) -> Buffer: ...

# Names are literals, which editors complete, or any string, as variables have it.
_Slider: TypeAlias = Literal["queen", "rook", "bishop"] | str
_Backend: TypeAlias = str | None
_Label: TypeAlias = Literal["score", "result", "ply"] | str
_Arrow: TypeAlias = _ArrowArray | _ArrowStream
_Number: TypeAlias = int | np.integer[Any]
_Product: TypeAlias = (
    Literal[
        "pieces",
        "maps",
        "counts",
        "mobility",
        "pins",
        "xrays",
        "hanging",
        "exchanges",
        "forks",
        "skewers",
        "relative_pins",
        "discovered",
        "batteries",
        "overloaded",
        "trapped",
        "safe_mobility",
        "pawns",
        "king_ring",
        "safe_checks",
        "legal_moves",
        "moves",
        "checking_moves",
        "mating_moves",
        "targets",
        "status",
        "keys",
        "threats",
    ]
    | str
)
_Products: TypeAlias = _Product | Iterable[_Product]
_Columns: TypeAlias = Literal["boards"] | _Product
_Color: TypeAlias = Literal["white", "black"] | str
_Piece: TypeAlias = Literal["pawn", "knight", "bishop", "rook", "queen", "king"] | str
_Path: TypeAlias = str | os.PathLike[str]
_Positions: TypeAlias = _Arrow | _Frame | Iterable[str | bytes | float | None] | Mapping[str, Any]
_Integers: TypeAlias = Literal["unsigned", "signed"] | str
_Through: TypeAlias = Literal["any", "own", "enemy"] | str
_Victims: TypeAlias = Literal["enemy", "own", "any"] | str
_Values: TypeAlias = str | Iterable[SupportsIndex]
_Pinned: TypeAlias = Literal["capture", "stay"] | str
_Notation: TypeAlias = Literal["bits", "uci"] | str
_Perspective: TypeAlias = Literal["board", "mover"] | str
_OnError: TypeAlias = Literal["raise", "skip", "null", "report"] | str
_Numbers: TypeAlias = (
    npt.NDArray[np.integer[Any]]
    | _Array
    | _Arrow
    | Buffer
    | _Number
    | Sequence[SupportsIndex]
    | Sequence[Sequence[SupportsIndex]]
)
_Boards: TypeAlias = _Arrow | _Number | npt.NDArray[np.integer[Any]]
_Rows: TypeAlias = npt.NDArray[np.bool] | npt.NDArray[np.integer[Any]] | _Array | list[bool] | list[int]
_Squares: TypeAlias = Literal[64] | tuple[Literal[8], Literal[8]]
_Out = TypeVar("_Out", bound=npt.NDArray[np.uint64] | Buffer)

__version__: str

def backends() -> list[str]:
    """The names of the backends that this CPU can run, slowest first.

    >>> import slider_attacks
    >>> slider_attacks.backends()[0]
    'scalar'
    """

def cpu() -> str:
    """What is known about the CPU, which backend is chosen for it, and why, as text of several lines.

    >>> import slider_attacks
    >>> print(slider_attacks.cpu())  # doctest: +ELLIPSIS
    vendor ...
    """

def queen_attacks(square: SupportsIndex, occ: SupportsIndex, /) -> int:
    """The squares that a queen attacks, as an integer: bit i is square i, a1 = 0, b1 = 1, … h8 = 63.

    `square` is the number of the square of the queen, and `occ` has the bits of all pieces on the board. The
    queen attacks up to and including the first piece in each direction. Its own bit makes no difference.

    Raises ValueError if the square is not on the board or `occ` has more than 64 bits, and TypeError if one of them
    is not an integer.

    >>> import slider_attacks
    >>> hex(slider_attacks.queen_attacks(0, 0x100))
    '0x80402010080403fe'
    """

def rook_attacks(square: SupportsIndex, occ: SupportsIndex, /) -> int:
    """The squares that a rook attacks, as an integer: bit i is square i, a1 = 0, b1 = 1, … h8 = 63.

    `square` is the number of the square of the rook, and `occ` has the bits of all pieces on the board. The
    rook attacks up to and including the first piece in each direction. Its own bit makes no difference.

    Raises ValueError if the square is not on the board or `occ` has more than 64 bits, and TypeError if one of them
    is not an integer.

    >>> import slider_attacks
    >>> hex(slider_attacks.rook_attacks(0, 0x100))
    '0x1fe'
    """

def bishop_attacks(square: SupportsIndex, occ: SupportsIndex, /) -> int:
    """The squares that a bishop attacks, as an integer: bit i is square i, a1 = 0, b1 = 1, … h8 = 63.

    `square` is the number of the square of the bishop, and `occ` has the bits of all pieces on the board. The
    bishop attacks up to and including the first piece in each direction. Its own bit makes no difference.

    Raises ValueError if the square is not on the board or `occ` has more than 64 bits, and TypeError if one of them
    is not an integer.

    >>> import slider_attacks
    >>> hex(slider_attacks.bishop_attacks(0, 0x100))
    '0x8040201008040200'
    """

@overload
def batch_attacks(  # type: ignore[overload-overlap]
    squares: _Number,
    occs: _Number,
    out: None = None,
    *,
    slider: _Slider = "queen",
    backend: _Backend = None,
    threads: int = 1,
) -> np.uint64:
    """Computes the attack sets of sliders: element i of the result is the attack set of a slider on `squares[i]` with the
    occupancy `occs[i]`.

    Parameters
    ----------
    squares : integers from 0 (a1) to 63 (h8), of any integer type
    occs : uint64 bitboards of all pieces, or int64 with the same bits
    out : uint64 array or writable buffer of the shape of the result, optional
        Receives the attack sets. It may share memory with the inputs.
    slider : "queen", "rook" or "bishop"
    backend : one of `backends()`; by default the fastest for this CPU
    threads : the number of threads for calls of 32,768 pairs or more, from 1 to 256; by default 1

    Arrays are NumPy arrays of any shape, objects with the buffer protocol or `__array__`, numbers or sequences. They are
    broadcast to one shape, as in NumPy. C-contiguous arrays of uint8 and uint64 are not copied, all others once.

    Arrow columns of integers (pyarrow, Polars, pandas 3, DuckDB, nanoarrow, …) are not copied either, unless they are chunked
    or have wider squares. A row that is null in one of them is null in the result.

    Returns `out` if given; an `Array` if an input is an Arrow column; a number if both inputs are numbers; otherwise a new
    NumPy array of uint64.

    Raises ValueError if a square is not on the board, if shapes do not match, or if `out` is read-only, and TypeError if an
    argument has the wrong type. Then nothing is written to `out`. The call releases the GIL; other threads must not write to
    the arrays meanwhile, or the result is arbitrary. If Ctrl-C interrupts a call, `out` may be partly written.

    >>> import numpy as np
    >>> import slider_attacks
    >>> squares = np.array([0, 27], np.uint8)
    >>> occs = np.array([0x100, 0], np.uint64)
    >>> [hex(attacks) for attacks in slider_attacks.batch_attacks(squares, occs, slider="rook")]
    ['0x1fe', '0x8080808f7080808']
    """

@overload
def batch_attacks(  # type: ignore[overload-overlap]
    squares: _Arrow,
    occs: _Arrow | _Number,
    out: None = None,
    *,
    slider: _Slider = "queen",
    backend: _Backend = None,
    threads: int = 1,
) -> Array: ...
@overload
def batch_attacks(  # type: ignore[overload-overlap]
    squares: _Arrow | _Number,
    occs: _Arrow,
    out: None = None,
    *,
    slider: _Slider = "queen",
    backend: _Backend = None,
    threads: int = 1,
) -> Array: ...
@overload
def batch_attacks(
    squares: _Numbers,
    occs: _Numbers,
    out: None = None,
    *,
    slider: _Slider = "queen",
    backend: _Backend = None,
    threads: int = 1,
) -> npt.NDArray[np.uint64]: ...
@overload
def batch_attacks(
    squares: _Numbers,
    occs: _Numbers,
    out: _Out,
    *,
    slider: _Slider = "queen",
    backend: _Backend = None,
    threads: int = 1,
) -> _Out: ...
@overload
def batch_attack_sets(  # type: ignore[overload-overlap]
    orthogonal: _Number,
    diagonal: _Number,
    occs: _Number,
    out: None = None,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> np.uint64:
    """Computes the union of the attacks of sets of sliders, one element per board.

    Parameters
    ----------
    orthogonal : uint64 or int64 bitboards of the sliders that move along ranks and files
    diagonal : uint64 or int64 bitboards of the sliders that move along diagonals; queens are in both
    occs : uint64 or int64 bitboards of all pieces; sliders that are not included do not block the others
    out, backend, threads : as for `batch_attacks`

    Shapes, results and errors are as for `batch_attacks`.

    >>> import slider_attacks
    >>> hex(slider_attacks.batch_attack_sets(0x81, 0x04, 0x28d))  # rooks on a1 and h1, a bishop on c1
    '0x818181c1a1918b7e'
    """

@overload
def batch_attack_sets(  # type: ignore[overload-overlap]
    orthogonal: _Arrow,
    diagonal: _Arrow | _Number,
    occs: _Arrow | _Number,
    out: None = None,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> Array: ...
@overload
def batch_attack_sets(  # type: ignore[overload-overlap]
    orthogonal: _Arrow | _Number,
    diagonal: _Arrow,
    occs: _Arrow | _Number,
    out: None = None,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> Array: ...
@overload
def batch_attack_sets(  # type: ignore[overload-overlap]
    orthogonal: _Arrow | _Number,
    diagonal: _Arrow | _Number,
    occs: _Arrow,
    out: None = None,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> Array: ...
@overload
def batch_attack_sets(
    orthogonal: _Numbers,
    diagonal: _Numbers,
    occs: _Numbers,
    out: None = None,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> npt.NDArray[np.uint64]: ...
@overload
def batch_attack_sets(
    orthogonal: _Numbers,
    diagonal: _Numbers,
    occs: _Numbers,
    out: _Out,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> _Out: ...
def bits(
    boards: _Numbers, shape: _Squares = 64, dtype: npt.DTypeLike = "uint8", *, out: npt.NDArray[Any] | None = None
) -> npt.NDArray[Any]:
    """Unpacks bitboards into an array of zeros and ones, one for each square, as input of neural networks.

    Parameters
    ----------
    boards : uint64, or int64 for its bits
        A NumPy array of any shape, an Arrow column, a number or a sequence, as for `batch_attacks`.
    shape : 64 or (8, 8)
        With 64, square i is at index i: a1, b1, … h8. With (8, 8), the first index is the rank and the second the file: [0, 0]
        is a1, and [0, 7] is h1.
    dtype : any NumPy type of numbers with at most 8 bytes, also bool: by default uint8, or that of `out`
    out : a NumPy array to write to, whose shape is that of the boards followed by that of the squares
        It may be a slice of the channels of a larger array, such as planes[:, 3].

    Returns `out`, or a new NumPy array. Nothing else is allocated, except a copy of boards in a list or in the memory of `out`.

    Raises ValueError if a board is null or does not have 64 bits, or if `out` has another shape or is read-only, and TypeError if
    an argument has the wrong type.

    >>> import numpy as np
    >>> import slider_attacks
    >>> slider_attacks.bits([0x01, 0x8000]).shape
    (2, 64)
    >>> slider_attacks.bits(np.uint64(0x8000), shape=(8, 8), dtype="float32")[1]
    array([0., 0., 0., 0., 0., 0., 0., 1.], dtype=float32)

    `Batch.planes` does the same for several columns of a result.
    """

@final
class ThreatLayout:
    """Which attacks are inputs of a network, and their numbers, for `features`.

    Parameters
    ----------
    victims : a mapping from letters of attackers to the letters of their victims
        {"N": "KQ"}: a knight that attacks a king, and one that attacks a queen. The order is that of the slots.
        Attackers that are left out have no victims.
    pushes : whether a pawn also attacks the square in front of it

    As the perspective sees the board, with its own king on files a to d, the attack of a piece a on f on a victim v on t
    has the number

        base[a] + (c * n + slot) * E + (the pairs of a before f, t)

    n is the number of slots of a, and c is 1 if v is an enemy. E is the number of pairs of a square and one that a attacks
    from there on an empty board. base counts the numbers of own attackers P, N, B, R, Q, K, and then those of the enemy. Two
    pieces of a kind that attack each other have one number.

    Raises ValueError if a letter is not one of PNBRQK, or appears twice.

    >>> import slider_attacks
    >>> slider_attacks.ThreatLayout({"N": "KQ"})
    ThreatLayout({'N': 'KQ'}, pushes=False)
    """

    def __new__(cls, victims: Mapping[str, str], *, pushes: bool = False) -> ThreatLayout: ...
    @property
    def size(self) -> int:
        """The number of inputs."""

    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class PieceLayout:
    """Pieces on their squares as inputs of a network, with buckets of kings, for `features`.

    Parameters
    ----------
    planes : two sequences of six numbers below 12
        The planes of own P, N, B, R, Q, K, and of those of the enemy. By default 0 to 5 and 6 to 11.
    buckets : 64 numbers below 256, by square of the own king, a1 first; by default 0
    mirror : "never"; or "queenside" or "kingside"
        Files are mirrored unless the own king is on this side: files a to d, or e to h.

    As the perspective sees it, a piece on s has the number (bucket * planes + plane) * 64 + s.

    Raises ValueError if the numbers or the name are others.

    >>> import slider_attacks
    >>> slider_attacks.PieceLayout(buckets=[square // 32 for square in range(64)], mirror="queenside").size
    1536
    """

    def __new__(
        cls,
        planes: Sequence[Sequence[int]] = ((0, 1, 2, 3, 4, 5), (6, 7, 8, 9, 10, 11)),
        *,
        buckets: Sequence[int] | None = None,
        mirror: Literal["never", "queenside", "kingside"] | str = "never",
    ) -> PieceLayout: ...
    @property
    def size(self) -> int:
        """The number of inputs."""

    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class FeatureRows:
    """The active inputs of each position as one side sees it. `rows[i]` is the array of those of position i. In Arrow, as
    in `pyarrow.array(rows)`, it is a column of large lists.
    """

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """One number more than there are positions, int64: the row of position i is `indices[offsets[i] : offsets[i +
        1]]`. A read-only view.
        """

    @property
    def indices(self) -> npt.NDArray[Any]:
        """The inputs of all positions, one position after the other: uint16, or uint32 if there are more than 65,536. A
        read-only view.
        """

    def padded(
        self, width: int | None = None, *, fill: int = -1, dtype: npt.DTypeLike = "int32"
    ) -> npt.NDArray[Any]:
        """A new array with a row of `width` numbers per position: its inputs, and then `fill`. By default, the width is
        that of the longest row.

        Raises ValueError if a row is longer, or if a number does not fit the dtype, which must be one of integers with
        2, 4 or 8 bytes.

        >>> import slider_attacks
        >>> features = slider_attacks.features(["4k3/8/8/8/8/8/8/R3K3 w Q -"], "pieces", sort=True)
        >>> features.white.padded(4).tolist()
        [[192, 324, 764, -1]]
        """

    def __len__(self) -> int: ...
    def __getitem__(self, index: SupportsIndex, /) -> npt.NDArray[Any]: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[CapsuleType, CapsuleType]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Features:
    """The active inputs of a network, which `features` returns.

    >>> import slider_attacks
    >>> features = slider_attacks.features(["4k3/8/8/8/8/8/8/R3K3 b Q -"], "pieces", perspective="mover")
    >>> features
    <slider_attacks.Features: 1 position, 768 inputs, own and other>
    >>> features.own[0].tolist() # Black's king on e1, White's rook on a8 and king on e8
    [632, 764, 324]
    """

    @property
    def white(self) -> FeatureRows:
        """The rows as White sees the positions."""

    @property
    def black(self) -> FeatureRows:
        """The rows as Black sees the positions."""

    @property
    def own(self) -> FeatureRows:
        """The rows as the side to move sees the positions."""

    @property
    def other(self) -> FeatureRows:
        """The rows as the opponent of the side to move sees the positions."""

    @property
    def size(self) -> int:
        """The number of inputs of all sets."""

    @property
    def starts(self) -> list[int]:
        """The first input of each set."""

    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def features(
    positions: _Positions | Positions,
    sets: str | ThreatLayout | PieceLayout | Iterable[str | ThreatLayout | PieceLayout],
    *,
    layout: str | None = None,
    perspective: Literal["colors", "mover"] | str = "colors",
    sort: bool = False,
    column: str = "fen",
    backend: _Backend = None,
    threads: int = 1,
) -> Features:
    """The active inputs of a network (NNUE) for each position, as sparse rows: pieces with buckets of kings, threats,
    pairs of pawns.

    Parameters
    ----------
    positions : `Positions`, or what it takes
    sets : a name, a `ThreatLayout`, a `PieceLayout`, or several of them
        "halfka_hm" (24,576 inputs), "threats" (59,808), "pawn_pairs" (4,560) or "pieces" (768), also with a layout after
        a colon: "threats:v14". Several sets are numbered one after the other, and share a row.
    layout : the layout of one set
        "v10" to "v16", by default the last, for threats; "merged" for halfka_hm in 22,528 inputs, where both kings share
        a plane.
    perspective : "colors" for rows `white` and `black`; "mover" for `own`, those of the side to move, and `other`
    sort : whether the inputs in a row ascend. Otherwise they have another order, which is always the same.
    column : the column of a table that contains the positions as text
    backend : the name of a backend
    threads : the number of threads, from 1 to 256

    Raises ValueError if a position is malformed or null, or if a pawn on the first or last rank has no number, and
    TypeError if an argument has the wrong type.

    >>> import slider_attacks
    >>> features = slider_attacks.features(["4k3/8/8/1p6/P7/8/8/4K3 w - -"], ["pawn_pairs", "threats"])
    >>> features.white.indices, features.white.offsets, features.starts
    (array([3026], dtype=uint16), array([0, 1]), [0, 4560])
    """

def command() -> int:
    """Runs the command line of this process as the command `slider-attacks`, and returns the exit code. A wrong command line
    ends the process.
    """

def _restore(
    kind: type[Any], stream: bytes, errors: list[tuple[int, str]], error_count: int, index: Any = None, left_out: int = 0
) -> Any: ...

@final
class Array:
    """An immutable Arrow array. Libraries that support the Arrow PyCapsule interface use it without a copy:
    `pyarrow.array(array)`, `polars.Series(array)`, `pandas.Series.from_arrow(array)`.

    `array[i]` is the value of a row and `array[a:b]` an array of some rows, without a copy if they are contiguous;
    `array[mask]` and `array[numbers]` are copies of the rows for which a mask holds, or which have these numbers. Iteration
    yields the values.

    `&`, `|`, `^` and `~` combine bitboards row by row with another column, a NumPy array of the same length, or an integer. A
    negative integer stands for its 64 bits, as in `array & ~7`. The result has the integer type of the left column. A row that
    is null on one side is null. A pandas Series must be on the right.

    `==` compares the types and values of two arrays as a whole. For a comparison by row, use `array.to_numpy() == 5`: with a
    number, a text or a list, `==` raises TypeError. NumPy functions accept arrays as `to_numpy` returns them:
    `numpy.bitwise_count(array)`.

    >>> import slider_attacks
    >>> fens = ["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 w - -"]
    >>> array = slider_attacks.analyze(fens)["white_attacks"]
    >>> array
    <slider_attacks.Array: 2 of uint64, 0 null>
    >>> hex(array[1]), hex((array & 0xFF)[-1])
    ('0x3828', '0x28')
    >>> array[:1] == array[0:-1]
    True
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def null_count(self) -> int:
        """The number of values that are null."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the array that `to_numpy` returns. Threats have a structured dtype with four fields. Other values,
        such as text, have `object`.

        >>> import slider_attacks
        >>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"], ["counts", "threats"])
        >>> batch["white_attackers"].dtype
        dtype('uint8')
        >>> batch["threats"].dtype.names
        ('attacker', 'from', 'to', 'victim')
        """

    @property
    def offsets(self) -> npt.NDArray[np.int32]:
        """For a column of lists, where they begin and end in `values`: one number more than there are rows, as a read-only NumPy
        array of int32. The list of row i is `values[offsets[i]:offsets[i + 1]]`. Rows that are null have an empty list there.

        >>> import slider_attacks
        >>> moves = slider_attacks.analyze(["7k/R7/6K1/8/8/8/8/8 w - -"], "mating_moves")["mating_moves"]
        >>> moves.offsets
        array([0, 1], dtype=int32)
        """

    @property
    def values(self) -> npt.NDArray[Any]:
        """For a column of lists of numbers, such as moves, the elements of all lists, as a read-only NumPy array. `offsets` says
        which belong to a row.

        >>> import slider_attacks
        >>> moves = slider_attacks.analyze(["7k/R7/6K1/8/8/8/8/8 w - -"], "mating_moves")["mating_moves"]
        >>> moves.values & 63, moves.values >> 6 & 63  # from a7 to a8
        (array([48], dtype=uint16), array([56], dtype=uint16))
        """

    def uci(self) -> Array:
        """Returns a column of lists of moves with their text, as in UCI. Nulls stay null.

        >>> import slider_attacks
        >>> moves = slider_attacks.analyze(["7k/R7/6K1/8/8/8/8/8 w - -"], "mating_moves")["mating_moves"]
        >>> moves.uci().tolist()
        [['a7a8']]
        """

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def to_numpy(
        self, *, bits: bool | _Squares = False, dtype: npt.DTypeLike | None = None, na_value: float | None = None
    ) -> npt.NDArray[Any]:
        """Returns the values as a NumPy array. Without parameters, it is a read-only view: one-dimensional uint64 or int64 for
        boards, uint8 or int8 of shape (rows, 64) for numbers per square, and uint64 or int64 of that shape for sets per square.

        Parameters
        ----------
        bits : False, True, 64 or (8, 8)
            Unpack boards into zeros and ones, in a new array of shape (rows, 64) or (rows, 8, 8), like `slider_attacks.bits`.
            Sets per square become (rows, 64, 64) or (rows, 64, 8, 8): of `targets`, a mask of the legal moves.
        dtype : another NumPy dtype, for a copy; with `bits`, by default uint8
        na_value : the value for nulls, in a copy
            An integer, or a float such as `float("nan")`, with which integers become float64.

        Raises ValueError if there are nulls but no `na_value`, or if integers such as bitboards would lose digits as float64;
        and TypeError if the values are threats, moves or text: `values` has the moves.

        >>> import slider_attacks
        >>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"], ["maps", "counts"])
        >>> batch["white_attackers"].to_numpy().shape
        (1, 64)
        >>> batch["white_attacks"].to_numpy(bits=(8, 8), dtype="float32")[0, 0]
        array([0., 1., 1., 1., 1., 1., 0., 0.], dtype=float32)
        >>> slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -", None], "legal_moves")["legal_moves"].to_numpy(na_value=float("nan"))
        array([16., nan])
        """

    def tolist(self) -> list[Any]:
        """Returns the values as a list, with None for nulls: integers, lists of integers, str, and for threats lists of
        dictionaries, like `to_pylist` of pyarrow. Some values of kept columns, such as times, need pyarrow for this.

        >>> import slider_attacks
        >>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -", None], ["maps", "threats"], victims="own")
        >>> batch["white_attacks"].tolist()
        [72340172838091070, None]
        >>> batch["threats"].tolist()[1] is None
        True
        """

    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Any: ...
    @overload
    def __getitem__(self, index: slice | _Rows, /) -> Self: ...
    def __and__(self, other: _Boards, /) -> Array: ...
    def __rand__(self, other: _Boards, /) -> Array: ...
    def __or__(self, other: _Boards, /) -> Array: ...
    def __ror__(self, other: _Boards, /) -> Array: ...
    def __xor__(self, other: _Boards, /) -> Array: ...
    def __rxor__(self, other: _Boards, /) -> Array: ...
    def __invert__(self) -> Array: ...
    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]: ...
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, /, *inputs: Any, **options: Any) -> Any: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[CapsuleType, CapsuleType]: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...

@final
class Batch:
    """Columns of the same length. Libraries that support the Arrow PyCapsule interface use them without a copy:
    `pyarrow.record_batch(batch)`, `polars.DataFrame(batch)`, DuckDB. `to_pandas()` returns a pandas DataFrame with the index of
    the input Series or DataFrame. A batch is immutable.

    `batch[name]` is a column, `batch[[name, other]]` a batch of some columns, and `batch[a:b]` one of some rows, without a copy if
    they are contiguous, and without `errors`. `batch[mask]` and `batch[numbers]` are copies of the rows for which a mask holds, such
    as that of `where`, or which have these numbers. `len(batch)` is the number of rows. Iteration and `in` refer to the column names, as in a dictionary.

    `==` compares the names, types and values of the columns, but not the index.

    >>> import slider_attacks
    >>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"] * 9, ["maps", "mobility"])
    >>> print(batch)
    slider_attacks.Batch: 9 rows, 3 columns
                   type       0                      1                      2                      … 6 more
    white_attacks  uint64     0x10101010101393e      0x10101010101393e      0x10101010101393e
    black_attacks  uint64     0x2838000000000000     0x2838000000000000     0x2838000000000000
    mobility       uint8[64]  [10, 0, 0, … 61 more]  [10, 0, 0, … 61 more]  [10, 0, 0, … 61 more]
    >>> list(batch) == batch.column_names, len(batch), len(batch["mobility"]), len(batch[2:5])
    (True, 9, 9, 3)
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""

    def keys(self) -> list[str]:
        """The names of the columns: `column_names`, so that `dict(batch)` has the columns by their names."""

    @property
    def num_rows(self) -> int:
        """The number of rows."""

    @property
    def schema(self) -> Schema:
        """The names and types of the columns.

        >>> import slider_attacks
        >>> slider_attacks.analyze([]).schema == slider_attacks.schema("maps")
        True
        """

    @property
    def errors(self) -> list[tuple[int, str]]:
        r"""Why rows that were not null could not be read: for each, its number, from 0, and what is wrong with it. These are the
        first 1,000; `error_count` is the number of all.

        A batch of `read` has none: its reader has them.

        >>> import slider_attacks
        >>> slider_attacks.analyze(["4k3/8/8/8/8/8/8/4K3 w - -", None, "?"], on_error="null").errors
        [(2, 'row 2, column 1: expected KQRBNP, kqrbnp or 1 to 8 in rank 8, found \'?\': "?"')]
        """

    @property
    def ndim(self) -> int:
        """2, as that of a frame. So pandas does not take the names of the columns for the rows of `pandas.DataFrame([batch])`."""

    @property
    def error_count(self) -> int:
        """The number of rows that were not null and could not be read.

        >>> import slider_attacks
        >>> slider_attacks.analyze(["4k3/8/8/8/8/8/8/4K3 w - -", None] + ["?"] * 3000, on_error="null").error_count
        3000
        """

    def to_pyarrow(self) -> Any:
        """This batch as a `pyarrow.RecordBatch`, without a copy.

        Raises ImportError if pyarrow is not installed.
        """

    def to_polars(self) -> Any:
        """This batch as a `polars.DataFrame`, without a copy.

        Raises ImportError if Polars is not installed.
        """

    def planes(
        self,
        columns: str | Iterable[str] | None = None,
        *,
        dtype: npt.DTypeLike | None = None,
        out: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]:
        """Columns of bitboards as planes of zeros and ones, as networks take them: an array of the shape (rows, columns, 8, 8). Its
        last two indices are the rank and the file: [0, 0] is a1, and [0, 7] is h1. Columns with a number for each square, such as
        `white_attackers`, are planes of these.

        Parameters
        ----------
        columns : names of columns of bitboards; without it, those of all that products give
        dtype : any NumPy type of numbers with at most 8 bytes, also bool: uint8, or that of `out`
        out : a NumPy array to write to, of this shape and type, which saves the time for new memory
            It may be a slice of the channels of a larger array, such as planes[:, 2:16].

        Returns `out`, or a new array. Nothing else is allocated, except a copy of columns in the memory of `out`.

        Raises KeyError if there is no such column, ValueError if a board is null or `out` has another shape or is read-only, and
        TypeError if a column does not have bitboards or `out` has another type.

        >>> import slider_attacks
        >>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"] * 5, ["pieces", "maps"])
        >>> batch.planes(dtype="float32").shape
        (5, 14, 8, 8)
        >>> batch.planes(["white_rooks"])[0, 0, 0].tolist()
        [1, 0, 0, 0, 0, 0, 0, 0]
        """

    def to_pandas(self) -> Any:
        """This batch as a `pandas.DataFrame`, as pyarrow makes it: numbers per square are arrays of NumPy. Columns of integers with
        nulls hold objects, int and None, because floats do not have all 64 bits.

        If the rows came from a Series or DataFrame of pandas, the frame has their index, also that of slices, and without the rows
        that `on_error="skip"` has left out: so `frame.join(…)` adds the columns to the rows that they belong to.

        Raises ImportError if pandas or pyarrow is not installed.

        >>> import pandas
        >>> import slider_attacks
        >>> frame = pandas.DataFrame({"fen": ["4k3/8/8/8/8/8/8/R3K3 w Q -", "?"]}, index=["won", "malformed"])
        >>> frame.join(slider_attacks.analyze(frame, "hanging", on_error="skip").to_pandas(), how="inner").index.tolist()
        ['won']
        """

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> NoReturn: ...
    def where(self, condition: str, *, column: str = "fen", threads: int = 1) -> npt.NDArray[np.bool]:
        """Whether a condition, as `where` of `read` has it, holds for each row: a NumPy array of bool. It does not hold where the
        position is null. The batch must have the positions, as text in the column `column` or as "boards" of `read`; other columns
        can be named in the condition. Products have the default options: `Positions.matches` takes others.

        Raises ValueError, with the column of the text, if the condition is malformed, and with the row if a position is.

        >>> import slider_attacks
        >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 b - -"])
        >>> positions.boards().where("count(occupied) > 2")
        array([ True, False])
        """

    def __contains__(self, name: object, /) -> bool: ...
    @overload
    def __getitem__(self, key: str, /) -> Array: ...
    @overload
    def __getitem__(self, key: slice | _Rows | list[str], /) -> Self: ...
    def _repr_html_(self) -> str: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[CapsuleType, CapsuleType]: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> CapsuleType: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...

@final
class Schema:
    """The names and types of columns: an immutable object with `__arrow_c_schema__`, which `pyarrow.schema` accepts.

    `len(schema)` is the number of columns. Iteration yields their names, and `==` compares the names, types and order of the
    columns.

    >>> import slider_attacks
    >>> schema = slider_attacks.schema("counts")
    >>> len(schema), list(schema), schema.types
    (2, ['white_attackers', 'black_attackers'], ['uint8[64]', 'uint8[64]'])
    """

    @property
    def names(self) -> list[str]:
        """The names of the columns."""

    @property
    def types(self) -> list[str]:
        """The types of the columns, as text: those of Arrow, and `uint8[64]` for lists of 64."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...

@final
class Positions:
    """Positions that are parsed once, for any number of calls. They are immutable.

    `positions[i]` is the first four fields of the FEN of a row, or None if it is null; iteration yields those of all rows.
    `positions[a:b]` is a copy of some rows, without `errors`, and so are `positions[mask]` and `positions[numbers]`, with a mask such
    as that of `matches`, or the numbers of rows. `len(positions)` is the number of rows. `==` compares positions,
    with side to move, castling and en passant, and null rows.

    Parameters
    ----------
    positions : FEN or EPD, or bitboards
        Text, as for `analyze`; or bitboards: an Arrow table or a dictionary of columns `white_pawn`, `white_knight`,
        `white_bishop`, `white_rook`, `white_queen`, `white_king`, `black_pawn`, … `black_king`, uint64 or int64, and optionally
        `side_to_move` ("w" or "b"), `castling` ("KQkq", "-") and `en_passant` (the number of a square, or null).
    column : the column of a table that contains the positions as text, as in `analyze`
    on_error : how to handle malformed rows
        "raise"; "null" keeps them as null rows; "skip" leaves them out. `errors` lists them.
    threads : the number of threads, from 1 to 256; by default 1

    Raises ValueError with the row if a position is malformed, and TypeError if an argument has the wrong type.

    >>> import slider_attacks
    >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"])
    >>> hex(positions.pieces("white", "rook")[0]), hex(positions.occupancies[0])
    ('0x1', '0x1000000000000011')
    >>> print(positions.analyze("maps"))
    slider_attacks.Batch: 1 row, 2 columns
                   type    0
    white_attacks  uint64  0x10101010101393e
    black_attacks  uint64  0x2838000000000000
    >>> positions[0]
    '4k3/8/8/8/8/8/8/R3K3 w Q -'
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __new__(
        cls, positions: _Positions, *, column: str = "fen", on_error: _OnError = "raise", threads: int = 1
    ) -> Self: ...
    @property
    def occupancies(self) -> npt.NDArray[np.uint64]:
        """The squares of all pieces, as a read-only array of uint64, without a copy."""

    @property
    def null_count(self) -> int:
        """The number of rows that are null."""

    @property
    def errors(self) -> list[tuple[int, str]]:
        """Why rows that were not null could not be read: for each, its number, from 0, and what is wrong with it. These are the
        first 1,000; `error_count` is the number of all.
        """

    @property
    def error_count(self) -> int:
        """The number of rows that were not null and could not be read."""

    def analyze(
        self,
        what: _Products = "maps",
        *,
        where: str | None = None,
        integers: _Integers = "unsigned",
        through: _Through = "any",
        victims: _Victims = "enemy",
        values: _Values = "1,3,3,5,9",
        pinned: _Pinned = "capture",
        notation: _Notation = "bits",
        perspective: _Perspective = "board",
        backend: _Backend = None,
        threads: int = 1,
    ) -> Batch:
        """Columns of products, one row per position: the function `analyze` for positions that have been read. A condition in `where`
        names no columns.

        >>> import slider_attacks
        >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"])
        >>> positions.analyze("counts")["white_attackers"].to_numpy()[0, :8].tolist()
        [0, 1, 1, 2, 1, 1, 0, 0]
        """

    def matches(
        self,
        condition: str,
        *,
        through: _Through = "any",
        victims: _Victims = "enemy",
        values: _Values = "1,3,3,5,9",
        pinned: _Pinned = "capture",
        notation: _Notation = "bits",
        perspective: _Perspective = "board",
        backend: _Backend = None,
        threads: int = 1,
    ) -> npt.NDArray[np.bool]:
        """Whether a condition, as `where` of `read` has it, holds for each position: a NumPy array of bool. It does not hold for null
        rows. Options are those of the products that it names.

        Raises ValueError, with the column of the text, if the condition is malformed, and if it names a column, which positions
        do not have: `analyze` and `Batch.where` take tables.

        >>> import slider_attacks
        >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 b - -"])
        >>> positions.matches("white_rooks and turn = white")
        array([ True, False])
        """

    def summarize(
        self,
        what: _Products = "counts",
        *,
        by: str | Iterable[str] = (),
        where: str | None = None,
        through: _Through = "any",
        victims: _Victims = "enemy",
        values: _Values = "1,3,3,5,9",
        pinned: _Pinned = "capture",
        notation: _Notation = "bits",
        perspective: _Perspective = "board",
        backend: _Backend = None,
        threads: int = 1,
    ) -> Summary:
        """Products summed square by square: the function `summarize` for positions that have been read. The keys of groups are
        "side" and "phase". Null rows are left out. A condition in `where` names no columns.

        >>> import slider_attacks
        >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 b - -"])
        >>> positions.summarize("maps", by="side").groups
        [{'side': 'white'}, {'side': 'black'}]
        """

    def after(self, moves: Array, *, backend: _Backend = None) -> Self:
        """The positions after each move of a column of lists, such as "moves": the lists of these positions, one after the other.
        `moves.offsets` says which belong to a row. Null rows have none. The moves are those of the
        board as it is, not of `perspective="mover"`.

        Raises ValueError if there is not one list for each position, and with the row of the first move that its position
        does not have.

        >>> import slider_attacks
        >>> positions = slider_attacks.Positions(["7k/R7/6K1/8/8/8/8/8 w - -"])
        >>> list(positions.after(positions.analyze("mating_moves")["mating_moves"]))
        ['R6k/8/6K1/8/8/8/8/8 b - -']
        """

    def pieces(
        self,
        color: _Color,
        piece: _Piece,
    ) -> npt.NDArray[np.uint64]:
        """The squares of one kind of piece of one colour, as a read-only array of uint64, without a copy.

        Null rows hold two kings, white on h1 and black on a8.

        >>> import slider_attacks
        >>> slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"]).pieces("white", "king").tolist()
        [16]
        """

    def color(self, color: _Color) -> npt.NDArray[np.uint64]:
        """The squares of all pieces of one colour, as a read-only array of uint64, without a copy.

        >>> import slider_attacks
        >>> slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"]).color("white").tolist()
        [17]
        """

    @property
    def side_to_move(self) -> npt.NDArray[np.uint8]:
        """The side to move of each position, as an array of uint8: 0 for White, 1 for Black. Null rows hold 0.

        >>> import slider_attacks
        >>> slider_attacks.Positions(["4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 b - -"]).side_to_move
        array([0, 1], dtype=uint8)
        """

    @property
    def castling(self) -> npt.NDArray[np.uint64]:
        """The castling rights of each position, as an array of uint64: the squares of the rooks that may castle. Null rows hold 0.

        >>> import slider_attacks
        >>> [hex(rooks) for rooks in slider_attacks.Positions(["r3k3/8/8/8/8/8/8/R3K2R w Kq -"]).castling]
        ['0x100000000000080']
        """

    @property
    def en_passant(self) -> npt.NDArray[np.int8]:
        """The en passant square of each position, as an array of int8: -1 if there is none, as in null rows.

        >>> import slider_attacks
        >>> slider_attacks.Positions(["4k3/8/8/8/4P3/8/8/4K3 b - e3", "4k3/8/8/8/8/8/8/4K3 w - -"]).en_passant
        array([20, -1], dtype=int8)
        """

    def boards(self, integers: _Integers = "unsigned") -> Batch:
        """The columns of bitboards that `Positions` takes, and `side_to_move`, `castling` and `en_passant`.

        >>> import slider_attacks
        >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -"])
        >>> slider_attacks.Positions(positions.boards()).fens().tolist() == positions.fens().tolist()
        True
        """

    def fens(self) -> Array:
        """The first four fields of FEN for each position, as an Arrow array of text.

        >>> import slider_attacks
        >>> slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", None]).fens().tolist()
        ['4k3/8/8/8/8/8/8/R3K3 w Q -', None]

        Raises ValueError if they have more than 2 GiB together.
        """

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str | None]: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> str | None: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self, index: slice | _Rows, /) -> Self: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Summary:
    """Sums of products over groups of positions, by square. A summary is immutable.

    `a + b` and `sum(parts)` add up summaries that processes or machines computed for parts of the positions. `len(summary)` is
    the number of groups, iteration yields `groups`, and `==` compares groups and sums. As a table (`to_pandas()`,
    `to_polars()`, `to_pyarrow()`, or with the Arrow PyCapsule interface, `pyarrow.table(summary)`), it has the rows that the
    command `slider-attacks summarize` writes, one per group, column and square: the keys, `positions`, `column`, `square`,
    `count`, `share`, `sum` and `mean`. A notebook shows it as boards.

    >>> import slider_attacks
    >>> fens = ["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 b - -"]
    >>> one, two = (slider_attacks.summarize([fen], "counts") for fen in fens)
    >>> (one + two).to_numpy("white_attackers")[0, 0].tolist()  # the first rank: a king twice, and a rook once
    [0.0, 0.5, 0.5, 1.5, 0.5, 1.0, 0.0, 0.0]
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def groups(self) -> list[dict[str, str | int | None]]:
        """The groups, in the order of their keys: for each, the keys with their values. What is missing is None."""

    @property
    def column_names(self) -> list[str]:
        """The names of the columns: those of the products, those of threats by their side, and, where there is a pair for White and
        Black, their difference.
        """

    @property
    def positions(self) -> npt.NDArray[np.int64]:
        """The number of positions of each group, as an array of int64."""

    @property
    def skipped(self) -> int:
        """The number of records or rows that were left out, because they are no positions."""

    @property
    def left_out(self) -> int:
        """The number of positions that were left out because of `games_where`, `where`, `unique` or `key_shard`."""

    @property
    def errors(self) -> list[str]:
        """What was wrong with the first 100 records or rows that are no positions."""

    @overload
    def to_numpy(self, column: str, measure: Literal["share", "mean"] = "mean") -> npt.NDArray[np.float64]:
        """The numbers of a column as an array of the shape `[groups, 8, 8]`: `[group, 0, 0]` is a1, and `[group, 0, 7]` is h1. A column
        with one number per position, such as `legal_moves`, gives one per group.

        Parameters
        ----------
        column : one of `column_names`
        measure : "count", "sum", "share" or "mean"
            "count" says in how many positions the value of a square is not zero, and "sum" adds its values up. "share" and "mean"
            are the same, divided by the number of positions. Counts and sums are int64, shares and means float64.

        >>> import slider_attacks
        >>> summary = slider_attacks.summarize(["4k3/8/8/8/8/8/8/R3K3 w Q -"], "counts")
        >>> summary.to_numpy("white_attackers", "sum")[0, 0].tolist()
        [0, 1, 1, 2, 1, 1, 0, 0]
        """

    @overload
    def to_numpy(self, column: str, measure: Literal["count", "sum"]) -> npt.NDArray[np.int64]: ...
    @overload
    def to_numpy(self, column: str, measure: str) -> npt.NDArray[Any]: ...
    def to_batch(self) -> Batch:
        """The rows that the command writes: one for each group, column and square, a1 first.

        >>> import slider_attacks
        >>> summary = slider_attacks.summarize(["4k3/8/8/8/8/8/8/R3K3 w Q -"], "counts")
        >>> summary.to_batch().column_names
        ['positions', 'column', 'square', 'count', 'share', 'sum', 'mean']
        """

    def to_pyarrow(self) -> Any:
        """These rows as a `pyarrow.RecordBatch`.

        Raises ImportError if pyarrow is not installed.
        """

    def to_polars(self) -> Any:
        """These rows as a `polars.DataFrame`.

        Raises ImportError if Polars is not installed.
        """

    def to_pandas(self) -> Any:
        """These rows as a `pandas.DataFrame`.

        Raises ImportError if pandas or pyarrow is not installed.

        >>> import slider_attacks
        >>> frame = slider_attacks.summarize(["4k3/8/8/8/8/8/8/R3K3 w Q -"], "maps").to_pandas()
        >>> frame.set_index(["column", "square"]).loc[("white_attacks", "b1"), "count"].item()
        1
        """

    def html(self, theme: Literal["auto", "light", "dark"] | str = "auto") -> str:
        """The page that the command writes, as the text of an HTML file that needs no other.

        It has at most 240 boards: of more groups, those with the most positions.
        """

    def svg(self, theme: Literal["auto", "light", "dark"] | str = "auto") -> str:
        """The boards that the command draws, as the text of an SVG file: of pairs for White and Black the difference.

        Raises ValueError if there are more than 48.
        """

    def _repr_html_(self) -> str: ...
    def __add__(self, other: Summary, /) -> Summary: ...
    def __radd__(self, other: int, /) -> Summary: ...
    def __iter__(self) -> Iterator[dict[str, str | int | None]]: ...
    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> NoReturn: ...
    def __len__(self) -> int: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> CapsuleType: ...

def summarize(
    source: _Path | _File | Iterable[_Path | _File] | _Positions | Positions,
    what: _Products = "counts",
    *,
    by: str | Iterable[str] = (),
    format: Literal["bulletformat", "marlinformat", "viriformat", "binpack"] | str | None = None,
    column: str = "fen",
    games: str | Iterable[str] = (),
    games_where: str | None = None,
    variations: bool = False,
    from_ply: int = 0,
    to_ply: int | None = None,
    every: int = 1,
    after_first_move: bool = False,
    each_move: bool = False,
    where: str | None = None,
    unique: bool | Literal["position", "canonical", "polyglot"] | str | None = None,
    unique_memory: int | None = None,
    key_shard: str | None = None,
    shard: tuple[int, int] | str | None = None,
    group_memory: int | None = None,
    on_error: Literal["raise", "skip"] | str = "raise",
    through: _Through = "any",
    victims: _Victims = "enemy",
    values: _Values = "1,3,3,5,9",
    pinned: _Pinned = "capture",
    notation: _Notation = "bits",
    perspective: _Perspective = "board",
    backend: _Backend = None,
    threads: int = 1,
) -> Summary:
    r"""Sums products over positions, by square and by group: how often is each square attacked, and by how many pieces?

    Parameters
    ----------
    source : files, as for `read`; positions in memory, as for `analyze`; or `Positions`
    what : one or several names of products, as in `analyze`
    by : one or several keys that group the positions
        "side", the side to move; "phase": opening, middlegame or endgame, by the material without pawns and kings (knights and
        bishops count 1, rooks 2, queens 4: 20 or more is the opening, 8 or less the endgame); or a column of the source, such
        as "White", "result" or "ply" of PGN. "ply:10" makes groups of ten plies. Missing values form a group of their own.
        With `each_move`, "move" is each legal move.
    column, where : as in `analyze` and `read`
        A condition on `Positions` names no columns.
    format, games, variations, from_ply, to_ply, every, after_first_move, games_where, unique, unique_memory, key_shard, shard : of files,
    as in `read`
    group_memory : the most bytes that groups may take, at 1 KiB for each column of sets or numbers; by default 2 GiB
    each_move : of files, sum the positions after each legal move
    on_error : "raise", or "skip", which leaves out malformed positions
        `skipped` of the result counts these, and `errors` lists the first 100. Null rows are left out.
    backend, and the options of products : as in `analyze`
    threads : the number of threads, from 1 to 256; by default 1

    Returns a `Summary`.

    Raises OSError if a file cannot be read, and ValueError for malformed input, with the file and line, or the row, and if
    groups take more than `group_memory`. Warns about tags and fields in `by` and `games` that no file
    has.

    >>> import pathlib, tempfile
    >>> import slider_attacks
    >>> path = pathlib.Path(tempfile.mkdtemp(), "games.pgn")
    >>> _ = path.write_text("1. e4 e5 1-0\n\n1. d4 1/2-1/2\n")
    >>> summary = slider_attacks.summarize(path, ["counts", "mobility"], by="result")
    >>> summary
    <slider_attacks.Summary of 5 positions in 2 groups by result: white_attackers, black_attackers, difference_attackers, mobility>
    >>> summary.groups, summary.positions.tolist()
    ([{'result': '1-0'}, {'result': '1/2-1/2'}], [3, 2])
    >>> summary.to_numpy("white_attackers", "count")[0, 4].tolist()  # the fifth rank, in games that White won
    [0, 2, 0, 2, 0, 2, 0, 2]

    Positions in memory, and the rows that the command would write:

    >>> import polars
    >>> games = polars.DataFrame({"fen": ["4k3/8/8/8/8/8/8/R3K3 w Q -"], "result": ["1-0"]})
    >>> polars.DataFrame(slider_attacks.summarize(games, "maps", by="result")).row(1)
    ('1-0', 1, 'white_attacks', 'b1', 1, 1.0, 1, 1.0)
    """

@final
class Reader:
    r"""The batches of `read`: an iterator of `Batch`, and a stream in the Arrow PyCapsule interface, as in
    `pyarrow.RecordBatchReader.from_stream(reader)`. Each batch is returned once, to the first caller.

    Threads read ahead by about two batches. They stop and close the files that they have opened at the end, after an error,
    when this object and all its streams are dropped, and at `close` or the end of a `with` block.

    >>> import pathlib, tempfile
    >>> import slider_attacks
    >>> path = pathlib.Path(tempfile.mkdtemp(), "games.epd")
    >>> _ = path.write_text("4k3/8/8/8/8/8/8/R3K3 w Q - bm Ra8;\nnonsense\n")
    >>> with slider_attacks.read(path, "maps", on_error="skip") as reader:
    ...     reader
    ...     sum(len(batch) for batch in reader), reader.skipped
    <slider_attacks.Reader of line, white_attacks, black_attacks>
    (1, 1)
    """

    @property
    def schema(self) -> Schema:
        """The names and types of the columns: an object that `pyarrow.schema` takes."""

    @property
    def skipped(self) -> int:
        """The number of lines so far that were left out, because they are not positions."""

    @property
    def left_out(self) -> int:
        """The number of positions so far that were left out because of `games_where`, `where`, `unique` or `key_shard`."""

    @property
    def errors(self) -> list[str]:
        """What was wrong with the first 100 lines so far that are not positions: each text names the file and the line."""

    @property
    def bytes_read(self) -> int:
        """The number of bytes that have been read of the files as they are, compressed or not. Threads read ahead of the batches."""

    @property
    def bytes_total(self) -> int | None:
        """The number of bytes of all files, or None if it is not known, as for a file object.

        >>> import slider_attacks
        >>> def percent(reader: slider_attacks.Reader) -> str:
        ...     return f"{100 * reader.bytes_read / (reader.bytes_total or 1):.0f} %"
        """

    @property
    def files_read(self) -> int:
        """The number of files all of whose rows have been computed, about two batches ahead."""

    @property
    def files_total(self) -> int:
        """The number of files."""

    @property
    def memory(self) -> int:
        """At most how many bytes the blocks and the batches that wait take, without what decompression, Parquet and `unique` take.
        Columns of long texts, and records longer than a few hundred bytes, take more.
        """

    def close(self) -> None:
        """Stops the threads and closes the files that `read` has opened. There are no more batches. A second call does nothing."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
        /,
    ) -> None: ...
    def __iter__(self) -> Self: ...
    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> NoReturn: ...
    def __next__(self) -> Batch: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> CapsuleType: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...

@final
class Loader:
    r"""Reads files for the training of a network: an iterator of batches, shuffled, each a dictionary of NumPy arrays.

    Threads read, parse and compute in advance. Files are cut into ranges, which each epoch reads in another order, and their
    positions go through a buffer: the next one takes the place of one at random, which goes into the batch. So each position comes
    once per epoch. The order depends on `seed`, the epoch and the files, not on `threads`.

    Parameters
    ----------
    files : a path, a directory or a pattern, or several of these
        All formats of `read`, compressed or not. Uncompressed PGN, binpack, bulletformat, marlinformat, Parquet, CSV, JSON lines and
        lines of FEN (`.fen`, `.epd`) have many ranges; any other file has one.
    batch : the number of positions of a batch; only the last one may have fewer
    columns : one or several labels: "score", "result", "ply"
        `score` (int32) is in the unit of the source, as `read` describes it; of PGN, it is `eval`, and a mate in n is 32,000 - n. It has
        16 bits, and larger ones become the largest; -2**31 stands for none. `result` (float32) is 1, 0.5 or 0 for White, and NaN for none. `ply` (int32) is the number of
        moves before the position, and -1 if unknown. A table has columns of these names.
    what : one or several of "boards" and the names of products, without lists: each column is an array
        JAX makes 32 bits of the 64 of a bitboard, unless `jax_enable_x64` is set.
    planes : one or several names of bitboards, such as "white_pawn" or "white_attacks"; "boards" stands for the twelve of the
        pieces
        The array `planes`, of shape (batch, planes, 8, 8), has a one for each square that is set; [:, :, 0, 0] is a1. The threads write
        it, to memory that is used again once nobody has the array, so `resize` is refused. A column with a number for each
        square, such as "white_attackers", is a plane of these.
        "side_to_move" has ones if White is to move, and "white_kingside", "white_queenside", "black_kingside" and
        "black_queenside" if that side may castle there; "castling" stands for these four.
    features : what `features` takes as `sets`, such as ["pawn_pairs", "threats:v16"]
        Each batch has `features`, with rows `white` and `black`; or `own` and `other`, with perspective="mover".
    dtype : the type of `planes`: "float32", "uint8" or any other of numbers
    shuffle : the positions of the buffer, at 40 bytes each; with 0, positions come in the order of the files
    seed : the seed of the order
    shard : (k, n) takes part k of n, from 0, of the ranges of each epoch
        Together, the parts are everything. There must be n ranges.
    epochs : how often each position comes; None is without end
    perspective : "mover" turns boards, scores, results and inputs to the side to move
    on_error : "raise"; or "skip", which leaves malformed records out: `skipped` counts them
    threads : the number of threads that parse and compute, from 1 to 256, in addition to those that read and shuffle
    keep : a number in the language of `where`, the chance with which a position is taken; below 0 it counts as 0, above 1 as 1
        keep="if(count(occupied) < 8, 0.1, 1)" takes one in ten endgames. A condition counts as 1 where it holds, and what is
        missing as 0. In each epoch, and with each `seed`, others are taken; the number of threads and shards changes nothing.
    format, column, games, variations, from_ply, to_ply, every, after_first_move, where : as in `read`
        `left_out` counts the positions for which `where` does not hold.
    backend, and the options of products : as in `analyze`

    Iteration raises ValueError, with the file and line, for malformed input and for missing columns, after the batches before, and
    OSError if a file cannot be read. A file that changes meanwhile raises ValueError.

    >>> import pathlib, tempfile
    >>> import slider_attacks
    >>> path = pathlib.Path(tempfile.mkdtemp(), "positions.epd")
    >>> _ = path.write_text("4k3/8/8/8/8/8/8/R3K3 w Q - | 480 | 1.0\n4k3/8/8/8/8/8/8/4K3 b - - | 0 | 0.5\n")
    >>> loader = slider_attacks.Loader(path, batch=2, planes="boards", perspective="mover", epochs=3)
    >>> for batch in loader:
    ...     print(batch["planes"].shape, batch["planes"].dtype, sorted(batch["result"].tolist()))
    (2, 12, 8, 8) float32 [0.5, 1.0]
    (2, 12, 8, 8) float32 [0.5, 1.0]
    (2, 12, 8, 8) float32 [0.5, 1.0]

    A state goes on after the last batch:

    >>> loader = slider_attacks.Loader(path, batch=1, what="maps", seed=7)
    >>> _ = next(loader)
    >>> state = loader.state_dict()
    >>> rest = list(loader)
    >>> again = slider_attacks.Loader(path, batch=1, what="maps", seed=7)
    >>> again.load_state_dict(state)
    >>> [batch["score"].tolist() for batch in again] == [batch["score"].tolist() for batch in rest]
    True
    """

    def __new__(
        cls,
        files: _Path | Iterable[_Path],
        *,
        batch: int = 16384,
        columns: _Label | Iterable[_Label] = ("score", "result"),
        what: _Columns | Iterable[_Columns] = (),
        planes: str | Iterable[str] = (),
        features: str | ThreatLayout | PieceLayout | Iterable[str | ThreatLayout | PieceLayout] = (),
        dtype: npt.DTypeLike = "float32",
        shuffle: int = 1_000_000,
        seed: int = 0,
        shard: tuple[int, int] = (0, 1),
        epochs: int | None = 1,
        on_error: Literal["raise", "skip"] | str = "raise",
        threads: int = 1,
        format: Literal["bulletformat", "marlinformat", "viriformat", "binpack"] | str | None = None,
        column: str = "fen",
        games: str | Iterable[str] = (),
        variations: bool = False,
        from_ply: int = 0,
        to_ply: int | None = None,
        every: int = 1,
        after_first_move: bool = False,
        where: str | None = None,
        keep: str | None = None,
        through: _Through = "any",
        victims: _Victims = "enemy",
        values: _Values = "1,3,3,5,9",
        pinned: _Pinned = "capture",
        notation: _Notation = "bits",
        perspective: _Perspective = "board",
        backend: _Backend = None,
    ) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> dict[str, Any]: ...
    def state_dict(self) -> dict[str, Any]:
        """The state, from which a loader of the same files and settings goes on after the last batch: a dictionary with bytes, 40
        for each position of the buffer and of the batches that wait, and two numbers for people.
        """

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on where the loader was that has returned this state. `threads`, `batch`, `epochs`, and what is computed may differ, but
        not whether `features` has threats or pairs of pawns, which leave positions out.

        Raises ValueError for a state of other files, by name, size and ranges, or of other settings. Then nothing changes.
        """

    @property
    def positions(self) -> int:
        """How many positions have been returned, with those before the state that was loaded."""

    @property
    def epoch(self) -> int:
        """The epoch that is being read, from 0."""

    @property
    def bytes_read(self) -> int:
        """About how many bytes of the files have been read, in all epochs."""

    @property
    def bytes_total(self) -> int | None:
        """How many bytes the files have, times the number of epochs, and about this shard's part of them. None without an end."""

    @property
    def memory(self) -> int:
        """At most how many bytes the buffer, and the blocks and batches that wait, take."""

    @property
    def skipped(self) -> int:
        """The number of malformed records so far that were left out."""

    @property
    def errors(self) -> list[str]:
        """What was wrong with the first ten of them: each text names the file and the line."""

    @property
    def left_out(self) -> int:
        """The number of positions so far that were left out because of `where`."""

    def close(self) -> None:
        """Stops the threads. There are no more batches, but still a state. A second call does nothing."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
        /,
    ) -> None: ...

@final
class Drawing:
    """A board drawn by `show`."""

    def svg(self) -> str:
        """The picture, as the text of an SVG file.

        >>> import slider_attacks
        >>> slider_attacks.show(0x1C14).svg()[:4]
        '<svg'
        """

    def _repr_svg_(self) -> str: ...
    def _repr_html_(self) -> str: ...

def analyze(
    fens: _Positions,
    what: _Products = "maps",
    *,
    column: str = "fen",
    where: str | None = None,
    on_error: _OnError = "raise",
    integers: _Integers = "unsigned",
    through: _Through = "any",
    victims: _Victims = "enemy",
    values: _Values = "1,3,3,5,9",
    pinned: _Pinned = "capture",
    notation: _Notation = "bits",
    perspective: _Perspective = "board",
    backend: _Backend = None,
    threads: int = 1,
) -> Batch:
    """Computes products of positions: attack maps, pins, threats and more. The result has one row per position, and the columns of
    the products in `what`, which are defined below, under Products.

    Parameters
    ----------
    fens : the positions, FEN or EPD
        A text column (pyarrow, Polars, pandas, DuckDB, nanoarrow, …); a table, a data frame or a dictionary of columns; a
        sequence of str and bytes, where None or NaN is missing; or bitboards, as for `Positions`.
    what : the name of a product below, such as "maps", or a list of these
    column : the column of a table that contains the positions; an exact match wins over one that differs only in case
        By default, the only text column, or the columns of bitboards.
    on_error : how to handle malformed rows
        "raise"; "null" makes them null; "report" also adds a column `error` with the reason; "skip" leaves them out. `errors`
        of the result lists them.
    where : compute only the positions for which a condition holds, such as "white_pinned & white_queens and ply > 20"
        The language is that of `read`; columns are those of the table. A column `row`, before all others, has the number of each row
        in the input, from 0. Null rows are left out, but "null" and "report" keep malformed ones, and nulls with them.
    integers : "unsigned", or "signed" for engines without unsigned integers: the same bits as int64, int16, int8
    through : "any", "own" or "enemy"
        Let x-rays pass through pieces of this side, as seen from the slider.
    victims : "enemy", "own" or "any"
        List threats to pieces of this side, as seen from the attacker.
    values : five integers, as in (1, 3, 3, 5, 9), or a text such as "1,3,3,5,9"
        The values of a pawn, knight, bishop, rook and queen in exchanges, each from 0 to 63.
    pinned : "capture" or "stay"
        How pinned pieces capture in exchanges: like all others, or only on the line of the pin.
    notation : "bits" or "uci"
        How tables hold moves: as 16 bits, or as text of UCI, which CSV and JSON lines always have.
    perspective : "board" or "mover"
        Compute products of the board as it is, or, with `mover`, swap colours and turn it upside down
        if Black is to move.
    backend : one of `backends()`; by default the fastest for this CPU
    threads : the number of threads, from 1 to 256; by default 1

    Returns a `Batch`: `batch["white_attacks"]` is a column, and `batch["white_attacks"].to_numpy()` its NumPy array. Null rows
    are null in the result. `batch.to_pandas()` keeps the index of a pandas Series or DataFrame.

    Raises ValueError with the row, from 0, and the column, from 1, if a position is malformed, and TypeError if an argument has
    the wrong type.

    >>> import slider_attacks
    >>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"])
    >>> print(batch)
    slider_attacks.Batch: 1 row, 2 columns
                   type    0
    white_attacks  uint64  0x10101010101393e
    black_attacks  uint64  0x2838000000000000
    >>> batch["white_attacks"][0] >> 24 & 1  # a4 is attacked
    1

    Products
    --------
    - A square is a number: a1 = 0, b1 = 1, … h1 = 7, a2 = 8, … h8 = 63.
    - A set of squares (a bitboard) is a 64-bit number: bit i is set if square i is in the set. So set
      >> 28 & 1 is 1 if e4 is in the set.
    - A list of 64 numbers has one for each square, a1 first.
    - A threat is four numbers: attacker and victim are the ASCII codes of the FEN letters, such as 82
      for R, a white rook; from and to are their squares.
    - A move is 16 bits: start, target (6 each), promotion (2: knight, bishop, rook, queen), kind (2:
      normal, en passant, castling to the rook, promotion). With notation = uci, and always in CSV and
      JSON lines, it is text: e1g1.

    An attack need not be a legal move:

    - A piece attacks the squares where it could capture an enemy piece. So it also attacks the pieces
      of its own side that it defends.
    - Kings attack like other pieces, including squares where they could not move.
    - Pawns attack their two diagonal squares. Their advances are not attacks. En passant and the side
      to move matter only for legal moves, status and keys.
    - All products describe the current board, except those that consider moves: lists and numbers of
      moves, exchanges, trapped, safe_mobility and safe_checks. There, the moving piece has left its
      square, and a captured piece is gone.
    - Pinned pieces attack and defend like all others.
    - A slider (bishop, rook or queen) attacks up to and including the first piece in each direction, of
      either side.

    An exchange is a sequence of captures on one square, such as RxN, PxR:

    - The sides alternate. Each captures with its least valuable piece, or stops if that is better. So a
      gain is the material won minus the material lost with best play, and never below 0.
    - Sliders join when the pieces in front of them have captured. The king captures last, and only
      undefended pieces.
    - A pawn that captures on the last rank becomes a queen: the gain grows by a queen minus a pawn.
    - A move loses its piece if the other side gains more by an exchange on the new square than the move
      captures.
    - Checks and moves on other squares are ignored, and so are pins unless pinned is stay. So a gain is
      an estimate.

    A safe check is a move of a knight, bishop, rook or queen, not necessarily a legal one:

    - After the move, the piece itself attacks the enemy king, and no enemy piece attacks it, not even
      the king.
    - So a slider that gives check may keep giving check from behind its old square, and a slider that
      moves straight away from an enemy slider stays attacked.
    - Pawns, castling and discovered checks do not count.

    Tactics, such as forks and skewers, are patterns on the board, whichever side is to move and whether
    or not they win material:

    - A pawn is worth less than a knight or a bishop, which are equal; then come the rook, the queen and
      the king.
    - A piece is undefended if no piece of its own side attacks its square.
    - On a line, only the first two pieces that a slider sees in a direction count.

    Pawn structure ignores all other pieces:

    - Pawns count as free to advance, whatever blocks them.
    - A passed pawn may have a pawn of its own side in front. Of doubled pawns, all on the file count.
    - A backward pawn may be an isolated one.

    A legal move does not leave its own king attacked:

    - Castling, en passant and each of the four promotions count. Castling may be that of Chess960.
    - A pawn captures en passant only if the other pawn can have made a double step: both squares behind
      it are empty. python-chess generates the capture anyway, and reports the position as invalid
      (STATUS_INVALID_EP_SQUARE).
    - The same rules apply in unreachable positions, where the side to move may give check. No king is
      captured.

    pieces
        Where the pieces of each kind stand. In SQL: piece_maps(fen).
        white_pawns : uint64
            the squares of the white pawns
        white_knights : uint64
            the squares of the white knights
        white_bishops : uint64
            the squares of the white bishops
        white_rooks : uint64
            the squares of the white rooks
        white_queens : uint64
            the squares of the white queens
        white_kings : uint64
            the square of the white king
        black_pawns : uint64
            the squares of the black pawns
        black_knights : uint64
            the squares of the black knights
        black_bishops : uint64
            the squares of the black bishops
        black_rooks : uint64
            the squares of the black rooks
        black_queens : uint64
            the squares of the black queens
        black_kings : uint64
            the square of the black king

    maps
        The squares that each side attacks. In SQL: attack_maps(fen).
        white_attacks : uint64
            the squares that at least one white piece attacks, including pawns and the king
        black_attacks : uint64
            the squares that at least one black piece attacks, including pawns and the king

    counts
        The number of pieces of each side that attack each square. In SQL: attacker_counts(fen).
        white_attackers : 64 numbers, uint8
            for each square, the number of white pieces that attack it, from 0 to 16, including pawns
            and the king
        black_attackers : 64 numbers, uint8
            for each square, the number of black pieces that attack it, from 0 to 16, including pawns
            and the king

    mobility
        For each piece, the number of squares that it attacks and that its own side does not occupy; for
        a pawn, its diagonal squares count, not its advances.
        mobility : 64 numbers, uint8
            for each square, the mobility of the piece on it, white or black, from 0 to 27; 0 for an
            empty square

    pins
        The pieces that give check, and those that are pinned to their own king.
        white_king_checkers : uint64
            the black pieces that attack the white king
        black_king_checkers : uint64
            the white pieces that attack the black king
        white_pinned : uint64
            the pinned white pieces: each is the only piece between the white king and a black bishop,
            rook or queen that would otherwise attack the king
        black_pinned : uint64
            the pinned black pieces: each is the only piece between the black king and a white bishop,
            rook or queen that would otherwise attack the king

    xrays
        What the sliders (bishops, rooks, queens) of each side see behind the first piece in a
        direction, up to and including the next piece. In SQL: xray_attacks(fen). Option: through.
        white_xrays : uint64
            the squares that white sliders see behind a piece
        black_xrays : uint64
            the squares that black sliders see behind a piece

    hanging
        The pieces of each side, except its king, that the other side attacks and that no piece of their
        own side defends, whatever they are worth.
        white_hanging : uint64
            the white pieces that hang: attacked by Black, not defended by White
        black_hanging : uint64
            the black pieces that hang: attacked by White, not defended by Black

    exchanges
        The material that each side gains when it captures a piece and both sides keep capturing on that
        square, each with its least valuable piece and only as long as it pays (static exchange
        evaluation); by default, a pawn is worth 1, a knight or a bishop 3, a rook 5 and a queen 9.
        Options: values, pinned.
        white_wins : uint64
            the black pieces whose capture gains something for White
        black_wins : uint64
            the white pieces whose capture gains something for Black
        white_gains : 64 numbers, uint8
            for each square, what White gains by a capture there; 0 if nothing
        black_gains : 64 numbers, uint8
            for each square, what Black gains by a capture there; 0 if nothing

    forks
        The pieces of each side that attack two or more enemy pieces, each worth more than the piece
        itself or undefended; a king forks undefended pieces only.
        white_forks : uint64
            the white pieces that fork
        black_forks : uint64
            the black pieces that fork

    skewers
        The pieces that an enemy slider (bishop, rook, queen) attacks along a line on which the next
        piece is one of their own side that is worth less or the same.
        white_skewers : uint64
            the black pieces that White skewers: the front pieces, including the king
        black_skewers : uint64
            the white pieces that Black skewers: the front pieces, including the king

    relative_pins
        The pieces that an enemy slider attacks along a line on which the next piece is one of their own
        side that is worth more, but not the king; the value of the slider does not matter.
        white_relatively_pinned : uint64
            the white pieces that are pinned to a more valuable white piece
        black_relatively_pinned : uint64
            the black pieces that are pinned to a more valuable black piece

    discovered
        The pieces of each side that stand alone between a slider of their side and an enemy piece that
        is undefended or worth more than the slider: they open an attack when they leave the line.
        white_discovered : uint64
            the white pieces that can discover an attack, or a check
        black_discovered : uint64
            the black pieces that can discover an attack, or a check

    batteries
        The sliders of each side that another slider of their side defends, along a line on which both
        move.
        white_batteries : uint64
            the white bishops, rooks and queens in a battery
        black_batteries : uint64
            the black bishops, rooks and queens in a battery

    overloaded
        The pieces of each side that are the only defender of two or more attacked pieces other than the
        king.
        white_overloaded : uint64
            the overloaded white pieces, including the king
        black_overloaded : uint64
            the overloaded black pieces, including the king

    trapped
        The knights, bishops, rooks and queens of each side that the other side wins by an exchange,
        both where they stand and wherever they could move. Options: values, pinned.
        white_trapped : uint64
            the trapped white pieces
        black_trapped : uint64
            the trapped black pieces

    safe_mobility
        For each knight, bishop, rook and queen, the number of squares that it could move to without
        being lost in an exchange there: the other side would gain no more than the move captures.
        Options: values, pinned.
        safe_mobility : 64 numbers, uint8
            for each square, the safe mobility of the piece on it, white or black, from 0 to 27; 0 for
            an empty square, a pawn and a king

    pawns
        The pawn structure of each side: passed, isolated, doubled and backward pawns, and outposts.
        white_passed : uint64
            the white pawns with no black pawn in front of them on their own or an adjacent file
        black_passed : uint64
            the black pawns with no white pawn in front of them on their own or an adjacent file
        white_isolated : uint64
            the white pawns without a white pawn on an adjacent file
        black_isolated : uint64
            the black pawns without a black pawn on an adjacent file
        white_doubled : uint64
            the white pawns that share their file with another white pawn
        black_doubled : uint64
            the black pawns that share their file with another black pawn
        white_backward : uint64
            the white pawns with a square in front that a black pawn attacks and that no white pawn
            attacks, now or after it has advanced
        black_backward : uint64
            the black pawns with a square in front that a white pawn attacks and that no black pawn
            attacks, now or after it has advanced
        white_outposts : uint64
            the squares on ranks 4 to 6 that a white pawn attacks and that no black pawn attacks, now or
            after it has advanced
        black_outposts : uint64
            the squares on ranks 5 to 3 that a black pawn attacks and that no white pawn attacks, now or
            after it has advanced

    king_ring
        The pieces that attack the enemy king or a square next to it.
        white_king_ring : uint64
            the black pieces that attack the square of the white king or one next to it
        black_king_ring : uint64
            the white pieces that attack the square of the black king or one next to it

    safe_checks
        The squares where a knight, bishop, rook or queen can move to give check without being attacked
        there, on the board after the move; pins and the side to move do not matter, and discovered
        checks do not count.
        white_safe_checks : uint64
            the squares where a white piece can move to attack the black king, and where no black piece
            then attacks it
        black_safe_checks : uint64
            the squares where a black piece can move to attack the white king, and where no white piece
            then attacks it

    legal_moves
        The number of legal moves of the side to move: 0 in checkmate and stalemate; castling and en
        passant count, and a promotion counts as four moves.
        legal_moves : uint16
            the number of legal moves of the side to move

    moves
        The legal moves of the side to move, ordered by start, target and promotion; sums count them by
        target. Option: notation.
        moves : a list of uint16, or of str
            the legal moves

    checking_moves
        The legal moves that give check. Option: notation.
        checking_moves : a list of uint16, or of str
            the legal moves after which the other king is attacked

    mating_moves
        The legal moves that give checkmate. Option: notation.
        mating_moves : a list of uint16, or of str
            the legal moves after which the other side is in checkmate

    targets
        The squares to which the piece on each square may legally go; they have no sums.
        targets : 64 sets, uint64
            for each square, the targets of the legal moves of the piece on it; castling goes to the
            rook

    status
        Whether the side to move is in check, and whether the game is over: 1 or 0.
        in_check : uint16
            1 if the king of the side to move is attacked
        checkmate : uint16
            1 if the side to move is in check and has no legal move
        stalemate : uint16
            1 if the side to move is not in check and has no legal move
        insufficient_material : uint16
            1 if nothing is left but the kings, or also one knight, or bishops on squares of one colour

    keys
        64 bits that are the same for equal positions, and hardly ever for others; they have no sums.
        position_key : uint64
            the same for equal pieces, side to move, castling rights and legal captures en passant
        canonical_key : uint64
            the same for mirror images too: with colours swapped; left to right if nobody may castle;
            all eight without pawns
        polyglot_key : uint64
            the key of Polyglot's opening books

    threats
        Each attack on a piece of the other side, including its king; the option `victims` selects
        others. Option: victims.
        threats : a list of structs of four uint8: attacker, from, to, victim
            the threats, White's first: each has the attacking piece, its square, the attacked square,
            and the piece there
    """

def read(
    path: _Path | _File | Iterable[_Path | _File],
    what: _Columns | Iterable[_Columns] = "maps",
    *,
    format: Literal["bulletformat", "marlinformat", "viriformat", "binpack"] | str | None = None,
    column: str = "fen",
    keep: str | Iterable[str] = (),
    points: bool = False,
    next_gain: bool = False,
    dictionary: str | Iterable[str] = (),
    games: str | Iterable[str] = (),
    games_where: str | None = None,
    variations: bool = False,
    from_ply: int = 0,
    to_ply: int | None = None,
    every: int = 1,
    after_first_move: bool = False,
    each_move: bool = False,
    where: str | None = None,
    unique: bool | Literal["position", "canonical", "polyglot"] | str | None = None,
    unique_memory: int | None = None,
    key_shard: str | None = None,
    shard: tuple[int, int] | str | None = None,
    on_error: _OnError = "raise",
    integers: _Integers = "unsigned",
    through: _Through = "any",
    victims: _Victims = "enemy",
    values: _Values = "1,3,3,5,9",
    pinned: _Pinned = "capture",
    notation: _Notation = "bits",
    perspective: _Perspective = "board",
    backend: _Backend = None,
    threads: int = 1,
    batch_rows: int = 65_536,
) -> Reader:
    r"""Reads files in batches of rows, one row per position, and computes products on background threads.

    Parameters
    ----------
    path : a path, a directory, a pattern or a binary file object, or several of these
        FEN or EPD, one position per line; PGN; CSV with a header; JSON lines; all of these also compressed with gzip or zstd;
        or Parquet. The format is detected from the content, not the name. Or training records: binpack, or files whose names
        end in
        `.bulletformat`, `.marlinformat`, `.viriformat` or `.vf`.
        A directory stands for all files below it with the extension of a format, such as `.pgn`, also followed by `.gz` or
        `.zst`. A pattern stands for the matching files: `*` matches any part of a name and `**` any directories, as in
        "games/**/*.pgn.zst". Files are sorted by name, and hidden ones left out. A path that exists is never a pattern.
        A URL, such as "s3://bucket/games/*.pgn", is read as by the command: with the credentials and options of the environment.
        A file object is anything whose `read` returns bytes, such as `open(…, "rb")`, `gzip.open`, `io.BytesIO` or an fsspec
        file. It is read on another thread from its current position, and is not closed. Its `name`, `full_name`, `path` or
        `url` appears in the column `file` and in errors, and its extension counts like that of a path. Parquet from a file
        object that cannot seek is first copied to a temporary file.
    what : one or several of "boards" and the names of products
        "boards" stands for the columns that `Positions` accepts: twelve of bitboards, `side_to_move`, `castling` and
        `en_passant`. Products are those of `analyze`.
    format : "bulletformat", "marlinformat", "viriformat" or "binpack", for training records of any name
    column : the column or field with the positions; an exact match wins over one that differs only in case
        A column with a game per row yields all positions of each game: "movetext", "pgn", or any other column except "fen"
        whose first values are games.
    keep : one or several names of columns or fields to copy, or "all"; a line of FEN or EPD is one column, "fen"
        Columns of Parquet keep their types. All others are text, and fields of JSON lines that are not text are JSON. PGN has
        its tags, such as "White", and `game`, `ply`, `san`, `uci`, `move`, `next_san`, `next_uci`, `next_move`, `halfmove`,
        `fullmove`, `eval`, `mate`, `clk`, `result`, `depth` and `fen`. `san`, `uci` and `move` are the move that led to the position,
        and those with `next_` the move that was played from it. `move` has 16 bits: from bit 0 on, the origin square, the
        target square, the promotion (knight, bishop, rook, queen), and the kind (normal, en passant, castling as king takes
        rook, promotion). `eval` is in centipawns from White's view, or null for a mate, which is in `mate`.
        Training records have `score`, `result` and `fen`, and all but bulletformat `halfmove` and `fullmove`; viriformat and binpack
        also have `next_uci` and `next_move`. `score` is in the unit of the engine, usually centipawns, from White's view (in
        bulletformat, from that of the side to move); mates are large numbers.
    points : make the column `result` of `keep` a number, float64: 1, 0.5 or 0 for White, null where there is none
        Then any text but 1-0, 1/2-1/2, 0-1, 1, 0.5, 0 and * is an error. `where` has the text.
    next_gain : add the column `next_gain` (int16) after those of `keep`, where a column with the next move must be
        The material that the move played next gains: what it captures, and what a promotion adds, less what the other side then gains by
        an exchange on that square, as in the product "exchanges". It is null if no move is known, and castling is 0.
    dictionary : one or several names of text columns, of `keep` and `file`, that are dictionaries; or "all" of these except "fen" and moves
        A text that many rows have, as a tag of a game, then takes 4 bytes in each. In a batch, a dictionary has each text once. The type
        is dictionary<int32, string>: Categorical in pandas and Polars. A column of Parquet that is a dictionary stays one, with its texts in order.
    games : conditions on the tags of PGN, such as "WhiteElo>=2200"; several must all hold
        The moves of other games are not parsed. `slider-attacks analyze --help` has the syntax.
    games_where : take only games with a position, of those that are read, for which a condition holds, such as "checkmate"
    variations : in games, also read the positions of variations
    from_ply, to_ply, every : in games, the first and last ply, and the step between positions in plies; ply 0 is the starting
    position
    after_first_move : use the position after the first move of the column "Moves", as Lichess puzzles need
    each_move : one row for each legal move of each position
        The column `move`, after `line`, is the move in UCI, as in `uci`; boards and products are those of the position after it,
        and columns of `keep` are repeated. A position without legal moves has no row.
    where : take only positions for which a condition holds, such as "white_pinned & white_queens and ply > 20"
        Names are the products of `analyze`, pieces such as `white_pawns`, squares such as `e4`, and columns of the file. `docs/where.md` has
        the language. With `each_move`, it is about the positions after moves, and `move` is the move.
        It is about the board as it is, as are "boards" and kept columns, whatever the perspective.
    unique : take each position once, the first in the order of the files
        "position", or True: positions are equal if they have the same pieces, side to move, castling rights and legal captures
        en passant; "canonical": also if they are mirror images; "polyglot": if Polyglot's opening books have one key for both.
        Keys of 64 bits are compared.
    unique_memory : the most bytes that `unique` may take for keys, at 12 per position; by default 2 GiB
    key_shard : take only the positions of part K of N, as in "2/8": equal positions are in the same part
        `left_out` of the result counts the positions that `games_where`, `where`, `unique` and `key_shard` leave out.
    shard : read only part K of N of the files, as (K, N), such as (2, 8), or as "2/8"
        The parts have about as many positions each, in the order of the files, and all together have everything; one may be empty.
        Files that are not compressed are cut between lines, games, records or row groups. File objects have no parts. An empty part still
        opens the first file, for its columns. What a part lacks, others may have, so it is a warning.
    on_error : how to handle malformed lines
        "raise"; "skip" leaves them out; "null" keeps their rows, with nulls; "report" also adds a column `error` with the
        reason. `skipped` of the result counts the lines that were left out, and `errors` lists the first 100.
    integers, backend, and the options of products : as in `analyze`
    threads : the number of threads that parse and compute, from 1 to 256, in addition to the one that reads; by default 1
    batch_rows : the maximum number of rows of a batch; a batch ends earlier at 32 MiB

    Returns a `Reader`, which yields each batch once. The columns are `file`, if `path` is a list, a directory or a pattern;
    `line`, the number of the line, or of the row in Parquet, from 1; those of `keep`; and those of `what`.

    Raises OSError if a file cannot be read, and ValueError, with the file and line, for malformed input: here or during
    iteration, after the rows before that line. After the last batch, warns about tags and fields in `keep` and `games` that no
    file has.

    >>> import pathlib, tempfile
    >>> import slider_attacks
    >>> path = pathlib.Path(tempfile.mkdtemp(), "puzzles.csv")
    >>> _ = path.write_text("Id,FEN,Rating\na,4k3/8/8/8/8/8/8/R3K3 w Q -,1500\nb,4k3/8/8/8/8/8/8/4K2R w K -,900\n")
    >>> for batch in slider_attacks.read(path, "maps", keep=["Id", "Rating"]):
    ...     print(batch["Id"].tolist(), batch["line"].tolist(), [hex(board) for board in batch["white_attacks"]])
    ['a', 'b'] [2, 3] ['0x10101010101393e', '0x808080808080b878']

    All of them at once:

    >>> import polars, pyarrow
    >>> pyarrow.table(slider_attacks.read(path)).num_rows
    2
    >>> polars.DataFrame(slider_attacks.read(path, ["maps", "pins"], keep="Rating")).height
    2

    One after the other, in DuckDB:

    >>> import duckdb
    >>> reader = pyarrow.RecordBatchReader.from_stream(slider_attacks.read(path, "hanging", keep="all"))
    >>> duckdb.sql("select sum(Rating::int) from reader").fetchall()
    [(2400,)]
    """

def game_positions(
    movetext: _Arrow | _Frame | Iterable[str | bytes | float | None] | Mapping[str, Any],
    what: _Columns | Iterable[_Columns] = (),
    *,
    column: str = "movetext",
    fen: str | _Arrow | _Frame | Iterable[str | bytes | float | None] | None = None,
    keep: str | Iterable[str] = ("ply", "uci", "fen"),
    variations: bool = False,
    from_ply: int = 0,
    to_ply: int | None = None,
    every: int = 1,
    on_error: _OnError = "raise",
    integers: _Integers = "unsigned",
    through: _Through = "any",
    victims: _Victims = "enemy",
    values: _Values = "1,3,3,5,9",
    pinned: _Pinned = "capture",
    notation: _Notation = "bits",
    perspective: _Perspective = "board",
    backend: _Backend = None,
    threads: int = 1,
) -> Batch:
    """Returns the positions of games in a text column, such as the column `movetext` of the Lichess games on Hugging Face: one row
    per position.

    Parameters
    ----------
    movetext : the games, each as in PGN, with or without tags
        A text column; a table, a data frame or a dictionary of columns; or a sequence of str and bytes. A null row has no
        positions.
    what : one or several of "boards" and the names of products, as for `read`; none by default
    column : the column of a table that contains the games; an exact match wins over one that differs only in case
    fen : the positions that games start from, as in Chess960
        A column as for `movetext`, with as many rows; or the name of a column of the table. By default, the column `FEN` of the
        table if it has one, as in `read`. The capitals matter, because a column `fen` may hold final positions. Null and an
        empty text stand for the standard starting position. A `FEN` tag in the movetext takes precedence.
    keep : columns about each position: one or several of "ply", "san", "uci", "move", "next_san", "next_uci", "next_move",
        "halfmove", "fullmove", "eval", "mate", "clk", "result", "depth" and "fen"
        "san", "uci" and "move" are the move that led to the position, and those with "next_" the move that was played from it.
        "move" has 16 bits: from bit 0 on, the origin square, the target square, the promotion (knight, bishop, rook, queen),
        and the kind (normal, en passant, castling as king takes rook, promotion). "eval" is in centipawns and "mate" in moves,
        both from White's view, and "clk" in seconds. Missing values are null.
    variations, from_ply, to_ply, every : as in `read`
    on_error : how to handle malformed games
        "raise"; "skip" leaves out the rest of the game; "null" and "report" replace it by a row without a position, and
        "report" adds a column `error` with the reason. The positions before the error are kept. `errors` of the result lists
        the first 100 errors, and `error_count` counts all.
    integers, backend, threads, and the options of products : as in `analyze`

    Returns a `Batch`. Its first column, `row`, has the row of the game, from 0.

    Raises ValueError with the row, from 0, if a game is malformed, and TypeError if an argument has the wrong type.

    >>> import slider_attacks
    >>> games = ["1. e4 { [%clk 0:05:00] } e5 2. Nf3 1-0", "1. d4 *"]
    >>> batch = slider_attacks.game_positions(games, "maps", keep=["ply", "san", "clk"], from_ply=1)
    >>> batch.column_names
    ['row', 'ply', 'san', 'clk', 'white_attacks', 'black_attacks']
    >>> batch["row"].tolist(), batch["san"].tolist()
    ([0, 0, 0, 1], ['e4', 'e5', 'Nf3', 'd4'])

    A game of Chess960:

    >>> games = {"movetext": ["1. O-O *"], "FEN": ["4k3/8/8/8/8/8/8/1K3R2 w F - 0 1"]}
    >>> slider_attacks.game_positions(games)["fen"].tolist()
    ['4k3/8/8/8/8/8/8/1K3R2 w F -', '4k3/8/8/8/8/8/8/5RK1 b - -']
    """

def products() -> list[dict[str, Any]]:
    """The products that can be asked for, in the order of their columns in a result. Of each: its `name`; the `function` that SQL
    engines have for it; its `definition` in one sentence; the `options` that it heeds; and its `columns`, with what each
    holds.

    >>> import slider_attacks
    >>> [product["name"] for product in slider_attacks.products()][:3]
    ['pieces', 'maps', 'counts']
    >>> slider_attacks.products()[6]["columns"]["white_hanging"]
    'the white pieces that hang: attacked by Black, not defended by White'
    """

def schema(
    what: _Products = "maps", *, on_error: _OnError = "raise", integers: _Integers = "unsigned"
) -> Schema:
    """Returns the names and types of the columns that `analyze` returns for these products: a `Schema`, which `pyarrow.schema`
    accepts.

    >>> import slider_attacks
    >>> slider_attacks.schema(["maps", "counts"])
    slider_attacks.Schema: 4 columns
    white_attacks    uint64
    black_attacks    uint64
    white_attackers  uint8[64]
    black_attackers  uint8[64]
    >>> import pyarrow
    >>> pyarrow.schema(slider_attacks.schema("maps", integers="signed")).names
    ['white_attacks', 'black_attacks']
    """

def show(
    board: SupportsIndex | Sequence[float] | npt.NDArray[Any],
    *,
    mark: tuple[SupportsIndex, str] | None = None,
    theme: Literal["auto", "light", "dark"] | str = "auto",
) -> Drawing:
    """Draws a board: `str` of the result is text, and a notebook shows it as a picture.

    Parameters
    ----------
    board : a set of squares, or a number for each square
        A set is an integer of 64 bits (or a `chess.SquareSet`). Numbers are an array of 64, a1 first: the further from zero, the
        stronger the colour, blue above zero and orange below.
    mark : (square, letter), a letter to draw on a square, for sets of squares
    theme : "auto" to follow the browser, "light" or "dark"

    Raises ValueError if the board does not have 64 bits or numbers, and TypeError if an argument has the wrong type.

    >>> import slider_attacks
    >>> print(slider_attacks.show(slider_attacks.rook_attacks(27, 0x0008_0000_0200_0000), mark=(27, "R")))
    8  . . . . . . . .
    7  . . . 1 . . . .
    6  . . . 1 . . . .
    5  . . . 1 . . . .
    4  . 1 1 R 1 1 1 1
    3  . . . 1 . . . .
    2  . . . 1 . . . .
    1  . . . 1 . . . .
       a b c d e f g h
    >>> counts = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"], "counts")["white_attackers"].to_numpy()
    >>> print(slider_attacks.show(counts[0]))
    8  1 0 0 0 0 0 0 0
    7  1 0 0 0 0 0 0 0
    6  1 0 0 0 0 0 0 0
    5  1 0 0 0 0 0 0 0
    4  1 0 0 0 0 0 0 0
    3  1 0 0 0 0 0 0 0
    2  1 0 0 1 1 1 0 0
    1  0 1 1 2 1 1 0 0
       a b c d e f g h
    """

def write(
    path: _Path,
    data: _Positions | Positions | Iterable[Any],
    *,
    format: Literal[
        "fen", "epd", "text", "csv", "jsonl", "parquet", "bulletformat", "marlinformat", "viriformat", "binpack"
    ]
    | str
    | None = None,
    column: str = "fen",
    score: str | None = None,
    mate: str | None = None,
    result: str | None = None,
    next: str | None = None,
    on_error: Literal["raise", "skip"] | str = "raise",
) -> dict[str, Any]:
    """Writes positions with their labels to a file, for training and for other programs: as `slider-attacks convert` does.

    Parameters
    ----------
    path : the file, which appears once it is complete
    data : a table with positions, such as `Batch`, `pyarrow.Table`, a frame or a dictionary of columns; `Positions`; or an
        iterator of tables with the same columns, such as a `Reader` or a `pyarrow.RecordBatchReader`, of which one at a time is in
        memory
    format : "fen", "epd", "text" (FEN | score | result), "csv", "jsonl", "parquet", "bulletformat", "marlinformat", "viriformat" or
        "binpack"; by default, that of the extension
    column : the column that contains the positions as text; without it, those of bitboards, as `Positions` takes them
    score, mate, result, next : the columns of the labels, if they are not called `score`, `mate`, `result`, and `next_uci`,
        `next_move` or `next_san`
        A score is in centipawns from White's view, the next move the one that was played from the position; `uci` or `move` may
        have the move that led to it instead. `halfmove` and `fullmove` are counters.
    on_error : "raise"; or "skip", which leaves malformed rows out

    Returns a dictionary of numbers: `rows` in data, `skipped`, `errors` with what was wrong with the first 100 of these, and
    `left_out` with the numbers of positions that the format cannot hold, by the reason. `lost_rights` counts positions that lost
    castling rights of Chess960, which a binpack cannot hold. Records need scores and results; viriformat and binpack also moves.

    Raises ValueError for a malformed row, which it names, counted from 0, and for columns that are missing, and OSError if the file
    cannot be written. Then there is no file, or that which was there before.

    >>> import pathlib, tempfile
    >>> import slider_attacks
    >>> path = pathlib.Path(tempfile.mkdtemp(), "positions.binpack")
    >>> rows = {"fen": ["4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "4k3/8/8/8/8/8/8/4K3 b - - 3 9"], "score": [480, 0], "result": [1, 0.5],
    ...         "next_uci": ["e1c1", None]}
    >>> slider_attacks.write(path, rows)
    {'rows': 2, 'skipped': 0, 'errors': [], 'left_out': {'without a move': 1}, 'lost_rights': 0}
    >>> next(slider_attacks.read(path, keep="score"))["score"].tolist()
    [480]
    """
