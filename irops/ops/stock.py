"""Shape rules that a definition can name: <port ... shape="broadcast a b C1"/>. RULES lists all of them.

Each rule receives the Facts and attribute values that its words name (a word Cn is a constraint), and
returns the Shape of the output.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any

from irops.values.dim import ANY, Dim, unify
from irops.values.fact import Fact
from irops.values.shape import SCALAR, UNRANKED, Shape, broadcast_shapes, unify_shapes
from irops.values.violation import require

ONE = Dim.of(1)


def same(data: Fact) -> Shape:
    """The shape of one input."""
    return data.shape


def scalar() -> Shape:
    """No axes."""
    return SCALAR


def vector() -> Shape:
    """One axis, whose size follows from values."""
    return Shape.of(ANY)


def broadcast(a: Fact, b: Fact, auto_broadcast: str, constraint: str, axis: int = 0) -> Shape:
    """The common shape of two inputs as auto_broadcast specifies; with pdpd, b is aligned from `axis` on."""
    if auto_broadcast == "none":
        return unify_shapes(a.shape, b.shape, constraint)
    if auto_broadcast == "pdpd":
        return pdpd(a.shape, b.shape, axis, constraint)
    return broadcast_shapes(a.shape, b.shape, constraint)


def pdpd(a: Shape, b: Shape, axis: int, constraint: str) -> Shape:
    """The shape of a after b is broadcast to it, aligned from `axis` on (-1: with the last axes). The sizes
    of b equal those of a, or are 1.

    Raises:  Violation(constraint) if b does not fit
    """
    require(axis >= -1, constraint, f"axis {axis}")
    if a.dims is None or b.dims is None:
        return a
    start = len(a.dims) - len(b.dims) if axis == -1 else axis
    require(start >= 0 and start + len(b.dims) <= len(a.dims), constraint, a, f"{b} from axis {start}")
    aligned = (ONE,) * start + b.dims + (ONE,) * len(a.dims)
    return Shape(_combined(dim, other, constraint, a, b) for dim, other in zip(a.dims, aligned))


def _combined(dim: Dim, other: Dim, constraint: str, a: Shape, b: Shape) -> Dim:
    """The size of an axis of a, given that of the axis of b aligned with it."""
    require(other.can_be(1) or other.can_be(dim), constraint, a, b)
    return dim if other.can_be(1) else unify(dim, other, constraint)


def reduced(data: Fact, axes: Fact, keep_dims: bool, constraint: str, twice: str | None = None) -> Shape:
    """The shape of data with some axes reduced: to size 1 with keep_dims, else removed. The axes may be
    partially or entirely unknown.

    Raises:  Violation(constraint) if an axis lies outside the rank of data; Violation(twice) if an axis is
        repeated
    """
    rank = data.shape.rank
    if rank is None:
        return UNRANKED
    known = [int(axis) for axis in axes.dims or () if axis.known]
    reduced_axes = normal_axes(known, rank, constraint, twice)
    if rank == 0:
        require(not (reduced_axes and keep_dims), constraint, f"axis {known[:1]} at rank 0, with keep_dims")
        return SCALAR
    unknown = None if axes.dims is None else len(axes.dims) - len(reduced_axes)
    if keep_dims:
        kept = data.shape if unknown == 0 else [dim.union(ONE) for dim in data.shape]
        return Shape(ONE if axis in reduced_axes else dim for axis, dim in enumerate(kept))
    return UNRANKED if unknown is None else _without_some(data.shape.without(reduced_axes), unknown)


def _without_some(shape: Shape, count: int) -> Shape:
    """A shape after `count` unknown axes are removed: each remaining size is the union of those that can take
    its place. Unranked if there are fewer axes.
    """
    if shape.dims is None or count > len(shape.dims):
        return UNRANKED
    return Shape(
        reduce(Dim.union, shape.dims[axis : axis + count + 1]) for axis in range(len(shape.dims) - count)
    )


def normal_axes(axes: Iterable[int], rank: int, constraint: str, twice: str | None = None) -> tuple[int, ...]:
    """Axes counted from 0. A scalar counts as having one axis, as in OpenVINO.

    Raises:  Violation(constraint) if an axis lies outside [-rank, rank-1]; Violation(twice) if an axis is
        repeated
    """
    result: list[int] = []
    span = max(rank, 1)
    for axis in axes:
        require(-span <= axis < span, constraint, f"axis {axis} at rank {rank}")
        require(axis % span not in result, twice or constraint, f"axis {axis} twice at rank {rank}")
        result.append(axis % span)
    return tuple(result)


_ALL: tuple[Callable[..., Shape], ...] = (same, scalar, vector, broadcast, reduced)
RULES: Mapping[str, Callable[..., Shape]] = {rule.__name__: rule for rule in _ALL}


def argument(word: str, facts: Mapping[str, Fact | None], attributes: Mapping[str, Any]) -> Any:
    """The meaning of a word of a rule: the Fact of an input, the value of an attribute, or else the word
    itself, a constraint's id.
    """
    if word in facts:
        return facts[word]
    return attributes.get(word, word)
