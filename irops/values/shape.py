"""Shapes: static, dynamic or of unknown rank."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from math import inf
from typing import TypeAlias, overload

from irops.values.dim import ANY, MAX_DIM, Bound, Dim, DimLike, broadcast, unify
from irops.values.violation import Violation

MAX_AXES = 64
"""The greatest rank of NumPy arrays; tensors of higher rank are inferred, but cannot be computed."""


class Shape:
    """The sizes of a tensor's axes; dims is None if the rank is unknown.

    A shape of unknown rank has every axis: shape[axis] is ANY.
    """

    __slots__ = ("dims",)

    def __init__(self, dims: Iterable[DimLike] | None) -> None:
        self.dims = None if dims is None else tuple([d if type(d) is Dim else Dim.of(d) for d in dims])

    @staticmethod
    def of(*dims: DimLike) -> Shape:
        return Shape(dims)

    @staticmethod
    def parse(text: str, *, symbols: bool = False) -> Shape:
        """Parse a shape in OpenVINO's notation: "[1,?,2..5,..7,3..]", "[...]", "" for a scalar.

        Brackets are optional, -1 means ?, and with symbols an identifier names a dimension ("batch,3").
        Raises:  ValueError with the part that is not a dimension
        """
        body = text.strip()
        if body.startswith("[") and body.endswith("]"):
            body = body[1:-1].strip()
        if body == "...":
            return UNRANKED
        return Shape(_dim_of(part.strip(), symbols) for part in body.split(",")) if body else SCALAR

    @staticmethod
    def like(wanted: ShapeLike) -> Shape:
        """The shape that a caller asks for: a Shape, a text as parse reads it with symbols, or its sizes:
        integers, texts of dimensions, Dims; None and -1 are unknown sizes.

        Raises:  ValueError with what is not a shape, or not a dimension
        """
        if isinstance(wanted, Shape):
            return wanted
        if isinstance(wanted, str):
            return Shape.parse(wanted, symbols=True)
        if not isinstance(wanted, Iterable):
            raise ValueError(f"{wanted!r} is not a shape: a text such as '1,3,?', or a sequence of sizes")
        return Shape(map(_dim_like, wanted))

    @property
    def rank(self) -> int | None:
        """The number of axes; None if it is unknown."""
        return None if self.dims is None else len(self.dims)

    @property
    def static(self) -> bool:
        """Whether all sizes are known."""
        dims = self.dims
        if dims is not None:
            for dim in dims:
                if dim.low != dim.high:
                    return False
        return dims is not None

    @property
    def size(self) -> Dim:
        """The number of elements."""
        if self.dims is None:
            return ANY
        return reduce(lambda a, b: a * b, self.dims, Dim.of(1))

    def to_tuple(self) -> tuple[int, ...]:
        """The sizes as integers; ValueError if one is unknown."""
        if self.dims is None:
            raise ValueError("a shape of unknown rank has no sizes")
        return tuple(map(int, self.dims))

    def of_rank(self, rank: int, constraint: str) -> Shape:
        """This shape with the rank rank.

        Raises:  Violation(constraint) if it has a different rank
        """
        if self.dims is None:
            return Shape((ANY,) * rank)
        if len(self.dims) != rank:
            raise Violation(constraint, f"got rank {len(self.dims)}, {self}")
        return self

    @overload
    def __getitem__(self, axis: int) -> Dim: ...
    @overload
    def __getitem__(self, axis: slice) -> Shape: ...
    def __getitem__(self, axis: int | slice) -> Dim | Shape:
        if self.dims is None:
            return UNRANKED if isinstance(axis, slice) else ANY
        return Shape(self.dims[axis]) if isinstance(axis, slice) else self.dims[axis]

    def __iter__(self) -> Iterator[Dim]:
        if self.dims is None:
            raise ValueError("a shape of unknown rank is not iterable")
        return iter(self.dims)

    def __len__(self) -> int:
        if self.dims is None:
            raise ValueError("a shape of unknown rank has no length")
        return len(self.dims)

    def __bool__(self) -> bool:
        return True

    def __add__(self, other: Shape) -> Shape:
        """The concatenation of the dimensions of both."""
        if self.dims is None or other.dims is None:
            return UNRANKED
        return Shape(self.dims + other.dims)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self.dims == other.dims

    def __hash__(self) -> int:
        return hash(self.dims)

    def __str__(self) -> str:
        return "[...]" if self.dims is None else f"[{','.join(map(str, self.dims))}]"

    @property
    def spelled(self) -> str:
        """As str, with symbols for sizes that consist of names given by the caller: [batch,2*length,64]."""
        return str(self) if self.dims is None else f"[{','.join(dim.spelled for dim in self.dims)}]"

    def __repr__(self) -> str:
        return f"Shape.parse({str(self)!r})"

    def with_dim(self, axis: int, dim: DimLike) -> Shape:
        """This shape with another size along axis; an unknown rank stays unknown."""
        if self.dims is None:
            return self
        dims = list(self.dims)
        dims[axis] = Dim.of(dim)
        return Shape(dims)

    def unnamed(self) -> Shape:
        """This shape without symbols."""
        return self if self.dims is None else Shape(dim.named(None) for dim in self.dims)

    def without(self, axes: Iterable[int]) -> Shape:
        """This shape without some axes."""
        if self.dims is None:
            return self
        removed = {axis % len(self.dims) for axis in axes}
        return Shape(dim for axis, dim in enumerate(self.dims) if axis not in removed)

    def contains(self, other: Shape) -> bool:
        """Whether every static shape that other describes is also described by this one."""
        if self.dims is None:
            return True
        if other.dims is None or len(other.dims) != len(self.dims):
            return False
        return all(a.low <= b.low and b.high <= a.high for a, b in zip(self.dims, other.dims))

    def covers(self, other: Shape) -> bool:
        """As contains, and whether every symbol of this shape is that of the same axis of other."""
        if self.dims is None or other.dims is None:
            return self.dims is None
        return self.contains(other) and all(
            a.symbol in (None, b.symbol) for a, b in zip(self.dims, other.dims)
        )

    def can_be(self, other: Shape) -> bool:
        """Whether some static shape is described by both."""
        if self.dims is None or other.dims is None:
            return True
        return len(self.dims) == len(other.dims) and all(a.can_be(b) for a, b in zip(self.dims, other.dims))

    def union(self, other: Shape) -> Shape:
        """The most specific shape that contains both."""
        if self.dims is None or other.dims is None or len(self.dims) != len(other.dims):
            return UNRANKED
        return Shape(a.union(b) for a, b in zip(self.dims, other.dims))


ShapeLike: TypeAlias = "Shape | str | Iterable[DimLike | str | None]"
"""Objects that Shape.like reads as a shape."""
UNRANKED = Shape(None)
"""The shape of unknown rank."""
SCALAR = Shape(())


def _dim_of(text: str, symbols: bool) -> Dim:
    if text in ("?", "-1", ".."):
        return ANY
    if symbols and text.isidentifier() and text.isascii():
        return ANY.named(text)
    low, dots, high = text.partition("..")
    try:
        if not dots:
            return Dim.of(_number(low))
        lowest: Bound = _number(low) if low else 0
        highest: Bound = _number(high) if high else inf
        return Dim.of(int(lowest)) if lowest == highest else Dim(lowest, highest)
    except ValueError:
        raise ValueError(f"{text!r} is not a dimension: a size, ?, or an interval such as 1..10") from None


def _dim_like(size: DimLike | str | None) -> Dim:
    if isinstance(size, Dim):
        return size
    return ANY if size is None else _dim_of(str(size).strip(), symbols=True)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) > MAX_DIM:
        raise ValueError(text)
    return int(text)


def unify_shapes(a: Shape, b: Shape, constraint: str) -> Shape:
    """The intersection of two shapes that must be equal; Violation(constraint) if they certainly differ."""
    if a.dims is None or b.dims is None:
        return a if b.dims is None else b
    if len(a.dims) != len(b.dims):
        raise Violation(constraint, f"got {a} and {b}")
    return Shape(_combine(unify, x, y, constraint, a, b) for x, y in zip(a.dims, b.dims))


def broadcast_shapes(a: Shape, b: Shape, constraint: str) -> Shape:
    """The shape after NumPy broadcasting of a and b; Violation(constraint) if they are not compatible."""
    if a.dims is None or b.dims is None:
        return UNRANKED
    if a.dims == b.dims and a.static:
        return a
    rank = max(len(a.dims), len(b.dims))
    ones = (Dim.of(1),) * rank
    longer, shorter = ((ones + s.dims)[-rank:] if rank else () for s in (a, b) if s.dims is not None)
    return Shape(_combine(broadcast, x, y, constraint, a, b) for x, y in zip(longer, shorter))


def _combine(
    rule: Callable[[DimLike, DimLike, str], Dim], x: Dim, y: Dim, constraint: str, a: Shape, b: Shape
) -> Dim:
    try:
        return rule(x, y, constraint)
    except Violation:
        raise Violation(constraint, f"got {a} and {b}") from None
