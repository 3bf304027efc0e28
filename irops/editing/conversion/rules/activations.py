"""Activation functions in simpler ops, for opsets before those that have them."""

from __future__ import annotations

import numpy as np

from irops.editing.conversion.refusal import RefusedError
from irops.editing.conversion.steps import Form, step
from irops.editing.conversion.subject import Subject


@step("Swish-4", "Multiply-1", rounds="narrow types round after each op")
def swish(subject: Subject) -> Form:
    """data * sigmoid(beta * data)."""
    data, beta = subject.input("data"), subject.optional("beta")
    scaled = data if beta is None else subject.add("Multiply-1", data, beta, part="scaled")
    return Form([data, subject.add("Sigmoid-1", scaled, part="sigmoid")])


@step("LogSoftmax-5", "Subtract-1", rounds="narrow types round after each op")
def log_softmax(subject: Subject) -> Form:
    """The maximum is subtracted first, so that no exponential overflows."""
    data, axis = subject.input("data"), np.array([subject.attributes["axis"]], np.int64)
    peak = subject.add("ReduceMax-1", data, axis, part="peak", keep_dims=True)
    shifted = subject.add("Subtract-1", data, peak, part="shifted")
    powers = subject.add("Exp-1", shifted, part="powers")
    total = subject.add("ReduceSum-1", powers, axis, part="total", keep_dims=True)
    return Form([shifted, subject.add("Log-1", total, part="log")])


@step("HSwish-4", "Divide-1", rounds="narrow types round after each op")
def hard_swish(subject: Subject) -> Form:
    """data * min(max(data + 3, 0), 6) / 6."""
    data, kind = subject.input("data"), subject.element_type("data")
    if not kind.floating:
        raise RefusedError(f"its input is {kind}, for which the quotient is rounded")
    moved = subject.add("Add-1", data, subject.like(3, kind), part="moved")
    clamped = subject.add("Clamp-1", moved, part="clamped", min=0, max=6)
    product = subject.add("Multiply-1", data, clamped, part="product")
    return Form([product, subject.like(6, kind)])
