"""Static information about a tensor: element type, shape and, where known, value; and about values that are
not tensors: sequences, optional values, maps, sparse tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isnan
from typing import Any

import numpy as np

from irops.values.dim import ANY, UNKNOWN, Dim
from irops.values.element import (
    BOOLEAN,
    DYNAMIC,
    MAP,
    OPTIONAL,
    SEQUENCE,
    SPARSE,
    Array,
    ElementType,
    as_i64,
    element_type,
    element_type_of,
    tagged,
)
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
    def of(array: Array) -> Fact:
        """The Fact of an array, with all elements known."""
        return Fact(element_type_of(array), Shape(array.shape), array)

    def with_value(self, value: Value | Callable[[], Value]) -> Fact:
        return Fact(self.element_type, self.shape, value)

    def with_shape(self, shape: Shape) -> Fact:
        """This fact with another shape."""
        source = self._source  # read once: another thread may compute the value meanwhile
        return Fact(self.element_type, shape, self._known if source is None else source, self.depth)

    def union(self, other: Fact) -> Fact:
        """What holds for both, without a value."""
        if type(other) is not Fact:
            return Fact()
        kind = self.element_type if self.element_type is other.element_type else DYNAMIC
        return Fact(kind, self.shape.union(other.shape))

    def can_be(self, other: Fact) -> bool:
        """Whether one value can be both; element types are compared elsewhere."""
        return self.shape.can_be(other.shape)

    def admits(self, array: Any) -> bool:
        """Whether the type and the shape of an array are possible for this tensor."""
        if not isinstance(array, (np.ndarray, np.generic)):
            return self.element_type is DYNAMIC and self.shape.dims is None
        same_type = self.element_type is DYNAMIC or element_type_of(np.asarray(array)) is self.element_type
        return same_type and self.shape.contains(Shape(array.shape))

    def __str__(self) -> str:
        return f"{self.element_type}{self.shape}"

    @property
    def spelled(self) -> str:
        """As str, with symbols for sizes that consist of names given by the caller: f32[batch,64]."""
        return f"{self.element_type}{self.shape.spelled}"

    def __repr__(self) -> str:
        return f"<Fact {self}>"


# Values that are not tensors.

DEPTH = 16
"""How deeply sequences, optional values and maps may contain each other."""


class NoTensor(Fact):
    """What is known of a value that is not a tensor. Its element type names its kind, its shape says nothing.

    content: of what it contains; value: at run time, the value itself.
    """

    __slots__ = ("content",)
    kind: ElementType

    def __init__(self, content: Fact | None = None, value: Any = None) -> None:
        super().__init__(self.kind, UNRANKED, value)
        self.content = Fact() if content is None else content

    @property
    def value(self) -> Any:
        return self.known

    @property
    def dims(self) -> None:
        return None

    def with_shape(self, shape: Shape) -> Fact:  # noqa: ARG002
        """Itself: only tensors have shapes."""
        return self

    def with_value(self, value: Any) -> Fact:
        return self if value is None else self._like(self.content, self, value)

    def union(self, other: Fact) -> Fact:
        if type(other) is not type(self):
            return Fact()
        return self._like(self.content.union(other.content), other)

    def can_be(self, other: Fact) -> bool:
        if type(other) is not type(self):
            return type(other) is Fact and other.element_type is DYNAMIC
        return self.content.can_be(other.content)

    def _like(self, content: Fact, other: Fact, value: Any = None) -> Fact:
        """A Fact of the kind, of which holds what holds of this and of another one of the kind."""
        raise NotImplementedError

    def _text(self, content: str) -> str:
        return f"{self.kind}({content})"

    def __str__(self) -> str:
        return self._text(str(self.content))

    @property
    def spelled(self) -> str:
        return self._text(self.content.spelled)


class SequenceFact(NoTensor):
    """A sequence, at run time a list. content: what holds for every element; length: their number."""

    __slots__ = ("length",)
    kind = SEQUENCE

    def __init__(self, content: Fact | None = None, length: Dim = ANY, value: Any = None) -> None:
        super().__init__(content, value)
        self.length = length

    def _like(self, content: Fact, other: Fact, value: Any = None) -> Fact:
        assert isinstance(other, SequenceFact)
        return SequenceFact(content, self.length.union(other.length), value)

    def union(self, other: Fact) -> Fact:
        """What holds for both; an empty sequence says nothing of the elements of the other."""
        if isinstance(other, SequenceFact) and 0 in (self.length.high, other.length.high):
            full, empty = (other, self) if self.length.high == 0 else (self, other)
            kinds = {full.content.element_type, empty.content.element_type} - {DYNAMIC}
            return self._like(full.content if len(kinds) < 2 else Fact(), other)
        return super().union(other)

    def can_be(self, other: Fact) -> bool:
        if not isinstance(other, SequenceFact):
            return super().can_be(other)
        if not self.length.can_be(other.length):
            return False
        may_be_empty = self.length.low == 0 and other.length.low == 0
        return may_be_empty or self.content.can_be(other.content)

    def admits(self, array: Any) -> bool:
        if not isinstance(array, list):
            return False
        return self.length.low <= len(array) <= self.length.high and all(map(self.content.admits, array))

    def _text(self, content: str) -> str:
        length = "" if (self.length.low, self.length.high) == (0, inf) else f" * {self.length}"
        return f"sequence({content}{length})"


class OptionalFact(NoTensor):
    """A value that may be absent, at run time None or its content. present: whether it is there, if known."""

    __slots__ = ("present",)
    kind = OPTIONAL

    def __init__(self, content: Fact | None = None, present: bool | None = None, value: Any = None) -> None:
        super().__init__(content, value)
        self.present = present

    def _like(self, content: Fact, other: Fact, value: Any = None) -> Fact:
        assert isinstance(other, OptionalFact)
        return OptionalFact(content, self.present if self.present is other.present else None, value)

    def can_be(self, other: Fact) -> bool:
        if type(other) is not OptionalFact:  # at run time, a value that is there is known as what it is
            return self.present is not False and self.content.can_be(other)
        return {self.present, other.present} != {True, False}

    def admits(self, array: Any) -> bool:
        if array is None:
            return self.present is not True
        return self.present is not False and self.content.admits(array)

    def _text(self, content: str) -> str:
        return f"optional({content})" if self.present is not False else "optional()"


class MapFact(NoTensor):
    """A map, at run time a dict. key: the element type of its keys; content: of its values."""

    __slots__ = ("key",)
    kind = MAP

    def __init__(self, key: ElementType = DYNAMIC, content: Fact | None = None, value: Any = None) -> None:
        super().__init__(content, value)
        self.key = key

    def _like(self, content: Fact, other: Fact, value: Any = None) -> Fact:
        assert isinstance(other, MapFact)
        return MapFact(self.key if self.key is other.key else DYNAMIC, content, value)

    def can_be(self, other: Fact) -> bool:
        if isinstance(other, MapFact) and len({self.key, other.key} - {DYNAMIC}) > 1:
            return False
        return super().can_be(other)

    def admits(self, array: Any) -> bool:
        """Whether a value is a dict whose keys and values are possible. Values may be Python's numbers."""
        if not isinstance(array, dict):
            return False
        kind: Any = str if self.key.kind == "string" else (int, np.integer)
        keys = self.key is DYNAMIC or all(isinstance(key, kind) for key in array)
        return keys and all(
            self.content.admits(item)
            for item in array.values()
            if isinstance(item, (np.ndarray, np.generic, list, dict))
        )

    def _text(self, content: str) -> str:
        return f"map({self.key},{content})"


class SparseFact(NoTensor):
    """A sparse tensor. content: its element type and shape."""

    __slots__ = ()
    kind = SPARSE

    def _like(self, content: Fact, other: Fact, value: Any = None) -> Fact:  # noqa: ARG002
        return SparseFact(content, value)

    def admits(self, array: Any) -> bool:
        return self.content.admits(array)


def parse_fact(text: str, depth: int = DEPTH) -> Fact:
    """The Fact of a text as str gives it: f32[?,3], sequence(f32[...]), map(i64,f32[]), optional(f32[2] * 3).

    Raises:  ValueError for another text
    """
    kind, bracket, rest = text.partition("(")
    if not bracket:
        name, bracket, sizes = text.partition("[")
        if not bracket or not sizes.endswith("]"):
            raise ValueError(f"{text!r} is not a type and shape")
        return Fact(element_type(name, foreign=True), Shape.parse(sizes[:-1], symbols=True))
    if not rest.endswith(")") or kind not in _FACTS or depth == 0:
        raise ValueError(f"{text!r} is not a type, or contains more than {DEPTH} others")
    inner = rest[:-1]
    if kind == "map":
        key, _, inner = inner.partition(",")
        return MapFact(element_type(key), parse_fact(inner, depth - 1))
    if kind == "sequence" and inner.endswith(tuple("0123456789")):
        inner, _, count = inner.rpartition(" * ")
        return SequenceFact(parse_fact(inner, depth - 1), Dim.of(int(count)))
    if kind == "optional" and not inner:
        return OptionalFact(present=False)
    return _FACTS[kind](parse_fact(inner, depth - 1))


_FACTS: dict[str, Callable[[Fact], Fact]] = {
    "sequence": SequenceFact,
    "optional": OptionalFact,
    "map": lambda content: MapFact(content=content),
    "sparse": SparseFact,
}


def _any_element(element_type: ElementType) -> Dim:
    """An unknown element of an integer or boolean type."""
    if element_type is BOOLEAN:
        return Dim(0, 1)
    return ANY if element_type.kind == "unsigned" else UNKNOWN


def holds_dims(array: Array) -> bool:
    """Whether an array contains Dims, which describe partially known elements, instead of elements."""
    is_array = isinstance(array, np.ndarray)
    return is_array and array.dtype == object and array.size > 0 and isinstance(array.flat[0], Dim)


def dims_array(dims: Any) -> Array:
    """An array of Dims from nested sequences or an array of numbers or Dims."""
    items = np.asarray(dims, dtype=object)
    out = np.empty(items.shape, dtype=object)
    for index, item in np.ndenumerate(items):
        out[index] = item if isinstance(item, Dim) else _dim(item)
    return out


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
    if not all(dim.known for dim in elements.flat):
        return elements
    wide = np.uint64 if kind.name == "u64" else np.int64
    numbers = np.array([dim.low for dim in elements.flat], np.float64 if kind.floating else wide)
    return tagged(numbers.astype(kind.dtype), kind).reshape(elements.shape)


def _fits(dim: Dim, kind: ElementType) -> bool:
    low, high = kind.extent
    open_ended = kind.bits >= 32
    return (
        dim.low <= high
        and low <= dim.high
        and (low <= dim.low or (open_ended and low < 0 and dim.low == -inf))
        and (dim.high <= high or (open_ended and dim.high == inf))
    )


def each_dim(function: Callable[[Dim], Dim], dims: Array) -> Array:
    """Apply a function to each element of dims, an array of Dims and numbers."""
    out = np.empty(dims.shape, dtype=object)
    for index, item in np.ndenumerate(dims):
        out[index] = function(item if isinstance(item, Dim) else _dim(item))
    return out
