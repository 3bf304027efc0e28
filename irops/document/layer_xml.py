"""The layer of an example as OpenVINO writes it into an IR file."""

from __future__ import annotations

import re
from itertools import count

from irops.analysis.declaring import port_of
from irops.conformance.example import inputs_of
from irops.invocation import Invocation, OpFault
from irops.ir.model import Graph, Layer, Model
from irops.ir.serialize import document
from irops.spec.definition import Case
from irops.spec.op import Op
from irops.values.fact import Fact
from irops.values.violation import Violation, collect_warnings

_LAYER = re.compile(r"\t\t<layer .*?\n\t\t</layer>\n|\t\t<layer [^\n]*/>\n", re.DOTALL)
TAB = "    "


def layer_xml(op: Op, case: Case) -> str:
    """The text of <layer>, with all attributes, as OpenVINO writes it; '' for ops of dialects that have no
    such files, for examples that are models, and where inference fails.
    """
    definition = op.definition
    if case.net is not None or definition.bodies or not definition.is_read_by_openvino:
        return ""
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
    text = "".join(document(Model(op.id, 11, Graph([layer])), lambda written: written.data))
    found = _LAYER.search(text)
    lines = found[0].splitlines() if found else []
    return "\n".join(line.removeprefix("\t\t").replace("\t", TAB) for line in lines)


def _attributes(op: Op, case: Case) -> dict[str, str]:
    """The attributes of the case, and the others with their defaults: OpenVINO writes all."""
    texts: dict[str, str] = {}
    for attribute in op.definition.attributes.values():
        text = case.attributes.get(attribute.name, attribute.default)
        if text is not None and not attribute.builder:
            texts[attribute.name] = text
    return texts
