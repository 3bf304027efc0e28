"""Elementwise arithmetic on two tensors: Add, Subtract, Multiply, Maximum, Minimum."""

from __future__ import annotations

import numpy as np

from irops.ops.elementwise import Number, elementwise, elementwise_gradient, known_in_part
from irops.values import dim
from irops.values.dim import Dim
from irops.values.element import Array


@known_in_part("Add-1")
@elementwise("Add-1")
def add(a: Number, b: Number) -> Number:
    return a + b


@elementwise_gradient("Add-1", of="a")
@elementwise_gradient("Add-1", of="b")
@elementwise_gradient("Subtract-1", of="a")
def unchanged(d_output: Array) -> Array:
    return d_output


@known_in_part("Subtract-1")
@elementwise("Subtract-1")
def subtract(a: Number, b: Number) -> Number:
    return a - b


@elementwise_gradient("Subtract-1", of="b")
def negated(d_output: Array) -> Array:
    return -d_output


@known_in_part("Multiply-1")
@elementwise("Multiply-1")
def multiply(a: Number, b: Number) -> Number:
    return a * b


@elementwise_gradient("Multiply-1", of="a")
def times_b(d_output: Array, b: Array) -> Array:
    return d_output * b


@elementwise_gradient("Multiply-1", of="b")
def times_a(d_output: Array, a: Array) -> Array:
    return d_output * a


@elementwise("Maximum-1")
def maximum(a: Array, b: Array) -> Array:
    return np.maximum(a, b)


@known_in_part("Maximum-1")
def maximum_dim(a: Dim, b: Dim) -> Dim:
    return dim.maximum(a, b)


@elementwise("Minimum-1")
def minimum(a: Array, b: Array) -> Array:
    return np.minimum(a, b)


@known_in_part("Minimum-1")
def minimum_dim(a: Dim, b: Dim) -> Dim:
    return dim.minimum(a, b)
