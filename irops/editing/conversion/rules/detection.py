"""Steps of ops of detectors and of recurrent cells, whose versions differ in inputs."""

from __future__ import annotations

import numpy as np

from irops.editing.conversion.refusal import RefusedError
from irops.editing.conversion.steps import Form, newer, step
from irops.editing.conversion.subject import Subject

newer("Proposal-1", "Proposal-4")


@step("DetectionOutput-1", "DetectionOutput-8")
def detection_output_newer(subject: Subject) -> Form:
    classes = _classes(subject)
    if classes != subject.attributes["num_classes"]:
        raise RefusedError(
            f"num_classes is {subject.attributes['num_classes']}, but its inputs have {classes}"
        )
    return Form(subject.inputs, subject.carried(without=("num_classes",)))


@step("DetectionOutput-8", "DetectionOutput-1")
def detection_output_older(subject: Subject) -> Form:
    return Form(subject.inputs, {**subject.carried(), "num_classes": _classes(subject)})


def _classes(subject: Subject) -> int:
    """The number of classes, which follows from the number of prior boxes."""
    purpose = "the number of classes follows from it"
    predictions = subject.sizes("class_preds", purpose)[-1]
    numbers = subject.sizes("proposals", purpose)[-1]
    if not predictions.known or not numbers.known:
        raise RefusedError("the number of prior boxes is unknown, but the number of classes follows from it")
    boxes = int(numbers) // (4 if subject.attributes["normalized"] else 5)
    return int(predictions) // max(boxes, 1)


@step("Proposal-4", "Proposal-1")
def proposal_older(subject: Subject) -> Form:
    if subject.uses(1):
        raise RefusedError("its output of probabilities is used, which Proposal-1 does not have")
    return Form(subject.inputs, subject.carried())


@step("LSTMCell-1", "LSTMCell-4")
def lstm_cell_newer(subject: Subject) -> Form:
    if subject.optional("P") is not None:
        raise RefusedError("it has peephole weights P, which LSTMCell-4 does not have")
    return Form(subject.inputs[:6], subject.carried(without=("input_forget", "weights_format")))


@step("LSTMCell-4", "LSTMCell-1")
def lstm_cell_older(subject: Subject) -> Form:
    return Form(subject.inputs, {**subject.carried(), "input_forget": False, "weights_format": "fico"})


@step("Interpolate-4", "Interpolate-11")
def interpolate_newer(subject: Subject) -> Form:
    name = "sizes" if subject.attributes["shape_calculation_mode"] == "sizes" else "scales"
    return Form([subject.input("image"), subject.input(name), subject.optional("axes")], subject.carried())


@step("Interpolate-11", "Interpolate-4")
def interpolate_older(subject: Subject) -> Form:
    """The older version has an input for sizes and one for scales; the one that is not used are ones."""
    value = subject.input("scales_or_sizes")
    count = subject.fact("scales_or_sizes").shape.dims
    if not count or not count[0].known:
        raise RefusedError("the number of axes is unknown, but Interpolate-4 has sizes and scales for each")
    number = int(count[0])
    if subject.attributes["shape_calculation_mode"] == "sizes":
        pair = [value, np.ones(number, np.float32)]
    else:
        pair = [np.ones(number, np.int64), value]
    return Form([subject.input("image"), *pair, subject.optional("axes")], subject.carried())
