"""irops.gradient_model: a model that computes the gradients of another one."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.analysis.signature import Key
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError
from irops.diagnostics.printable import printable
from irops.diagnostics.rules import rule
from irops.differentiation.deriving import Applied, Term, Terms, propagated
from irops.editing.graph.graph import Graph
from irops.editing.graph.node import Node, Value
from irops.files.limits import Limits
from irops.ir.model import LayerKind, Model
from irops.registry import Registry
from irops.runtime.gradients import GradientNames, derived_bodies
from irops.spec.op import Op
from irops.values.element import DYNAMIC, Array
from irops.values.fact import Fact
from irops.values.tensors import fact_of

Branch: TypeAlias = Callable[[Terms, Sequence[Any]], Sequence[Any]]


class GradientBuilder:
    """Adds the ops of derivatives to the end of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def op(self, name: str) -> Op:
        return self._graph.op(name)

    def apply(
        self, op: Op, operands: Sequence[Any], attributes: Mapping[str, Any], part: str
    ) -> Sequence[Value]:
        name = self._graph.unique(f"gradient/{part}", number=True)
        return self._graph.added(op, name, operands, attributes).outputs

    def choose(
        self, condition: Any, then: Branch, otherwise: Branch, operands: Sequence[Any]
    ) -> Sequence[Value]:
        """Add an If. then, otherwise: give values in a graph of their own, out of the operands there"""
        names = [f"i{number}" for number in range(len(operands))]

        def side(name: str, branch: Branch) -> Graph:
            graph = Graph(name, registry=self._graph.registry, limits=self._graph.limits)
            inner = Terms(GradientBuilder(graph), is_exact=False)
            facts = (Fact(fact.element_type, fact.shape.unnamed()) for fact in map(self.fact, operands))
            parameters = [Term(inner, graph.parameter(*each)) for each in zip(names, facts)]
            for number, term in enumerate(branch(inner, parameters)):
                graph.result(term.value, name=f"o{number}")
            return graph

        name = self._graph.unique("gradient/If", number=True)
        sides = side("then", then), side("else", otherwise)
        return self._graph.If(condition, *sides, dict(zip(names, operands)), name=name)

    def constant(self, array: Array, part: str) -> Value:
        return self._graph.constant(array, self._graph.unique(f"gradient/{part}", number=True))

    def fact(self, value: Any) -> Fact:
        return value.fact if isinstance(value, Value) else fact_of(np.asarray(value), with_value=True)


def gradient_model(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    *,
    of: Key | Collection[Key] | None = None,
    wrt: Key | Collection[Key] | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Model:
    """A model that computes the results of a model, and gradients of its inputs and constants.

    It has a further input cotangent/RESULT for each result in `of`, and behind the results of the model a
    result grad/NAME for each input or constant in `wrt` that a gradient reaches; a name that is taken gets a
    number.
    of, wrt: by default all results, and all inputs, of floating types
    Raises:  ReadError; EvaluationError, with .diagnostics: all layers that gradients would have to flow
        through and that have none, each with the reason (IR621); results of types that have no gradients
        (IR622); names that do not exist, as irops.vjp
    """
    analysis = model if isinstance(model, ModelAnalysis) else analyse(model, registry, limits)
    names = GradientNames(analysis)
    wanted = names.wanted(wrt)
    graph = Graph(analysis.model, registry=registry, limits=limits)
    nodes = dict(zip((layer.id for layer in analysis.model.layers), graph.order))
    layers = {node: analysis.root.layers[number] for number, node in nodes.items()}
    terms = Terms(GradientBuilder(graph), is_exact=False)
    by_value: dict[Value, Term] = {}

    def term(value: Value) -> Term:
        return by_value.setdefault(value, Term(terms, value))

    steps = []
    for node in graph:
        if node.kind is not LayerKind.RESULT and node.invocation is not None:
            operands = tuple(None if value is None else term(value) for value in node.sources)
            bodies = derived_bodies(analysis, layers[node]) if node in layers else {}
            outputs = tuple(map(term, node.outputs))
            steps.append((Applied(node.invocation, operands, outputs, bodies), node))
    places = {id(step): node for step, node in steps}
    sources = _sources(names, nodes, of)
    inputs = {nodes[layer.id].name: nodes[layer.id] for layer in analysis.model.layers if layer.id in wanted}
    undefined = _undefined_between(graph, inputs.values(), sources.values())
    seeds = []
    for key, source in sources.items():
        cotangent = graph.parameter(graph.unique(f"cotangent/{key}"), Fact(source.element_type, source.shape))
        seeds.append((term(source), Term(terms, cotangent)))
    missing: dict[Node, Diagnostic] = {}

    def refuse_node(node: Node, op: str, reason: str) -> None:
        message = f"{op} has no gradient in {node.name!r}, because {reason}"
        missing[node] = Diagnostic(rule("missing-gradient"), message, graph.location_of(node))

    def refuse(step: Applied, reason: str) -> None:
        refuse_node(places[id(step)], step.invocation.op.id, reason.rstrip("."))

    for node in undefined:
        refuse_node(node, printable(node.type), "irops does not define this op")
    found = propagated(
        terms,
        [step for step, _ in steps],
        seeds,
        [term(node.outputs[0]) for node in inputs.values()],
        refuse,
    )
    if missing:
        raise EvaluationError([missing[node] for node in graph if node in missing])
    for name, gradient in zip(inputs, found):
        if gradient is not None:
            graph.result(gradient.value, name=graph.unique(f"grad/{name}"))
    graph.prune()
    return graph.model()


def _undefined_between(graph: Graph, first: Iterable[Node], last: Iterable[Value]) -> list[Node]:
    """The layers of undefined ops on the ways from some layers to some values, in order."""
    order, behind, before = list(graph), set(first), {value.node for value in last}
    for node in order:
        if any(value is not None and value.node in behind for value in node.sources):
            behind.add(node)
    for node in reversed(order):
        if node in before:
            before.update(value.node for value in node.sources if value is not None)
    return [node for node in order if node.invocation is None and node in behind and node in before]


def _sources(
    names: GradientNames, nodes: Mapping[int, Node], of: Key | Collection[Key] | None
) -> dict[Key, Value]:
    """The values behind the results that get cotangents. Raises: EvaluationError (IR622), KeyError"""
    signature, found = names.signature, dict[Key, Value]()
    named = [port.name for port in signature.results] if of is None else of
    keys = [named] if isinstance(named, (str, int)) else named
    for key in keys:
        layer = signature.result(key).layer
        (source,) = nodes[layer.id].sources
        assert source is not None
        kind = source.element_type
        if kind is DYNAMIC or kind.differentiable:
            found[key] = source
        elif of is not None:
            raise names.unfit(
                f"gradients are asked for of {layer.name!r}, {source.fact}, whose type has none", layer
            )
    return found
