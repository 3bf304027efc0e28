"""What is wrong with the ops that layers name and with their attributes, whatever the shapes are."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.describing import correct_name, written_out
from irops.analysis.structure import LayerNode, ModelStructure
from irops.diagnostics.diagnostic import Diagnostic, Severity
from irops.diagnostics.rules import rule
from irops.dialects import dialect_of
from irops.spec.op import NoOp

VERSION_RULES = frozenset(("unknown-opset", "op-not-in-opset"))
"""Rules about the version of a layer rather than its type."""


def layers_name_ops_and_attributes(structure: ModelStructure) -> Iterator[Diagnostic]:
    """Every layer names an op, and its attributes are those of the op."""
    reported: set[NoOp] = set()
    for graph in structure.graphs:
        for node in graph.layers.values():
            if node.missing is not None:
                if not (node.missing.once and node.missing in reported):
                    reported.add(node.missing)
                    yield _missing_op(structure, node, node.missing)
            elif node.invocation is not None and node.invocation.faults:
                yield from _attribute_faults(structure, node)


def layers_have_the_inputs_that_openvino_requires(structure: ModelStructure) -> Iterator[Diagnostic]:
    """Every layer has those optional inputs that OpenVINO's reader has no default for."""
    for graph in structure.graphs:
        for number, node in graph.layers.items():
            if node.op is None or not node.op.reader_requires:
                continue
            count = len(graph.wiring.inputs[number])
            missing = [port for k, port in node.op.reader_requires if k >= count]
            if missing and count >= node.op.min_inputs:
                names = ", ".join(missing)
                message = (
                    f"{node.op.id} has no input {names}, which is optional in the specification, but OpenVINO"
                    " cannot read the layer without it"
                )
                layer = node.layer
                yield structure.finding("wrong-number-of-inputs", message, layer.at, graph, layer)


def _missing_op(structure: ModelStructure, node: LayerNode, missing: NoOp) -> Diagnostic:
    layer, notes = node.layer, missing.notes
    count = structure.op_counts[layer.type, layer.version]
    if missing.once and count > 1:
        notes = (*notes, f"{count} layers of the model are of this op")
    attribute = "version" if missing.rule in VERSION_RULES else "type"
    return Diagnostic(
        rule(missing.rule),
        missing.message,
        structure.location(layer, node.path, layer.at, attribute),
        notes=notes,
        fix=correct_name(structure.model.source, layer, missing),
    )


def _attribute_faults(structure: ModelStructure, node: LayerNode) -> Iterator[Diagnostic]:
    layer = node.layer
    assert node.invocation is not None
    dialect = dialect_of(structure.model)
    for fault in node.invocation.faults:
        refused = fault.rule == "unknown-attribute" and dialect.refuses_attribute(fault.attribute)
        written = fault.attribute in layer.data and layer.data_at >= 0
        at = layer.data_at if written else layer.at
        yield Diagnostic(
            rule(fault.rule),
            fault.message,
            structure.location(layer, node.path, at, fault.attribute if written else None),
            notes=(fault.note,) if fault.note else (),
            fix=written_out(structure.model.source, layer, fault),
            level=Severity.ERROR if refused else None,
        )
