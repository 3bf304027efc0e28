"""One run of inference over a model: every layer in order, a fault of one layer never repeated at the
next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any
from weakref import ReferenceType, ref

from irops.analysis.declared import declared_outputs
from irops.analysis.describing import facts_line, given_shape
from irops.analysis.fold import INPUTS, Budget, Inputs, attach_values, is_small
from irops.analysis.inferred import NOT_INFERRED, Inferred, LayerFacts
from irops.analysis.names import Names
from irops.analysis.recovery import outputs_without, recovered_outputs
from irops.analysis.sharing import Key, Sharing
from irops.analysis.state import declared_variables
from irops.analysis.structure import BodyNode, GraphNode, LayerNode, ModelStructure
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.diagnostics.rules import rule
from irops.invocation import OpFault, fault_of
from irops.ir.model import Layer, Model
from irops.ir.storage import OpenFiles
from irops.ir.weights import constant, constant_faults
from irops.limits import Clock, recursion_limit_for
from irops.limits import notes as limit_notes
from irops.spec.body import BodyFunction
from irops.switches import enabled
from irops.values.element import DYNAMIC, Array
from irops.values.fact import Fact
from irops.values.violation import Violation, collect_warnings

CLOCK_STEP = 16
"""After how many layers the time is looked at again."""


class Inference:
    """Infers the graphs of one model once. It owns the budget, the clock, the names and the warnings of
    the run.

    Bodies are inferred repeatedly, to follow shapes that change from iteration to iteration, limits.repeats
    times in all. Equal layers share what was inferred for the first of them; see irops.analysis.sharing.
    """

    def __init__(
        self, structure: ModelStructure, names: Names | None = None, *, sharing: bool = True
    ) -> None:
        """names: for sizes that are not known; #0, #1 ... if none are given; sharing: whether equal layers
        may share results, unless that is turned off
        """
        self.structure, self.limits = structure, structure.limits
        self.budget, self.clock = Budget(self.limits.folded_bytes), Clock(self.limits.seconds)
        self.names = names or Names()
        self.repeats = 0
        self._files = OpenFiles()
        self._inferred_bodies: set[tuple[str, ...]] = set()
        self._constants = Constants(structure.model, self.budget, self._files)
        self._failures = Failures(structure.model)
        self._sharing = Sharing() if sharing and enabled("sharing") else None

    def graph(self, graph: GraphNode, overrides: Mapping[int, Fact]) -> Inferred:
        """The Facts of a graph. overrides: Facts that replace what Parameters declare, by layer id."""
        names = self.names.copy()
        with recursion_limit_for(self.limits.depth), self._files:
            inferred = self._graph(graph, overrides)
        if self._sharing is not None and self._met_faults_of_values:
            # each layer reports such a fault for itself, in the order in which values are asked for
            return Inference(self.structure, names, sharing=False).graph(graph, overrides)
        inferred.findings.extend(self._obstacles(graph))
        return inferred

    @property
    def _met_faults_of_values(self) -> bool:
        """Whether a value could not be computed or read, though the weights are there."""
        return self._failures.any or any(f.name != "missing-weights" for f in self._constants.unread)

    def layer(self, node: LayerNode, inputs: Sequence[Fact | None]) -> LayerFacts:
        """One layer, inferred from Facts of its inputs.

        Raises:  OpFault
        """
        facts = LayerFacts(node.layer, node.op, node.invocation, list(inputs))
        facts.outputs = list(self._outputs(node, facts))
        return facts

    def _obstacles(self, graph: GraphNode) -> Iterator[Diagnostic]:
        """What weights and limits kept inference from."""
        unread = self._constants.unread
        missing = [fault for fault in unread if fault.name == "missing-weights"]
        yield from (fault for fault in unread if fault.name != "missing-weights")
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
            run = _GraphRun(self.structure.model, inferred, warnings, ref(inferred))
            self._infer_all(graph, overrides, run)
        for layer in graph.graph.layers:  # on a cycle, or behind one
            if layer.id not in inferred.layers:
                outputs = unknown_outputs(len(layer.outputs))
                inferred.add(LayerFacts(layer, outputs=outputs, failed=True))
        return inferred

    def _infer_all(self, graph: GraphNode, overrides: Mapping[int, Fact], run: _GraphRun) -> None:
        known, wired, add = run.inferred.layers, graph.wiring.inputs, run.inferred.add
        shared = {} if self._sharing is None else self._sharing.results
        for number, node in enumerate(graph.order):
            if (not number % CLOCK_STEP or self.clock.expired_before) and self.clock.expired:
                return
            layer, invocation = node.layer, node.invocation
            inputs: list[Fact | None] = []
            for source in wired[layer.id]:
                if source is None:
                    inputs.append(None)
                else:
                    outputs = known[source[0].id].outputs
                    inputs.append(outputs[source[1]] if source[1] < len(outputs) else Fact())
            key: Key = (invocation, len(layer.outputs), *inputs)
            results = shared.get(key)
            if results is not None and not node.is_misconnected and layer.id not in overrides:
                add(LayerFacts(layer, node.op, invocation, inputs, results, NOT_INFERRED))
                continue
            facts = LayerFacts(layer, node.op, invocation, inputs, (), NOT_INFERRED)
            self._infer(node, facts, overrides.get(layer.id), run, key)
            add(facts)
            if run.warnings:
                run.report_warnings(node, facts)

    def _infer(
        self, node: LayerNode, facts: LayerFacts, override: Fact | None, run: _GraphRun, key: Key
    ) -> None:
        """Infer a layer. key: what its outputs depend on, for layers that may share them."""
        invocation, inputs = node.invocation, facts.inputs
        if invocation is None:
            facts.failed = True
            facts.outputs = self.names.named(declared_outputs(node.layer, inputs))
            return
        if node.is_misconnected or (node.bodies and any(b.maps is None for b in node.bodies.values())):
            self._keep(facts, None)
            return
        if not invocation.usable:
            self._keep(facts, outputs_without(invocation, inputs, self._extras(node)))
            return
        if override is not None:
            facts.outputs = self.names.named([override])
            return
        sharing = self._sharing if self._sharing is None or self._sharing.allows(invocation.op) else None
        if sharing is not None and invocation.like in sharing.constants:
            constant = sharing.constants[invocation.like]
            sharing.results[key] = facts.outputs = [self._constant(node.layer, constant)]
            return
        try:
            if sharing is None:
                outputs = list(self._outputs(node, facts))
            else:
                outputs = sharing.outputs(node, inputs, self._without_bodies, run.warnings)
        except OpFault as fault:
            self._keep(facts, recovered_outputs(invocation, inputs, self._extras(node), fault))
            run.report(node, inputs, fault)
            return
        if node.layer.is_constant:
            if sharing is not None and invocation.like is not None and not run.warnings:
                sharing.constants[invocation.like] = outputs[0]
            outputs = [self._constant(node.layer, outputs[0])]
        named = self.names.named(outputs)
        is_general = named is outputs
        if sharing is not None and not is_general:
            named = [sharing.forms.fact(fact) for fact in named]
        if inputs:
            report = partial(self._failures.report, node, run.reference, inputs)
            limit = self.limits.folded_elements
            named = attach_values(invocation, inputs, named, limit, self.budget, report)
        facts.outputs = named
        if sharing is not None and is_general and not run.warnings:
            sharing.results[key] = named

    def _keep(self, facts: LayerFacts, outputs: list[Fact] | None) -> None:
        """Give a layer that is at fault the outputs that follow nevertheless."""
        facts.failed = True
        if outputs is None:
            facts.outputs = unknown_outputs(len(facts.layer.outputs))
        else:
            facts.outputs = self.names.named(outputs)

    def _constant(self, layer: Layer, fact: Fact) -> Fact:
        """The Fact of a constant, with its value unless that is too large for any value to be computed
        from.
        """
        if not is_small(fact, INPUTS * self.limits.folded_elements):
            return fact
        return Fact(fact.element_type, fact.shape, partial(self._constants.value, layer))

    def _without_bodies(self, node: LayerNode, inputs: Sequence[Fact | None]) -> tuple[Fact, ...]:
        assert node.invocation is not None
        return node.invocation.infer(inputs, {"output_count": len(node.layer.outputs)})

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
                inferred = self._graph(graph, overrides)
                facts.bodies = {**facts.bodies, name: inferred}
            return [_output(inferred, result) for result in graph.results]

        return BodyFunction(
            apply,
            node.declared,
            maps.inputs,
            maps.outputs,
            maps.back_edges,
            may_repeat=lambda: self.repeats < self.limits.repeats,
        )


@dataclass(slots=True)
class _GraphRun:
    """One inference of one graph: where its findings go. warnings: of the layer that is inferred"""

    model: Model
    inferred: Inferred
    warnings: list[Violation]
    reference: ReferenceType[Inferred]

    def report(self, node: LayerNode, inputs: Sequence[Fact | None], fault: OpFault) -> None:
        """Add a finding."""
        self.inferred.findings.append(finding(self.model, node, inputs, fault))

    def report_warnings(self, node: LayerNode, facts: LayerFacts) -> None:
        """Report the warnings of a layer's functions, unless a fault of the layer is reported already."""
        if facts.op is not None and not facts.failed:
            for warning in self.warnings:
                self.report(node, facts.inputs, fault_of(facts.op, warning))
        self.warnings.clear()


def unknown_outputs(count: int) -> list[Fact]:
    """Outputs with unknown type and shape."""
    return [Fact(DYNAMIC) for _ in range(count)]


def _output(inferred: Inferred, result: Layer) -> Fact:
    outputs = inferred.layers[result.id].outputs
    return outputs[0] if outputs else Fact()


# What is computed only when it is asked for, after inference perhaps: values of constants and of layers.


class Constants:
    """Reads constants within a budget. unread: what is wrong with those whose values were asked for."""

    def __init__(self, model: Model, budget: Budget, files: OpenFiles) -> None:
        self._model, self._budget, self._files = model, budget, files
        self.unread: list[Diagnostic] = []

    def value(self, layer: Layer) -> Array | None:
        """The value of a constant; read, not mapped: a truncated mapping ends the process."""
        if not self._budget.affords(()):
            return None
        try:
            value = constant(self._model, layer, files=self._files)
        except DiagnosticError as error:
            self.unread.extend(error.diagnostics)
            return None
        return value if self._budget.affords((value,)) else None


class Failures:
    """Reports functions of ops that fail to compute a value. any: whether one failed"""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.any = False

    def report(
        self, node: LayerNode, inferred: ReferenceType[Inferred], inputs: Inputs, fault: OpFault
    ) -> None:
        """Add a finding, unless nobody uses what was inferred any more."""
        self.any = True
        target = inferred()
        if target is not None:
            target.findings.append(finding(self._model, node, inputs, fault))


def finding(model: Model, node: LayerNode, inputs: Inputs, fault: OpFault) -> Diagnostic:
    """A fault of a layer with an op, at the attribute or the part of the layer that it is about."""
    op, layer = node.op, node.layer
    assert op is not None
    facts = LayerFacts(layer, op, node.invocation, list(inputs))
    broken = None if fault.constraint is None else op.definition.constraints[fault.constraint]
    of = given_shape(facts) if broken is None else broken.of
    at = layer.at
    if fault.at >= 0:
        at = fault.at
    elif of and layer.data_at >= 0:
        at = layer.data_at
    place = model.location(layer, node.path, at, of[0] if len(of) == 1 else None)
    return fault.diagnostic(op, place, facts_line(facts))
