"""A probe: a small IR file that uses one thing that a release may not know; made of an example of an op."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from irops.backends.one_op import one_op_model
from irops.conformance.cases import expected_outputs, inputs_of
from irops.spec.definition import ExampleCase
from irops.spec.op import Op
from irops.values.element import Array, element_type, element_type_of, tagged


@dataclass(frozen=True, slots=True)
class Probe:
    """A file. name: what it uses, ("op", "SoftMax-8", "opset8"); text, weights: its content."""

    name: tuple[str, ...]
    text: str
    weights: bytes

    def write(self, folder: Path) -> Path:
        path = folder / ("_".join(self.name).replace(":", "-").replace("/", "-") + ".xml")
        path.write_text(self.text, "utf-8")
        path.with_suffix(".bin").write_bytes(self.weights)
        return path


def made(
    op: Op, case: ExampleCase, types: Mapping[str, str], *, without: str | None = None, constants: bool = True
) -> tuple[str, bytes] | None:
    """The text and weights of a model of an example; None where it cannot be one.

    types: other element types, by type variable or input; without: an attribute that is left out; constants:
    whether inputs with a value, but the first, become constants
    """
    if case.net is not None:
        return (case.net.decode(), bytes(4096)) if not types and without is None and constants else None
    tensors = inputs_of(op, case)
    if any(tensor is None for tensor in tensors):
        return None
    arrays, fixed, ports = list[Array](), dict[int, Array](), op.definition.inputs
    for index, tensor in enumerate(tensors):
        assert tensor is not None
        port = next(port for port in ports if port.name == tensor.name)
        wanted = types.get(port.type) or types.get(port.name)
        try:
            shape = tensor.shape.to_tuple()
        except ValueError:
            return None
        kind = element_type(wanted) if wanted else tensor.element_type
        value = tensor.value
        if value is None or element_type_of(value) is not kind:
            value = cast(value, kind.name, shape)
        arrays.append(value)
        if constants and index and tensor.value is not None:
            fixed[index] = value
    outputs = len(expected_outputs(op, case)) or len(op.definition.outputs)
    attributes = {name: text for name, text in attributes_of(op, case).items() if name != without}
    return one_op_model(op, arrays, attributes, outputs, fixed)


def cast(value: Array | None, name: str, shape: tuple[int, ...]) -> Array:
    kind = element_type(name)
    if name == "string":
        return np.full(shape, "a", object)
    if value is None or value.dtype == object:
        value = np.zeros(shape, np.uint8)
    with np.errstate(all="ignore"):
        return tagged(np.asarray(value).astype(np.float64).clip(0, 1).astype(kind.dtype), kind)


def attributes_of(op: Op, case: ExampleCase) -> dict[str, str]:
    """Those of the example, and defaults of the specification that the reader does not know."""
    unread = {
        name: attribute.default
        for name, attribute in op.definition.attributes.items()
        if attribute.default is not None and (attribute.reader_default or attribute.type == "element_type")
    }
    return unread | case.attributes
