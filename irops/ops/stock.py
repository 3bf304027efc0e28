"""Shape rules that a definition may name: <port ... shape="broadcast a b C1"/>. A closed vocabulary.

Each rule is given the Facts and attribute values that its words name (a word Cn is a constraint) and returns the output's Shape.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from irops.values.dim import ANY
from irops.values.fact import Fact
from irops.values.shape import SCALAR, UNRANKED, Shape, broadcast_shapes, unify_shapes
from irops.values.violation import Violation, require


def same(data: Fact) -> Shape:
    """The shape of one input."""
    return data.shape


def scalar() -> Shape:
    """No axes."""
    return SCALAR


def broadcast(a: Fact, b: Fact, auto_broadcast: str, constraint: str) -> Shape:
    """The shape of two inputs combined element by element, as auto_broadcast says: none, numpy or pdpd."""
    if auto_broadcast == "none":
        return unify_shapes(a.shape, b.shape, constraint)
    if auto_broadcast == "pdpd":
        return pdpd(a.shape, b.shape, -1, constraint)
    return broadcast_shapes(a.shape, b.shape, constraint)


def pdpd(a: Shape, b: Shape, axis: int, constraint: str) -> Shape:
    """The shape of a when b is laid onto it from axis on (-1: its last axes); b's trailing ones count for nothing.

    Raises:  Violation(constraint) where b does not fit
    """
    if a.dims is None or b.dims is None:
        return a
    start = len(a.dims) - len(b.dims) if axis == -1 else axis
    inner = list(b.dims)
    while inner and inner[-1] == 1 and (axis != -1 or start < 0):
        inner.pop()
    require(start >= 0 and start + len(inner) <= len(a.dims), constraint, a, b)
    for dim, other in zip(a.dims[start:], inner):
        require(other.can_be(1) or other.can_be(dim), constraint, a, b)
    return a


def reduced(data: Fact, axes: Fact, keep_dims: bool, constraint: str) -> Shape:
    """The shape of data with some axes folded into one element: kept as 1, or gone. Axes that are not known leave all open.

    Raises:  Violation(constraint) where an axis lies outside data's rank, or is named twice
    """
    known = axes.value
    rank = data.shape.rank
    if rank is None:
        return UNRANKED
    if known is None:
        return _reduced_somehow(data.shape, axes, keep_dims)
    folded = normal_axes([int(a) for a in known.ravel()], rank, constraint)
    if keep_dims:
        return Shape(1 if axis in folded else dim for axis, dim in enumerate(data.shape))
    return data.shape.without(folded)


def _reduced_somehow(shape: Shape, axes: Fact, keep_dims: bool) -> Shape:
    if keep_dims:
        return Shape(dim.union(1) for dim in shape)
    count = axes.shape.size if axes.shape.rank is not None else ANY
    return Shape([ANY] * max(len(shape) - int(count), 0)) if count.known else UNRANKED


def normal_axes(axes: Iterable[int], rank: int, constraint: str) -> tuple[int, ...]:
    """Axes counted from 0.

    Raises:  Violation(constraint) where one lies outside [-rank, rank-1], or two are the same
    """
    found: list[int] = []
    for axis in axes:
        if not -rank <= axis < max(rank, 1):
            raise Violation(constraint, f"got axis {axis} at rank {rank}")
        if axis % max(rank, 1) in found:
            raise Violation(constraint, f"got axis {axis} twice at rank {rank}")
        found.append(axis % max(rank, 1))
    return tuple(found)


RULES: Mapping[str, Callable[..., Any]] = {"same": same, "scalar": scalar, "broadcast": broadcast, "reduced": reduced}


def argument(word: str, facts: Mapping[str, Fact | None], attributes: Mapping[str, Any]) -> Any:
    """What a word of a rule stands for: an input's Fact, an attribute's value, or a constraint's number."""
    if word in facts:
        return facts[word]
    return attributes.get(word, word)

