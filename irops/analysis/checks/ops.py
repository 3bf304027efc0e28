"""Layers name their ops as OpenVINO looks for them, and have the bodies and outputs that these have."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.checks.context import Context
from irops.analysis.facts import Facts
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.fix import fix
from irops.diagnostics.printable import plural
from irops.ir.edits import with_attribute
from irops.ir.model import Layer, LayerKind
from irops.spec.op import Op
from irops.spec.opsets import opsets

ANCHORS = {
    "Result": "OpenVINO drops this layer without a word, and all that only it depends on",
    "Assign": "OpenVINO drops this layer without a word, and all that only it depends on",
    "Const": "OpenVINO refuses the file",
}
"""Types that OpenVINO's reader compares exactly, and what becomes of others."""


def types_are_spelled_as_specified(context: Context) -> Iterator[Diagnostic]:
    right: dict[tuple[str, str], str] = {}
    for scope in context.scopes:
        for layer in scope.graph.layers:
            key = (layer.type, layer.version)
            spelled = right.get(key)
            if spelled is None:
                spelled = right[key] = _spelled(context, layer)
            if spelled != layer.type:
                anchor = ANCHORS.get(spelled)
                name = "op-spelled-otherwise" if anchor is None else "misspelled-anchor"
                message = f"the type is spelled {layer.type}, must be {spelled}"
                note = anchor or "OpenVINO finds the op all the same"
                source = context.editable
                right_way = source and fix(
                    f"write the type {spelled}", [with_attribute(source, layer.at, "type", spelled)]
                )
                yield context.finding(
                    name, message, layer.at, scope, layer, attribute="type", notes=(note,), fix=right_way
                )


def bodies_are_those_of_the_op(context: Context) -> Iterator[Diagnostic]:
    for inside in context.bodies:
        found = context.registry.resolve(inside.layer.type, inside.layer.version)
        if isinstance(found, Op) and inside.body.name not in found.definition.bodies:
            takes = ", ".join(found.definition.bodies) or "none"
            message = f"{inside.layer} has a {inside.body.name}; bodies of {found.id}: {takes}"
            yield context.finding(
                "unknown-body",
                message,
                inside.body.at,
                inside.scope,
                inside.layer,
                notes=("OpenVINO ignores it without a word",),
            )


def layers_declare_the_outputs_that_there_are(context: Context, facts: Facts) -> Iterator[Diagnostic]:
    ahead = [(facts, context.scopes[0])]
    inner = {scope.path: scope for scope in context.scopes}
    while ahead:
        facts, scope = ahead.pop()
        for known in facts.layers.values():
            layer = known.layer
            ahead.extend((body, inner[*scope.path, layer.name, name]) for name, body in known.bodies.items())
            given, declared = len(known.outputs), len(layer.outputs)
            result = (
                layer.intended_kind is LayerKind.RESULT and declared <= given
            )  # gives its value to the caller; it may declare no port
            if result or known.failed or known.op is None or given == declared:
                continue
            message = f"{known.op.id} gives {plural(given, 'output')}, and {layer} declares {declared}"
            note = (
                "OpenVINO takes the ports that are declared for the first ones"
                if declared < given
                else 'OpenVINO refuses the file: "node index is out of range"'
            )
            yield context.finding("wrong-number-of-outputs", message, layer.at, scope, layer, notes=(note,))


def _spelled(context: Context, layer: Layer) -> str:
    """How the specification spells the type of a layer; as the layer does, where it means no op."""
    version = opsets().find(layer.type, layer.version)
    if version is not None:
        return version.type
    found = context.registry.resolve(layer.type, layer.version)
    return found.definition.type if isinstance(found, Op) else layer.type
