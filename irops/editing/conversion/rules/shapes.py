"""Steps of ops that concern shapes, types and constants."""

from __future__ import annotations

import numpy as np

from irops.editing.conversion.refusal import OtherFormError, RefusedError
from irops.editing.conversion.steps import Form, Outputs, newer, step
from irops.editing.conversion.subject import Subject
from irops.editing.graph.node import Value
from irops.ir.model import LayerKind
from irops.values.element import DYNAMIC, I64, STRING, Array
from irops.values.shape import Shape

newer("Squeeze-1", "Squeeze-15", allow_axis_skip=False)


@step("ShapeOf-3", "Convert-1")
def shape_of_converted(subject: Subject) -> Form:
    """As ShapeOf-1, whose output is i64, and a Convert."""
    return Form(
        [subject.add("ShapeOf-1", subject.input("data"), part="i64")],
        {"destination_type": subject.attributes["output_type"]},
    )


@step("Identity-16", "Convert-1")
def identity(subject: Subject) -> Form | Outputs:
    """Nothing; for a result of the model, whose name it keeps, a Convert to the type that it has."""
    data = subject.input("data")
    if not any(user.kind is LayerKind.RESULT for user in subject.node.users):
        return Outputs([data])
    kind = subject.element_type("data", "Convert needs one")
    if kind is STRING:
        raise RefusedError("it is a result of the model, and no other op gives strings as they are")
    return Form([data], {"destination_type": kind})


@step("Squeeze-15", "Squeeze-1")
def squeeze_older(subject: Subject) -> Form:
    """The axes must be known to have size 1: releases before 2024.3 refuse others."""
    if subject.optional("axes") is None or subject.numbers("axes") == []:
        return Form(subject.inputs)
    removed = subject.numbers("axes")
    dims = subject.fact("data").shape.dims
    if not dims or removed is None:
        if subject.attributes["allow_axis_skip"]:
            raise RefusedError("it may keep an axis whose size is unknown, which Squeeze-1 does not")
        return Form(subject.inputs)
    removed = [axis % len(dims) for axis in removed]
    if subject.attributes["allow_axis_skip"] and not all(dims[axis].known for axis in removed):
        shape = Shape(dims).unnamed()
        raise RefusedError(f"it may keep an axis of unknown size of data {shape}, which Squeeze-1 does not")
    ones = [axis for axis in removed if dims[axis].can_be(1)]
    if ones == removed:
        return Form(subject.inputs)
    if not ones:
        raise RefusedError("it removes no axis, for which Squeeze-1 has no form")
    return Form([subject.input("data"), np.array(ones, np.int64)])


@step("ConvertPromoteTypes-14", "Convert-1")
def promoted(subject: Subject) -> Outputs:
    """A Convert of each input to their common type."""
    kind = subject.node.outputs[0].element_type
    if kind is DYNAMIC:
        raise RefusedError("the common type of its inputs is unknown")
    return Outputs(
        [
            subject.add("Convert-1", subject.input(name), part=name, destination_type=kind)
            for name in ("input_0", "input_1")
        ]
    )


@step("Range-1", "Range-4")
def range_newer(subject: Subject) -> Form:
    return Form(subject.inputs, {"output_type": subject.element_type("start")})


@step("Range-4", "Range-1")
def range_older(subject: Subject) -> Form:
    kind = subject.attributes["output_type"]
    others = {str(subject.element_type(name)) for name in ("start", "stop", "step")} - {str(kind)}
    if others:
        raise RefusedError(f"its output is {kind} and an input {min(others)}; Range-1 has one type for all")
    return Form(subject.inputs)


@step("OneHot-16", "OneHot-1", decomposition=True)
def one_hot_normalized(subject: Subject) -> Form:
    """Negative indices, which count from the end, with depth added to them."""
    if subject.attributes["negative_indices_mode"] != "normalize":
        raise OtherFormError("OneHot-1 means the same")
    indices = subject.input("indices")
    kind = subject.element_type("indices")
    zero = subject.like(0, kind)
    depth = subject.typed(subject.input("depth"), kind, "depth")
    from_end = subject.add("Add-1", indices, depth, part="from_end")
    is_negative = subject.add("Less-1", indices, zero, part="is_negative")
    chosen = subject.add("Select-1", is_negative, from_end, indices, part="indices")
    return Form([chosen, *subject.inputs[1:]], {"axis": subject.attributes["axis"]})


def shape_tensor(subject: Subject, name: str, part: str) -> Value | Array:
    """The shape of an input as an i64 tensor: a constant where it is known."""
    shape = subject.fact(name).shape
    if shape.static:
        return np.array(shape.to_tuple(), np.int64)
    return subject.add("ShapeOf-3", subject.input(name), part=part, output_type=I64)
