"""Transpose, Concat, Split, VariadicSplit, Broadcast and Tile where sizes, axes and lengths are known in
part.
"""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from invoking import infer_layer

from irops.analysis.invocation import OpFault
from irops.dialects.registry import default_registry
from irops.spec.attributes import bind
from irops.values.dim import ANY, UNKNOWN, Dim
from irops.values.element import I64, element_type
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape
from irops.values.violation import collect_warnings

S = Dim(1, inf).named("length")


def of(shape, kind="f32"):
    return Fact(element_type(kind), Shape.parse(shape) if isinstance(shape, str) else Shape(shape))


def numbers(*values):
    return Fact(I64, Shape.of(len(values)), dims_array(values))


def axis(number):
    return Fact.of(np.array(number, np.int64))


def shapes_of(op_id, *inputs, **attributes):
    op = default_registry().op(op_id)
    values = bind(op, {name: str(value) for name, value in attributes.items()}).values
    return [str(fact.shape) for fact in infer_layer(op, inputs, values)]


@pytest.mark.parametrize(
    ("arg", "order", "shape"),
    [
        ("2,3..4,9", of("3", "i64"), "[2..9,2..9,2..9]"),
        ("2,3..4,9", numbers(UNKNOWN, 0, UNKNOWN), "[2..9,2,2..9]"),
        ("2,3", of("0", "i64"), "[3,2]"),
        ("...", of("3", "i64"), "[?,?,?]"),
        ("...", of("0", "i64"), "[...]"),
        ("2,3", of("...", "i64"), "[2..3,2..3]"),
    ],
)
def test_transposed_shapes(arg, order, shape):
    assert shapes_of("Transpose-1", of(arg), order) == [shape]


@pytest.mark.parametrize(
    ("inputs", "shape"),
    [
        (["?,3", "2..4,3"], "[2..,3]"),
        (["...", "2,?", "1..2,3"], "[3..,3]"),
        (["...", "..."], "[...]"),
        (["?,1..3", "2,2..5"], "[2..,2..3]"),
    ],
)
def test_joined_shapes(inputs, shape):
    assert shapes_of("Concat-1", *map(of, inputs), axis=0) == [shape]


@pytest.mark.parametrize(
    ("data", "along", "piece"),
    [
        ("2,?", axis(1), "[2,?]"),
        ("2,5..11", axis(-1), "[2,2..3]"),
        ("2,5..", axis(1), "[2,2..]"),
        ("..2,7", axis(0), "[0,7]"),
        ("...", axis(1), "[...]"),
        ("2,6", of("", "i64"), "[2,2]"),
        ("3,6", of("", "i64"), "[1..3,2..6]"),
    ],
)
def test_pieces_of_one_size(data, along, piece):
    assert shapes_of("Split-1", of(data), along, num_splits=3) == [piece] * 3


@pytest.mark.parametrize(
    ("data", "along", "lengths", "pieces"),
    [
        ("2,5..10", axis(1), numbers(1, -1, 3), ["[2,1]", "[2,1..6]", "[2,3]"]),
        ("2,6", axis(1), numbers(UNKNOWN, 2), ["[2,4]", "[2,2]"]),
        ("2,6", axis(1), of("2", "i64"), ["[2,..6]", "[2,..6]"]),
        ([2, S], axis(1), numbers(S, UNKNOWN), ["[2,1..]", "[2,0]"]),
        ("3,7", of("", "i64"), numbers(3, 4), ["[3,3]", "[3,4]"]),
        ("2,6", axis(1), of("?", "i64"), []),
        ("...", axis(0), numbers(1, 2), ["[...]", "[...]"]),
    ],
)
def test_pieces_of_given_sizes(data, along, lengths, pieces):
    assert shapes_of("VariadicSplit-1", of(data), along, lengths) == pieces


def test_lengths_that_fit_no_axis_are_refused():
    with pytest.raises(OpFault, match="sizes of the parts add up"):
        shapes_of("VariadicSplit-1", of("2,6"), of("", "i64"), numbers(1, 2))


def test_lengths_that_do_not_fit_leave_the_shapes_clear():
    with collect_warnings() as warnings:
        assert shapes_of("VariadicSplit-1", of("2,1..3"), axis(1), numbers(1, 3)) == ["[2,1]", "[2,3]"]
    assert [warning.constraint for warning in warnings] == ["C2"]


def test_no_number_of_pieces_is_taken_on_trust():
    assert shapes_of("VariadicSplit-1", of("2,6"), axis(1), of("1099511627776", "i64")) == []


@pytest.mark.parametrize(
    ("data", "target", "mode", "shape"),
    [
        ("5,1", numbers(Dim(2, 9), ANY), "numpy", "[5,?]"),
        ("3..5,2", numbers(Dim(2, 4), 2), "numpy", "[3..4,2]"),
        ("...", numbers(2, ANY), "numpy", "[2,?]"),
        ("?", of("2", "i64"), "numpy", "[?,?]"),
        ("3,1", numbers(2, ANY, 4), "bidirectional", "[2,3,4]"),
        ("3,2", of("1", "i64"), "bidirectional", "[3,2]"),
        ("...", numbers(2), "bidirectional", "[...]"),
        ("3", of("?", "i64"), "numpy", "[...]"),
    ],
)
def test_broadcast_shapes(data, target, mode, shape):
    assert shapes_of("Broadcast-3", of(data), target, mode=mode) == [shape]


@pytest.mark.parametrize(
    ("data", "repeats", "shape"),
    [
        ("2,3", numbers(Dim(1, 3), ANY), "[2..6,?]"),
        ("2,0", of("2", "i64"), "[?,0]"),
        ("2,3", of("1", "i64"), "[2,?]"),
        ("2", of("3", "i64"), "[?,?,?]"),
        ("...", numbers(2), "[...]"),
        ("2,3", of("?", "i64"), "[...]"),
    ],
)
def test_tiled_shapes(data, repeats, shape):
    assert shapes_of("Tile-1", of(data), repeats) == [shape]
