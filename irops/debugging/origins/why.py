"""irops.why: where a size, a shape, a type or a value comes from, and why a constraint is violated.

The way leads from a fact of a layer back to inputs, constants and attributes, layer by layer. No op has code
for this: facts of its inputs are left out, one after the other, and the layer alone is inferred again.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from math import inf
from typing import Any

from irops.analysis.fold import attach_values
from irops.analysis.inference import Inference
from irops.analysis.invocation import Invocation, OpFault, input_spec
from irops.analysis.model_analysis import AnyModel, ModelAnalysis, analyse, graph_at
from irops.analysis.signature import Key
from irops.analysis.structure import BodyNode, GraphNode, LayerNode, Path
from irops.debugging.origins.symbolic import (
    Expression,
    Kind,
    LayerKey,
    NamedSize,
    NewSize,
    SymbolicModel,
    at_line,
)
from irops.diagnostics.diagnostic import Diagnostic, Location
from irops.diagnostics.html_table import html_lines
from irops.diagnostics.printable import abridged, plural, shortened, shown
from irops.diagnostics.report import Report
from irops.dialects.registry import Registry
from irops.files.limits import Limits
from irops.ir.model import LayerKind
from irops.spec.attributes import default_of, format_value
from irops.spec.body import Cut
from irops.values.dim import ANY, Dim
from irops.values.element import BOOLEAN, DYNAMIC, Array
from irops.values.fact import Fact, dims_array, holds_dims
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, collect_warnings

MAX_TEXT = 200
"""The greatest number of characters of a value that is shown."""


class Aspect(Enum):
    """The kinds of facts."""

    SIZE = "size"
    SHAPE = "shape"
    TYPE = "type"
    ELEMENT = "element"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Facet:
    """A fact of an output. index: the axis of a size, or the number of an element."""

    path: Path
    layer: int
    output: int
    aspect: Aspect
    index: int = 0

    @property
    def key(self) -> LayerKey:
        return self.path, self.layer

    @property
    def subject(self) -> str:
        """The fact as a noun: axis 1, the shape, element 2."""
        match self.aspect:
            case Aspect.SIZE:
                return f"axis {self.index}"
            case Aspect.ELEMENT:
                return f"element {self.index}"
        return f"the {'element type' if self.aspect is Aspect.TYPE else self.aspect.value}"

    def size(self, fact: Fact) -> Dim | None:
        """The size or the element; None where there is none, or nothing is known of it."""
        if self.aspect is Aspect.SIZE:
            dims = fact.shape.dims
            return None if dims is None or self.index >= len(dims) else dims[self.index]
        if self.aspect is Aspect.ELEMENT and fact.known is not None:
            dims = fact.dims if holds_dims(fact.known) or fact.element_type.integral else None
            return None if dims is None or self.index >= len(dims) else dims[self.index]
        return None

    def sizes(self, fact: Fact) -> Sequence[Dim] | None:
        """The sizes and elements that the facet consists of; None where it is none of these."""
        match self.aspect:
            case Aspect.SIZE | Aspect.ELEMENT:
                one = self.size(fact)
                return None if one is None else (one,)
            case Aspect.SHAPE:
                return fact.shape.dims
            case Aspect.VALUE if fact.known is not None and fact.element_type.integral:
                return fact.dims
        return None

    def expressions(self, fact: Fact, ones: Collection[str] = ()) -> tuple[Expression | None, ...] | None:
        """The expression of every size or element; None where the facet has none. ones: as Expression.of"""
        sizes = self.sizes(fact)
        return None if sizes is None else tuple(Expression.of(size, ones) for size in sizes)

    def content(self, fact: Fact) -> object:
        """The value to compare to find out whether the facet is the same for other facts of the inputs."""
        if self.aspect is Aspect.TYPE:
            return fact.element_type
        sizes = self.sizes(fact)
        if sizes is not None:
            return tuple((size.bounds, size.symbol) for size in sizes)
        if self.aspect in (Aspect.VALUE, Aspect.ELEMENT) and fact.known is not None:
            return fact.known.tobytes()
        return None

    def text(self, fact: Fact, ones: Collection[str] = ()) -> str:
        """The facet as text: 2*N + 1, f32, [N,3], ?. ones: as Expression.of"""
        if self.aspect is Aspect.TYPE:
            return str(fact.element_type)
        sizes = self.sizes(fact)
        if sizes is None:
            return _value_text(fact) if self.aspect in (Aspect.VALUE, Aspect.ELEMENT) else "unknown"
        texts = [str(Expression.of(size, ones) or size) for size in sizes]
        if len(texts) == 1 and self.aspect is not Aspect.SHAPE:
            return abridged(texts[0], MAX_TEXT)
        return abridged(f"[{','.join(texts)}]", MAX_TEXT)


def _value_text(fact: Fact) -> str:
    value = fact.known
    if value is None or not 0 < value.size <= MAX_TEXT:
        return "unknown" if value is None else f"{value.size} elements"
    return abridged(" ".join(str(value.tolist()).split()), MAX_TEXT)


MAX_ELEMENTS = 64
"""Values of at most this many elements are examined element by element."""

Facts = Sequence[Fact | None]


@dataclass(frozen=True, slots=True)
class InputFact:
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


def needed_items(
    inputs: Facts, items: Sequence[InputFact], unchanged: Callable[[Facts], bool]
) -> list[InputFact]:
    """The items without which the outcome changes: as few as leaving out by halves finds, in their order.

    Later items are left out before earlier ones, where either would do. unchanged: whether the outcome is the
    same for these facts
    """
    left_out: list[InputFact] = []

    def reduce(part: Sequence[InputFact]) -> None:
        if unchanged(without(inputs, [*left_out, *part])):
            left_out.extend(part)
        elif len(part) > 1:
            middle = len(part) // 2
            reduce(part[middle:])
            reduce(part[:middle])

    reduce(items)
    return [item for item in items if item not in left_out]


def items_of(inputs: Facts) -> Iterator[InputFact]:
    """The sizes and the values of all inputs."""
    for number, fact in enumerate(inputs):
        if fact is not None:
            yield from (InputFact(number, "size", axis) for axis in range(len(fact.shape.dims or ())))
            if fact.may_have_value:
                yield InputFact(number, "value")


def elements_of(item: InputFact, inputs: Facts) -> list[InputFact]:
    """The elements of a value that is needed, if they are few numbers; otherwise the value itself."""
    fact = inputs[item.input]
    assert fact is not None
    few = fact.shape.size.known and 1 < fact.shape.size <= MAX_ELEMENTS
    if item.kind != "value" or not few or not (fact.element_type.integral or fact.element_type is BOOLEAN):
        return [item]
    return [InputFact(item.input, "element", index) for index in range(int(fact.shape.size))]


def without(inputs: Facts, items: Sequence[InputFact]) -> list[Fact | None]:
    """The facts without some items."""
    by_input: dict[int, list[InputFact]] = {}
    for item in items:
        by_input.setdefault(item.input, []).append(item)
    return [
        fact if fact is None or number not in by_input else _without(fact, by_input[number])
        for number, fact in enumerate(inputs)
    ]


def _without(fact: Fact, items: Sequence[InputFact]) -> Fact:
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
                if outcome(replace(node, invocation=node.invocation.with_values(changed))) != usual:
                    yield name
                    break
            except (OpFault, LimitExceeded):
                continue


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


MIN_RUN = 3
"""From this many layers that pass a fact on unchanged, one sentence stands for all between."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A fact that decides another: a facet of an input of the layer.

    input: the name of the input in the definition; subject: axis 1, element 2; answer: what it is; producer:
    the layer that the input comes from; constant: whether that is a constant, where the chain ends.
    """

    input: str
    subject: str
    answer: str
    producer: str
    location: Location
    constant: bool = False

    def described(self, *, named: bool) -> str:
        """The reason in a sentence. named: whether the producer is named, since more than one is followed"""
        subject = f"{self.subject} of {self.input}"
        if self.constant:
            return f"{subject} ({self.answer}, constant{at_line(self.location, ' at ')})"
        return f"{subject} ({self.answer}, {shown(self.producer)})" if named else f"{subject} ({self.answer})"


@dataclass(frozen=True, slots=True)
class Step:
    """One layer of an explanation: what a fact of an output is, and what decides it.

    path: the layers and bodies down to the graph of the layer; subject: axis 1, the shape; answer: what it
    is; reasons: facts of inputs; attributes: by name, as texts; note: why there are no reasons, or what the
    reasons leave out; passed_on: the fact is that of an input.
    """

    layer: str
    op: str
    location: Location
    path: tuple[str, ...]
    output: int
    subject: str
    answer: str
    reasons: tuple[Reason, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    note: str = ""

    @property
    def passed(self) -> Reason | None:
        """The reason that the fact is equal to, if the layer passes it on from an input; otherwise None."""
        if self.note or any(reason.answer != self.answer for reason in self.reasons if not reason.constant):
            return None
        return next((reason for reason in self.reasons if reason.answer == self.answer), None)

    @property
    def name(self) -> str:
        """The layer with its op and its line: relu_9 (Relu-1, line 80)."""
        inside = "".join(f"{shown(name)}/" for name in self.path)
        return f"{inside}{shown(self.layer)} ({self.op}{at_line(self.location, ', ')})"

    @property
    def fact(self) -> str:
        output = f" of output {self.output}" if self.output else ""
        return f"{self.subject}{output} is {self.answer}"

    def __str__(self) -> str:
        origin = self.passed
        if origin is not None and not origin.constant:
            return f"{self.name}: {self.fact}, as {origin.subject} of {origin.input}"
        followed = [reason for reason in self.reasons if not reason.constant]
        because = [reason.described(named=len(followed) > 1) for reason in self.reasons]
        because += [f"{name}={shown(value)}" for name, value in self.attributes]
        details = [f"from {', '.join(because)}" if because else "", self.note]
        return "; ".join(part for part in (f"{self.name}: {self.fact}", *details) if part)


def sentences(steps: tuple[Step, ...]) -> Iterator[str]:
    """The steps as sentences; a run of layers that pass a fact on is one sentence."""
    run: list[Step] = []
    for step in steps:
        before = run[-1].passed if run else None
        follows = before is not None and (before.producer, before.answer) == (step.layer, step.answer)
        if step.passed is not None and follows:
            run.append(step)
            continue
        yield from _run(run)
        run = [step] if step.passed is not None and not step.passed.constant else []
        if not run:
            yield str(step)
    yield from _run(run)


def _run(run: list[Step]) -> Iterator[str]:
    if len(run) < MIN_RUN:
        yield from map(str, run)
        return
    first, last = run[0], run[-1]
    origin = last.passed
    assert origin is not None
    yield (
        f"{first.name}: {first.fact}, passed on by {len(run)} layers from {origin.subject} of {origin.input}"
        f" of {last.name}"
    )


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
        source = self.model.graph(facet.path).wiring.source(facet.layer)
        if source is None:
            return facet
        return Facet(facet.path, source[0].id, source[1], facet.aspect, facet.index)

    def _explained(self, facet: Facet) -> tuple[Step, list[Facet]]:
        node, facts = self.model.node(facet.key), self.model.facts(facet.key)
        if node.layer.kind is LayerKind.PARAMETER:
            if not facet.path:
                return self._step(facet, self._declaration(facet)), []
            note, causes = causes_of_parameter(self.model, facet)
            return self._step(facet, note), causes
        if node.layer.is_constant:
            return self._step(facet, "a constant of the file"), []
        if node.invocation is None:
            return self._step(facet, "as the file declares it: irops does not define the op"), []
        if facts.failed or facet.output >= len(facts.outputs):
            return self._step(facet, "an error keeps it from being inferred; irops check reports it"), []
        if node.bodies:
            entered = causes_in_bodies(self.model, facet)
            if entered is not None:
                return self._step(facet, entered[0]), entered[1]
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
        reasons, causes = self.because(facet.key, items)
        return self._step(facet, note, reasons, attributes), self._followed(facet, items, causes)

    def _followed(self, facet: Facet, items: Sequence[InputFact], causes: Sequence[Facet]) -> list[Facet]:
        """The causes that are explained in turn: of equal ones the first, and of a fact with names those with
        names, since constants add nothing to where the names come from.
        """
        different: dict[tuple[str, str], Facet] = {}
        for item, cause in zip(items, causes):
            if not self.model.node(cause.key).layer.is_constant:
                different.setdefault((item.kind, self._text(cause)), cause)
        named = [cause for cause in different.values() if not self._is_constant(cause)]
        return list(different.values()) if self._is_constant(facet) else named

    def _is_constant(self, facet: Facet) -> bool:
        """Whether a fact is the same for all sizes of the inputs."""
        return facet.aspect is Aspect.TYPE or _is_static(facet, self.model.facts(facet.key).outputs)

    def _begins_here(self, facet: Facet) -> bool:
        """Whether a size of the facet has a name that inference gave it at this output."""
        outputs = self.model.facts(facet.key).outputs
        expressions = facet.expressions(outputs[facet.output]) or ()
        names = (name for expression in expressions if expression is not None for name in expression.names)
        new_sizes = (self.model.new_sizes.get(name) for name in names)
        return any(n is not None and (n.layer, n.output) == (facet.key, facet.output) for n in new_sizes)

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
        return needed_items(without(inputs, left_out), refined, unchanged)

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

    def because(self, key: LayerKey, items: Sequence[InputFact]) -> tuple[tuple[Reason, ...], list[Facet]]:
        """Facts of inputs of a layer as reasons, and the facets of the layers that feed these inputs."""
        causes = [self._cause(key, item) for item in items]
        return tuple(self._reason(key, item, cause) for item, cause in zip(items, causes)), causes

    def _cause(self, key: LayerKey, item: InputFact) -> Facet:
        path, layer = key
        source = self.model.graph(path).wiring.inputs[layer][item.input]
        assert source is not None
        return self._producing(Facet(path, source[0].id, source[1], ASPECTS[item.kind], item.index))

    def _reason(self, key: LayerKey, item: InputFact, cause: Facet) -> Reason:
        op, producer = self.model.node(key).op, self.model.node(cause.key).layer
        name = str(item.input) if op is None else input_spec(op, item.input).name
        text, place = self._text(cause), self.model.analysis.location(producer, cause.path)
        return Reason(name, cause.subject, text, producer.name, place, producer.is_constant)

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
        reasons, causes = self.because(facet.key, items)
        return self._step(facet, note, reasons), causes

    def _text(self, facet: Facet) -> str:
        outputs = self.model.facts(facet.key).outputs
        return (
            facet.text(outputs[facet.output], self.model.ones) if facet.output < len(outputs) else "unknown"
        )

    def _step(
        self,
        facet: Facet,
        note: str,
        reasons: tuple[Reason, ...] = (),
        attributes: tuple[tuple[str, str], ...] = (),
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
    outer = model.graph(facet.path[:-2])
    body = next(body for body in outer.bodies if body.graph.path == facet.path)
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


def _is_along(cut: Cut | None, facet: Facet) -> bool:
    """Whether a facet concerns the axis along which iterations cut or concatenate."""
    return cut is not None and (
        facet.aspect is Aspect.SHAPE or (facet.aspect is Aspect.SIZE and facet.index == cut.axis)
    )


RULE = "violated-constraint"
MAX_NOTES = 20
"""The greatest number of notes that explain one finding."""


def with_reasons(report: Report, analysis: ModelAnalysis) -> Report:
    """The report, in which every violated constraint has notes about where the facts that break it come from.

    analysis: of the model that the report is about
    """
    if not any(finding.name == RULE for finding in report):
        return report
    model = SymbolicModel(analysis, generalised=False)
    return replace(report, diagnostics=tuple(_with_reasons(finding, model) for finding in report))


def _with_reasons(finding: Diagnostic, model: SymbolicModel) -> Diagnostic:
    place = finding.location
    graph = model.analysis.by_path.get(place.path)
    if finding.name != RULE or graph is None or place.layer_id not in graph.layers:
        return finding
    lines = list(_reasons(finding, model, graph.layers[place.layer_id]))
    if len(lines) > MAX_NOTES:
        lines[MAX_NOTES - 1 :] = [f"and {len(lines) - MAX_NOTES + 1} more steps"]
    return replace(finding, notes=(*finding.notes, *lines))


def _reasons(finding: Diagnostic, model: SymbolicModel, node: LayerNode) -> Iterator[str]:
    constraint = (finding.constraint or "").rpartition(":")[2]
    inputs = model.facts((node.path, node.layer.id)).inputs
    items = _breaking(model.analysis, node, inputs, constraint)
    walk = Walk(model)
    reasons, causes = walk.because((node.path, node.layer.id), items)
    if reasons:
        named = ", ".join(reason.described(named=True) for reason in reasons)
        yield f"it is violated because of {named}"
        yield from sentences(walk.follow(causes))


def _breaking(analysis: ModelAnalysis, node: LayerNode, inputs: Facts, constraint: str) -> list[InputFact]:
    """The facts of the inputs that suffice to break a constraint; none if they do not break it."""

    def breaks(reduced: Facts) -> bool:
        return constraint in _broken(analysis, node, reduced)

    items = list(items_of(inputs))
    if len(items) > MAX_ITEMS or not breaks(inputs):
        return []
    return needed_items(inputs, items, breaks)


def _broken(analysis: ModelAnalysis, node: LayerNode, inputs: Facts) -> Sequence[str | None]:
    """The constraints that a layer violates for these facts of its inputs, as errors or warnings."""
    with collect_warnings() as warnings:
        try:
            Inference(analysis).layer(node, inputs)
        except OpFault as fault:
            return [fault.constraint]
        except LimitExceeded:
            return []
    return [warning.constraint for warning in warnings]


@dataclass(frozen=True, slots=True)
class Why:
    """The origin of a fact of a layer.

    subject: axis 1, the shape, the element type, element 2, the value; value: what it is for the declared
    shapes, as text; expressions: of each size or element that the fact consists of, None for one without an
    expression; sources: the named sizes in the expressions by name; fitted: the sizes whose formula is not
    that of inference, but fits all sizes that irops tries; steps: from the layer back to inputs, constants
    and attributes.
    """

    layer: str
    op: str
    output: int
    subject: str
    value: str
    expressions: tuple[Expression | None, ...]
    sources: Mapping[str, NamedSize]
    steps: tuple[Step, ...]
    fitted: tuple[NamedSize, ...] = ()

    @property
    def expression(self) -> Expression | None:
        """The expression of a size or an element; of a shape, see expressions."""
        return self.expressions[0] if len(self.expressions) == 1 else None

    @property
    def is_static(self) -> bool:
        """Whether the declared shapes decide all of it."""
        return all(s.kind is Kind.INPUT and s.declared.known for s in self.sources.values())

    @property
    def depends_on_data(self) -> tuple[NamedSize, ...]:
        """The named sizes that only the data decide."""
        return tuple(source for source in self.sources.values() if source.kind is Kind.DATA)

    @property
    def formula(self) -> str:
        """The expressions as text: 2*N + 1 for one, [N,2*N + 1,64] for a shape; the value where none is."""
        texts = ["?" if expression is None else str(expression) for expression in self.expressions]
        if not texts:
            return self.value
        return texts[0] if self.subject.startswith(("axis", "element ")) else f"[{','.join(texts)}]"

    def __str__(self) -> str:
        return "\n".join((self.headline, *self.lines()))

    def _repr_html_(self) -> str:
        """The lines for notebooks, as the terminal has them."""
        return html_lines(str(self))

    @property
    def headline(self) -> str:
        """The answer in one line."""
        output = f" of output {self.output}" if self.output else ""
        value = "" if self.value == self.formula else f"; declared: {self.value}"
        return f"{self.subject}{output} of {shown(self.layer)} ({self.op}) is {self.formula}{value}"

    def lines(self) -> Iterator[str]:
        """The sources, what would have to be fixed, and after an empty line the steps as sentences."""
        for name, source in self.sources.items():
            yield f"  {name}: {source}"
        yield from (f"  {source}" for source in self.fitted)
        dynamic = [s for s in self.sources.values() if s.kind is Kind.INPUT and not s.declared.known]
        if dynamic:
            axes = ", ".join(f"axis {source.axis} of {shown(source.layer)}" for source in dynamic)
            yield f"  it is static if the model fixes {axes}"
        yield ""
        yield from sentences(self.steps)

    def __repr__(self) -> str:
        return f"<Why {shortened(self.headline, 120)}>"


def why(
    model: AnyModel | SymbolicModel,
    layer: str | int,
    *,
    output: int = 0,
    axis: int | None = None,
    value: bool | int = False,
    element_type: bool = False,
    inputs: Mapping[Key, Any] | None = None,
    path: Sequence[str] = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Why:
    """Where a fact of a layer comes from: an expression of the sizes of the model's inputs, and the layers,
    constants and attributes that lead to it.

    layer: the name of a layer or a tensor, an id, or a part of a name, also of an input or a result; axis:
    asks for one size, by default for the whole shape; value: asks for the value, or for the element of this
    number; element_type: asks for the element type; inputs: other shapes for the inputs, see irops.infer;
    path: the layers and bodies down to the graph of the layer.
    Raises:  ReadError; DiagnosticError for an input that does not exist; KeyError, with a suggestion, for a
        layer that does not exist; IndexError for an output, an axis or an element that the layer does not
        have
    """
    if not isinstance(model, SymbolicModel):
        model = SymbolicModel(analyse(model, registry, limits), inputs)
    graph, _ = graph_at(model.analysis, tuple(path))
    found, index = graph.names.one(layer)
    node = producer(graph, graph.layers[found.id], output if index is None else index)
    aspect, index = _aspect(axis, value, element_type)
    facet = Facet(graph.path, node[0].layer.id, node[1], aspect, index)
    _require_facet(model, facet)
    return explained(model, facet)


def producer(graph: GraphNode, node: LayerNode, output: int) -> tuple[LayerNode, int]:
    """The layer and the output that are asked about: for a Result, what feeds it.

    Raises:  IndexError for an output that the layer does not have
    """
    if node.layer.kind is LayerKind.RESULT:
        source = graph.wiring.source(node.layer.id)
        if source is None:
            raise IndexError(f"nothing feeds the result {node.layer}")
        return graph.layers[source[0].id], source[1]
    count = len(node.layer.outputs)
    if not 0 <= output < count:
        raise IndexError(f"{node.layer} has no output {output}; it has {plural(count, 'output')}, from 0")
    return node, output


def _aspect(axis: int | None, value: bool | int, element_type: bool) -> tuple[Aspect, int]:
    if element_type:
        return Aspect.TYPE, 0
    if value is not False:
        return (Aspect.VALUE, 0) if value is True else (Aspect.ELEMENT, value)
    return (Aspect.SHAPE, 0) if axis is None else (Aspect.SIZE, axis)


def _require_facet(model: SymbolicModel, facet: Facet) -> None:
    """Raise IndexError for an axis or an element that the output does not have."""
    facts = model.facts(facet.key)
    if facet.output >= len(facts.outputs) or facet.aspect not in (Aspect.SIZE, Aspect.ELEMENT):
        return
    shape = facts.outputs[facet.output].shape
    count = shape.size if facet.aspect is Aspect.ELEMENT else Dim(0, inf)
    if facet.aspect is Aspect.SIZE and shape.rank is not None:
        count = Dim.of(shape.rank)
    if facet.index < 0 or facet.index >= count.high:
        raise IndexError(f"{facts.layer} has no {facet.subject}: its shape is {shape.spelled}")


def explained(model: SymbolicModel, facet: Facet) -> Why:
    """The origin of a facet."""
    expressions, fitted = expressions_of(model, facet)
    node, facts = model.node(facet.key), model.declared_facts(facet.key)
    names = dict.fromkeys(
        name for expression in expressions if expression is not None for name in expression.names
    )
    return Why(
        node.layer.name,
        node.layer.type if node.op is None else node.op.id,
        facet.output,
        facet.subject,
        _declared(facet, facts.outputs[facet.output]) if facet.output < len(facts.outputs) else "unknown",
        expressions,
        {name: source_of(model, name) for name in names},
        Walk(model).follow([facet]),
        tuple(source_of(model, name) for name in fitted),
    )


def _declared(facet: Facet, fact: Fact) -> str:
    """The facet as the declared shapes give it: 7, ?, [1..8,64], f32."""
    sizes = facet.sizes(fact)
    if sizes is None:
        return facet.text(fact)
    texts = [size.spelled for size in sizes]
    return texts[0] if len(texts) == 1 and facet.aspect is not Aspect.SHAPE else f"[{','.join(texts)}]"


def expressions_of(
    model: SymbolicModel, facet: Facet
) -> tuple[tuple[Expression | None, ...], tuple[str, ...]]:
    """The expressions of a facet; names of sizes that are replaced by a formula that fits them."""
    facts = model.facts(facet.key)
    if facet.output >= len(facts.outputs):
        return (), ()
    resolved = [
        (None, ()) if one is None else with_formulas(model, one)
        for one in facet.expressions(facts.outputs[facet.output], model.ones) or ()
    ]
    fitted = dict.fromkeys(name for _, names in resolved for name in names)
    return tuple(expression for expression, _ in resolved), tuple(fitted)


# Sizes for which inference has no expression: whether data decide them, and formulas that fit them.

MAX_DENOMINATOR, LARGEST = 64, 65537
TRIED = (*range(1, 130), 999, 1000, 1001, 4096, 32768, LARGEST)  # to 129: two of each remainder by 64
"""The sizes for which a formula must fit."""


def source_of(model: SymbolicModel, name: str) -> NamedSize:
    """The meaning of a named size: the size of an input, or one that has no expression."""
    return model.sources.get(name) or _source_of_new_size(model, model.new_sizes[name])


def _source_of_new_size(model: SymbolicModel, new: NewSize) -> NamedSize:
    """A size without an expression, as a named size of its own."""
    node, facts = model.node(new.layer), model.facts(new.layer)
    op = node.layer.type if node.op is None else node.op.id
    place = model.analysis.location(node.layer, node.path)
    declared = facts.outputs[new.output].shape[new.axis].named(None)
    kind = Kind.DATA if decided_by_data(model, new) else Kind.UNEXPRESSED
    if any(fact and fact.shape.dims is None for fact in facts.inputs):
        kind = Kind.RANK
    if node.op is None:
        kind = Kind.UNDEFINED
    if kind is Kind.UNEXPRESSED and formula_of(model, new.name) is not None:
        kind = Kind.FITTED
    return NamedSize(new.name, kind, node.layer.name, new.output, new.axis, declared, op, place, new.layer[0])


def with_formulas(model: SymbolicModel, expression: Expression) -> tuple[Expression, tuple[str, ...]]:
    """The expression with formulas for sizes that these fit, and the names that they replace."""
    formulas: dict[str, Expression] = {}
    replaced: list[str] = []
    for name in expression.names:
        formula = formula_of(model, name) if name in model.new_sizes else None
        if formula is not None:
            formulas[name], inner = with_formulas(model, formula)
            replaced.extend((name, *inner))
    return expression.with_names(formulas), tuple(dict.fromkeys(replaced))


def formula_of(model: SymbolicModel, name: str) -> Expression | None:
    """The formula that fits a size without an expression; None where there is none."""
    if name not in model.formulas:
        model.formulas[name] = fitted_expression(model, model.new_sizes[name])
    return model.formulas[name]


def decided_by_data(model: SymbolicModel, new: NewSize) -> bool:
    """Whether a size is unknown even where all sizes of the model's inputs are numbers."""
    size = _size_at(model.concrete_facts(new.layer).outputs, new)
    return size is None or not size.known


def _size_at(outputs: Sequence[Fact], new: NewSize) -> Dim | None:
    facet = Facet(*new.layer, new.output, Aspect.SIZE, new.axis)
    return facet.size(outputs[new.output]) if new.output < len(outputs) else None


def fitted_expression(model: SymbolicModel, new: NewSize) -> Expression | None:
    """A formula (a*x + c)//b for a size that follows from one other size x, which has an expression.

    It is right for all sizes that are tried; None where there is none.
    """
    node, facts = model.node(new.layer), model.concrete_facts(new.layer)
    if node.invocation is None or facts.failed or node.bodies:
        return None

    def size_for(inputs: Facts) -> Dim | None:
        try:
            return _size_at(inferred_again(model.analysis, node, inputs), new)
        except (OpFault, LimitExceeded):
            return None

    usual = size_for(facts.inputs)
    if usual is None or not usual.known:
        return None
    items = list(items_of(facts.inputs))
    needed = needed_items(facts.inputs, items, lambda inputs: size_for(inputs) == usual)
    sizes = [item for item in needed if item.kind == "size"]
    if len(sizes) != 1 or not _constant_values(model, new, needed):
        return None
    varied = _fitted([(n, size_for(_with_size(facts.inputs, sizes[0], n))) for n in TRIED])
    fact = model.facts(new.layer).inputs[sizes[0].input]
    of = None if fact is None else Expression.of(fact.shape[sizes[0].index])
    if varied is None or of is None:
        return None
    return Expression.parsed(varied).with_names({"x": of})


def _constant_values(model: SymbolicModel, new: NewSize, needed: Sequence[InputFact]) -> bool:
    """Whether the values among the items are the same for all sizes of the model's inputs."""
    inputs = model.facts(new.layer).inputs
    values = [inputs[item.input] for item in needed if item.kind == "value"]
    return all(fact is not None and fact.value is not None for fact in values)


def _with_size(inputs: Facts, item: InputFact, number: int) -> list[Fact | None]:
    changed = list(inputs)
    fact = changed[item.input]
    if fact is not None:
        changed[item.input] = Fact(fact.element_type, fact.shape.with_dim(item.index, number))
    return changed


def _fitted(samples: Sequence[tuple[int, Dim | None]]) -> str | None:
    """The text of a formula of x that gives all samples; sizes that the op refuses have no sample."""
    points = [(x, int(size)) for x, size in samples if size is not None and size.known]
    if len(points) < len(samples) // 2:
        return None
    # at the largest size, a constant term hardly changes the ratio
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
