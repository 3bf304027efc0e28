"""Small models for the steps of conversions: the examples of definitions, with other attributes and types."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from irops.backends.one_op import one_op_model
from irops.conformance.cases import expected_outputs, inputs_of
from irops.dialects.registry import default_registry
from irops.files.storage import Weights
from irops.ir.model import Model
from irops.ir.read import loads
from irops.spec.definition import ExampleCase
from irops.spec.load import examples
from irops.spec.op import Op
from irops.values.element import Array

MOST = 12
"""About how many examples, with other attributes, the cases of an op are made of."""
FORMS = ("constants", "parameters", "one output", "f16")


@dataclass(frozen=True)
class StepCase:
    """A model of one op. name: where it is from; inputs: of the model's Parameters, in order"""

    name: str
    model: Model
    inputs: tuple[Array, ...]


def cases_of(op_id: str) -> Iterator[StepCase]:
    """Of each example: with constants for all inputs but the first, with Parameters alone, with the first
    output alone, in f16, and with every value of each attribute that lists its values or is boolean.
    """
    op = default_registry().op(op_id)
    plain = [case for case in examples(op.definition) if case.net is None]
    variants = [
        (f"{number}{name}", each) for number, case in enumerate(plain) for name, each in _variants(case, op)
    ]
    step = max(1, len(variants) // MOST)
    for name, case in variants[::step]:
        for form in FORMS:
            made = _made(f"{op_id} {name} {form}", op, case, form)
            if made is not None:
                yield made


def _variants(case: ExampleCase, op: Op) -> Iterator[tuple[str, ExampleCase]]:
    yield "", case
    for attribute in op.definition.attributes.values():
        values = attribute.values if attribute.type == "enum" else ()
        for value in ("true", "false") if attribute.type == "bool" else values:
            if case.attributes.get(attribute.name) != value:
                yield (
                    f" {attribute.name}={value}",
                    replace(case, attributes={**case.attributes, attribute.name: value}),
                )


def _made(name: str, op: Op, case: ExampleCase, form: str) -> StepCase | None:
    tensors = inputs_of(op, case)
    if any(tensor is None or tensor.value is None for tensor in tensors):
        return None
    arrays = [tensor.value for tensor in tensors if tensor is not None and tensor.value is not None]
    outputs = len(expected_outputs(op, case)) or len(op.definition.outputs)
    if form == "f16":
        arrays = [array.astype(np.float16) if array.dtype == np.float32 else array for array in arrays]
    if form == "one output" and outputs == 1:
        return None
    fixed = {} if form == "parameters" else dict(enumerate(arrays))
    fixed.pop(0, None)
    text, weights = one_op_model(op, arrays, case.attributes, outputs, fixed)
    model = loads(text.encode(), b"")[0]
    if form == "one output":
        unused = {layer.id for layer in model.layers if layer.name.startswith("output")} - {len(arrays) + 1}
        model.graph.layers[:] = [layer for layer in model.layers if layer.id not in unused]
        model.graph.edges[:] = [edge for edge in model.edges if edge.to_layer not in unused]
    model.weights = Weights.of_bytes(weights)
    inputs = tuple(array for index, array in enumerate(arrays) if index not in fixed)
    return StepCase(name, model, inputs)


def bits(array: Array) -> tuple[object, ...]:
    """What is equal for arrays that are equal bit for bit."""
    data = array.tolist() if array.dtype == object else np.ascontiguousarray(array).tobytes()
    return array.dtype, array.shape, data


def names_of(model: Model) -> set[str]:
    """The names of layers that a conversion keeps: all but those of constants, and of what is removed."""
    return {layer.name for layer in model.layers if layer.type in ("Parameter", "Result")} | (
        {"subject"} & {layer.name for layer in model.layers}
    )
