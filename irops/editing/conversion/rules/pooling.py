"""Steps of pooling ops: dilations, and the rounding ceil_torch."""

from __future__ import annotations

from typing import Any

from irops.editing.conversion.refusal import RefusedError
from irops.editing.conversion.steps import Form, newer, step
from irops.editing.conversion.subject import Subject
from irops.invocation import OpFault

newer("AvgPool-1", "AvgPool-14")
newer("MaxPool-8", "MaxPool-14")


@step("AvgPool-14", "AvgPool-16")
def avg_pool_16(subject: Subject) -> Form:
    ones = (1,) * len(subject.attributes["kernel"])
    return Form(subject.inputs, {**subject.carried(), "dilations": ones})


@step("AvgPool-16", "AvgPool-14")
def avg_pool_14(subject: Subject) -> Form:
    _require_no_dilations(subject, "AvgPool-14")
    return Form(subject.inputs, subject.carried(without=("dilations",)))


@step("AvgPool-14", "AvgPool-1")
def avg_pool_1(subject: Subject) -> Form:
    return Form(subject.inputs, subject.carried(rounding_type=_rounding(subject)))


@step("MaxPool-14", "MaxPool-8")
def max_pool_8(subject: Subject) -> Form:
    return Form(subject.inputs, subject.carried(rounding_type=_rounding(subject)))


@step("MaxPool-1", "MaxPool-8")
def max_pool_newer(subject: Subject) -> Form:
    ones = (1,) * len(subject.attributes["kernel"])
    added = {"dilations": ones, "index_element_type": "i64", "axis": 0}
    return Form(subject.inputs, {**subject.carried(), **added})


@step("MaxPool-8", "MaxPool-1")
def max_pool_1(subject: Subject) -> Form:
    _require_no_dilations(subject, "MaxPool-1")
    if subject.uses(1):
        raise RefusedError("its output of indices is used, which MaxPool-1 does not have")
    return Form(subject.inputs, subject.carried(without=("dilations", "index_element_type", "axis")))


def _require_no_dilations(subject: Subject, older: str) -> None:
    dilations = subject.attributes["dilations"]
    if any(dilation != 1 for dilation in dilations):
        raise RefusedError(f"its dilations are {', '.join(map(str, dilations))}; {older} has none")


def _rounding(subject: Subject) -> Any:
    """The rounding that gives the same number of windows as ceil_torch."""
    rounding = subject.attributes["rounding_type"]
    if rounding != "ceil_torch":
        return subject.carried()["rounding_type"]
    if _always_begins_inside(subject):
        return "ceil"
    wanted = subject.node.facts[0].shape
    if wanted.static:
        for other in ("floor", "ceil"):
            if _shape_with(subject, other) == wanted:
                return other
        raise RefusedError(f"neither floor nor ceil gives the output shape {wanted} of ceil_torch")
    raise RefusedError("whether the last window of ceil_torch begins in the padding depends on unknown sizes")


def _always_begins_inside(subject: Subject) -> bool:
    """Whether the last window begins before the end of data for all sizes, so that ceil_torch means ceil."""
    attributes = subject.attributes
    if attributes["auto_pad"] not in ("explicit", "valid"):
        return False
    count = len(attributes["kernel"])
    ends = attributes["pads_end"] or (0,) * count
    after = ends if attributes["auto_pad"] == "explicit" else (0,) * count
    dilations = attributes.get("dilations") or (1,) * count
    return all(
        stride + end <= (kernel - 1) * dilation + 1
        for stride, end, kernel, dilation in zip(
            attributes["strides"], after, attributes["kernel"], dilations
        )
    )


def _shape_with(subject: Subject, rounding: str) -> Any:
    invocation = subject.node.invocation
    assert invocation is not None
    changed = invocation.with_values({**invocation.attributes, "rounding_type": rounding})
    try:
        return changed.infer(subject.node.input_facts)[0].shape
    except OpFault:
        return None
