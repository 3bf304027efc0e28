"""From a fact of a layer back to inputs, constants and attributes, layer by layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from irops.analysis.inference import Inference
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import BodyNode, LayerNode
from irops.debugging.origins.expression import Expression
from irops.debugging.origins.sources import Kind, Reason, Source, Step
from irops.debugging.origins.symbolic import Aspect, Birth, Facet, LayerKey, SymbolicModel
from irops.diagnostics.printable import shown
from irops.ir.model import LayerKind
from irops.ops.folding import attach_values
from irops.ops.invocation import Invocation, OpFault, input_spec
from irops.spec.body import Cut
from irops.spec.domains import default_of, format_value
from irops.values.dim import ANY, Dim
from irops.values.element import BOOLEAN, DYNAMIC, Array
from irops.values.fact import Fact, dims_array, holds_dims
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, collect_warnings

# Which facts of a layer's inputs, and which attributes, decide what is inferred of an output.
#
# No op has code for this: facts are left out, one after the other, and the layer alone is inferred again.

MAX_ELEMENTS = 64
"""Values of at most this many elements are examined element by element."""

Facts = Sequence[Fact | None]


@dataclass(frozen=True, slots=True)
class Item:
    """A fact of an input of a layer: its element type, the size of axis number index, the element number
    index of its value, or its whole value.
    """

    input: int
    kind: str
    index: int = 0


def inferred_again(analysis: ModelAnalysis, node: LayerNode, inputs: Facts) -> list[Fact]:
    """The outputs of a layer for these facts of its inputs, with values as far as they are known.

    Raises:  OpFault where the layer is invalid for them
    """
    with collect_warnings():
        outputs = list(Inference(analysis).layer(node, inputs).outputs)
        assert node.invocation is not None
        return attach_values(node.invocation, inputs, outputs, analysis.limits.folded_elements)


def needed_items(inputs: Facts, items: Sequence[Item], unchanged: Callable[[Facts], bool]) -> list[Item]:
    """The items without which the outcome changes: as few as leaving out by halves finds, in their order.

    Later items are left out before earlier ones, where either would do. unchanged: whether the outcome is the
    same for these facts
    """
    left_out: list[Item] = []

    def reduce(part: Sequence[Item]) -> None:
        if unchanged(without(inputs, [*left_out, *part])):
            left_out.extend(part)
        elif len(part) > 1:
            middle = len(part) // 2
            reduce(part[middle:])
            reduce(part[:middle])

    reduce(items)
    return [item for item in items if item not in left_out]


def items_of(inputs: Facts) -> Iterator[Item]:
    """The sizes and the values of all inputs."""
    for number, fact in enumerate(inputs):
        if fact is not None:
            yield from (Item(number, "size", axis) for axis in range(len(fact.shape.dims or ())))
            if fact.may_have_value:
                yield Item(number, "value")


def elements_of(item: Item, inputs: Facts) -> list[Item]:
    """The elements of a value that is needed, if they are few numbers; otherwise the value itself."""
    fact = inputs[item.input]
    assert fact is not None
    few = fact.shape.size.known and 1 < fact.shape.size <= MAX_ELEMENTS
    if item.kind != "value" or not few or not (fact.element_type.integral or fact.element_type is BOOLEAN):
        return [item]
    return [Item(item.input, "element", index) for index in range(int(fact.shape.size))]


def without(inputs: Facts, items: Sequence[Item]) -> list[Fact | None]:
    """The facts without some items."""
    by_input: dict[int, list[Item]] = {}
    for item in items:
        by_input.setdefault(item.input, []).append(item)
    return [
        fact if fact is None or number not in by_input else _without(fact, by_input[number])
        for number, fact in enumerate(inputs)
    ]


def _without(fact: Fact, items: Sequence[Item]) -> Fact:
    kinds = {item.kind for item in items}
    element_type = DYNAMIC if "type" in kinds else fact.element_type
    if "element" in kinds:
        value = _unknown_elements(fact, {item.index for item in items if item.kind == "element"})
        return Fact(element_type, fact.shape, value)
    if fact.may_have_value and "value" not in kinds:
        return Fact(element_type, fact.shape, lambda: fact.known)
    axes = {item.index for item in items if item.kind == "size"}
    dims = fact.shape.dims
    shape = fact.shape if dims is None else Shape(ANY if k in axes else dim for k, dim in enumerate(dims))
    return Fact(element_type, shape)


def _unknown_elements(fact: Fact, indices: set[int]) -> Array:
    """The value, with some elements unknown."""
    unknown = Fact(fact.element_type, Shape.of(1)).dims
    assert unknown is not None
    assert fact.dims is not None
    dims = [unknown[0] if index in indices else dim for index, dim in enumerate(fact.dims)]
    return dims_array(dims).reshape(fact.shape.to_tuple())


def deciding_attributes(node: LayerNode, outcome: Callable[[LayerNode], object]) -> Iterator[str]:
    """The attributes whose change alone changes the outcome.

    outcome: of the layer with other attributes; may raise OpFault, which counts as no change
    """
    assert node.invocation is not None
    usual = outcome(node)
    for name, value in node.invocation.attributes.items():
        for other in _other_values(node.invocation, name, value):
            changed = {**node.invocation.attributes, name: other}
            try:
                if outcome(replace(node, invocation=_invocation(node.invocation, changed))) != usual:
                    yield name
                    break
            except (OpFault, LimitExceeded):
                continue


def _invocation(invocation: Invocation, attributes: Mapping[str, Any]) -> Invocation:
    return invocation.with_values(attributes)


def _other_values(invocation: Invocation, name: str, value: object) -> Iterator[object]:
    """Values near the value of an attribute: the next numbers, the other words."""
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, value - 1)
        case float():
            yield value * 2
        case str():
            words = invocation.op.definition.attributes[name].values
            yield from (word for word in words if word != value)
        case Shape(dims=tuple(dims)):
            yield Shape(dim + 1 for dim in dims)
        case tuple() if value and all(type(item) is int for item in value):
            yield tuple(item + 1 for item in value)
            yield from (tuple(n + (k == j) for k, n in enumerate(value)) for j in range(min(len(value), 8)))


# Sizes for which inference has no expression: whether data decide them, and formulas that fit them.

MAX_DENOMINATOR, LARGEST = 64, 65537
TRIED = (*range(1, 130), 999, 1000, 1001, 4096, 32768, LARGEST)
"""The sizes for which a formula must fit."""


def source_of(model: SymbolicModel, name: str) -> Source:
    """What a named size is: the size of an input, or one that has no expression."""
    return model.sources.get(name) or _source_of_birth(model, model.births[name])


def _source_of_birth(model: SymbolicModel, birth: Birth) -> Source:
    """A size without an expression, as a named size of its own."""
    node, facts = model.node(birth.layer), model.facts(birth.layer)
    op = node.layer.type if node.op is None else node.op.id
    place = model.analysis.location(node.layer, node.path)
    declared = facts.outputs[birth.output].shape[birth.axis].named(None)
    kind = Kind.DATA if decided_by_data(model, birth) else Kind.UNEXPRESSED
    undefined = undefined_behind(model, birth.layer) if kind is Kind.DATA else None
    if undefined is not None:
        kind = Kind.UNDEFINED
    if kind is Kind.UNEXPRESSED and formula_of(model, birth.name) is not None:
        kind = Kind.FITTED
    return Source(
        birth.name,
        kind,
        node.layer.name,
        birth.output,
        birth.axis,
        declared,
        op,
        place,
        birth.layer[0],
        "" if undefined is None else without_definition(undefined),
    )


def undefined_behind(model: SymbolicModel, key: LayerKey) -> LayerNode | None:
    """The layer without a definition that keeps sizes of a layer from being known; None where there is none:
    the layer itself, or one that gives it integers which may be sizes, directly or through others.
    """
    seen: set[LayerKey] = set()
    ahead = [key]
    while ahead:
        at = ahead.pop()
        if at in seen:
            continue
        seen.add(at)
        if model.node(at).op is None:
            return model.node(at)
        facts = model.concrete_facts(at).inputs
        for source, fact in zip(model.graph(at[0]).wiring.inputs[at[1]], facts):
            if source is not None and (fact is None or fact.shape.rank is None or may_be_sizes(fact)):
                ahead.append((at[0], source[0].id))
    return None


def without_definition(node: LayerNode) -> str:
    """The reason where a layer has an op without a definition."""
    layer = node.layer
    op = f"op {shown(layer.type)} in opset {shown(layer.version)}"
    return f"layer {shown(layer.name)} ({op}) has no definition; give it with --definitions"


def may_be_sizes(fact: Fact) -> bool:
    """Whether a tensor is a few integers of which not all are known."""
    few = fact.shape.size.known and fact.shape.size <= 64
    unknown = fact.known is None or holds_dims(fact.known)
    return bool(few and unknown and fact.element_type.integral)


def with_formulas(model: SymbolicModel, expression: Expression) -> tuple[Expression, tuple[str, ...]]:
    """The expression with formulas for sizes that these fit, and the names that they replace."""
    formulas: dict[str, Expression] = {}
    replaced: list[str] = []
    for name in expression.names:
        formula = formula_of(model, name) if name in model.births else None
        if formula is not None:
            formulas[name], inner = with_formulas(model, formula)
            replaced.extend((name, *inner))
    return expression.with_names(formulas), tuple(dict.fromkeys(replaced))


def formula_of(model: SymbolicModel, name: str) -> Expression | None:
    """The formula that fits a size without an expression; None where there is none."""
    if name not in model.formulas:
        model.formulas[name] = fitted_expression(model, model.births[name])
    return model.formulas[name]


def decided_by_data(model: SymbolicModel, birth: Birth) -> bool:
    """Whether a size is unknown even where all sizes of the model's inputs are numbers."""
    size = _size_at(model.concrete_facts(birth.layer).outputs, birth)
    return size is None or not size.known


def _size_at(outputs: Sequence[Fact], birth: Birth) -> Dim | None:
    facet = Facet(*birth.layer, birth.output, Aspect.SIZE, birth.axis)
    return facet.size(outputs[birth.output]) if birth.output < len(outputs) else None


def fitted_expression(model: SymbolicModel, birth: Birth) -> Expression | None:
    """A formula (a*x + c)//b for a size that follows from one other size x, which has an expression.

    It is right for all sizes that are tried; None where there is none.
    """
    node, facts = model.node(birth.layer), model.concrete_facts(birth.layer)
    if node.invocation is None or facts.failed or node.bodies:
        return None

    def size_for(inputs: Facts) -> Dim | None:
        try:
            return _size_at(inferred_again(model.analysis, node, inputs), birth)
        except (OpFault, LimitExceeded):
            return None

    usual = size_for(facts.inputs)
    if usual is None or not usual.known:
        return None
    items = list(items_of(facts.inputs))
    needed = needed_items(facts.inputs, items, lambda inputs: size_for(inputs) == usual)
    sizes = [item for item in needed if item.kind == "size"]
    if len(sizes) != 1 or not _constant_values(model, birth, needed):
        return None
    varied = _fitted([(n, size_for(_with_size(facts.inputs, sizes[0], n))) for n in TRIED])
    fact = model.facts(birth.layer).inputs[sizes[0].input]
    of = None if fact is None else Expression.of(fact.shape[sizes[0].index])
    if varied is None or of is None:
        return None
    return Expression.parsed(varied).with_names({"x": of})


def _constant_values(model: SymbolicModel, birth: Birth, needed: Sequence[Item]) -> bool:
    """Whether the values among the items are the same for all sizes of the model's inputs."""
    inputs = model.facts(birth.layer).inputs
    values = [inputs[item.input] for item in needed if item.kind == "value"]
    return all(fact is not None and fact.value is not None for fact in values)


def _with_size(inputs: Facts, item: Item, number: int) -> list[Fact | None]:
    return [
        fact
        if fact is None or index != item.input
        else Fact(fact.element_type, fact.shape.with_dim(item.index, number))
        for index, fact in enumerate(inputs)
    ]


def _fitted(samples: Sequence[tuple[int, Dim | None]]) -> str | None:
    """The text of a formula of x that gives all samples; sizes that the op refuses have no sample."""
    points = [(x, int(size)) for x, size in samples if size is not None and size.known]
    if len(points) < len(samples) // 2:
        return None
    ratio = Fraction(points[-1][1], points[-1][0]).limit_denominator(MAX_DENOMINATOR)
    a, b = ratio.numerator, ratio.denominator
    low = max(b * y - a * x for x, y in points)
    high = min(b * y - a * x + b - 1 for x, y in points)
    if low > high:
        return None
    offset = min(max(0, low), high)
    multiple = "x" if a == 1 else f"{a}*x"
    total = f"{multiple} + {offset}" if offset else multiple
    return f"({total})//{b}" if b > 1 else total


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
    """What the port map says of a Parameter of a body, and the facts of the outer graph that follow it."""
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


MAX_STEPS = 10_000
"""The greatest number of steps of one explanation."""
MAX_ITEMS = 2000
"""Layers with more sizes and values among their inputs are not examined one by one."""
ASPECTS = {"size": Aspect.SIZE, "element": Aspect.ELEMENT, "value": Aspect.VALUE, "type": Aspect.TYPE}


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
        source = self.model.graph(facet.path).wiring.first(facet.layer)
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
            return self._ended(facet, f"as the file declares it: {without_definition(node)}"), []
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
            facts = self.model.concrete_facts(facet.key)
            note = "irops has no formula for it"
            if facts.failed or not _is_static(facet, facts.outputs):
                return self._decided_by_data(facet)
        items = self._needed(facet, node, facts.inputs)
        attributes = tuple(self._attributes(facet, node, facts.inputs))
        causes = [(item, self.cause(facet.key, item)) for item in items]
        reasons = tuple(self.reason(facet.key, item, cause) for item, cause in causes)
        return self._step(facet, reasons, attributes, note), self._followed(facet, causes)

    def _followed(self, facet: Facet, causes: Sequence[tuple[Item, Facet]]) -> list[Facet]:
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
        births = (self.model.births.get(name) for one in expressions if one is not None for name in one.names)
        return any(b is not None and (b.layer, b.output) == (facet.key, facet.output) for b in births)

    def _needed(self, facet: Facet, node: LayerNode, inputs: Facts) -> list[Item]:
        """The facts of the inputs that decide a facet."""
        if facet.aspect is Aspect.TYPE:
            items = [Item(k, "type") for k, fact in enumerate(inputs) if fact is not None]
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
            return facet.content(outputs[facet.output]) if facet.output < len(outputs) else None

        assert node.invocation is not None
        domain = node.invocation.op.definition.attributes
        for name in deciding_attributes(node, outcome):
            value = node.invocation.attributes[name]
            if value != default_of(domain[name]):
                yield name, format_value(value)

    def cause(self, key: LayerKey, item: Item) -> Facet:
        """The facet of the layer that feeds an input of a layer."""
        path, layer = key
        source = self.model.graph(path).wiring.inputs[layer][item.input]
        assert source is not None
        return self._producing(Facet(path, source[0].id, source[1], ASPECTS[item.kind], item.index))

    def reason(self, key: LayerKey, item: Item, cause: Facet) -> Reason:
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
        """A step to the inputs whose values are unknown, where they are few integers; otherwise the end."""
        inputs = self.model.concrete_facts(facet.key).inputs
        items = [Item(k, "value") for k, fact in enumerate(inputs) if fact is not None and may_be_sizes(fact)]
        causes = [(item, self.cause(facet.key, item)) for item in items]
        reasons = tuple(self.reason(facet.key, item, cause) for item, cause in causes)
        undefined = undefined_behind(self.model, facet.key)
        note = "only the data decide it" if undefined is None else without_definition(undefined)
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
