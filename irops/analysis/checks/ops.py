"""Checks the spelling of op types, and the bodies and outputs of layers against their definitions."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.checks.context import Context
from irops.analysis.facts import Facts
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.fix import fix
from irops.diagnostics.printable import plural
from irops.ir.edits import with_attribute
from irops.ir.model import Layer
from irops.spec.op import Op
from irops.spec.opsets import opsets

ANCHORS = {
    "Result": "OpenVINO silently drops this layer, and all layers that only it depends on",
    "Assign": "OpenVINO silently drops this layer, and all layers that only it depends on",
    "Const": "OpenVINO refuses the file",
}
"""Types that OpenVINO's reader compares exactly, and its behaviour on other spellings."""


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
                name = "nonstandard-type-spelling" if anchor is None else "misread-type-spelling"
                message = f"the type is spelled {layer.type}, must be {spelled}"
                note = anchor or "OpenVINO ignores the case and finds the op"
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
            message = (
                f"{inside.layer} has a {inside.body.name}, must have only the bodies of {found.id}: {takes}"
            )
            yield context.finding(
                "unknown-body",
                message,
                inside.body.at,
                inside.scope,
                inside.layer,
                notes=("OpenVINO silently ignores it",),
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
                layer.type.lower() == "result" and declared <= given
            )  # a Result returns its value to the caller, and may declare no port
            if result or known.failed or known.op is None or given == declared:
                continue
            message = (
                f"{layer} declares {plural(declared, 'output')}, must declare {given}, as {known.op.id} has"
            )
            note = (
                "OpenVINO treats the declared ports as the first ones"
                if declared < given
                else 'OpenVINO refuses the file: "node index is out of range"'
            )
            yield context.finding("wrong-number-of-outputs", message, layer.at, scope, layer, notes=(note,))


def _spelled(context: Context, layer: Layer) -> str:
    """The type of a layer as spelled in the specification; unchanged if there is no such op."""
    version = opsets().find(layer.type, layer.version)
    if version is not None:
        return version.type
    found = context.registry.resolve(layer.type, layer.version)
    return found.definition.type if isinstance(found, Op) else layer.type
