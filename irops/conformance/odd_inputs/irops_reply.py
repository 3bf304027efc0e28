"""Run an unusual input on irops."""

from __future__ import annotations

from dataclasses import replace

from irops.conformance.example import outcome
from irops.conformance.odd_inputs.odd_input import Reply, Request, serialized
from irops.diagnostics.diagnostic import Diagnostic, errors_of
from irops.spec.definition import Case, Tensor
from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.values.shape import Shape

TOLERANCE = 0.0


def irops_reply(op: Op, request: Request) -> Reply:
    """The reply of irops: inference with the values of constants only, then evaluation."""
    arrays = request.arrays
    tensors = tuple(
        Tensor(name, element_type_of(array), Shape.of(*array.shape), array, output=False)
        for name, array in zip(request.names, arrays)
    )
    static_tensors = tuple(_statically_known(request, index, tensor) for index, tensor in enumerate(tensors))
    errors = errors_of(_outcome(op, request, static_tensors)[1])
    if errors:
        return Reply("refuses", _summary(errors[0]))
    outputs, diagnostics = _outcome(op, request, tensors)
    errors = errors_of(diagnostics)
    if errors:
        return Reply("refuses", _summary(errors[0]), loaded=True)
    return Reply(
        "computes", output=serialized(outputs[0]), warnings=tuple(dict.fromkeys(map(_summary, diagnostics)))
    )


def _statically_known(request: Request, index: int, tensor: Tensor) -> Tensor:
    """An input as known before the model runs."""
    if index in request.constants:
        return tensor
    return replace(tensor, value=None, shape=Shape(None) if index in request.unranked else tensor.shape)


def _outcome(op: Op, request: Request, tensors: tuple[Tensor, ...]) -> tuple[list[Array], list[Diagnostic]]:
    return outcome(op, Case(None, dict(request.attributes), tensors, None, TOLERANCE, None, 0))


def _summary(diagnostic: Diagnostic) -> str:
    """The number and text of the violated constraint, or the code of the rule and the message."""
    where = (diagnostic.constraint or "").rpartition(":")[2]
    return (
        f"{where or diagnostic.code}: {diagnostic.message.partition(' requires: ')[2] or diagnostic.message}"
    )
