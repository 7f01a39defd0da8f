import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Protocol, Self, SupportsIndex, TypeAlias, TypeVar, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer, CapsuleType

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = ..., /) -> tuple[CapsuleType, CapsuleType]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = ..., /) -> CapsuleType: ...

class _Array(Protocol):
    def __array__(self) -> npt.NDArray[Any]: ...

_Slider: TypeAlias = Literal["queen", "rook", "bishop"]
_Backend: TypeAlias = str | None
_Arrow: TypeAlias = _ArrowArray | _ArrowStream
_Number: TypeAlias = int | np.integer[Any]
_Product: TypeAlias = Literal["maps", "counts", "mobility", "pins", "xrays", "hanging", "threats"]
_Products: TypeAlias = _Product | Iterable[_Product]
_Columns: TypeAlias = Literal["boards"] | _Product
_Path: TypeAlias = str | os.PathLike[str]
_Integers: TypeAlias = Literal["unsigned", "signed"]
_Side: TypeAlias = Literal["any", "own", "enemy"]
_OnError: TypeAlias = Literal["raise", "skip", "null", "report"]
_Positions: TypeAlias = _Arrow | Iterable[str | bytes | None] | Mapping[str, Any]
_Numbers: TypeAlias = (
    npt.NDArray[np.integer[Any]]
    | _Array
    | _Arrow
    | Buffer
    | _Number
    | Sequence[SupportsIndex]
    | Sequence[Sequence[SupportsIndex]]
)
_Out = TypeVar("_Out", bound=npt.NDArray[np.uint64] | Buffer)

def backends() -> list[str]: ...
def cpu() -> str: ...
def queen_attacks(square: SupportsIndex, occ: SupportsIndex, /) -> int: ...
def rook_attacks(square: SupportsIndex, occ: SupportsIndex, /) -> int: ...
def bishop_attacks(square: SupportsIndex, occ: SupportsIndex, /) -> int: ...
@overload
def batch_attacks(  # type: ignore[overload-overlap]
    squares: _Number,
    occs: _Number,
    out: None = None,
    *,
    slider: _Slider = "queen",
    backend: _Backend = None,
    threads: int = 1,
) -> np.uint64: ...
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
) -> np.uint64: ...
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
def command() -> int: ...

class Array:
    @property
    def null_count(self) -> int: ...
    def to_numpy(self) -> npt.NDArray[Any]: ...
    def tolist(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[CapsuleType, CapsuleType]: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...

class Batch:
    @property
    def column_names(self) -> list[str]: ...
    @property
    def errors(self) -> list[tuple[int, str]]: ...
    @property
    def error_count(self) -> int: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str, /) -> Array: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[CapsuleType, CapsuleType]: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> CapsuleType: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...

class Schema:
    def __arrow_c_schema__(self) -> CapsuleType: ...

class Positions:
    def __new__(cls, positions: _Positions, *, on_error: Literal["raise", "skip", "null"] = "raise") -> Self: ...
    @property
    def occupancies(self) -> npt.NDArray[np.uint64]: ...
    @property
    def null_count(self) -> int: ...
    @property
    def errors(self) -> list[tuple[int, str]]: ...
    @property
    def error_count(self) -> int: ...
    def analyze(
        self,
        what: _Products = ("maps",),
        *,
        integers: _Integers = "unsigned",
        through: _Side = "any",
        victims: _Side = "enemy",
        backend: _Backend = None,
    ) -> Batch: ...
    def pieces(
        self,
        color: Literal["white", "black"],
        piece: Literal["pawn", "knight", "bishop", "rook", "queen", "king"],
    ) -> npt.NDArray[np.uint64]: ...
    def color(self, color: Literal["white", "black"]) -> npt.NDArray[np.uint64]: ...
    def boards(self, integers: _Integers = "unsigned") -> Batch: ...
    def fens(self) -> Array: ...
    def __len__(self) -> int: ...

class Reader:
    @property
    def schema(self) -> Schema: ...
    @property
    def skipped(self) -> int: ...
    @property
    def errors(self) -> list[str]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
        /,
    ) -> None: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Batch: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> CapsuleType: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...

class Drawing:
    def svg(self) -> str: ...
    def _repr_svg_(self) -> str: ...
    def _repr_html_(self) -> str: ...

def analyze(
    fens: _Positions,
    what: _Products = ("maps",),
    *,
    on_error: _OnError = "raise",
    integers: _Integers = "unsigned",
    through: _Side = "any",
    victims: _Side = "enemy",
    backend: _Backend = None,
    threads: int = 1,
) -> Batch: ...
def read(
    path: _Path | Iterable[_Path],
    what: _Columns | Iterable[_Columns] = ("maps",),
    *,
    column: str = "fen",
    keep: str | Iterable[str] = (),
    on_error: _OnError = "raise",
    integers: _Integers = "unsigned",
    through: _Side = "any",
    victims: _Side = "enemy",
    backend: _Backend = None,
    threads: int = 1,
    batch_rows: int = 65_536,
) -> Reader: ...
def products() -> list[dict[str, Any]]: ...
def schema(
    what: _Products = ("maps",), *, on_error: _OnError = "raise", integers: _Integers = "unsigned"
) -> Schema: ...
def show(
    board: SupportsIndex | Sequence[float] | npt.NDArray[Any],
    *,
    mark: tuple[SupportsIndex, str] | None = None,
    theme: Literal["auto", "light", "dark"] = "auto",
) -> Drawing: ...
