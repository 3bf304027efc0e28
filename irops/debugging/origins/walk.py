"""From a fact of a layer back to inputs, constants and attributes, layer by layer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from irops.analysis.invocation import OpFault, input_spec
from irops.analysis.structure import BodyNode, LayerNode
from irops.debugging.origins.influence import (
    Aspect,
    Facet,
    Facts,
    InputFact,
    deciding_attributes,
    elements_of,
    inferred_again,
    items_of,
    needed_items,
    without,
)
from irops.debugging.origins.step import Reason, Step
from irops.debugging.origins.symbolic import LayerKey, SymbolicModel
from irops.diagnostics.printable import shown
from irops.ir.model import LayerKind
from irops.spec.attributes import default_of, format_value
from irops.spec.body import Cut
from irops.values.fact import Fact, holds_dims
from irops.values.violation import LimitExceeded

MAX_STEPS = 10_000
"""The greatest number of steps of one explanation."""
MAX_ITEMS = 2000
"""Layers with more sizes and values among their inputs are not examined one by one."""
ASPECTS = {aspect.value: aspect for aspect in Aspect}


class Walk:
    """Collects the steps that lead to facts. Each fact is explained once."""

    def __init__(self, model: SymbolicModel) -> None:
        self.model = model
        self.steps: list[Step] = []
        self._visited: set[Facet] = set()

    def follow(self, starts: Sequence[Facet]) -> tuple[Step, ...]:
        """The steps from some facts back to their origins, nearest first."""
        ahead = list(reversed(starts))
        while ahead and len(self.steps) < MAX_STEPS:
            facet = self._producing(ahead.pop())
            if facet in self._visited:
                continue
            self._visited.add(facet)
            step, causes = self._explained(facet)
            self.steps.append(step)
            ahead.extend(reversed(causes))
        return tuple(self.steps)

    def _producing(self, facet: Facet) -> Facet:
        """The facet, or that of the layer which feeds a Result."""
        node = self.model.node(facet.key)
        if node.layer.kind is not LayerKind.RESULT:
            return facet
        source = self.model.graph(facet.path).wiring.inputs[facet.layer][0]
        if source is None:
            return facet
        return Facet(facet.path, source[0].id, source[1], facet.aspect, facet.index)

    def _explained(self, facet: Facet) -> tuple[Step, list[Facet]]:
        node, facts = self.model.node(facet.key), self.model.facts(facet.key)
        if node.layer.kind is LayerKind.PARAMETER:
            if not facet.path:
                return self._ended(facet, self._declaration(facet)), []
            note, causes = causes_of_parameter(self.model, facet)
            return self._ended(facet, note), causes
        if node.layer.is_constant:
            return self._ended(facet, "a constant of the file"), []
        if node.invocation is None:
            return self._ended(facet, "as the file declares it: irops does not define the op"), []
        if facts.failed or facet.output >= len(facts.outputs):
            return self._ended(facet, "an error keeps it from being inferred; irops check reports it"), []
        if node.bodies:
            entered = causes_in_bodies(self.model, facet)
            if entered is not None:
                return self._ended(facet, entered[0]), entered[1]
        return self._from_inputs(facet, node)

    def _declaration(self, facet: Facet) -> str:
        data = self.model.node(facet.key).layer.data
        if facet.aspect in (Aspect.VALUE, Aspect.ELEMENT):
            return "an input: its values are known only when the model runs"
        if facet.aspect is Aspect.TYPE:
            return f'an input that declares element_type="{data.get("element_type", "")}"'
        return f'an input that declares shape="{data.get("shape", "")}"'

    def _from_inputs(self, facet: Facet, node: LayerNode) -> tuple[Step, list[Facet]]:
        facts, note = self.model.facts(facet.key), ""
        if self._begins_here(facet) or not _is_expressed(facet, facts.outputs):
            is_below_rank = any(fact and fact.shape.dims is None for fact in facts.inputs)
            facts = self.model.concrete_facts(facet.key)
            note = "irops has no formula for it"
            if is_below_rank or facts.failed or not _is_static(facet, facts.outputs):
                return self._decided_by_data(facet)
        items = self._needed(facet, node, facts.inputs)
        attributes = tuple(self._attributes(facet, node, facts.inputs))
        causes = [(item, self.cause(facet.key, item)) for item in items]
        reasons = tuple(self.reason(facet.key, item, cause) for item, cause in causes)
        return self._step(facet, reasons, attributes, note), self._followed(facet, causes)

    def _followed(self, facet: Facet, causes: Sequence[tuple[InputFact, Facet]]) -> list[Facet]:
        """The causes that are explained in turn: of equal ones the first, and of a fact with names those with
        names, since constants add nothing to where the names come from.
        """
        different: dict[tuple[str, str], Facet] = {}
        for item, cause in causes:
            if not self.model.node(cause.key).layer.is_constant:
                different.setdefault((item.kind, self._text(cause)), cause)
        named = [cause for cause in different.values() if not self._is_constant(cause)]
        return list(different.values()) if self._is_constant(facet) else named

    def _is_constant(self, facet: Facet) -> bool:
        """Whether a fact is the same for all sizes of the inputs."""
        outputs = self.model.facts(facet.key).outputs
        if facet.output >= len(outputs) or facet.aspect is Aspect.TYPE:
            return facet.aspect is Aspect.TYPE
        sizes = facet.sizes(outputs[facet.output])
        return outputs[facet.output].value is not None if sizes is None else all(s.known for s in sizes)

    def _begins_here(self, facet: Facet) -> bool:
        """Whether a size of the facet has a name that inference gave it at this output."""
        outputs = self.model.facts(facet.key).outputs
        expressions = facet.expressions(outputs[facet.output]) or ()
        births = (
            self.model.births.get(name)
            for expression in expressions
            if expression is not None
            for name in expression.names
        )
        return any(b is not None and (b.layer, b.output) == (facet.key, facet.output) for b in births)

    def _needed(self, facet: Facet, node: LayerNode, inputs: Facts) -> list[InputFact]:
        """The facts of the inputs that decide a facet."""
        if facet.aspect is Aspect.TYPE:
            items = [InputFact(k, "type") for k, fact in enumerate(inputs) if fact is not None]
        else:
            items = list(items_of(inputs))
        usual = self._outcome(facet, node, inputs)

        def unchanged(reduced: Facts) -> bool:
            return self._outcome(facet, node, reduced) == usual

        if usual is None or len(items) > MAX_ITEMS:
            return items[:MAX_ITEMS]
        needed = needed_items(inputs, items, unchanged)
        if not any(item.kind == "value" for item in needed):
            return needed
        refined = [one for item in needed for one in elements_of(item, inputs)]
        left_out = [item for item in items if item not in needed]
        return needed_items(
            without(inputs, left_out), refined, lambda reduced: self._outcome(facet, node, reduced) == usual
        )

    def _outcome(self, facet: Facet, node: LayerNode, inputs: Facts) -> object:
        try:
            outputs = inferred_again(self.model.analysis, node, inputs)
        except (OpFault, LimitExceeded):
            return None
        return facet.content(outputs[facet.output]) if facet.output < len(outputs) else None

    def _attributes(self, facet: Facet, node: LayerNode, inputs: Facts) -> Iterator[tuple[str, str]]:
        def outcome(changed: LayerNode) -> object:
            outputs = inferred_again(self.model.analysis, changed, inputs)
            return facet.content(outputs[facet.output])

        assert node.invocation is not None
        domain = node.invocation.op.definition.attributes
        for name in deciding_attributes(node, outcome):
            value = node.invocation.attributes[name]
            if value != default_of(domain[name]):
                yield name, format_value(value)

    def cause(self, key: LayerKey, item: InputFact) -> Facet:
        """The facet of the layer that feeds an input of a layer."""
        path, layer = key
        source = self.model.graph(path).wiring.inputs[layer][item.input]
        assert source is not None
        return self._producing(Facet(path, source[0].id, source[1], ASPECTS[item.kind], item.index))

    def reason(self, key: LayerKey, item: InputFact, cause: Facet) -> Reason:
        """A fact of an input of a layer as a reason."""
        op, producer = self.model.node(key).op, self.model.node(cause.key).layer
        name = str(item.input) if op is None else input_spec(op, item.input).name
        return Reason(
            name,
            cause.subject,
            self._text(cause),
            producer.name,
            self.model.analysis.location(producer, cause.path),
            producer.is_constant,
        )

    def _decided_by_data(self, facet: Facet) -> tuple[Step, list[Facet]]:
        """A step to inputs whose values are unknown, where they are few integers, or to what leaves a rank
        unknown; otherwise the end.
        """
        facts = self.model.facts(facet.key)
        items = [
            InputFact(k, "shape") for k, fact in enumerate(facts.inputs) if fact and fact.shape.dims is None
        ]
        note = "" if items else "only the data decide it"
        if not items and _is_unranked(facet, facts.outputs):
            items = [item for k, fact in enumerate(facts.inputs) if fact for item in _of_rank(k, fact)]
            note = "its rank is known only when the model runs"
        elif not items:
            inputs = self.model.concrete_facts(facet.key).inputs
            items = [InputFact(k, "value") for k, fact in enumerate(inputs) if fact and _may_be_sizes(fact)]
        causes = [(item, self.cause(facet.key, item)) for item in items]
        reasons = tuple(self.reason(facet.key, item, cause) for item, cause in causes)
        return self._step(facet, reasons, (), note), [cause for _, cause in causes]

    def _text(self, facet: Facet) -> str:
        outputs = self.model.facts(facet.key).outputs
        return facet.text(outputs[facet.output]) if facet.output < len(outputs) else "unknown"

    def _ended(self, facet: Facet, note: str) -> Step:
        return self._step(facet, (), (), note)

    def _step(
        self, facet: Facet, reasons: tuple[Reason, ...], attributes: tuple[tuple[str, str], ...], note: str
    ) -> Step:
        node = self.model.node(facet.key)
        return Step(
            node.layer.name,
            node.layer.type if node.op is None else node.op.id,
            self.model.analysis.location(node.layer, facet.path),
            facet.path,
            facet.output,
            facet.subject,
            self._text(facet),
            reasons,
            attributes,
            note,
        )


def _is_expressed(facet: Facet, outputs: Sequence[Fact]) -> bool:
    """Whether a facet is known in so far that its origin can be found by inference."""
    if facet.output >= len(outputs):
        return False
    fact = outputs[facet.output]
    if facet.aspect is Aspect.TYPE:
        return True
    sizes = facet.sizes(fact)
    if sizes is not None:
        return all(size.known or size.symbol is not None for size in sizes)
    return facet.aspect in (Aspect.VALUE, Aspect.ELEMENT) and fact.value is not None


def _is_static(facet: Facet, outputs: Sequence[Fact]) -> bool:
    """Whether a facet is known completely."""
    if facet.output >= len(outputs):
        return False
    sizes = facet.sizes(outputs[facet.output])
    return outputs[facet.output].value is not None if sizes is None else all(size.known for size in sizes)


def _is_unranked(facet: Facet, outputs: Sequence[Fact]) -> bool:
    """Whether a size or a shape is unknown because the rank is."""
    of_shape = facet.aspect in (Aspect.SIZE, Aspect.SHAPE) and facet.output < len(outputs)
    return of_shape and outputs[facet.output].shape.dims is None


def _of_rank(number: int, fact: Fact) -> Iterator[InputFact]:
    """The unknown part of an input of integers that may decide a rank: its sizes, or else its value."""
    if not fact.element_type.integral:
        return
    sizes = [
        InputFact(number, "size", axis) for axis, size in enumerate(fact.shape.dims or ()) if not size.known
    ]
    yield from sizes
    if not sizes and _may_be_sizes(fact):
        yield InputFact(number, "value")


def _may_be_sizes(fact: Fact) -> bool:
    """Whether a tensor is a few integers of which not all are known."""
    few = fact.shape.size.known and fact.shape.size <= 64
    unknown = fact.known is None or holds_dims(fact.known)
    return bool(few and unknown and fact.element_type.integral)


# From a layer with bodies into them, and from a Parameter of a body out of it, by the port maps.


def causes_in_bodies(model: SymbolicModel, facet: Facet) -> tuple[str, list[Facet]] | None:
    """The Results of the bodies that an output comes from; None where the layer itself decides the facet, as
    it does for the axis along which it concatenates.
    """
    found: list[Facet] = []
    names: list[str] = []
    for name, body in model.node(facet.key).bodies.items():
        for entry in body.maps.outputs if body.maps is not None else ():
            if entry.port != facet.output:
                continue
            if _is_along(entry.cut, facet):
                return None
            result = body.graph.results[entry.result]
            names.append(f"{shown(result.name)} of its {name}")
            found.append(Facet(body.graph.path, result.id, 0, facet.aspect, facet.index))
    return (f"as the Result {' and '.join(names)}", found) if found else None


def causes_of_parameter(model: SymbolicModel, facet: Facet) -> tuple[str, list[Facet]]:
    """The entry of the port map for a Parameter of a body, and the outer facts that follow it."""
    body = _body_of(model, facet)
    outer = body.outer
    position = next(k for k, layer in enumerate(body.graph.parameters) if layer.id == facet.layer)
    if body.maps is None:
        return "the port map is at fault; irops check reports it", []
    for entry in body.maps.inputs:
        if entry.parameter != position:
            continue
        if entry.port is None:
            return f"the port map gives it the {shown(entry.purpose or 'iteration')}", []
        if entry.cut is not None and _is_along(entry.cut, facet):
            return f"the port map cuts parts of size {entry.cut.part_size} along this axis", []
        source = outer.wiring.inputs[body.layer.id][entry.port]
        if source is None:
            return "the input of the layer is not connected", []
        cause = Facet(outer.path, source[0].id, source[1], facet.aspect, facet.index)
        more = "".join(_back_edges(body, position))
        return f"as input {entry.port} of {shown(body.layer.name)}, by the port map{more}", [cause]
    return "as the Parameter declares it", []


def _back_edges(body: BodyNode, parameter: int) -> Iterator[str]:
    assert body.maps is not None
    for edge in body.maps.back_edges:
        if edge.parameter == parameter:
            name = shown(body.graph.results[edge.result].name)
            yield f"; after the first iteration that of the Result {name}"


def _body_of(model: SymbolicModel, facet: Facet) -> BodyNode:
    outer = model.graph(facet.path[:-2])
    return next(body for body in outer.bodies if body.graph.path == facet.path)


def _is_along(cut: Cut | None, facet: Facet) -> bool:
    """Whether a facet concerns the axis along which iterations cut or concatenate."""
    return cut is not None and (
        facet.aspect is Aspect.SHAPE or (facet.aspect is Aspect.SIZE and facet.index == cut.axis)
    )
