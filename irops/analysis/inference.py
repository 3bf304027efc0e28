"""One run of inference over a model: every layer in order, a fault of one layer never repeated at the
next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from irops.analysis.declared import declared_outputs
from irops.analysis.describing import facts_line, given_shape
from irops.analysis.fold import INPUTS, Budget, attach_values
from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.names import Names
from irops.analysis.recovery import outputs_without, recovered_outputs
from irops.analysis.state import declared_variables
from irops.analysis.structure import BodyNode, GraphNode, LayerNode, ModelStructure
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.diagnostics.rules import rule
from irops.invocation import OpFault, fault_of
from irops.ir.model import Layer
from irops.ir.storage import OpenFiles
from irops.ir.weights import constant, constant_faults
from irops.limits import Clock, recursion_limit_for
from irops.limits import notes as limit_notes
from irops.spec.body import BodyFunction
from irops.values.element import DYNAMIC, Array
from irops.values.fact import Fact
from irops.values.shape import MAX_AXES
from irops.values.violation import Violation, collect_warnings


class Inference:
    """Infers the graphs of one model once. It owns the budget, the clock, the names and the warnings of
    the run.

    Bodies are inferred repeatedly, to follow shapes that change from iteration to iteration, limits.repeats
    times in all.
    """

    def __init__(self, structure: ModelStructure, names: Names | None = None) -> None:
        """names: for sizes that are not known; #0, #1 ... if none are given"""
        self.structure, self.limits = structure, structure.limits
        self.budget, self.clock = Budget(self.limits.folded_bytes), Clock(self.limits.seconds)
        self.names = names or Names()
        self.repeats = 0
        self._files = OpenFiles()
        self._inferred_bodies: set[tuple[str, ...]] = set()
        self._unread: list[Diagnostic] = []  # what is wrong with constants whose values were asked for

    def graph(self, graph: GraphNode, overrides: Mapping[int, Fact]) -> Inferred:
        """The Facts of a graph. overrides: Facts that replace what Parameters declare, by layer id."""
        with recursion_limit_for(self.limits.depth), self._files:
            inferred = self._graph(graph, overrides)
        inferred.findings.extend(self._obstacles(graph))
        return inferred

    def layer(self, node: LayerNode, inputs: Sequence[Fact | None]) -> LayerFacts:
        """One layer, inferred from Facts of its inputs.

        Raises:  OpFault
        """
        facts = LayerFacts(node.layer, node.op, node.invocation, list(inputs))
        facts.outputs = list(self._outputs(node, facts))
        return facts

    def _obstacles(self, graph: GraphNode) -> Iterator[Diagnostic]:
        """What weights and limits kept inference from."""
        missing = [fault for fault in self._unread if fault.name == "missing-weights"]
        yield from (fault for fault in self._unread if fault.name != "missing-weights")
        if missing:  # once for all constants, in the words of the check of weights
            faults = constant_faults(self.structure.model)
            yield next((fault for fault in faults if fault.name == "missing-weights"), missing[0])
        if self.budget.overdrawn:
            message = "values that shapes depend on were not computed"
            yield self._limit_met("folding-limit", message, "folded_bytes", graph)
        if self.clock.expired_before:
            message = "the time was up before all layers were inferred"
            yield self._limit_met("checking-time-limit", message, "seconds", graph)

    def _limit_met(self, name: str, message: str, limit: str, graph: GraphNode) -> Diagnostic:
        place = self.structure.location(path=graph.path, at=0)
        return Diagnostic(
            rule(name), f"{message}; {self.limits.message(limit)}", place, notes=limit_notes(name)
        )

    def _graph(self, graph: GraphNode, overrides: Mapping[int, Fact]) -> Inferred:
        inferred = Inferred(graph.path)
        with collect_warnings() as warnings:
            self._infer_all(graph, overrides, inferred, warnings)
        for layer in graph.graph.layers:  # on a cycle, or behind one
            if layer.id not in inferred.layers:
                outputs = unknown_outputs(len(layer.outputs))
                inferred.add(LayerFacts(layer, outputs=outputs, failed=True))
        return inferred

    def _infer_all(
        self,
        graph: GraphNode,
        overrides: Mapping[int, Fact],
        inferred: Inferred,
        warnings: list[Violation],
    ) -> None:
        known = inferred.layers
        for node in graph.order:
            if self.clock.expired:
                return
            layer = node.layer
            inputs: list[Fact | None] = []
            for source in graph.wiring.inputs[layer.id]:
                if source is None:
                    inputs.append(None)
                else:
                    outputs = known[source[0].id].outputs
                    inputs.append(outputs[source[1]] if source[1] < len(outputs) else Fact())
            facts = LayerFacts(layer, node.op, node.invocation, inputs)
            self._infer(node, facts, inferred, overrides.get(layer.id))
            inferred.add(facts)
            if warnings:
                self._report_warnings(node, facts, inferred, warnings)

    def _report_warnings(
        self, node: LayerNode, facts: LayerFacts, inferred: Inferred, warnings: list[Violation]
    ) -> None:
        """Report the warnings of a layer's functions, unless a fault of the layer is reported already."""
        if facts.op is not None and not facts.failed:
            for warning in warnings:
                self._report(node, facts, inferred, fault_of(facts.op, warning))
        warnings.clear()

    def _infer(self, node: LayerNode, facts: LayerFacts, inferred: Inferred, override: Fact | None) -> None:
        facts.outputs = unknown_outputs(len(node.layer.outputs))
        invocation = node.invocation
        if invocation is None:
            facts.failed = True
            facts.outputs = self.names.named(declared_outputs(node.layer, facts.inputs))
            return
        if node.is_misconnected or any(b.maps is None for b in node.bodies.values()):
            facts.failed = True
            return
        if not invocation.usable:
            self._keep(facts, outputs_without(invocation, facts.inputs, self._extras(node)))
            return
        if override is not None:
            facts.outputs = self.names.named([override])
            return
        try:
            outputs = list(self._outputs(node, facts))
        except OpFault as fault:
            self._keep(facts, recovered_outputs(invocation, facts.inputs, self._extras(node), fault))
            self._report(node, facts, inferred, fault)
            return
        if node.layer.is_constant:
            outputs = [self._constant(node.layer, outputs[0])]

        def report(fault: OpFault) -> None:
            self._report(node, facts, inferred, fault)

        facts.outputs = attach_values(
            invocation,
            facts.inputs,
            self.names.named(outputs),
            self.limits.folded_elements,
            self.budget,
            report,
        )

    def _keep(self, facts: LayerFacts, outputs: list[Fact] | None) -> None:
        """Give a layer that is at fault the outputs that follow nevertheless."""
        facts.failed = True
        if outputs is not None:
            facts.outputs = self.names.named(outputs)

    def _constant(self, layer: Layer, fact: Fact) -> Fact:
        """The Fact of a constant, with its value unless that is too large for any value to be computed
        from.
        """
        size = fact.shape.size
        too_large = size.low > INPUTS * self.limits.folded_elements
        if not size.known or too_large or len(fact.shape.dims or ()) > MAX_AXES:
            return fact
        return Fact(fact.element_type, fact.shape, lambda: self._constant_value(layer))

    def _constant_value(self, layer: Layer) -> Array | None:
        """The value of a constant, within the budget; read, not mapped: a truncated mapping ends the
        process.
        """
        if not self.budget.affords(()):
            return None
        try:
            value = constant(self.structure.model, layer, files=self._files)
        except DiagnosticError as error:
            self._unread.extend(error.diagnostics)
            return None
        return value if self.budget.affords((value,)) else None

    def _outputs(self, node: LayerNode, facts: LayerFacts) -> tuple[Fact, ...]:
        assert node.op is not None
        assert node.invocation is not None
        extras = self._extras(node)
        for name in node.op.definition.bodies:
            if name in node.bodies:
                extras[name] = self._body(facts, node.bodies[name])
        return node.invocation.infer(facts.inputs, extras)

    def _extras(self, node: LayerNode) -> dict[str, Any]:
        """What functions of the op may take beside attributes, bodies apart."""
        assert node.op is not None
        variables = {"variables": self._variables} if node.op.definition.stateful else {}
        return {"output_count": len(node.layer.outputs), **variables}

    @cached_property
    def _variables(self) -> Mapping[str, Fact]:
        return declared_variables(self.structure.model)

    def _body(self, facts: LayerFacts, node: BodyNode) -> BodyFunction:
        name, graph, maps = node.body.name, node.graph, node.maps
        assert maps is not None

        def apply(items: Sequence[Fact]) -> list[Fact]:
            inferred = facts.bodies.get(name)
            # what was found wrong must not be lost in a vaguer repetition
            if inferred is None or not inferred.has_errors:
                self.repeats += graph.path in self._inferred_bodies
                self._inferred_bodies.add(graph.path)
                overrides = {layer.id: item for layer, item in zip(graph.parameters, items)}
                inferred = facts.bodies[name] = self._graph(graph, overrides)
            return [_output(inferred, result) for result in graph.results]

        return BodyFunction(
            apply,
            node.declared,
            maps.inputs,
            maps.outputs,
            maps.back_edges,
            may_repeat=lambda: self.repeats < self.limits.repeats,
        )

    def _report(self, node: LayerNode, facts: LayerFacts, inferred: Inferred, fault: OpFault) -> None:
        op, layer = facts.op, node.layer
        assert op is not None
        broken = None if fault.constraint is None else op.definition.constraints[fault.constraint]
        of = given_shape(facts) if broken is None else broken.of
        at = layer.at
        if fault.at >= 0:
            at = fault.at
        elif of and layer.data_at >= 0:
            at = layer.data_at
        place = self.structure.location(layer, node.path, at, of[0] if len(of) == 1 else None)
        inferred.findings.append(fault.diagnostic(op, place, facts_line(facts)))


def unknown_outputs(count: int) -> list[Fact]:
    """Outputs with unknown type and shape."""
    return [Fact(DYNAMIC) for _ in range(count)]


def _output(inferred: Inferred, result: Layer) -> Fact:
    outputs = inferred.layers[result.id].outputs
    return outputs[0] if outputs else Fact()
