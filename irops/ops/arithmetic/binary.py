"""Elementwise arithmetic on two tensors: Add, Subtract, Multiply, Maximum, Minimum."""

from __future__ import annotations

import numpy as np

from irops.ops.elementwise import Number, elementwise, elementwise_dims, elementwise_gradient
from irops.values import dim
from irops.values.dim import Dim
from irops.values.element import Array


@elementwise_dims("Add-1")
@elementwise("Add-1", ufunc=np.add)
def add(a: Number, b: Number) -> Number:
    return a + b


@elementwise_gradient("Add-1", of="a")
@elementwise_gradient("Add-1", of="b")
@elementwise_gradient("Subtract-1", of="a")
def unchanged(d_output: Array) -> Array:
    return d_output


@elementwise_dims("Subtract-1")
@elementwise("Subtract-1", ufunc=np.subtract)
def subtract(a: Number, b: Number) -> Number:
    return a - b


@elementwise_gradient("Subtract-1", of="b")
def negated(d_output: Array) -> Array:
    return -d_output


@elementwise_dims("Multiply-1")
@elementwise("Multiply-1", ufunc=np.multiply)
def multiply(a: Number, b: Number) -> Number:
    return a * b


@elementwise_gradient("Multiply-1", of="a")
def times_b(d_output: Array, b: Array) -> Array:
    return d_output * b


@elementwise_gradient("Multiply-1", of="b")
def times_a(d_output: Array, a: Array) -> Array:
    return d_output * a


@elementwise("Maximum-1", ufunc=np.maximum)
def maximum(a: Array, b: Array) -> Array:
    return np.maximum(a, b)


@elementwise_dims("Maximum-1")
def maximum_dim(a: Dim, b: Dim) -> Dim:
    return dim.maximum(a, b)


@elementwise("Minimum-1", ufunc=np.minimum)
def minimum(a: Array, b: Array) -> Array:
    return np.minimum(a, b)


@elementwise_dims("Minimum-1")
def minimum_dim(a: Dim, b: Dim) -> Dim:
    return dim.minimum(a, b)
