"""Ops on two tensors, element by element: what is common to them, so that each is told by its formula
alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.ops.partial import lifted, settled
from irops.ops.unbroadcast import Sizes, unbroadcast
from irops.spec.binding import gradient, kernel, values
from irops.values.dim import Dim
from irops.values.element import BOOLEAN, STRING, Array, ElementType, element_type_of

F = TypeVar("F", bound=Callable[..., Any])
Number = TypeVar("Number", Array, Dim)
"""What a formula is about that holds for elements and for what is known of one alike."""
BROADCASTING = ("auto_broadcast", "auto_broadcast_axis")


def elementwise(*ids: str) -> Callable[[F], F]:
    """Mark the formula of ops on two tensors: it takes arrays that NumPy broadcasts and computes with; a
    kernel is made of it.

    Narrow types are widened and the result is rounded once; integers wrap around in their own type; booleans
    stay what they are.
    """

    def mark(formula: F) -> F:
        def computed(
            a: Array, b: Array, *, auto_broadcast: str, auto_broadcast_axis: int, **more: Any
        ) -> Array:
            kind = element_type_of(a)
            result = np.asarray(
                formula(_plain(a), _plain(laid(b, a.ndim, auto_broadcast, auto_broadcast_axis)), **more)
            )
            return result if result.dtype == np.bool_ else converted(result, kind)

        kernel(*ids)(_standing_for(formula, computed, BROADCASTING))
        return formula

    return mark


def known_in_part(*ids: str) -> Callable[[F], F]:
    """Mark what ops on two tensors make of two elements of which each is known in part: it takes Dims and
    gives one.

    With a parameter result_type it is told the element type of the result. A values function is made of it.
    """

    def mark(rule: F) -> F:
        tells_type = "result_type" in inspect.signature(rule).parameters

        def combined(
            a: Array,
            b: Array,
            *,
            auto_broadcast: str,
            auto_broadcast_axis: int,
            result_type: ElementType,
            **more: Any,
        ) -> Array:
            def pair(x: Dim, y: Dim) -> Dim:
                return settled(rule(x, y, **more), result_type)

            if tells_type:
                more["result_type"] = result_type
            beside = laid(b, a.ndim, auto_broadcast, auto_broadcast_axis)
            return np.asarray(np.frompyfunc(pair, 2, 1)(lifted(a), lifted(beside)), dtype=object)

        values(*ids)(_standing_for(rule, combined, (*BROADCASTING, "result_type")))
        return rule

    return mark


def elementwise_gradient(*ids: str, of: str) -> Callable[[F], F]:
    """Mark the formula of a gradient of ops on two tensors, of a or of b: it takes arrays that NumPy
    broadcasts and computes with.

    A gradient function is made of it: narrow types are widened and the result is rounded once, broadcasting
        is undone.
    """

    def mark(formula: F) -> F:
        def computed(
            *tensors: Array, a_shape: Sizes, b_shape: Sizes, auto_broadcast: str, auto_broadcast_axis: int
        ) -> Array:
            kind = element_type_of(tensors[0])
            beside = laid_shape(b_shape, len(a_shape), auto_broadcast, auto_broadcast_axis)
            plain = [
                as_numbers(t).reshape(beside) if name == "b" else as_numbers(t)
                for name, t in zip(names, tensors)
            ]
            reached = unbroadcast(formula(*plain), a_shape if of == "a" else beside)
            return converted(reached.reshape(a_shape if of == "a" else b_shape), kind)

        names = tuple(inspect.signature(formula).parameters)
        gradient(*ids, of=of)(_standing_for(formula, computed, ("a_shape", "b_shape", *BROADCASTING)))
        return formula

    return mark


def laid(b: Array, rank: int, auto_broadcast: str, axis: int) -> Array:
    """b, so shaped that NumPy lays it onto a tensor of some rank as auto_broadcast asks: under pdpd from an
    axis on, not onto the last.
    """
    return b.reshape(laid_shape(b.shape, rank, auto_broadcast, axis))


def laid_shape(b: Sizes, rank: int, auto_broadcast: str, axis: int) -> Sizes:
    """The shape of b as NumPy must have it."""
    return b if auto_broadcast != "pdpd" or axis == -1 else b + (1,) * (rank - len(b) - axis)


def _plain(array: Array) -> Array:
    return array if element_type_of(array) in (BOOLEAN, STRING) else as_numbers(array)


def _standing_for(
    formula: Callable[..., Any], function: Callable[..., Any], keywords: tuple[str, ...]
) -> Callable[..., Any]:
    """A function under a formula's name, which also takes the formula's keywords; who asks where it is, is
    shown the formula.
    """
    made: Callable[..., Any] = wraps(formula)(function)
    own = inspect.signature(formula).parameters
    more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in keywords if name not in own]
    setattr(made, "__signature__", inspect.Signature([*own.values(), *more]))  # noqa: B010
    return made
