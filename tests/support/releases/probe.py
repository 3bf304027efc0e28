"""A probe: a small IR file that uses one thing that a release may not know; made of an example of an op."""

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


def made(op: Op, case: ExampleCase) -> tuple[str, bytes] | None:
    """The text and weights of a model of an example, in which inputs with a value, but the first, are
    constants; None where it cannot be one.
    """
    if case.net is not None:
        return case.net.decode(), bytes(4096)
    arrays = arrays_of(op, case, {})
    if arrays is None:
        return None
    given = [tensor is not None and tensor.value is not None for tensor in inputs_of(op, case)]
    fixed = {index: array for index, array in enumerate(arrays) if index and given[index]}
    return layer_model(op, case, arrays, fixed)


def arrays_of(op: Op, case: ExampleCase, types: Mapping[str, str]) -> list[Array] | None:
    """The inputs of an example; None where one is left out or has an unknown size.

    types: other element types, by type variable or input
    """
    arrays, ports = list[Array](), {port.name: port for port in op.definition.inputs}
    for tensor in inputs_of(op, case):
        if tensor is None or not tensor.shape.static:
            return None
        wanted = types.get(ports[tensor.name].type) or types.get(tensor.name)
        kind = element_type(wanted) if wanted else tensor.element_type
        value = tensor.value
        if value is None or element_type_of(value) is not kind:
            value = cast(value, kind.name, tensor.shape.to_tuple())
        arrays.append(value)
    return arrays


def layer_model(
    op: Op, case: ExampleCase, arrays: list[Array], fixed: Mapping[int, Array]
) -> tuple[str, bytes]:
    """The model of an example with these inputs; fixed: constants. Attributes with a default that the reader
    does not know, and element types, are written.
    """
    unread = {
        name: attribute.default
        for name, attribute in op.definition.attributes.items()
        if attribute.default is not None and (attribute.reader_default or attribute.type == "element_type")
    }
    outputs = len(expected_outputs(op, case)) or len(op.definition.outputs)
    return one_op_model(op, arrays, unread | case.attributes, outputs, fixed)


def cast(value: Array | None, name: str, shape: tuple[int, ...]) -> Array:
    kind = element_type(name)
    if name == "string":
        return np.full(shape, "a", object)
    if value is None or value.dtype == object:
        value = np.zeros(shape, np.uint8)
    with np.errstate(all="ignore"):
        return tagged(np.asarray(value).astype(np.float64).clip(0, 1).astype(kind.dtype), kind)
