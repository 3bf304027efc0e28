"""What is known of one tensor before anything is computed."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isnan
from typing import Any

import numpy as np

from irops.values.dim import ANY, UNKNOWN, Dim
from irops.values.element import BOOLEAN, DYNAMIC, Array, ElementType, as_i64, element_type_of, tagged
from irops.values.shape import UNRANKED, Shape

Value = Array | None
"""All elements; or, in an array of Dims, what is known of each; or None."""


class Fact:
    """The element type, the shape and, as far as it is known, the value of a tensor.

    A value may be known in part: the dimensions of a dynamic shape, say. It is worked out when first asked
        for, if ever,
    since most tensors' values concern no shape.
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
        """All that is known of the elements: an array of them, an array of Dims, or None."""
        if self._source is not None:
            self.force()
        return self._known

    @property
    def may_have_value(self) -> bool:
        """Whether something of the value is known, or may turn out to be."""
        return self._source is not None or self._known is not None

    def force(self) -> None:
        """Work the value out now, so that no steps of that lie ahead."""
        if self._source is not None:
            source, self._source = self._source, None
            self._known = source()
        self.depth = 0

    @property
    def value(self) -> Value:
        """The elements, where all of them are known; else None."""
        known = self.known
        return None if known is None or holds_dims(known) else known

    @property
    def dims(self) -> tuple[Dim, ...] | None:
        """The elements of a tensor of integers or booleans, flattened, each as far as it is known; None if
        not even their number is.
        """
        known = self.known
        if known is None:
            size = self.shape.size
            least = (
                Dim(0, 1)
                if self.element_type is BOOLEAN
                else ANY
                if self.element_type.kind == "unsigned"
                else UNKNOWN
            )
            return (least,) * int(size) if size.known and size < 1024 else None
        if holds_dims(known):
            return tuple(known.ravel())
        return tuple(Dim.of(int(n)) for n in (known if self.element_type.integral else as_i64(known)).ravel())

    @staticmethod
    def of(array: Array) -> Fact:
        """What is known of an array: all."""
        return Fact(element_type_of(array), Shape(array.shape), array)

    def with_value(self, value: Value | Callable[[], Value]) -> Fact:
        return Fact(self.element_type, self.shape, value)

    def with_shape(self, shape: Shape) -> Fact:
        """This fact, and what the shape says beside it."""
        return Fact(
            self.element_type, shape, self._known if self._source is None else self._source, self.depth
        )

    def admits(self, array: Array) -> bool:
        """Whether array may be this tensor, as far as type and shape go."""
        known = self.element_type is DYNAMIC or element_type_of(array) is self.element_type
        return known and self.shape.contains(Shape(array.shape))

    def __str__(self) -> str:
        return f"{self.element_type}{self.shape}"

    def __repr__(self) -> str:
        return f"<Fact {self}>"


def holds_dims(array: Array) -> bool:
    """Whether an array holds Dims, what is known of integers, rather than elements."""
    return array.dtype == object and array.size > 0 and isinstance(array.flat[0], Dim)


def dims_array(dims: Any) -> Array:
    """An array of Dims from nested sequences or an array of numbers or Dims."""
    given = np.asarray(dims, dtype=object)
    out = np.empty(given.shape, dtype=object)
    for index, item in np.ndenumerate(given):
        out[index] = item if isinstance(item, Dim) else _dim(item)
    return out


def _dim(number: Any) -> Dim:
    wide = float(number)
    return Dim.of(int(number)) if wide.is_integer() else UNKNOWN if isnan(wide) else Dim(wide, wide)


def elements_of(dims: Any, kind: ElementType) -> Array:
    """What is known of each element of a tensor of kind: the elements, where each is known; else Dims. dims:
    Dims, or numbers among them.

    A number that may not fit into kind wraps around there: it may be any. Where no bound is known, 32 bits
        and more are taken to suffice.
    """
    found = each_dim(lambda dim: dim if _fits(dim, kind) else Dim(*kind.extent), dims_array(dims))
    if not all(dim.known for dim in found.flat):
        return found
    numbers = np.array(
        [dim.low for dim in found.flat],
        np.float64 if kind.floating else np.uint64 if kind.name == "u64" else np.int64,
    )
    return tagged(numbers.astype(kind.dtype), kind).reshape(found.shape)


def _fits(dim: Dim, kind: ElementType) -> bool:
    low, high = kind.extent
    open_ended = kind.bits >= 32
    return (low <= dim.low or (open_ended and low < 0 and dim.low == -inf)) and (
        dim.high <= high or (open_ended and dim.high == inf)
    )


def each_dim(function: Callable[[Dim], Dim], dims: Array) -> Array:
    """An array of Dims, each put through a function; dims: Dims, or numbers among them."""
    out = np.empty(dims.shape, dtype=object)
    for index, item in np.ndenumerate(dims):
        out[index] = function(item if isinstance(item, Dim) else _dim(item))
    return out
