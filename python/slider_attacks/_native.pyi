from collections.abc import Sequence
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, TypeVar, overload

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
_Number: TypeAlias = int | np.integer[Any]
_Numbers: TypeAlias = (
    npt.NDArray[np.integer[Any]]
    | _Array
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
def batch_attacks(
    squares: _Number,
    occs: _Number,
    out: None = None,
    *,
    slider: _Slider = "queen",
    backend: _Backend = None,
    threads: int = 1,
) -> np.uint64: ...
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
def batch_queen_attacks(
    squares: _Number,
    occs: _Number,
    out: None = None,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> np.uint64: ...
@overload
def batch_queen_attacks(
    squares: _Numbers,
    occs: _Numbers,
    out: None = None,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> npt.NDArray[np.uint64]: ...
@overload
def batch_queen_attacks(
    squares: _Numbers,
    occs: _Numbers,
    out: _Out,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> _Out: ...
@overload
def batch_rook_attacks(
    squares: _Number,
    occs: _Number,
    out: None = None,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> np.uint64: ...
@overload
def batch_rook_attacks(
    squares: _Numbers,
    occs: _Numbers,
    out: None = None,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> npt.NDArray[np.uint64]: ...
@overload
def batch_rook_attacks(
    squares: _Numbers,
    occs: _Numbers,
    out: _Out,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> _Out: ...
@overload
def batch_bishop_attacks(
    squares: _Number,
    occs: _Number,
    out: None = None,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> np.uint64: ...
@overload
def batch_bishop_attacks(
    squares: _Numbers,
    occs: _Numbers,
    out: None = None,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> npt.NDArray[np.uint64]: ...
@overload
def batch_bishop_attacks(
    squares: _Numbers,
    occs: _Numbers,
    out: _Out,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> _Out: ...
@overload
def batch_attack_sets(
    orthogonal: _Number,
    diagonal: _Number,
    occs: _Number,
    out: None = None,
    *,
    backend: _Backend = None,
    threads: int = 1,
) -> np.uint64: ...
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
def time_batch_attacks(
    squares: npt.NDArray[np.uint8], occs: npt.NDArray[np.uint64], out: npt.NDArray[np.uint64], calls: int
) -> float: ...
