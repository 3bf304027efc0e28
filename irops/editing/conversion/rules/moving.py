"""Steps of ops that move elements: pads, parts that are written, gathered tuples."""

from __future__ import annotations

import numpy as np

from irops.editing.conversion.refusal import RefusedError
from irops.editing.conversion.rules.shapes import shape_tensor
from irops.editing.conversion.steps import Form, newer, step
from irops.editing.conversion.subject import Subject
from irops.editing.graph.node import Value
from irops.values.element import I64

ZERO, ONE, ALL = np.array(0, np.int64), np.array(1, np.int64), np.array([-1], np.int64)


newer("Gather-7", "Gather-8")
newer("Pad-1", "Pad-12")


@step("Gather-8", "Gather-7")
def gather_older(subject: Subject) -> Form:
    indices = subject.fact("indices")
    signed = indices.element_type.kind == "signed"
    if signed and (indices.dims is None or any(dim.low < 0 for dim in indices.dims)):
        raise RefusedError("indices may be negative, which Gather-7 does not define")
    return Form(subject.inputs, subject.carried())


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
    removed = [
        subject.add("Minimum-1", pads, ZERO, part=f"{part}_removed") for pads, part in _pads(begin, end)
    ]
    padded = subject.add(
        "Pad-1",
        subject.input("data"),
        *added,
        *subject.inputs[3:],
        part="padded",
        pad_mode=subject.attributes["pad_mode"],
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
        raise RefusedError(
            "batch_dims is more than 1: GatherND-5 flattens the batch axes, GatherND-8 keeps them"
        )
