"""Shape rules that a definition may name: <port ... shape="broadcast a b C1"/>. A closed vocabulary.

Each rule is given the Facts and attribute values that its words name (a word Cn is a constraint) and returns
the output's Shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any

from irops.values.dim import Dim, unify
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


def broadcast(a: Fact, b: Fact, auto_broadcast: str, constraint: str, axis: int = 0) -> Shape:
    """The shape of two inputs combined element by element, as auto_broadcast says: none, numpy or pdpd (from
    axis of a on).
    """
    if auto_broadcast == "none":
        return unify_shapes(a.shape, b.shape, constraint)
    if auto_broadcast == "pdpd":
        return pdpd(a.shape, b.shape, axis, constraint)
    return broadcast_shapes(a.shape, b.shape, constraint)


def pdpd(a: Shape, b: Shape, axis: int, constraint: str) -> Shape:
    """The shape of a when b is laid onto it from axis on (-1: onto its last axes), sizes equal or b's 1.

    Raises:  Violation(constraint) where b does not fit
    """
    require(axis >= -1, constraint, f"axis {axis}")
    if a.dims is None or b.dims is None:
        return a
    start = len(a.dims) - len(b.dims) if axis == -1 else axis
    require(start >= 0 and start + len(b.dims) <= len(a.dims), constraint, a, f"{b} from axis {start}")
    laid = (ONE,) * start + b.dims + (ONE,) * len(a.dims)
    return Shape(_onto(dim, other, constraint, a, b) for dim, other in zip(a.dims, laid))


def _onto(dim: Dim, other: Dim, constraint: str, a: Shape, b: Shape) -> Dim:
    """What is known of the size of an axis of a that one of b is laid onto."""
    require(other.can_be(1) or other.can_be(dim), constraint, a, b)
    return dim if other.can_be(1) else unify(dim, other, constraint)


def reduced(data: Fact, axes: Fact, keep_dims: bool, constraint: str, twice: str | None = None) -> Shape:
    """The shape of data with some axes folded into one element: kept as 1, or gone. Axes may be known in
    part, or not at all.

    Raises:  Violation(constraint) where an axis lies outside data's rank; Violation(twice) where one is named
        twice
    """
    rank = data.shape.rank
    if rank is None:
        return UNRANKED
    known = [int(axis) for axis in axes.dims or () if axis.known]
    folded = normal_axes(known, rank, constraint, twice)
    if rank == 0:
        require(not (folded and keep_dims), constraint, f"axis {known[:1]} at rank 0, with keep_dims")
        return SCALAR
    more = None if axes.dims is None else len(axes.dims) - len(folded)
    if keep_dims:
        return Shape(
            ONE if axis in folded else dim if more == 0 else dim.union(ONE)
            for axis, dim in enumerate(data.shape)
        )
    return UNRANKED if more is None else _less(data.shape.without(folded), more)


def _less(shape: Shape, lost: int) -> Shape:
    """What is known of a shape that has lost so many of its axes, which ones is not known; if it has
    so many.
    """
    if shape.dims is None or lost > len(shape.dims):
        return UNRANKED
    return Shape(
        reduce(Dim.union, shape.dims[axis : axis + lost + 1]) for axis in range(len(shape.dims) - lost)
    )


def normal_axes(axes: Iterable[int], rank: int, constraint: str, twice: str | None = None) -> tuple[int, ...]:
    """Axes counted from 0. A scalar counts as having one axis, as in OpenVINO.

    Raises:  Violation(constraint) where one lies outside [-rank, rank-1]; Violation(twice) where two are the
        same
    """
    found: list[int] = []
    span = max(rank, 1)
    for axis in axes:
        require(-span <= axis < span, constraint, f"axis {axis} at rank {rank}")
        require(axis % span not in found, twice or constraint, f"axis {axis} twice at rank {rank}")
        found.append(axis % span)
    return tuple(found)


RULES: Mapping[str, Callable[..., Any]] = {
    "same": same,
    "scalar": scalar,
    "broadcast": broadcast,
    "reduced": reduced,
}


def argument(word: str, facts: Mapping[str, Fact | None], attributes: Mapping[str, Any]) -> Any:
    """What a word of a rule stands for: an input's Fact, an attribute's value, or a constraint's number."""
    if word in facts:
        return facts[word]
    return attributes.get(word, word)
