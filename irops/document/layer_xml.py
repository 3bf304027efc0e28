"""The layer of an example as OpenVINO writes it into an IR file."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import count

from irops.analysis.declaring import port_of, with_declared_ports
from irops.analysis.infer import analyse, infer
from irops.conformance.example import inputs_of, net_of
from irops.invocation import Invocation, OpFault
from irops.ir.model import Graph, Layer, Model, Port
from irops.ir.serialize import document
from irops.spec.definition import Case
from irops.spec.op import Op
from irops.values.fact import Fact
from irops.values.violation import Violation, collect_warnings

_LAYER = re.compile(r"\t\t<layer .*?\n\t\t</layer>\n|\t\t<layer [^\n]*/>\n", re.DOTALL)
_BODY = re.compile(r"(?m)^    <((?:\w+_)?body)>\n(.*?)^    </\1>\n", re.DOTALL)
TAB = "    "
LISTS = ("ints", "floats", "axes")
"""Types of attributes with several values, which OpenVINO separates by a comma and a space."""


@dataclass(frozen=True, slots=True)
class LayerText:
    """A layer in an IR file. bodies: name and text of each of its bodies, which the layer leaves out."""

    layer: str = ""
    bodies: tuple[tuple[str, str], ...] = ()


def layer_text(op: Op, case: Case) -> LayerText:
    """The layer of an example as OpenVINO writes it; empty for ops of dialects that have no such files."""
    if not op.definition.is_read_by_openvino:
        return LayerText()
    if case.net is None:
        return LayerText(_of_tensors(op, case))
    layer = _of_net(op, case)
    return LayerText() if layer is None else _without_bodies(_text(op, layer))


def _of_net(op: Op, case: Case) -> Layer | None:
    """The first layer of the op in the model of an example, with what inference says of its tensors."""
    model = net_of(op, case)
    model = model.with_graph(_undeclared(model.graph))
    model = with_declared_ports(model, infer(analyse(model)))
    definition = op.definition
    layer = next(
        (
            one
            for one in model.graph.layers
            if (one.type, one.version) == (definition.type, definition.version)
        ),
        None,
    )
    return None if layer is None else replace(layer, data={**_attributes(op, case), **layer.data})


def _undeclared(graph: Graph) -> Graph:
    """The graph without the sizes of its ports, which examples leave out."""
    return replace(graph, layers=[_without_sizes(layer) for layer in graph.layers])


def _without_sizes(layer: Layer) -> Layer:
    return replace(
        layer,
        inputs=[Port(port.id, names=port.names) for port in layer.inputs],
        outputs=[Port(port.id, names=port.names) for port in layer.outputs],
        bodies={name: replace(body, graph=_undeclared(body.graph)) for name, body in layer.bodies.items()},
    )


def _without_bodies(text: str) -> LayerText:
    """The text with its bodies apart."""
    bodies = tuple((match[1], _dedented(match[0])) for match in _BODY.finditer(text))
    return LayerText(_BODY.sub(_abbreviated, text), bodies)


def _abbreviated(body: re.Match[str]) -> str:
    types = re.findall(rf'^{TAB * 3}<layer [^\n]*?type="([^"]*)"', body[2], re.MULTILINE)
    return f"{TAB}<{body[1]}><!-- {', '.join(types)} --></{body[1]}>\n"


def _dedented(text: str) -> str:
    return "\n".join(line.removeprefix(TAB) for line in text.splitlines())


def _of_tensors(op: Op, case: Case) -> str:
    """The layer of an example that gives tensors; '' where inference fails."""
    definition = op.definition
    tensors = inputs_of(op, case)
    facts = [None if t is None else Fact(t.element_type, t.shape, t.value) for t in tensors]
    try:
        with collect_warnings():
            invocation = Invocation(op, case.attributes)
            outputs = () if invocation.faults else invocation.infer(facts)
    except (Violation, OpFault):
        return ""
    if not outputs and definition.outputs:
        return ""
    ids = count()
    inputs = [port_of(next(ids), fact) for fact in facts if fact is not None]
    layer = Layer(
        len(inputs),
        definition.type.lower(),
        definition.type,
        definition.version,
        _attributes(op, case),
        inputs,
        [port_of(next(ids), fact) for fact in outputs],
    )
    return _text(op, layer)


def _text(op: Op, layer: Layer) -> str:
    text = "".join(document(Model(op.id, 11, Graph([layer])), lambda written: written.data))
    match = _LAYER.search(text)
    lines = match[0].splitlines() if match else []
    return "\n".join(line.removeprefix("\t\t").replace("\t", TAB) for line in lines)


def _attributes(op: Op, case: Case) -> dict[str, str]:
    """The attributes of the case, and the others with their defaults: OpenVINO writes all, but a detail of
    another attribute only where that has not its default.
    """
    texts: dict[str, str] = {}
    for attribute in op.definition.attributes.values():
        text = case.attributes.get(attribute.name, attribute.default)
        if text is None or attribute.builder or _is_idle_detail(op, case, attribute.name):
            continue
        is_list = attribute.type in LISTS
        texts[attribute.name] = ", ".join(re.split(r"[\s,]+", text.strip())) if is_list else text
    return texts


def _is_idle_detail(op: Op, case: Case, name: str) -> bool:
    """Whether an attribute only details another one, which has its default: auto_broadcast.axis"""
    whole, _, detail = name.partition(".")
    if not detail or whole not in op.definition.attributes:
        return False
    default = op.definition.attributes[whole].default
    return name not in case.attributes and case.attributes.get(whole, default) == default
