"""Checks that bodies can be inferred from what their Parameters declare, as OpenVINO does first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from irops.analysis.inference import Inference
from irops.analysis.inferred import Inferred
from irops.analysis.structure import BodyNode, ModelStructure
from irops.diagnostics.diagnostic import Diagnostic, errors_of
from irops.diagnostics.rules import rule
from irops.values.element import DYNAMIC
from irops.values.fact import Fact

NOTES = (
    "OpenVINO infers a body from what its Parameters declare before it connects it, and refuses the file",
)


def bodies_fit_their_parameters(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """Only bodies whose Parameters declare something else than they receive are inferred once more."""
    ahead = [inferred]
    while ahead:
        here = ahead.pop()
        graph = structure.by_path[here.path]
        ahead.extend(here.bodies)
        for known in here.with_bodies:
            for name, body in known.bodies.items():
                node = graph.layers[known.layer.id].bodies[name]
                if not body.has_errors and _contradicts(node, body):
                    yield from _as_declared(structure, node)


def _contradicts(node: BodyNode, body: Inferred) -> bool:
    received = (body.layers[layer.id].outputs for layer in node.graph.parameters)
    return any(not _contains(declared, facts[0]) for declared, facts in zip(node.declared, received) if facts)


def _contains(declared: Fact, received: Fact) -> bool:
    kinds = (DYNAMIC, received.element_type)
    return declared.element_type in kinds and declared.shape.contains(received.shape)


def _as_declared(structure: ModelStructure, node: BodyNode) -> Iterator[Diagnostic]:
    """The first error of a body with what its Parameters declare."""
    declared = {layer.id: fact for layer, fact in zip(node.graph.parameters, node.declared)}
    findings = Inference(structure).graph(node.graph, declared).all_findings()
    for finding in errors_of(findings)[:1]:
        message = f"with what the Parameters of the body declare, {finding.message}"
        changed = rule("contradicting-parameters")
        yield replace(finding, rule=changed, message=message, constraint=None, notes=NOTES, level=None)
