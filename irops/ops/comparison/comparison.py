"""Comparisons of two tensors, and tests of the kind of a number."""

import numpy as np

from irops.ops.conversion import as_numbers
from irops.ops.elementwise import elementwise, elementwise_dims
from irops.spec.binding import kernel
from irops.values.dim import Dim
from irops.values.element import Array


@kernel("IsNaN-10")
def is_nan(data: Array) -> Array:
    return np.isnan(as_numbers(data))


@kernel("IsFinite-10")
def is_finite(data: Array) -> Array:
    return np.isfinite(as_numbers(data))


@kernel("IsInf-10")
def is_inf(data: Array, *, detect_negative: bool, detect_positive: bool) -> Array:
    numbers = as_numbers(data)
    result: Array = ((numbers == np.inf) & detect_positive) | ((numbers == -np.inf) & detect_negative)
    return result


def boolean_dim(may_be_true: bool, may_be_false: bool) -> Dim:
    """The Dim of a boolean: 0, 1, or 0..1 if it may be both. 0..1 also if both are false."""
    return Dim(int(may_be_true and not may_be_false), int(may_be_true or not may_be_false))


def compare(op: str, function: np.ufunc) -> None:
    """Make the kernel of an op that compares elements as a function of NumPy does."""

    @elementwise(op)
    def compared(a: Array, b: Array) -> Array:
        return np.asarray(function(a, b))


compare("Equal-1", np.equal)
compare("NotEqual-1", np.not_equal)
compare("Less-1", np.less)
compare("LessEqual-1", np.less_equal)
compare("Greater-1", np.greater)
compare("GreaterEqual-1", np.greater_equal)


@elementwise_dims("Equal-1")
def equal_dim(a: Dim, b: Dim) -> Dim:
    return boolean_dim(a.can_be(b), a < b or a > b)


@elementwise_dims("NotEqual-1")
def not_equal_dim(a: Dim, b: Dim) -> Dim:
    return 1 - equal_dim(a, b)


@elementwise_dims("Less-1")
def less_dim(a: Dim, b: Dim) -> Dim:
    return boolean_dim(a < b, a >= b)


@elementwise_dims("LessEqual-1")
def less_equal_dim(a: Dim, b: Dim) -> Dim:
    return boolean_dim(a <= b, a > b)


@elementwise_dims("Greater-1")
def greater_dim(a: Dim, b: Dim) -> Dim:
    return less_dim(b, a)


@elementwise_dims("GreaterEqual-1")
def greater_equal_dim(a: Dim, b: Dim) -> Dim:
    return less_equal_dim(b, a)
