"""Scattered updates that are combined with what is there, in terms of ScatterElementsUpdate."""

from __future__ import annotations

import numpy as np

from irops.editing.conversion.refusal import OtherFormError, RefusedError
from irops.editing.conversion.rules.shapes import shape_tensor
from irops.editing.conversion.steps import Form, newer, step
from irops.editing.conversion.subject import Subject
from irops.editing.graph.node import Value
from irops.ops.arithmetic.segment_max import lowest
from irops.values.element import BOOLEAN, I64, ElementType

ZERO, ONE, ALL = np.array(0, np.int64), np.array(1, np.int64), np.array([-1], np.int64)


newer("ScatterElementsUpdate-3", "ScatterElementsUpdate-12")


@step("ScatterElementsUpdate-12", "ScatterElementsUpdate-3")
def scatter_elements_update(subject: Subject) -> Form:
    """Indices that may be negative are counted from 0: releases before 2023.1 refuse others."""
    subject.require_attribute("reduction", "none", "ScatterElementsUpdate-3")
    data, indices, updates, axis = (subject.input(port.name) for port in subject.op.definition.inputs)
    dims = indices.fact.dims
    if dims is None or any(dim.low < 0 for dim in dims):
        kind = subject.element_type("indices")
        shape = shape_tensor(subject, "data", "shape")
        single = subject.add("Reshape-1", axis, ALL, part="axis", special_zero=False)
        size = subject.add("Gather-8", shape, single, ZERO, part="size")
        typed = subject.typed(size, kind, "typed_size")
        is_negative = subject.add("Less-1", indices, subject.like(0, kind), part="is_negative")
        from_end = subject.add("Add-1", indices, typed, part="from_end")
        indices = subject.add("Select-1", is_negative, from_end, indices, part="indices")
    return Form([data, indices, updates, axis])


@step("ScatterNDUpdate-15", "Reshape-1")
def scatter_nd_update(subject: Subject) -> Form:
    """The positions of the written elements are gathered from a tensor that numbers all elements."""
    reduction = subject.attributes["reduction"]
    if reduction == "none":
        raise OtherFormError("ScatterNDUpdate-4 means the same")
    updates = subject.input("updates")
    if reduction == "sub":
        kind = subject.element_type("data")
        if kind.kind == "unsigned" or kind is BOOLEAN:
            raise RefusedError(f"it has reduction=sub of {kind}, which no sum of negative updates equals")
        updates, reduction = subject.add("Negative-1", updates, part="negative"), "sum"
    shape = shape_tensor(subject, "data", "shape")
    count = subject.add("ReduceProd-1", shape, np.array([0], np.int64), part="count", keep_dims=False)
    numbers = subject.add("Range-4", ZERO, count, ONE, part="numbers", output_type=I64)
    table = subject.add("Reshape-1", numbers, shape, part="table", special_zero=False)
    found = subject.add("GatherND-8", table, subject.input("indices"), part="found")
    written = subject.add(
        "ScatterElementsUpdate-12",
        subject.add("Reshape-1", subject.input("data"), ALL, part="flat", special_zero=False),
        subject.add("Reshape-1", found, ALL, part="positions", special_zero=False),
        subject.add("Reshape-1", updates, ALL, part="updates", special_zero=False),
        ZERO,
        part="written",
        reduction=reduction,
        use_init_val=True,
    )
    return Form([written, shape], {"special_zero": False})


@step("SegmentMax-16", "Slice-8")
def segment_max_of_integers(subject: Subject) -> Form:
    if not subject.element_type("data").integral:
        raise OtherFormError("its data are not integers")
    return _segment_max(subject)


@step("SegmentMax-16", "Slice-8", rounds="a segment with NaN gives NaN, which SegmentMax ignores")
def segment_max(subject: Subject) -> Form:
    return _segment_max(subject)


def _segment_max(subject: Subject) -> Form:
    """Rows filled with the value of empty segments, into which maxima are written; of these as many rows as
    there are segments.
    """
    data, kind = subject.input("data"), subject.element_type("data")
    rank = len(subject.sizes("data", "the ids of segments are repeated along all other axes"))
    ids = subject.typed(subject.input("segment_ids"), I64, "ids")
    count: Value | None = None
    ends = [ids, ALL]
    if subject.optional("num_segments") is not None:
        number = subject.typed(subject.input("num_segments"), I64, "number")
        count = subject.add("Reshape-1", number, ALL, part="count", special_zero=False)
        ends.append(subject.add("Subtract-1", count, ONE, part="last_segment"))
    all_ids = subject.add("Concat-1", *ends, part="all_ids", axis=0)
    last = subject.add("ReduceMax-1", all_ids, np.array([0], np.int64), part="last", keep_dims=True)
    rows = subject.add("Add-1", last, ONE, part="rows")
    shape = subject.add("ShapeOf-3", data, part="shape", output_type=I64)
    others = subject.add("Slice-8", shape, np.array([1]), np.array([rank]), np.array([1]), part="others")
    filled_shape = subject.add("Concat-1", rows, others, part="filled_shape", axis=0)
    fill = subject.like(_lowest(kind) if subject.attributes["fill_mode"] == "lowest" else 0, kind)
    filled = subject.add("Broadcast-3", fill, filled_shape, part="filled", mode="numpy")
    column = subject.add("Unsqueeze-1", ids, np.arange(1, rank), part="column") if rank > 1 else ids
    indices = subject.add("Broadcast-3", column, shape, part="indices", mode="bidirectional")
    maxima = subject.add(
        "ScatterElementsUpdate-12",
        filled,
        indices,
        data,
        ZERO,
        part="maxima",
        reduction="max",
        use_init_val=False,
    )
    return Form([maxima, np.array([0]), rows if count is None else count, np.array([1]), np.array([0])])


def _lowest(kind: ElementType) -> float:
    """The smallest finite number of a type."""
    if kind.integral:
        return int(kind.extent[0])
    return float(lowest(np.zeros((), kind.dtype)))
