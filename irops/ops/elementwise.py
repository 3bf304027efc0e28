"""Binary elementwise ops: what they have in common, so that each op only defines its formula."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.ops.partial import as_dims, stored_dim
from irops.ops.unbroadcast import Sizes, unbroadcast
from irops.spec.binding import gradient, kernel, values
from irops.values.dim import Dim
from irops.values.element import BOOLEAN, STRING, Array, ElementType, element_type_of

F = TypeVar("F", bound=Callable[..., Any])
Number = TypeVar("Number", Array, Dim)
"""The operands of a formula that applies both to elements and to their intervals (Dims)."""
BROADCASTING = ("auto_broadcast", "auto_broadcast_axis")


UFUNC = "ufunc"
"""The attribute of a kernel that names what computes the same for arrays of one type, f32 or f64, that NumPy
broadcasts; it can write the result into one of them.
"""


def elementwise(*ids: str, ufunc: np.ufunc | None = None) -> Callable[[F], F]:
    """Turn the formula of binary ops into their kernel. The formula receives arrays that NumPy can broadcast.

    ufunc: what computes the formula, where one function of NumPy does

    Floats narrower than f32 are widened and the result is rounded once; integers wrap around in their own
    type; booleans are not converted.
    """

    def mark(formula: F) -> F:
        def computed(
            a: Array, b: Array, *, auto_broadcast: str, auto_broadcast_axis: int, **more: Any
        ) -> Array:
            kind = element_type_of(a)
            result = np.asarray(
                formula(_plain(a), _plain(aligned(b, a.ndim, auto_broadcast, auto_broadcast_axis)), **more)
            )
            return result if result.dtype == np.bool_ else converted(result, kind)

        function = _under_name_of(formula, computed, BROADCASTING)
        setattr(function, UFUNC, ufunc)
        kernel(*ids)(function)
        return formula

    return mark


def elementwise_dims(*ids: str) -> Callable[[F], F]:
    """Turn a rule on two Dims, the intervals of two elements, into the values function of binary ops.

    The rule returns the Dim of the result. If it has a parameter result_type, it receives the element type
    of the result.
    """

    def mark(rule: F) -> F:
        needs_type = "result_type" in inspect.signature(rule).parameters

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
                return stored_dim(rule(x, y, **more), result_type)

            if needs_type:
                more["result_type"] = result_type
            other = aligned(b, a.ndim, auto_broadcast, auto_broadcast_axis)
            return np.asarray(np.frompyfunc(pair, 2, 1)(as_dims(a), as_dims(other)), dtype=object)

        values(*ids)(_under_name_of(rule, combined, (*BROADCASTING, "result_type")))
        return rule

    return mark


def elementwise_gradient(*ids: str, of: str) -> Callable[[F], F]:
    """Turn the formula of the gradient of binary ops, with respect to a or b, into their gradient function.

    The formula receives arrays that NumPy can broadcast. Floats narrower than f32 are widened and the result
    is rounded once; the gradient is summed over the axes along which the input was broadcast.
    """

    def mark(formula: F) -> F:
        def computed(
            *tensors: Array, a_shape: Sizes, b_shape: Sizes, auto_broadcast: str, auto_broadcast_axis: int
        ) -> Array:
            kind = element_type_of(tensors[0])
            other_shape = aligned_shape(b_shape, len(a_shape), auto_broadcast, auto_broadcast_axis)
            numbers = {name: as_numbers(tensor) for name, tensor in zip(names, tensors)}
            plain = [array.reshape(other_shape) if name == "b" else array for name, array in numbers.items()]
            result = unbroadcast(formula(*plain), a_shape if of == "a" else other_shape)
            return converted(result.reshape(a_shape if of == "a" else b_shape), kind)

        names = tuple(inspect.signature(formula).parameters)
        gradient(*ids, of=of)(_under_name_of(formula, computed, ("a_shape", "b_shape", *BROADCASTING)))
        return formula

    return mark


def aligned(b: Array, rank: int, auto_broadcast: str, axis: int) -> Array:
    """b reshaped so that NumPy broadcasts it with a tensor of the given rank as auto_broadcast specifies."""
    return b.reshape(aligned_shape(b.shape, rank, auto_broadcast, axis))


def aligned_shape(b: Sizes, rank: int, auto_broadcast: str, axis: int) -> Sizes:
    """The shape of b for NumPy, which aligns last axes; with pdpd, b is aligned from `axis` on, so axes of
    size 1 are appended.
    """
    return b if auto_broadcast != "pdpd" or axis == -1 else b + (1,) * (rank - len(b) - axis)


def _plain(array: Array) -> Array:
    return array if element_type_of(array) in (BOOLEAN, STRING) else as_numbers(array)


def _under_name_of(
    formula: Callable[..., Any], function: Callable[..., Any], keywords: tuple[str, ...]
) -> Callable[..., Any]:
    """The function under the name of the formula, with the formula's parameters and further keywords.

    inspect.unwrap leads to the formula, so that `irops explain OP --files` shows it.
    """
    wrapped: Callable[..., Any] = wraps(formula)(function)
    parameters = inspect.signature(formula).parameters
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in keywords if name not in parameters
    ]
    setattr(wrapped, "__signature__", inspect.Signature([*parameters.values(), *more]))  # noqa: B010
    return wrapped
