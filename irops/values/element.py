"""The element types of OpenVINO and of other dialects, their NumPy dtypes, and the bits of elements."""

from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class ElementType:
    """An element type: its name, its stored size in bits (0: no fixed size), its kind, its port precision.

    kind is one of boolean, float, signed, unsigned, lookup (nf4), string, dynamic (unknown), and complex,
    which OpenVINO does not have.
    """

    name: str
    bits: int
    kind: str
    precision: str

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"element_type({self.name!r})"

    def __eq__(self, other: object) -> bool:
        """Whether it is the same type: names are unique, and comparing them alone is fast."""
        return self is other or (isinstance(other, ElementType) and self.name == other.name)

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def integral(self) -> bool:
        return self.kind in ("signed", "unsigned")

    @property
    def floating(self) -> bool:
        return self.kind == "float"

    @property
    def differentiable(self) -> bool:
        """Whether tensors of this type can have a gradient: floats of 16 bits or more, complex numbers."""
        return (self.kind == "float" and self.bits >= 16) or self.kind == "complex"

    @property
    def extent(self) -> tuple[float, float]:
        """The smallest and the greatest integer of this type; infinities for other kinds of types."""
        if self.kind == "signed":
            return -(1 << self.bits - 1), (1 << self.bits - 1) - 1
        if self.kind == "unsigned":
            return 0, (1 << self.bits) - 1
        return (0, 1) if self.kind == "boolean" else (-inf, inf)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of arrays of this type: tagged uint8 for u1, u3, u6 and nf4; object for string."""
        return _dtype(self.name)


_KINDS = {
    "dynamic": "dynamic",
    "boolean": "boolean",
    "string": "string",
    "nf4": "lookup",
    **dict.fromkeys(("bf16", "f16", "f32", "f64", "f4e2m1", "f8e4m3", "f8e5m2", "f8e8m0"), "float"),
    **dict.fromkeys(("i4", "i8", "i16", "i32", "i64"), "signed"),
    **dict.fromkeys(("u1", "u2", "u3", "u4", "u6", "u8", "u16", "u32", "u64"), "unsigned"),
}
_BITS = {"dynamic": 0, "string": 0, "boolean": 8, "bf16": 16, "nf4": 4, "f4e2m1": 4}
_BITS |= dict.fromkeys(("f8e4m3", "f8e5m2", "f8e8m0"), 8)
_PRECISIONS = {"dynamic": "UNSPECIFIED", "boolean": "BOOL", "u1": "BIN"}
_PRECISIONS |= {"f16": "FP16", "f32": "FP32", "f64": "FP64"}
_TYPES = {
    name: ElementType(
        name, _BITS[name] if name in _BITS else int(name[1:]), kind, _PRECISIONS.get(name, name.upper())
    )
    for name, kind in _KINDS.items()
}
_FOREIGN = {
    name: ElementType(name, bits, kind, name.upper())
    for name, bits, kind in (
        ("complex64", 64, "complex"),
        ("complex128", 128, "complex"),
        ("f8e4m3fnuz", 8, "float"),
        ("f8e5m2fnuz", 8, "float"),
        ("i2", 2, "signed"),
    )
}
_BY_PRECISION = {**_TYPES, **{t.precision: t for t in _TYPES.values()}}
_BY_PRECISION |= {"undefined": _TYPES["dynamic"], "U1": _TYPES["u1"], "bin": _TYPES["u1"]}
_ML_DTYPES = {
    "bf16": "bfloat16",
    "f8e4m3": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
    "f8e8m0": "float8_e8m0fnu",
    "f4e2m1": "float4_e2m1fn",
    "i4": "int4",
    "u4": "uint4",
    "u2": "uint2",
    "f8e4m3fnuz": "float8_e4m3fnuz",
    "f8e5m2fnuz": "float8_e5m2fnuz",
    "i2": "int2",
}
_NUMPY = {
    "boolean": np.bool_,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "complex64": np.complex64,
    "complex128": np.complex128,
}
SPELLINGS = {name.lower(): kind for name, kind in _BY_PRECISION.items()}
SPELLINGS |= {f"int{bits}": _TYPES[f"i{bits}"] for bits in (4, 8, 16, 32, 64)}
SPELLINGS |= {f"uint{bits}": _TYPES[f"u{bits}"] for bits in (2, 4, 8, 16, 32, 64)}
SPELLINGS |= {f"float{bits}": _TYPES[f"f{bits}"] for bits in (16, 32, 64)}
SPELLINGS |= {name: _TYPES[own] for own, name in _ML_DTYPES.items() if own in _TYPES}
SPELLINGS |= {"bool": _TYPES["boolean"], "half": _TYPES["f16"], "double": _TYPES["f64"]}
"""The types of OpenVINO by all their names, those of NumPy, ml_dtypes and PyTorch among them."""
CODED = ("u1", "u3", "u6", "nf4")
"""Types without a NumPy or ml_dtypes dtype: stored as uint8 codes, tagged with the element type."""


@cache
def _dtype(name: str) -> np.dtype[Any]:
    if name == "dynamic":
        raise ValueError("the element type is dynamic, must be known to have a dtype")
    if name == "string":
        return np.dtype(object)
    if name in CODED:
        return np.dtype(np.uint8, metadata={"element_type": name})
    if name in _ML_DTYPES:
        import ml_dtypes

        dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, _ML_DTYPES[name]))
        return dtype
    if name in _NUMPY:
        return np.dtype(_NUMPY[name])
    return np.dtype(f"{name[0]}{int(name[1:]) // 8}")


def element_type(name: str, *, foreign: bool = False) -> ElementType:
    """The element type with a name (f32, i64, boolean …), without regard to case, as OpenVINO reads it.

    foreign: include types that OpenVINO does not have (complex64 …)
    Raises:  ValueError if there is no such type
    """
    lower = name.lower()
    if lower == "undefined":
        return DYNAMIC
    kind = _TYPES.get(lower) or (_FOREIGN.get(lower) if foreign else None)
    if kind is None:
        raise ValueError(f"{name!r} is not an element type")
    return kind


class TorchType(Protocol):
    """A torch.dtype."""

    @property
    def is_floating_point(self) -> bool: ...


TypeLike: TypeAlias = str | ElementType | np.dtype[Any] | type[Any] | TorchType
"""A type as people spell it: "f32", "FP32", "float32", np.float32, an np.dtype, one of ml_dtypes or torch."""


def element_type_like(item: TypeLike) -> ElementType:
    """The element type that a person means.

    Raises:  ValueError if there is no such type
    """
    if isinstance(item, ElementType):
        return item
    if isinstance(item, np.dtype) or (isinstance(item, type) and issubclass(item, np.generic | bool)):
        return element_type_of(np.empty(0, item))
    name = (
        str(item).removeprefix("torch.")
        if isinstance(item, str) or hasattr(item, "is_floating_point")
        else ""
    )
    found = SPELLINGS.get(name.lower())
    if found is None:
        raise ValueError(f"{item!r} is not an element type")
    return found


def element_type_of_precision(precision: str) -> ElementType:
    """The element type of a port precision (FP32, I64, BOOL …), spelled exactly as OpenVINO requires.

    Raises:  ValueError if there is no such precision
    """
    if precision not in _BY_PRECISION:
        raise ValueError(f"{precision!r} is not a precision")
    return _BY_PRECISION[precision]


def element_types() -> tuple[ElementType, ...]:
    """All element types of OpenVINO, including dynamic (unknown)."""
    return tuple(_TYPES.values())


def foreign_types() -> tuple[ElementType, ...]:
    """The element types that only other dialects have."""
    return tuple(_FOREIGN.values())


DYNAMIC = _TYPES["dynamic"]
BOOLEAN, STRING = _TYPES["boolean"], _TYPES["string"]
F32, I32, I64 = _TYPES["f32"], _TYPES["i32"], _TYPES["i64"]


@cache
def _element_of_dtype(dtype: np.dtype[Any]) -> ElementType:
    if dtype.kind in "OUST":
        return STRING
    for element in (*_TYPES.values(), *_FOREIGN.values()):
        if element.name not in (*CODED, "dynamic", "string") and element.dtype == dtype:
            return element
    raise ValueError(f"the dtype {dtype} has no element type")


def element_type_of(array: Array) -> ElementType:
    """The element type of an array: that of its tag, or else of its dtype.

    Raises:  ValueError for a dtype without an element type, such as datetime64
    """
    metadata = array.dtype.metadata
    if metadata is not None and "element_type" in metadata:
        return _TYPES[metadata["element_type"]]
    return _element_of_dtype(array.dtype)


def tagged(array: Array, element: TypeLike) -> Array:
    """The array, tagged with the element type if its dtype alone does not determine it (u1, u3, u6, nf4)."""
    element = element_type_like(element)
    if element.name not in CODED or element_type_of(array) is element:
        return array
    return array.view(element.dtype)


NF4_ZERO = 7
"""The code of 0 in nf4."""


def zeros(shape: tuple[int, ...], element: ElementType) -> Array:
    """A tensor of zeros. Strings are empty; f8e8m0, which has no zero, gets its smallest number."""
    if element is STRING:
        return np.full(shape, "", dtype=object)
    if element.name == "nf4":
        return np.full(shape, NF4_ZERO, element.dtype)
    return np.zeros(shape, element.dtype)


def as_i64(array: Array) -> npt.NDArray[np.int64]:
    """Numbers converted to i64: u64 saturates, fractions are truncated, NaN becomes the smallest i64."""
    if array.dtype == np.uint64:
        array = np.minimum(array, np.uint64(2**63 - 1))
    with np.errstate(invalid="ignore"):
        return array.astype(np.int64)


def codes(array: Array) -> Array:
    """The bits of the elements as unsigned integers (bytes for elements of 16 bytes); strings unchanged."""
    element_type = element_type_of(array)
    if element_type is STRING:
        return array
    bits: Array = array.view(f"u{array.itemsize}" if array.itemsize <= 8 else f"V{array.itemsize}")
    return bits & np.uint8((1 << element_type.bits) - 1) if element_type.bits < 8 else bits
