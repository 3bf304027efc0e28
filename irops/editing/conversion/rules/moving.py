"""Steps of ops that move elements: pads, parts that are written, gathered tuples."""

from __future__ import annotations

import numpy as np

from irops.editing.conversion.refusal import OtherFormError, RefusedError
from irops.editing.conversion.rules.shapes import shape_tensor
from irops.editing.conversion.steps import Form, newer, step
from irops.editing.conversion.subject import Subject
from irops.editing.graph.node import Value
from irops.ops.arithmetic.segment_max import lowest
from irops.values.element import I64, ElementType

ZERO, ONE, ALL = np.array(0, np.int64), np.array(1, np.int64), np.array([-1], np.int64)


newer("Pad-1", "Pad-12")


@step("Pad-12", "Pad-1")
def pad_older(subject: Subject) -> Form:
    for name in ("pads_begin", "pads_end"):
        dims = subject.fact(name).dims
        if dims is None or any(dim.low < 0 for dim in dims):
            raise RefusedError(f"{name} may be negative, which Pad-1 does not define")
    return Form(subject.inputs, subject.carried())


@step("Pad-12", "Slice-8")
def pad_and_slice(subject: Subject) -> Form:
    """Elements are added first, those that negative pads remove are cut off afterwards."""
    begin, end = (subject.typed(subject.input(name), I64, name) for name in ("pads_begin", "pads_end"))
    added = [subject.add("Maximum-1", pads, ZERO, part=f"{part}_added") for pads, part in _pads(begin, end)]
    removed = [subject.add("Minimum-1", pads, ZERO, part=f"{part}_removed") for pads, part in _pads(begin, end)]
    padded = subject.add(
        "Pad-1", subject.input("data"), *added, *subject.inputs[3:], part="padded", pad_mode=subject.attributes["pad_mode"]
    )
    rank = subject.fact("data").shape.rank
    if rank is None:
        raise RefusedError("the rank of data is unknown, but the steps of a Slice are one for each axis")
    sizes = subject.add("ShapeOf-3", padded, part="sizes", output_type=I64)
    start = subject.add("Subtract-1", ZERO, removed[0], part="start")
    stop = subject.add("Add-1", sizes, removed[1], part="stop")
    last = subject.add("Maximum-1", stop, ZERO, part="last")
    return Form([padded, start, last, np.ones(rank, np.int64)])


def _pads(begin: Value, end: Value) -> tuple[tuple[Value, str], tuple[Value, str]]:
    return (begin, "begin"), (end, "end")


@step("SliceScatter-15", "Reshape-1")
def slice_scatter(subject: Subject) -> Form:
    """The positions of the part are the slice of a tensor that numbers its elements."""
    data = subject.input("data")
    shape = shape_tensor(subject, "data", "shape")
    flat = subject.add("Reshape-1", data, ALL, part="flat", special_zero=False)
    count = subject.add("ReduceProd-1", shape, np.array([0], np.int64), part="count", keep_dims=False)
    numbers = subject.add("Range-4", ZERO, count, ONE, part="numbers", output_type=I64)
    table = subject.add("Reshape-1", numbers, shape, part="table", special_zero=False)
    part = subject.add("Slice-8", table, *subject.inputs[2:], part="part")
    positions = subject.add("Reshape-1", part, ALL, part="positions", special_zero=False)
    updates = subject.add("Reshape-1", subject.input("updates"), ALL, part="updates", special_zero=False)
    written = subject.add("ScatterUpdate-3", flat, positions, updates, ZERO, part="written")
    return Form([written, shape], {"special_zero": False})


@step("GatherND-5", "GatherND-8")
def gather_nd_newer(subject: Subject) -> Form:
    _require_same_batch(subject)
    return Form(subject.inputs, subject.carried())


@step("GatherND-8", "GatherND-5")
def gather_nd_older(subject: Subject) -> Form:
    _require_same_batch(subject)
    return Form(subject.inputs, subject.carried())


def _require_same_batch(subject: Subject) -> None:
    if subject.attributes["batch_dims"] > 1:
        raise RefusedError("batch_dims is more than 1: GatherND-5 flattens the batch axes, GatherND-8 keeps them")


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
    if subject.given("num_segments") is not None:
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
