"""Checks of layers that OpenVINO's CPU plug-in does not compile: used sinks, inputs of some types, outputs of
unknown rank.
"""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.checks.interface import interface
from irops.analysis.inferred import Inferred
from irops.analysis.structure import ModelStructure
from irops.diagnostics.diagnostic import Diagnostic
from irops.ir.model import LayerKind

UNCOMPILED = frozenset(("u1", "u3", "u6", "dynamic"))
"""The element types that inputs of a model cannot have in OpenVINO's CPU plug-in."""


UNCOMPILED_NOTES = ("OpenVINO reads the file, but its CPU plug-in refuses to compile the model",)


def nothing_uses_a_sink(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope in structure.graphs:
        for layer in scope.groups.of_kinds(LayerKind.RESULT, LayerKind.SINK):
            if layer.id not in scope.wiring.feeding:
                continue
            users = scope.wiring.consumers.get((layer.id, 0), ())
            for user, _ in users[:1]:
                message = f"{user} takes the output of {layer}; it must take the input of that layer"
                yield structure.finding("used-sink", message, user.at, scope, user, notes=UNCOMPILED_NOTES)


def inputs_can_be_compiled(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """Reports what OpenVINO reads, so that a model can be changed before it is compiled: only warnings."""
    if not structure.dialect.runtime_notes:
        return
    for known in interface(structure, inferred):
        if known.layer.kind is not LayerKind.PARAMETER or not known.outputs or known.failed:
            continue
        fact = known.outputs[0]
        if fact.element_type.name in UNCOMPILED:
            reason = f"the element type {fact.element_type}"
        elif fact.shape.rank is None:
            reason = "an unknown rank"
        else:
            continue
        message = f'input "{known.layer.name}" has {reason}'
        place = structure.graphs[0]
        yield structure.finding(
            "uncompiled-input", message, known.layer.at, place, known.layer, notes=UNCOMPILED_NOTES
        )


def ranks_can_be_compiled(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """Reports the first layers of which a rank is unknown: the ranks of their inputs are known."""
    if not structure.dialect.runtime_notes:
        return
    for known in inferred.layers.values():
        for fact in known.outputs:
            if fact.shape.dims is None:
                break
        else:
            continue
        if known.op is None or known.failed or known.layer.kind is LayerKind.PARAMETER:
            continue
        if all(fact is not None and fact.shape.dims is not None for fact in known.inputs):
            place = structure.graphs[0]
            message = f"{known.layer} has an output of unknown rank"
            yield structure.finding(
                "unknown-rank", message, known.layer.at, place, known.layer, notes=UNCOMPILED_NOTES
            )
