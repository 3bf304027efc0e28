"""Small IR files of which each uses one thing that a release may not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from irops.backends.one_op import one_op_model
from irops.conformance.example import expected_outputs, inputs_of
from irops.registry import default_registry
from irops.spec.cases import examples
from irops.spec.definition import Case
from irops.spec.op import Op
from irops.spec.opsets import OpVersion, opsets
from irops.values.element import Array, element_type, element_type_of, element_types, tagged
from irops.values.packing import pack


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


def all_probes() -> Iterator[Probe]:
    for version in opsets().all():
        yield from op_probes(version)
    yield from type_probes()
    yield from feature_probes()


def op_probes(version: OpVersion) -> Iterator[Probe]:
    """Of each example: the op in the opset that brought it; the first also in all other opsets that have it,
    and with other element types.
    """
    op = default_registry().resolve(version.type, version.since)
    if not isinstance(op, Op):
        return
    first = True
    for number, case in enumerate(examples(op.definition)):
        made = _made(op, case, {})
        if made is None:
            continue
        text, weights = made
        yield Probe(("example", version.id, str(number), version.since), text, weights)
        if not first or any(0 in (tensor.shape.dims or ()) for tensor in case.tensors):
            continue
        first = False
        for opset in sorted(version.opsets):
            was = f'type="{op.definition.type}" version="{op.definition.version}"'
            assert was in text
            yield Probe(
                ("op", version.id, opset),
                text.replace(was, f'type="{op.definition.type}" version="{opset}"'),
                weights,
            )
        for attribute in op.definition.attributes.values():
            for value in attribute.values if attribute.type == "enum" else ():
                changed = replace(case, attributes={**case.attributes, attribute.name: value})
                made = _made(op, changed, {}) if case.net is None else None
                if made is not None:
                    yield Probe(("value", version.id, attribute.name, value), *made)
        for variable, allowed in type_variables(op).items():
            for name in sorted(allowed):
                made = _made(op, case, {variable: name})
                if made is not None:
                    yield Probe(("typed", version.id, variable, name), *made)


def type_variables(op: Op) -> Mapping[str, frozenset[str]]:
    """The type variables of inputs, or the names of inputs that have a set of types, with their types."""
    return {
        port.type if port.type in op.definition.types else port.name: port.allowed
        for port in op.definition.inputs
    }


def _made(op: Op, case: Case, types: Mapping[str, str]) -> tuple[str, bytes] | None:
    if case.net is not None:
        return (case.net.decode(), bytes(4096)) if not types else None
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
        if index and tensor.value is not None:
            fixed[index] = value
    outputs = len(expected_outputs(op, case)) or len(op.definition.outputs)
    return one_op_model(op, arrays, attributes_of(op, case), outputs, fixed)


def cast(value: Array | None, name: str, shape: tuple[int, ...]) -> Array:
    kind = element_type(name)
    if name == "string":
        return np.full(shape, "a", object)
    if value is None or value.dtype == object:
        value = np.zeros(shape, np.uint8)
    with np.errstate(all="ignore"):
        return tagged(np.asarray(value).astype(np.float64).clip(0, 1).astype(kind.dtype), kind)


def attributes_of(op: Op, case: Case) -> dict[str, str]:
    """Those of the example, and defaults of the specification that the reader does not know."""
    unread = {
        name: attribute.default
        for name, attribute in op.definition.attributes.items()
        if attribute.default is not None and (attribute.reader_default or attribute.type == "element_type")
    }
    return unread | case.attributes


PARAMETER = """<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="{}"/>
<output><port id="0" precision="{}"><dim>2</dim></port></output></layer>"""
CONSTANT = """<layer id="0" name="x" type="Const" version="opset1">
<data shape="8" element_type="{}" offset="0" size="{}"/>
<output><port id="0" precision="{}"><dim>8</dim></port></output></layer>"""
CONVERT = """<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="y" type="Convert" version="opset1"><data destination_type="{}"/>
<input><port id="0" precision="FP32"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>"""
VARIABLE = """<layer id="0" name="x" type="ReadValue" version="opset6">
<data variable_id="v" variable_type="f32" variable_shape="2"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="3" name="a" type="Assign" version="opset6">
<data variable_id="v" variable_type="f32" variable_shape="2"/>
<input><port id="0" precision="FP32"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>"""
RESULT = """<layer id="1" name="r" type="Result" version="opset1"{}>
<input><port id="0" precision="FP32"><dim>2</dim></port></input></layer>"""


def _net(
    layers: str, version: str = "11", edge: str = "0 0 1 0", result: str = "", more: str = "", pad: int = 1024
) -> str:
    """pad: the length of a comment at the end; releases before 2024.5 read no file of less than 512 bytes."""
    edges = "".join(
        '<edge from-layer="{}" from-port="{}" to-layer="{}" to-port="{}"/>'.format(*one.split())
        for one in edge.split(";")
    )
    return (
        f'<?xml version="1.0"?>\n<net name="probe" version="{version}"><layers>{layers}'
        f"{RESULT.format(result)}</layers><edges>{edges}</edges>{more}<!--{'.' * pad}--></net>"
    )


def type_probes() -> Iterator[Probe]:
    """Each element type as a Parameter, a constant, an attribute and the precision of a port."""
    for kind in element_types():
        content = pack(np.full(8, "a", object), kind) if kind.name == "string" else bytes(64)
        size = len(content) if kind.name == "string" else max(1, kind.bits)
        yield Probe(("type", kind.name, "parameter"), _net(PARAMETER.format(kind.name, "FP32")), b"")
        yield Probe(("type", kind.name, "port"), _net(PARAMETER.format("f32", kind.precision)), b"")
        edge = "0 0 2 0;2 1 1 0"
        yield Probe(("type", kind.name, "attribute"), _net(CONVERT.format(kind.name), edge=edge), b"")
        if kind.name != "dynamic":
            yield Probe(
                ("type", kind.name, "constant"), _net(CONSTANT.format(kind.name, size, "FP32")), content
            )


def feature_probes() -> Iterator[Probe]:
    """What files of the format may have besides ops and types."""
    plain = PARAMETER.format("f32", "FP32")
    empty = plain.replace('shape="2"', 'shape="0"')
    interval = plain.replace('shape="2"', 'shape="1..4"').replace("<dim>2<", "<dim>-1<")
    ranked = plain.replace('shape="2"', 'shape="..."').replace("<dim>2</dim>", "")
    info = '<rt_info><info name="a b" value="c"/></rt_info>'
    texts = {
        "ir-10": _net(plain, "10"),
        "ir-11": _net(plain, "11"),
        "output-names": _net(plain, result=' output_names="y"'),
        "interval-shape": _net(interval),
        "unknown-rank": _net(ranked),
        "rt-info": _net(plain, more=info),
        "zero-dimension": _net(empty.replace("<dim>2<", "<dim>0<")),
        "below-512-bytes": _net(plain, pad=0).replace("\n", ""),
    }
    assert len(texts["below-512-bytes"]) < 512, len(texts["below-512-bytes"])
    for name, text in texts.items():
        yield Probe(("feature", name), text, b"")
    yield Probe(("feature", "variable-without-initial-value"), _net(VARIABLE, edge="0 0 1 0;0 0 3 0"), b"")
    for opset in (f"opset{number}" for number in range(1, 18)):
        yield Probe(("opset", opset), _net(plain.replace("opset1", opset)), b"")
