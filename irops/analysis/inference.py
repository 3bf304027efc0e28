"""One run of inference over a model: every layer in order, a fault of one layer never repeated at the next.

Sizes that are not known have names, each its own, so that where one comes back it is known to be the same.
Equal layers share: one with the same invocation and the same Facts of its inputs has the same outputs. A
layer at fault is inferred again without what the fault is about, so that checking goes on behind it: what is
inferred from less is true whatever the faulty part should have been.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from typing import Any
from weakref import ReferenceType, ref

from irops.analysis.declaring import facts_line, given_shape
from irops.analysis.fold import INPUTS, Inputs, ValueBudget, attach_values, is_small
from irops.analysis.inferred import NOT_INFERRED, Inferred, LayerFacts, declared_outputs
from irops.analysis.invocation import Invocation, OpFault, fault_of, input_spec
from irops.analysis.structure import BodyNode, GraphNode, LayerNode, ModelStructure, declared_variables
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.diagnostics.rules import rule
from irops.environment import enabled
from irops.files.limits import Clock, notes as limit_notes, recursion_limit_for
from irops.files.storage import OpenFiles
from irops.ir.model import Layer, Model
from irops.ir.weights import constant, constant_faults
from irops.spec.body import BodyFunction
from irops.spec.definition import Attribute
from irops.spec.extension import is_extension
from irops.spec.op import Op
from irops.values.dim import GENERATED_PREFIX, Dim, Symbol
from irops.values.element import DYNAMIC, Array
from irops.values.fact import Fact, Value
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, Violation, collect_warnings


class FreshNames:
    """Gives names that no other size of one inference has: #0, #1 ..., which no caller can give.

    prefix: precedes the numbers, where sizes of several inferences meet
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix, self._next = f"{GENERATED_PREFIX}{prefix}", 0

    def copy(self) -> "FreshNames":
        """Names that continue with the same number as these."""
        made = FreshNames()
        made._prefix, made._next = self._prefix, self._next
        return made

    def named(self, facts: list[Fact]) -> list[Fact]:
        """The facts, every size without a symbol under a new name; the same list where all have symbols."""
        for fact in facts:
            if not _all_named(fact.shape):
                break
        else:
            return facts
        return [
            fact if _all_named(fact.shape) else fact.with_shape(Shape(map(self._size, fact.shape)))
            for fact in facts
        ]

    def _size(self, size: Dim) -> Dim:
        if size.known or size.symbol is not None:
            return size
        name = f"{self._prefix}{self._next}"
        self._next += 1
        return size.named(name)


def _all_named(shape: Shape) -> bool:
    if shape.dims is not None:
        for size in shape.dims:
            if size.low != size.high and size.symbol is None:
                return False
    return True


Outputs = list[Fact]
Key = tuple[object, ...]
"""An invocation, a number of outputs, and Facts, of which each stands for itself alone."""


class WatchedFact(Fact):
    """A Fact that notes whether its value is asked for, or whether there is one."""

    __slots__ = ("is_read", "original")

    def __init__(self, original: Fact) -> None:
        self.element_type, self.shape, self.depth = original.element_type, original.shape, original.depth
        self.original, self.is_read = original, False

    @property
    def known(self) -> Value:
        self.is_read = True
        return self.original.known

    @property
    def may_have_value(self) -> bool:
        self.is_read = True
        return self.original.may_have_value

    def force(self) -> None:
        self.is_read = True
        self.original.force()

    def with_shape(self, shape: Shape) -> Fact:
        self.is_read = True
        return self.original.with_shape(shape)


class Sharing:
    """The results of one run of inference. results: of layers of which all is the same, values included;
    constants: Facts without a value, for invocations that differ from one only in the place of their bytes;
    forms: makes equal Facts one object.

    Results without values are shared by more layers, of which only the types and shapes of the inputs are
    the same, and those values that inference reads: a MatMul does not read its weights.
    """

    def __init__(self) -> None:
        self.results: dict[Key, Outputs] = {}
        self.constants: dict[Invocation | None, Fact] = {}
        self.forms = Interning()
        self._by_form: dict[Key, list[tuple[tuple[int, ...], dict[Key, Outputs]]]] = {}
        self._is_pure: dict[str, bool] = {}

    def allows(self, op: Op) -> bool:
        """Whether layers of an op may share results: functions from elsewhere may have effects."""
        pure = self._is_pure.get(op.id)
        if pure is None:
            definition = op.definition
            pure = not (definition.stateful or definition.bodies or is_extension(op.module))
            self._is_pure[op.id] = pure
        return pure

    def outputs(
        self,
        node: LayerNode,
        inputs: Inputs,
        infer: Callable[[LayerNode, Inputs], Sequence[Fact]],
        warnings: Sequence[object],
    ) -> Outputs:
        """The outputs of a layer, without values that follow from those of inputs.

        infer: gives the outputs for inputs; warnings: that it gives, with which nothing is shared
        """
        invocation, form = node.invocation, self.forms.form
        assert invocation is not None
        general = invocation.like or invocation
        key = (general, len(node.layer.outputs), *[None if fact is None else form(fact) for fact in inputs])
        by_reads = self._by_form.get(key, ())
        for reads, by_values in by_reads:
            outputs = by_values.get(tuple([inputs[index] for index in reads]))
            if outputs is not None:
                return outputs
        watched = [None if fact is None else WatchedFact(fact) for fact in inputs]
        outputs = [self._own(fact) for fact in infer(node, watched)]
        if not warnings:
            reads = tuple([index for index, fact in enumerate(watched) if fact is not None and fact.is_read])
            self._keep(key, reads, inputs, outputs)
        return outputs

    def _own(self, fact: Fact) -> Fact:
        """The Fact that a function gives; of an input that it gives back, all counts as read."""
        if isinstance(fact, WatchedFact):
            fact.is_read = True
            fact = fact.original
        return self.forms.fact(fact)

    def _keep(self, key: Key, reads: tuple[int, ...], inputs: Inputs, outputs: Outputs) -> None:
        by_reads = self._by_form.setdefault(key, [])
        values = tuple([inputs[index] for index in reads])
        for others, by_values in by_reads:
            if others == reads:
                by_values[values] = outputs
                return
        by_reads.append((reads, {values: outputs}))


# Equal Shapes, and equal Facts without a value, as one object: what depends on them is found by identity.


class Interning:
    """The Shapes and Facts of one run of inference. All that are interned stay alive as long as this does.

    Two Shapes count as equal only if they agree in everything: bounds, symbols, the bounds of the variables
    that symbols consist of, and what is 0 together with a size.
    """

    def __init__(self) -> None:
        self._shapes: dict[object, Shape] = {}
        self._interned: set[int] = set()  # ids of the Shapes above
        self._facts: dict[tuple[str, int], Fact] = {}  # by element type and id of the Shape
        self._symbols: dict[object, int] = {}
        self._seen: dict[int, tuple[int, Symbol]] = {}  # by id, which is that of a Symbol as long as it lives

    def shape(self, shape: Shape) -> Shape:
        """The Shape that stands for all that are equal to this one."""
        if id(shape) in self._interned:
            return shape
        dims = shape.dims
        key = None if dims is None else tuple([self._dim(dim) for dim in dims])
        interned = self._shapes.get(key)
        if interned is None:
            interned = self._shapes[key] = shape
            self._interned.add(id(shape))
        return interned

    def form(self, fact: Fact) -> Fact:
        """The Fact without a value of the same element type and Shape."""
        form = self._facts.get((fact.element_type.name, id(fact.shape)))
        if form is not None:
            return form
        shape = self.shape(fact.shape)
        key = (fact.element_type.name, id(shape))
        form = self._facts.get(key)
        if form is None:
            form = self._facts[key] = Fact(fact.element_type, shape)
        return form

    def fact(self, fact: Fact) -> Fact:
        """An equal Fact: the one that stands for all of its form, where it has no value."""
        form = self.form(fact)
        if not fact.may_have_value:
            return form
        return fact if fact.shape is form.shape else fact.with_shape(form.shape)

    def _dim(self, dim: Dim) -> object:
        low, high = dim.low, dim.high
        if low == high and type(low) is int and dim.symbol is None and not dim.zero_with:
            return low
        symbols = [self._symbol(symbol) for symbol in (dim.symbol, *dim.zero_with) if symbol is not None]
        return (low, type(low), high, type(high), dim.symbol is None, *symbols)

    def _symbol(self, symbol: Symbol) -> int:
        seen = self._seen.get(id(symbol))
        if seen is not None:
            return seen[0]
        key = tuple(
            (tuple((a.name, a.bounds, tuple(map(self._symbol, a.arguments))) for a in monomial), coefficient)
            for monomial, coefficient in symbol.terms
        )
        number = self._symbols.setdefault(key, len(self._symbols))
        self._seen[id(symbol)] = (number, symbol)
        return number


MAX_INPUTS = 8
"""Of layers with more inputs, only the values are left out, not each input in turn. Each is an inference."""
TYPE_RULES = frozenset(("unsupported-element-type", "mismatched-element-types"))
RULES = frozenset(("violated-constraint", "unsupported-rank", "axis-out-of-range", *TYPE_RULES))


def recovered_outputs(
    invocation: Invocation, inputs: Inputs, extras: Mapping[str, Any], fault: OpFault
) -> list[Fact] | None:
    """The outputs of a layer whose inference fails; None if nothing follows or the op has bodies."""
    op = invocation.op
    if fault.rule not in RULES or op.definition.bodies:
        return None
    if fault.rule in TYPE_RULES:
        inputs = _without_types(op, inputs, fault)
    if fault.rule == "axis-out-of-range":
        return _union(_inferred(choice, inputs, extras) for choice in _with_other_axes(invocation, inputs))
    return next(filter(None, (_inferred(invocation, less, extras) for less in _less(inputs))), None)


def outputs_without(invocation: Invocation, inputs: Inputs, extras: Mapping[str, Any]) -> list[Fact] | None:
    """The outputs of a layer whose attributes are malformed or missing; None if they depend on these."""
    op = invocation.op
    faulty = {fault.attribute for fault in invocation.faults}
    invalid = [(a, a.name in faulty or a.required) for a in op.definition.attributes.values()]
    unusable = [a for a, is_wanted in invalid if is_wanted and invocation.attributes.get(a.name) is None]
    if op.definition.bodies or len(unusable) > 1:
        return None
    if not unusable:  # what is missing has a default in OpenVINO's reader
        return _inferred(invocation, inputs, extras)
    return _union(_inferred(choice, inputs, extras) for choice in _with_any_value(invocation, unusable[0]))


def _inferred(invocation: Invocation, inputs: Inputs, extras: Mapping[str, Any]) -> list[Fact] | None:
    try:
        with collect_warnings():
            return list(invocation.infer(inputs, extras))
    except (OpFault, LimitExceeded):
        return None


def _union(choices: Iterable[list[Fact] | None]) -> list[Fact] | None:
    """The Facts that hold for every choice that can be inferred."""
    possible = [choice for choice in choices if choice is not None]
    if not possible or any(len(choice) != len(possible[0]) for choice in possible):
        return None
    return [reduce(_either, facts) for facts in zip(*possible)]


def _either(a: Fact, b: Fact) -> Fact:
    kind = a.element_type if a.element_type is b.element_type else DYNAMIC
    return Fact(kind, a.shape.union(b.shape))


def _less(inputs: Inputs) -> Iterator[Inputs]:
    """The inputs without values; then also without the shape of one of them, but not of the first; then
    without any shapes.
    """
    plain = [None if fact is None else fact.with_value(None) for fact in inputs]
    yield plain
    if len(plain) <= MAX_INPUTS:
        for index in range(len(plain) - 1, 0, -1):
            fact = plain[index]
            if fact is not None:
                yield [*plain[:index], Fact(fact.element_type), *plain[index + 1 :]]
    yield [None if fact is None else Fact(fact.element_type) for fact in plain]


def _without_types(op: Op, inputs: Inputs, fault: OpFault) -> Inputs:
    """The inputs without the types that the op does not accept, or without all types if they do not match."""
    mismatch = fault.rule == "mismatched-element-types"
    return [
        Fact(DYNAMIC, fact.shape)
        if fact is not None and (mismatch or fact.element_type.name not in input_spec(op, index).allowed)
        else fact
        for index, fact in enumerate(inputs)
    ]


def _with_other_axes(invocation: Invocation, inputs: Inputs) -> Iterator[Invocation]:
    """The invocation with every valid value of an axis that is out of range."""
    ranks = [fact.shape.rank for fact in inputs if fact is not None and fact.shape.rank]
    for attribute in invocation.op.axes:
        value = invocation.attributes.get(attribute.name)
        if isinstance(value, int):
            for axis in range(max(ranks, default=0)):
                yield invocation.with_values({**invocation.attributes, attribute.name: axis})


def _with_any_value(invocation: Invocation, attribute: Attribute) -> Iterator[Invocation]:
    """The invocation with every value of an attribute, or unchanged if inference does not read it."""
    name = attribute.name
    if attribute.type == "enum":
        for value in attribute.values:
            yield invocation.with_values({**invocation.attributes, name: value})
    elif attribute.type == "bool":
        for flag in (False, True):
            yield invocation.with_values({**invocation.attributes, name: flag})
    elif not _is_read(invocation.op, attribute):
        yield invocation


def _is_read(op: Op, attribute: Attribute) -> bool:
    """Whether inference depends on an attribute."""
    ports = op.definition.outputs
    if any(port.type == f"@{attribute.name}" for port in ports):
        return True
    if op.functions.shape is None:
        return any(attribute.name in (port.shape or ()) for port in ports)
    return attribute.parameter in op.functions.keyword_params["shape"]


OF_WEIGHTS = ("missing-weights", "constant-outside-weights")
"""Faults of the weights as a whole. Where these are not there, what would follow from them is not missing."""
CLOCK_STEP = 16
"""After how many layers the time is looked at again."""


class Inference:
    """Infers the graphs of one model once. It owns the budget, the clock, the names and the warnings of
    the run.

    Bodies are inferred repeatedly, to follow shapes that change from iteration to iteration, limits.repeats
    times in all. Equal layers share what was inferred for the first of them; see irops.analysis.inference.
    """

    def __init__(
        self, structure: ModelStructure, names: FreshNames | None = None, *, sharing: bool = True
    ) -> None:
        """names: for sizes that are not known; #0, #1 ... if none are given; sharing: whether equal layers
        may share results, unless that is turned off
        """
        self.structure, self.limits = structure, structure.limits
        self.budget, self.clock = ValueBudget(self.limits.folded_bytes), Clock(self.limits.seconds)
        self.names = names or FreshNames()
        self.repeats = 0
        self._files = OpenFiles()
        self._inferred_bodies: set[tuple[str, ...]] = set()
        self._constants = ConstantReader(structure.model, self.budget, self._files)
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
        return self._failures.any or any(f.name not in OF_WEIGHTS for f in self._constants.unread)

    def layer(self, node: LayerNode, inputs: Sequence[Fact | None]) -> LayerFacts:
        """One layer, inferred from Facts of its inputs.

        Raises:  OpFault
        """
        facts = LayerFacts(node.layer, node.op, node.invocation, list(inputs))
        facts.outputs = list(self._outputs(node, facts))
        return facts

    def _obstacles(self, graph: GraphNode) -> Iterator[Diagnostic]:
        """The findings on weights and limits that kept inference from a value."""
        unread = self._constants.unread
        missing = [fault for fault in unread if fault.name in OF_WEIGHTS]
        yield from (fault for fault in unread if fault.name not in OF_WEIGHTS)
        if missing:  # once for all constants, in the words of the check of weights
            faults = constant_faults(self.structure.model)
            yield next((fault for fault in faults if fault.name in OF_WEIGHTS), missing[0])
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
            run = _GraphRun(self.structure.model, inferred, warnings, ref(inferred), self._constants.unread)
            self._infer_all(graph, overrides, run)
        for layer in graph.graph.layers:  # on a cycle, or behind one
            if layer.id not in inferred.layers:
                outputs = unknown_outputs(len(layer.outputs))
                inferred.add(LayerFacts(layer, outputs=outputs, failed=True))
        return inferred

    def _infer_all(self, graph: GraphNode, overrides: Mapping[int, Fact], run: "_GraphRun") -> None:
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
                if facts.op is not None and not facts.failed:
                    for warning in run.warnings:
                        run.report(node, facts.inputs, fault_of(facts.op, warning))
                run.warnings.clear()

    def _infer(
        self, node: LayerNode, facts: LayerFacts, override: Fact | None, run: "_GraphRun", key: Key
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
        """The arguments that functions of the op may take beside attributes, without bodies."""
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
            outputs = (inferred.layers[result.id].outputs for result in graph.results)
            return [facts_of[0] if facts_of else Fact() for facts_of in outputs]

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
    """One inference of one graph: where its findings go. warnings: of the layer that is inferred; unread:
    see ConstantReader
    """

    model: Model
    inferred: Inferred
    warnings: list[Violation]
    reference: ReferenceType[Inferred]
    unread: Sequence[Diagnostic]

    def report(self, node: LayerNode, inputs: Sequence[Fact | None], fault: OpFault) -> None:
        """Add a finding, unless more would be known if all weights were there."""
        constraints = {} if node.op is None else node.op.definition.constraints
        if self.unread and fault.constraint is not None and constraints[fault.constraint].of_knowledge:
            return
        self.inferred.findings.append(finding(self.model, node, inputs, fault))


def unknown_outputs(count: int) -> list[Fact]:
    """Outputs with unknown type and shape."""
    return [Fact(DYNAMIC) for _ in range(count)]


# What is computed only when it is asked for, after inference perhaps: values of constants and of layers.


class ConstantReader:
    """Reads constants within a budget. unread: what is wrong with those whose values were asked for."""

    def __init__(self, model: Model, budget: ValueBudget, files: OpenFiles) -> None:
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
        """Add a finding, unless what was inferred is no longer in use."""
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
