"""The element types of OpenVINO, those that only other dialects have, and what holds their elements in
memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class ElementType:
    """An element type: its name, its size in bits when stored (0: no fixed size), its kind, its port
    precision.

    kind is one of boolean, float, signed, unsigned, lookup (nf4), string, dynamic (not known); and complex,
    which OpenVINO has not.
    """

    name: str
    bits: int
    kind: str
    precision: str

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"element_type({self.name!r})"

    @property
    def integral(self) -> bool:
        return self.kind in ("signed", "unsigned")

    @property
    def floating(self) -> bool:
        return self.kind == "float"

    @property
    def differentiable(self) -> bool:
        """Whether tensors of it can have a gradient: floats of 16 bits and more, and complex numbers."""
        return (self.kind == "float" and self.bits >= 16) or self.kind == "complex"

    @property
    def extent(self) -> tuple[float, float]:
        """The least and the greatest number that it holds, as integers; infinities where it is not made of
        integers.
        """
        if self.kind == "signed":
            return -(1 << self.bits - 1), (1 << self.bits - 1) - 1
        if self.kind == "unsigned":
            return 0, (1 << self.bits) - 1
        return (0, 1) if self.kind == "boolean" else (-inf, inf)

    @property
    def dtype(self) -> np.dtype[Any]:
        """What holds it in memory: a NumPy or ml_dtypes type; tagged codes for u1, u3, u6 and nf4; objects
        for string.
        """
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
_BITS = {
    "dynamic": 0,
    "string": 0,
    "boolean": 8,
    "bf16": 16,
    "nf4": 4,
    "f4e2m1": 4,
    "f8e4m3": 8,
    "f8e5m2": 8,
    "f8e8m0": 8,
}
_PRECISIONS = {
    "dynamic": "UNSPECIFIED",
    "boolean": "BOOL",
    "u1": "BIN",
    "f16": "FP16",
    "f32": "FP32",
    "f64": "FP64",
}
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
_BY_PRECISION = {
    **_TYPES,
    **{t.precision: t for t in _TYPES.values()},
    "undefined": _TYPES["dynamic"],
    "U1": _TYPES["u1"],
    "bin": _TYPES["u1"],
}
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
CODED = ("u1", "u3", "u6", "nf4")
"""Types that neither NumPy nor ml_dtypes has: held as codes of type uint8, tagged with the element type."""


@cache
def _dtype(name: str) -> np.dtype[Any]:
    if name == "dynamic":
        raise ValueError("the dynamic element type has no representation in memory")
    if name == "string":
        return np.dtype(object)
    if name in CODED:
        return np.dtype(np.uint8, metadata={"element_type": name})
    if name in _ML_DTYPES:
        import ml_dtypes

        found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, _ML_DTYPES[name]))
        return found
    if name in _NUMPY:
        return np.dtype(_NUMPY[name])
    return np.dtype(f"{name[0]}{int(name[1:]) // 8}")


def element_type(name: str, *, foreign: bool = False) -> ElementType:
    """The element type of an attribute value (f32, i64, boolean …), in any case, as OpenVINO reads it.

    foreign: those that OpenVINO has not (complex64 …) count too
    Raises:  ValueError for a name that is none
    """
    lower = name.lower()
    if lower == "undefined":
        return DYNAMIC
    found = _TYPES.get(lower) or (_FOREIGN.get(lower) if foreign else None)
    if found is None:
        raise ValueError(f"{name!r} is not an element type")
    return found


def element_type_of_precision(precision: str) -> ElementType:
    """The element type of a port's precision (FP32, I64, BOOL …), spelled exactly as OpenVINO demands.

    Raises:  ValueError for a text that is none
    """
    if precision not in _BY_PRECISION:
        raise ValueError(f"{precision!r} is not a precision")
    return _BY_PRECISION[precision]


def element_types() -> tuple[ElementType, ...]:
    """All element types of OpenVINO, dynamic (not known) among them."""
    return tuple(_TYPES.values())


def foreign_types() -> tuple[ElementType, ...]:
    """The element types that other dialects have and OpenVINO has not."""
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
    raise ValueError(f"no element type is held as {dtype}")


def element_type_of(array: Array) -> ElementType:
    """The element type of an array in memory: its tag's, else its dtype's.

    Raises:  ValueError for a dtype that holds none, such as datetime64
    """
    metadata = array.dtype.metadata
    if metadata is not None and "element_type" in metadata:
        return _TYPES[metadata["element_type"]]
    return _element_of_dtype(array.dtype)


def tagged(array: Array, element: ElementType) -> Array:
    """The array, marked as holding codes of element where its dtype alone does not say so (u1, u3,
    u6, nf4).
    """
    if element.name not in CODED or element_type_of(array) is element:
        return array
    return array.view(element.dtype)


NF4_ZERO = 7
"""The code of nf4 that stands for 0."""


def zeros(shape: tuple[int, ...], element: ElementType) -> Array:
    """A tensor of zeros: of empty strings, of nf4's code for 0, of the least number of f8e8m0, which has no
    zero.
    """
    if element is STRING:
        return np.full(shape, "", dtype=object)
    if element.name == "nf4":
        return np.full(shape, NF4_ZERO, element.dtype)
    return np.zeros(shape, element.dtype)


def as_i64(array: Array) -> npt.NDArray[np.int64]:
    """Numbers as i64: those of u64 beyond it become its greatest, fractions are cut off, what is no number
    becomes its least.
    """
    if array.dtype == np.uint64:
        array = np.minimum(array, np.uint64(2**63 - 1))
    with np.errstate(invalid="ignore"):
        return array.astype(np.int64)
