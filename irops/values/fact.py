"""Static information about a tensor: element type, shape and, where known, value."""

from collections.abc import Callable, Iterable
from math import inf, isnan
from typing import Any

import numpy as np

from irops.values.dim import ANY, UNKNOWN, Dim
from irops.values.element import BOOLEAN, DYNAMIC, Array, ElementType, as_i64, element_type_of, tagged
from irops.values.shape import UNRANKED, Shape

Value = Array | None
"""All elements; or an array of Dims, one per element; or None if nothing is known."""


class Fact:
    """The element type, the shape and, as far as known, the value of a tensor.

    A value may be partially known, such as the dimensions of a dynamic shape. It is computed on first access,
    since no shape depends on the values of most tensors. depth: the number of pending computations that the
    value depends on in sequence.
    """

    __slots__ = ("_known", "_source", "depth", "element_type", "shape")

    def __init__(
        self,
        element_type: ElementType = DYNAMIC,
        shape: Shape = UNRANKED,
        value: Value | Callable[[], Value] = None,
        depth: int = 0,
    ) -> None:
        self.element_type, self.shape, self.depth = element_type, shape, depth
        self._source = value if callable(value) else None
        self._known: Value = None if callable(value) else value

    @property
    def known(self) -> Value:
        """The value as far as it is known: an array of elements, an array of Dims, or None."""
        if self._source is not None:
            self.force()
        return self._known

    @property
    def may_have_value(self) -> bool:
        """Whether part of the value is known, or may be known once it is computed."""
        return self._source is not None or self._known is not None

    def force(self) -> None:
        """Compute the value now, so that no computations are pending."""
        source = self._source
        if source is not None:
            self._known = source()
            self._source = None  # last: other threads see the source or the value, never neither
        self.depth = 0

    @property
    def value(self) -> Value:
        """The elements if all of them are known, otherwise None."""
        known = self.known
        return None if known is None or holds_dims(known) else known

    @property
    def dims(self) -> tuple[Dim, ...] | None:
        """The elements of an integer or boolean tensor, flattened, as Dims.

        None if their number is unknown, or if it is 1024 or greater and no element is known.
        """
        known = self.known
        if known is None:
            size = self.shape.size
            return (_any_element(self.element_type),) * int(size) if size.known and size < 1024 else None
        if holds_dims(known):
            return tuple(known.ravel())
        numbers = (known if self.element_type.integral else as_i64(known)).ravel().tolist()
        return tuple([Dim.of(int(n)) for n in numbers])

    @staticmethod
    def of(array: Array) -> "Fact":
        """The Fact of an array, with all elements known."""
        return Fact(element_type_of(array), Shape(array.shape), array)

    def with_value(self, value: Value | Callable[[], Value]) -> "Fact":
        return Fact(self.element_type, self.shape, value)

    def with_shape(self, shape: Shape) -> "Fact":
        """This fact with another shape."""
        source = self._source  # read once: another thread may compute the value meanwhile
        return Fact(self.element_type, shape, self._known if source is None else source, self.depth)

    def admits(self, array: Array) -> bool:
        """Whether the type and the shape of an array are possible for this tensor."""
        same_type = self.element_type is DYNAMIC or element_type_of(array) is self.element_type
        return same_type and self.shape.contains(Shape(array.shape))

    def __str__(self) -> str:
        return f"{self.element_type}{self.shape}"

    @property
    def spelled(self) -> str:
        """As str, with symbols for sizes that consist of names given by the caller: f32[batch,64]."""
        return f"{self.element_type}{self.shape.spelled}"

    def __repr__(self) -> str:
        return f"<Fact {self}>"


def _any_element(element_type: ElementType) -> Dim:
    """An unknown element of an integer or boolean type."""
    if element_type is BOOLEAN:
        return Dim(0, 1)
    return ANY if element_type.kind == "unsigned" else UNKNOWN


def holds_dims(array: Array) -> bool:
    """Whether an array contains Dims, which describe partially known elements, instead of elements."""
    return array.dtype == object and array.size > 0 and isinstance(array.item(0), Dim)


def dims_array(dims: Any) -> Array:
    """An array of Dims from nested sequences or an array of numbers or Dims."""
    items = np.asarray(dims, dtype=object)
    return each_dim(lambda dim: dim, items)


def _dim(number: Any) -> Dim:
    wide = float(number)
    if wide.is_integer():
        return Dim.of(int(number))
    return UNKNOWN if isnan(wide) else Dim(wide, wide)


def elements_of(dims: Any, kind: ElementType) -> Array:
    """The value of a tensor of element type kind: elements if each is known, otherwise Dims.

    dims: Dims and numbers. A number that may be out of range for kind wraps around, so it may be any number
    of kind. Unbounded numbers are assumed to fit into types of 32 bits or more.
    """
    elements = each_dim(lambda dim: dim if _fits(dim, kind) else Dim(*kind.extent), dims_array(dims))
    if not all(dim.known for dim in elements.ravel()):
        return elements
    wide = np.uint64 if kind.name == "u64" else np.int64
    numbers = np.array([dim.low for dim in elements.ravel()], np.float64 if kind.floating else wide)
    return tagged(numbers.astype(kind.dtype), kind).reshape(elements.shape)


def _fits(dim: Dim, kind: ElementType) -> bool:
    low, high = kind.extent
    open_ended = kind.bits >= 32
    fits_below = low <= dim.low or (open_ended and low < 0 and dim.low == -inf)
    fits_above = dim.high <= high or (open_ended and dim.high == inf)
    return dim.low <= high and low <= dim.high and fits_below and fits_above


def each_dim(function: Callable[[Dim], Dim], dims: Array) -> Array:
    """Apply a function to each element of dims, an array of Dims and numbers."""
    out = np.empty(dims.size, dtype=object)
    for index, item in enumerate(dims.ravel()):  # ndenumerate and flat refuse more than 32 axes
        out[index] = function(item if isinstance(item, Dim) else _dim(item))
    return out.reshape(dims.shape)


def size_in_bytes(facts: Iterable[Fact]) -> float:
    """How many bytes tensors of these facts take in memory, where their sizes are known."""
    sized = (fact for fact in facts if fact.element_type is not DYNAMIC)
    return sum(fact.shape.size.low * max(fact.element_type.dtype.itemsize, 1) for fact in sized)
