"""Inference over a model: every layer in order, what is wrong with one never counted against the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from irops.analysis.bind import Binder
from irops.analysis.declared import declared_outputs
from irops.analysis.facts import Facts, LayerFacts
from irops.analysis.fold import INPUTS, Budget, attach_values
from irops.analysis.layer import LayerFault, fault_of, infer_layer, unknown_outputs
from irops.analysis.names import Names
from irops.analysis.port_maps import BodyFault, Maps, maps_of, parameters_of, results_of
from irops.analysis.state import declared_variables
from irops.analysis.telling import facts_line, given_shape, right_name, written_out
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rule import Severity
from irops.diagnostics.rules import rule
from irops.graph.wiring import Wiring
from irops.ir.model import Body, Graph, Layer, Model
from irops.ir.weights import constant
from irops.limits import Clock, Limits, recursion_limit_for
from irops.limits import notes as limit_notes
from irops.registry import Registry, default_registry
from irops.spec.body import BodyFunction
from irops.spec.op import NoOp
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import MAX_AXES
from irops.values.violation import Violation, collect_warnings


class Inference:
    """Infers graphs of one model.

    Bodies are inferred once more, to follow shapes that change from iteration to iteration, limits.repeats
    times in all.
    """

    def __init__(self, model: Model, registry: Registry | None = None, limits: Limits | None = None) -> None:
        self.model, self.registry, self.limits = model, registry or default_registry(), limits or Limits()
        self.budget, self.clock = Budget(self.limits.folded_bytes), Clock(self.limits.seconds)
        self.binder, self.names = Binder(), Names()
        self.wirings: dict[int, Wiring] = {}
        self.repeats, self.seen = 0, set[int]()
        self.told: list[NoOp] = []
        self.unread: list[Diagnostic] = []  # what is wrong with constants whose values were asked for
        self._maps: dict[int, tuple[Maps, tuple[Fact, ...]]] = {}

    def wiring(self, graph: Graph) -> Wiring:
        found = self.wirings.get(id(graph))
        if found is None:
            found = self.wirings[id(graph)] = Wiring(graph)
        return found

    def graph(self, graph: Graph, given: Mapping[int, Fact], path: tuple[str, ...] = ()) -> Facts:
        """Facts of a graph; given: of its Parameters, by layer id, in place of what they declare."""
        self._start()
        with recursion_limit_for(self.limits.depth):
            facts = self._graph(graph, given, path)
        facts.found.extend(self._hindrances(path))
        return facts

    def outputs(self, known: LayerFacts, inputs: Sequence[Fact | None], path: tuple[str, ...]) -> list[Fact]:
        """The outputs of a layer from other facts of its inputs.

        Raises:  LayerFault, BodyFault
        """
        self._start()
        return self._outputs(known, inputs, path)

    def _start(self) -> None:
        self.repeats = 0
        self.seen.clear()
        self.told.clear()
        self.clock = Clock(self.limits.seconds)

    def _hindrances(self, path: tuple[str, ...]) -> Iterator[Diagnostic]:
        """What weights and limits kept inference from."""
        yield from self.unread
        place = Location(path=path) if self.model.source is None else self.model.source.location(0, path=path)
        if self.budget.overdrawn:
            yield self._limit_met(
                "folding-limit", "values that shapes depend on were not worked out", "folded_bytes", place
            )
        if self.clock.expired_before:
            yield self._limit_met(
                "checking-time-limit", "the time was up before all layers were inferred", "seconds", place
            )

    def _limit_met(self, name: str, message: str, limit: str, place: Location) -> Diagnostic:
        return Diagnostic(
            rule(name), f"{message}; {self.limits.message(limit)}", place, notes=limit_notes(name)
        )

    def _graph(self, graph: Graph, given: Mapping[int, Fact], path: tuple[str, ...]) -> Facts:
        wiring, facts = self.wiring(graph), Facts()
        with collect_warnings() as warnings:
            self._infer_all(wiring, given, path, facts, warnings)
        for layer in graph.layers:  # on a cycle, or behind one
            if layer.id not in facts.layers:
                facts.add(LayerFacts(layer, outputs=unknown_outputs(len(layer.outputs)), failed=True))
        return facts

    def _infer_all(
        self,
        wiring: Wiring,
        given: Mapping[int, Fact],
        path: tuple[str, ...],
        facts: Facts,
        warnings: list[Violation],
    ) -> None:
        faulty = wiring.faulty
        for layer in wiring.order:
            if self.clock.expired:
                return
            known = LayerFacts(layer)
            inputs: list[Fact | None] = []
            for source in wiring.inputs[layer.id]:
                if source is None:
                    inputs.append(None)
                else:
                    outputs = facts.layers[source[0].id].outputs
                    inputs.append(outputs[source[1]] if source[1] < len(outputs) else Fact())
            known.inputs = inputs
            if layer.id in given:
                known.outputs = [given[layer.id]]
            self._infer(known, facts, path, layer.id in faulty)
            facts.add(known)
            if warnings:
                self._warn(known, facts, path, warnings)

    def _warn(
        self, known: LayerFacts, facts: Facts, path: tuple[str, ...], warnings: list[Violation]
    ) -> None:
        """Tell what a layer's functions remarked, unless something worse was told of it."""
        if known.op is not None and not known.failed:
            for warning in warnings:
                self._fault(facts, path, known, fault_of(known.op, warning))
        warnings.clear()

    def _infer(self, known: LayerFacts, facts: Facts, path: tuple[str, ...], faulty: bool) -> None:
        layer, given = known.layer, known.outputs
        found = self.registry.resolve(layer.type, layer.version)
        known.outputs = unknown_outputs(len(layer.outputs))
        if isinstance(found, NoOp):
            known.failed = True
            if found.rule == "undefined-op":
                known.outputs = self.names.named(declared_outputs(layer, known.inputs))
            if not (found.once and found in self.told):
                notes = (*found.notes, *self._others(layer)) if found.once else found.notes
                facts.found.append(
                    Diagnostic(
                        rule(found.rule),
                        found.message,
                        self.place(layer, path, found.rule),
                        notes=notes,
                        fix=right_name(self.model.source, layer, found),
                    )
                )
                self.told.append(found)
            return
        known.op = found
        known.bound = self.binder.bind(found, layer.data)
        known.attributes = known.bound.values
        for fault in known.bound.faults:
            written = fault.attribute in layer.data and layer.data_at >= 0
            place = self._at(
                layer, path, layer.data_at if written else layer.at, fault.attribute if written else None
            )
            notes, right = (fault.note,) if fault.note else (), written_out(self.model.source, layer, fault)
            facts.found.append(Diagnostic(rule(fault.rule), fault.message, place, notes=notes, fix=right))
        if not known.bound.usable or faulty:
            known.failed = True
            return
        if given:
            known.outputs = self.names.named(given)
            return
        try:
            outputs = self._outputs(known, known.inputs, path)
        except LayerFault as fault:
            known.failed = True
            self._fault(facts, path, known, fault)
            return
        except BodyFault as fault:
            known.failed = True
            facts.found.append(Diagnostic(rule(fault.rule), fault.message, self._at(layer, path, fault.at)))
            return
        if layer.is_constant:
            outputs = [self._constant(layer, outputs[0])]
        known.outputs = attach_values(
            found,
            known.inputs,
            known.attributes,
            self.names.named(outputs),
            self.limits.folded_elements,
            self.budget,
        )

    def _constant(self, layer: Layer, fact: Fact) -> Fact:
        """What is known of a constant: its value, unless it is larger than what any value is worked out
        from.
        """
        size = fact.shape.size
        if (
            not size.known
            or size.low > INPUTS * self.limits.folded_elements
            or len(fact.shape.dims or ()) > MAX_AXES
        ):
            return fact
        return Fact(fact.element_type, fact.shape, lambda: self._copied(layer))

    def _copied(self, layer: Layer) -> Array | None:
        """A constant's value, within what may be worked out; nothing is mapped, lest the file be cut off
        meanwhile.
        """
        if not self.budget.affords(()):
            return None
        try:
            found = constant(self.model, layer, copied=True)
        except DiagnosticError as error:
            self.unread.extend(error.diagnostics)
            return None
        return found if self.budget.affords((found,)) else None

    def _outputs(self, known: LayerFacts, inputs: Sequence[Fact | None], path: tuple[str, ...]) -> list[Fact]:
        assert known.op is not None
        known.bodies.clear()
        bodies = known.layer.bodies
        extras: dict[str, Any] = {
            name: self._body(known, bodies[name], path)
            for name in known.op.definition.bodies
            if name in bodies
        }
        extras["output_count"] = len(known.layer.outputs)
        if known.op.definition.stateful:
            extras["variables"] = self.variables
        return infer_layer(known.op, inputs, known.attributes, extras)

    @cached_property
    def variables(self) -> Mapping[str, Fact]:
        """What the model's ReadValues declare of its variables, by variable_id."""
        return declared_variables(self.model)

    def _body(self, known: LayerFacts, body: Body, path: tuple[str, ...]) -> BodyFunction:
        maps, declared = self.maps(known.layer, body)
        parameters, results, name, deeper = (
            parameters_of(body),
            results_of(body),
            body.name,
            (*path, known.layer.name, body.name),
        )

        def apply(items: Sequence[Fact]) -> list[Fact]:
            facts = known.bodies.get(name)
            if facts is None or not _broken(
                facts
            ):  # what was found wrong must not be lost in a vaguer repetition
                self.repeats += id(body) in self.seen
                self.seen.add(id(body))
                facts = known.bodies[name] = self._graph(
                    body.graph, {layer.id: item for layer, item in zip(parameters, items)}, deeper
                )
            return [_output(facts, result) for result in results]

        return BodyFunction(
            apply,
            declared,
            maps.inputs,
            maps.outputs,
            maps.back_edges,
            may_repeat=lambda: self.repeats < self.limits.repeats,
        )

    def maps(self, layer: Layer, body: Body) -> tuple[Maps, tuple[Fact, ...]]:
        """The maps of a layer's body, and what its Parameters declare.

        Raises:  BodyFault
        """
        found = self._maps.get(id(body))
        if found is None:
            found = self._maps[id(body)] = (
                maps_of(layer, body),
                tuple(map(self._declared, parameters_of(body))),
            )
        return found

    def _declared(self, parameter: Layer) -> Fact:
        op = self.registry.resolve(parameter.type, parameter.version)
        if isinstance(op, NoOp):
            return Fact()
        bound = self.binder.bind(op, parameter.data)
        return infer_layer(op, (), bound.values)[0] if bound.usable else Fact()

    def _others(self, layer: Layer) -> tuple[str, ...]:
        """How many layers of the model have the op that one has."""
        count = sum(
            (other.type, other.version) == (layer.type, layer.version) for _, other in self.model.walk()
        )
        return (f"{count} layers of the model are of this op",) if count > 1 else ()

    def place(self, layer: Layer, path: tuple[str, ...], rule_name: str = "") -> Location:
        """Where a layer is; at the attribute that a rule is about."""
        attribute = {"unknown-opset": "version", "op-not-in-opset": "version"}.get(
            rule_name, "type" if rule_name else None
        )
        return self._at(layer, path, layer.at, attribute)

    def _at(self, layer: Layer, path: tuple[str, ...], at: int, attribute: str | None = None) -> Location:
        if self.model.source is None:
            return Location(None, None, None, layer.id, layer.name, path)
        return self.model.source.location(at, layer, path, attribute)

    def _fault(self, facts: Facts, path: tuple[str, ...], known: LayerFacts, fault: LayerFault) -> None:
        assert known.op is not None
        constraint = None if fault.constraint is None else f"{known.op.id}:{fault.constraint}"
        broken = None if fault.constraint is None else known.op.definition.constraints[fault.constraint]
        of = given_shape(known) if broken is None else broken.of
        attribute = of[0] if len(of) == 1 else None
        at = (
            fault.at
            if fault.at >= 0
            else known.layer.data_at
            if of and known.layer.data_at >= 0
            else known.layer.at
        )
        facts.found.append(
            Diagnostic(
                rule(fault.rule),
                fault.message,
                self._at(known.layer, path, at, attribute),
                constraint,
                facts_line(known),
                level=None if broken is None else broken.severity,
            )
        )


def _broken(facts: Facts) -> bool:
    return any(d.severity is Severity.ERROR for d in facts.all_found())


def _output(facts: Facts, result: Layer) -> Fact:
    outputs = facts.layers[result.id].outputs
    return outputs[0] if outputs else Fact()
