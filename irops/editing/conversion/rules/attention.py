"""ScaledDotProductAttention in products and a SoftMax, as OpenVINO itself decomposes it."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from irops.editing.conversion.steps import Form, step
from irops.editing.conversion.subject import Subject
from irops.editing.graph.node import Value
from irops.values.element import BOOLEAN, I64, Array, ElementType

LAST = np.array([-1], np.int64)


@step(
    "ScaledDotProductAttention-13",
    "MatMul-1",
    rounds="the weights are divided by their sum before they are multiplied with the values, not after",
)
def attention(subject: Subject) -> Form:
    query, key = subject.input("query"), subject.input("key")
    kind = subject.element_type("query")
    scaled = subject.add("Multiply-1", query, _scale(subject, kind), part="scaled")
    scores = subject.add("MatMul-1", scaled, key, part="scores", transpose_b=True)
    bias = _bias(subject, kind)
    if bias is not None:
        scores = subject.add("Add-1", scores, bias, part="masked")
    return Form([_weights(subject, scores), subject.input("value")])


def _weights(subject: Subject, scores: Value) -> Value:
    """The softmax of the scores; a sink takes part in it, and is dropped."""
    sink = subject.optional("sink")
    if sink is None:
        return subject.add("SoftMax-8", scores, part="weights", axis=-1)
    zero, one = np.array([0], np.int64), np.array([1], np.int64)
    column = subject.add("Slice-8", scores, zero, one, one, LAST, part="column")
    shape = subject.add("ShapeOf-3", column, part="column_shape", output_type=I64)
    whole = subject.add("Broadcast-3", sink, shape, part="sink", mode="bidirectional")
    both = subject.add("Concat-1", scores, whole, part="with_sink", axis=-1)
    weights = subject.add("SoftMax-8", both, part="weights_with_sink", axis=-1)
    return subject.add("Slice-8", weights, zero, LAST, one, LAST, part="weights")


def _scale(subject: Subject, kind: ElementType) -> Value | Array:
    """The factor of the scores: 1 / sqrt(E), unless it is an input."""
    scale = subject.optional("scale")
    if scale is not None:
        return scale
    dims = subject.fact("query").shape.dims
    if dims and dims[-1].known:
        width = int(dims[-1])
        return subject.like(1 / sqrt(width) if width else inf, kind)
    shape = subject.add("ShapeOf-3", subject.input("query"), part="query_shape", output_type=I64)
    size = _size(subject, shape, -1, "width")
    number = subject.typed(size, kind, "width_number")
    return subject.add("Power-1", number, subject.like(-0.5, kind), part="scale")


def _bias(subject: Subject, kind: ElementType) -> Value | Array | None:
    """What is added to the scores: the mask, where booleans give 0 and -inf."""
    mask = subject.optional("attention_mask")
    if subject.attributes["causal"]:
        return _masked(subject, _causal(subject), kind)
    if mask is None:
        return None
    return _masked(subject, mask, kind) if mask.element_type is BOOLEAN else mask


def _masked(subject: Subject, allowed: Value, kind: ElementType) -> Value:
    zero, never = subject.like(0, kind), subject.like(-inf, kind)
    return subject.add("Select-1", allowed, zero, never, part="bias")


def _causal(subject: Subject) -> Value:
    """Whether a key is not later than a query."""
    rows = _positions(subject, "query")
    column = subject.add("Unsqueeze-1", rows, np.array([1], np.int64), part="query_column")
    return subject.add("LessEqual-1", _positions(subject, "key"), column, part="is_allowed")


def _positions(subject: Subject, name: str) -> Value:
    dims = subject.fact(name).shape.dims
    if dims and dims[-2].known:
        return subject.graph.constant(
            np.arange(int(dims[-2])), subject.graph.unique(f"{subject.node.name}/{name}_positions")
        )
    shape = subject.add("ShapeOf-3", subject.input(name), part=f"{name}_sizes", output_type=I64)
    count = _size(subject, shape, -2, f"{name}_count")
    zero, one = np.array(0, np.int64), np.array(1, np.int64)
    return subject.add("Range-4", zero, count, one, part=f"{name}_positions", output_type=I64)


def _size(subject: Subject, shape: Value, axis: int, part: str) -> Value:
    return subject.add("Gather-8", shape, np.array(axis, np.int64), np.array(0, np.int64), part=part)
