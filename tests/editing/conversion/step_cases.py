"""Small models for the steps of conversions: the examples of definitions, with other attributes and types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from irops.backends.one_op import one_op_model
from irops.conformance.example import expected_outputs, inputs_of
from irops.ir.model import Model
from irops.ir.read import loads
from irops.ir.storage import Weights
from irops.registry import default_registry
from irops.spec.cases import examples
from irops.spec.definition import Case
from irops.spec.op import Op
from irops.values.element import Array


@dataclass(frozen=True)
class StepCase:
    """A model of one op. name: where it is from; inputs: of the model's Parameters, in order"""

    name: str
    model: Model
    inputs: tuple[Array, ...]


def cases_of(op_id: str) -> Iterator[StepCase]:
    """Of each example: with constants for all inputs but the first, with Parameters alone, and with every
    value of each attribute that lists its values or is boolean.
    """
    op = default_registry().op(op_id)
    for number, case in enumerate(examples(op.definition)):
        if case.net is not None:
            continue
        for name, changed in _variants(case, op):
            for are_fixed in (True, False):
                made = _made(f"{op_id} {number}{name}{' fixed' if are_fixed else ''}", op, changed, are_fixed)
                if made is not None:
                    yield made


def _variants(case: Case, op: Op) -> Iterator[tuple[str, Case]]:
    yield "", case
    for attribute in op.definition.attributes.values():
        values = attribute.values if attribute.type == "enum" else ()
        for value in ("true", "false") if attribute.type == "bool" else values:
            if case.attributes.get(attribute.name) != value:
                yield (
                    f" {attribute.name}={value}",
                    replace(case, attributes={**case.attributes, attribute.name: value}),
                )


def _made(name: str, op: Op, case: Case, are_fixed: bool) -> StepCase | None:
    tensors = inputs_of(op, case)
    if any(tensor is None or tensor.value is None for tensor in tensors):
        return None
    arrays = [tensor.value for tensor in tensors if tensor is not None and tensor.value is not None]
    fixed = dict(enumerate(arrays)) if are_fixed else {}
    fixed.pop(0, None)
    outputs = len(expected_outputs(op, case)) or len(op.definition.outputs)
    text, weights = one_op_model(op, arrays, case.attributes, outputs, fixed)
    model = loads(text.encode(), b"")[0]
    model.weights = Weights.of_bytes(weights)
    given = tuple(array for index, array in enumerate(arrays) if index not in fixed)
    return StepCase(name, model, given)


def bits(array: Array) -> tuple[object, ...]:
    """What is equal for arrays that are equal bit for bit."""
    data = array.tolist() if array.dtype == object else np.ascontiguousarray(array).tobytes()
    return array.dtype, array.shape, data
