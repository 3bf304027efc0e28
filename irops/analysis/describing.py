"""Details of findings about a layer: its facts on one line, the attribute to locate, and fixes."""

from __future__ import annotations

from irops.analysis.inferred import LayerFacts
from irops.diagnostics.diagnostic import Fix, fix
from irops.ir.edits import with_attribute, with_new_attribute
from irops.ir.locate import SourceText
from irops.ir.model import Layer
from irops.spec.attributes import AttributeFault
from irops.spec.op import NoOp


def facts_line(known: LayerFacts) -> str:
    """The inputs and attributes of a layer on one line, for diagnostics."""
    op = known.op
    ports = op.definition.inputs if op is not None else ()
    names = [ports[min(k, len(ports) - 1)].name if ports else str(k) for k in range(len(known.inputs))]
    inputs = ", ".join(
        f"{name} {fact.spelled}" for name, fact in zip(names, known.inputs) if fact is not None
    )
    attributes = ", ".join(f"{name}={value}" for name, value in known.layer.data.items())
    return (
        f'layer {known.layer.id} "{known.layer.shown_name}":'
        f" {inputs}{'; ' if inputs and attributes else ''}{attributes}"
    )


def given_shape(known: LayerFacts) -> tuple[str, ...]:
    """The attribute that gives a layer without inputs its shape, if the file has it."""
    assert known.op is not None
    attributes = known.op.definition.attributes.values()
    return (
        ()
        if known.inputs
        else tuple(a.name for a in attributes if a.type == "shape" and a.name in known.layer.data)
    )


def written_out(source: SourceText | None, layer: Layer, fault: AttributeFault) -> Fix | None:
    """A fix that writes the reader's default into the file."""
    if fault.default is None or source is None or not source.as_stored:
        return None
    return fix(
        f'write out {fault.attribute}="{fault.default}", as OpenVINO reads it',
        [with_new_attribute(source, layer, fault.attribute, fault.default)],
    )


def correct_name(source: SourceText | None, layer: Layer, why: NoOp) -> Fix | None:
    """A fix that writes the intended name of an op or an opset."""
    if why.right is None or source is None or not source.as_stored:
        return None
    name, text = why.right
    return fix(f"write the {name} {text}", [with_attribute(source, layer.at, name, text)])
