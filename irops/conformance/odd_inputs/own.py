"""What irops does with an odd input."""

from __future__ import annotations

from dataclasses import replace

from irops.conformance.example import outcome
from irops.conformance.odd_inputs.odd import Question, Reply, sent
from irops.diagnostics.diagnostic import Diagnostic, errors_of
from irops.spec.definition import Case, Tensor
from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.values.shape import Shape

TOLERANCE = 0.0


def own_reply(op: Op, question: Question) -> Reply:
    """What irops infers without the values that are no constants, and computes with all of them."""
    arrays = question.arrays
    tensors = tuple(
        Tensor(name, element_type_of(array), Shape.of(*array.shape), array, output=False)
        for name, array in zip(question.names, arrays)
    )
    unknown = tuple(_before(question, place, tensor) for place, tensor in enumerate(tensors))
    refused = errors_of(_outcome(op, question, unknown)[1])
    if refused:
        return Reply("refuses", _said(refused[0]))
    outputs, found = _outcome(op, question, tensors)
    errors = errors_of(found)
    if errors:
        return Reply("refuses", _said(errors[0]), loaded=True)
    return Reply("gives", output=sent(outputs[0]), warnings=tuple(dict.fromkeys(map(_said, found))))


def _before(question: Question, place: int, tensor: Tensor) -> Tensor:
    """What is known of an input before the model runs."""
    if place in question.constants:
        return tensor
    return replace(tensor, value=None, shape=Shape(None) if place in question.unranked else tensor.shape)


def _outcome(op: Op, question: Question, tensors: tuple[Tensor, ...]) -> tuple[list[Array], list[Diagnostic]]:
    return outcome(op, Case(None, dict(question.attributes), tensors, None, TOLERANCE, None, 0))


def _said(found: Diagnostic) -> str:
    """The sentence of the definition with its number, or the rule's code and message."""
    where = (found.constraint or "").rpartition(":")[2]
    return f"{where or found.code}: {found.message.partition(' requires: ')[2] or found.message}"
