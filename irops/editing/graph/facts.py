"""What is known of the outputs of a node, inferred as a graph is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from irops.analysis.fold import Budget, attach_values
from irops.analysis.inference import Inference
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.names import Names
from irops.diagnostics.diagnostic import DiagnosticError, Severity
from irops.editing.graph.faults import caller, refuse_fault
from irops.editing.graph.node import Node
from irops.invocation import Invocation, OpFault, fault_of, fault_of_limit
from irops.ir.model import Edge, Graph, Layer, Model, Port
from irops.ir.storage import Weights
from irops.limits import Limits
from irops.registry import Registry
from irops.values.dim import GENERATED_PREFIX
from irops.values.element import DYNAMIC
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, collect_warnings


class Facts:
    """Infers nodes one by one.

    serial: makes names of sizes that no other graph has; variables: what ReadValue layers declare, by id
    """

    def __init__(self, registry: Registry, limits: Limits, serial: int) -> None:
        self.registry, self.limits = registry, limits
        self.budget = Budget(limits.folded_bytes)
        self.variables: dict[str, Fact] = {}
        self._prefix = f"{GENERATED_PREFIX}{serial}."
        self._inner_names = Names(f"{serial}.body.")

    def of(self, node: Node, inputs: Sequence[Fact | None], weights: Weights | None, key: int) -> list[Fact]:
        """The Facts of a node's outputs. key: of the node, which keeps the names of its sizes the same

        Raises:  DiagnosticError where a requirement of the op is broken
        """
        invocation = node.invocation
        assert invocation is not None
        if node.bodies:
            outputs = self._of_bodies(node, inputs, weights)
        else:
            outputs = self._of_op(node, invocation, inputs)
        named = self._named(outputs, key)
        return attach_values(invocation, inputs, named, self.limits.folded_elements, self.budget)

    def _of_op(self, node: Node, invocation: Invocation, inputs: Sequence[Fact | None]) -> list[Fact]:
        op = invocation.op
        extras: dict[str, Any] = {"output_count": len(node.outputs)}
        if op.definition.stateful:
            extras["variables"] = self.variables
        try:
            with collect_warnings() as warnings:
                outputs = list(invocation.infer(inputs, extras))
            for warning in warnings:
                if op.definition.constraints[warning.constraint].severity is Severity.ERROR:
                    raise fault_of(op, warning)
        except OpFault as fault:
            raise refuse_fault(op, fault, node.name, list(inputs), dict(node.data)) from None
        except LimitExceeded as limit:
            raise refuse_fault(op, fault_of_limit(limit), node.name, list(inputs), dict(node.data)) from None
        return outputs

    def _of_bodies(self, node: Node, inputs: Sequence[Fact | None], weights: Weights | None) -> list[Fact]:
        """The outputs of a node with bodies: those of a model that holds the node alone."""
        layer = Layer(0, node.name, node.type, node.version, dict(node.data), bodies=node.bodies)
        layers, edges = [layer], []
        overrides: dict[str | int, Any] = {}
        for index, fact in enumerate(inputs):
            layer.inputs.append(Port(index, absent=fact is None))
            if fact is not None:
                overrides[len(overrides)] = fact
                data = {"element_type": "dynamic", "shape": "..."}
                parameter = Layer(len(layers), f"input {index}", "Parameter", "opset1", data)
                parameter.outputs.append(Port(0))
                layers.append(parameter)
                edges.append(Edge(parameter.id, 0, 0, index))
        count = len(node.outputs)
        layer.outputs = [Port(len(inputs) + index) for index in range(count)]
        model = Model(graph=Graph(layers, edges), weights=weights)
        analysis = ModelAnalysis(model, self.registry, self.limits)
        inference = Inference(analysis, self._inner_names)
        inferred = inference.graph(analysis.root, analysis.signature.facts(overrides))
        inferred.structural = analysis.structural_findings
        if inferred.errors:
            place = caller(node.name)
            raise DiagnosticError([replace(error, location=place) for error in inferred.errors])
        return list(inferred.of(0).outputs)

    def _named(self, outputs: Sequence[Fact], key: int) -> list[Fact]:
        """The Facts, each size without a symbol under a name that stays the same when they are inferred
        again.
        """
        return [self._with_names(fact, f"{self._prefix}{key}.{index}") for index, fact in enumerate(outputs)]

    def _with_names(self, fact: Fact, stem: str) -> Fact:
        if fact.shape.dims is None or fact.shape.static:
            return fact
        dims = [
            dim if dim.known or dim.symbol is not None else dim.named(f"{stem}.{axis}")
            for axis, dim in enumerate(fact.shape)
        ]
        return fact.with_shape(Shape(dims))


def same(before: Fact, after: Fact) -> bool:
    """Whether nothing that follows from one Fact is different for the other."""
    return (
        before.element_type is after.element_type
        and before.shape == after.shape
        and [dim.symbol for dim in before.shape.dims or ()] == [dim.symbol for dim in after.shape.dims or ()]
        and not before.may_have_value
        and not after.may_have_value
    )


def unknown(count: int) -> list[Fact]:
    """Outputs of which nothing is known."""
    return [Fact(DYNAMIC) for _ in range(count)]
