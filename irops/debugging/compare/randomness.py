"""Random layers: both sides get the same values of them, so that what follows can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from irops.analysis.declaring import port_of
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import LayerNode
from irops.backends.backend import Reference
from irops.debugging.compare.agreement import agreement, alike
from irops.debugging.sources.other_model import OtherModel
from irops.debugging.sources.source import Context, Source
from irops.debugging.sources.stored import Stored
from irops.diagnostics.diagnostic import EvaluationError
from irops.diagnostics.printable import abridged, plural
from irops.editing.diff.matching import Matching
from irops.editing.diff.side import Side
from irops.ir.model import Edge, Graph, Layer
from irops.ir.unique import UniqueNames
from irops.runtime.evaluator import Evaluator
from irops.runtime.run import walk_model
from irops.runtime.variables import Variables
from irops.values.element import Array
from irops.values.tensors import fact_of
from irops.verdicts.judge import RANDOM

SEEDED = ("RandomUniform", "Multinomial")
"""Ops whose algorithm is defined: with a seed, their values are."""
SEEDS = frozenset({"global_seed", "op_seed", "seed"})
"""The attributes that decide which values a random layer gives, and nothing else of them."""


def random_layers(analysis: ModelAnalysis) -> list[LayerNode]:
    """The layers of the outermost graph whose values are another ones in each run, or in each runtime."""
    return [node for node in analysis.root.order if _is_random(node)]


def random_values(analysis: ModelAnalysis) -> set[int]:
    """The ids of the random layers, and of all that is computed from them."""
    return analysis.root.following(node.layer.id for node in random_layers(analysis))


def _is_random(node: LayerNode) -> bool:
    bodies = (inner for body in node.bodies.values() for inner in body.graph.order)
    if any(map(_is_random, bodies)):
        return True
    if node.layer.type not in RANDOM or node.invocation is None:
        return node.layer.type in RANDOM
    if node.layer.type == "Dropout":
        return len(node.layer.inputs) > 2
    attributes = node.invocation.attributes
    is_seeded = bool(attributes.get("global_seed") or attributes.get("op_seed"))
    return not (node.layer.type in SEEDED and is_seeded)


@dataclass(frozen=True, slots=True)
class Given:
    """A model in which random layers are Parameters.

    context: with their values; b: the other side, with them; random: layers that both sides get values of;
    left: those whose values one side does not take, and Results that follow from such ones of another model;
    seeded: random layers in bodies that both sides get the same seeds for
    """

    context: Context
    b: Source
    random: tuple[LayerNode, ...] = ()
    left: tuple[LayerNode, ...] = ()
    seeded: tuple[LayerNode, ...] = ()

    def notes(self) -> Iterator[str]:
        """What both sides get."""
        for what, nodes, where in (("values of", self.random, ""), ("seeds for", self.seeded, " in bodies")):
            if nodes:
                names = [abridged("/".join((*node.path[::2], node.layer.name)), 60) for node in nodes[:4]]
                layers = plural(len(nodes), "random layer")
                yield f"both sides get the same {what} {layers}{where}: {', '.join(names)}"


def with_random_values(context: Context, a: Source, b: Source) -> Given:
    """Give the random values of one side to the other: of stored values if there are some, else of a. Random
    layers in bodies get the same seeds, so that each layer of a body is judged.

    Raises:  EvaluationError, SourceFailed
    """
    context, b, seeded = _with_seeds(context, a, b)
    given = _shared_with(context, b) if isinstance(b, OtherModel) else _given_values(context, a, b)
    return replace(given, seeded=seeded)


# ---- bodies


def _with_seeds(context: Context, a: Source, b: Source) -> tuple[Context, Source, tuple[LayerNode, ...]]:
    """The models with the same seeds for the random layers of bodies whose algorithm is defined."""
    root = context.analysis.root
    if isinstance(b, OtherModel):
        other = b.analysis(context.analysis)
        to = {**b.matching(context.analysis).to, **b.mapping}
        outer = [(node, other.root.layers[to[node.layer.id]]) for node in root.order if node.layer.id in to]
        sides = [Side(one, one.root, one.infer()) for one in (context.analysis, other)]
        pairs = [pair for one, its in outer for pair in _drawing_alike(one, its, *sides)]
        if pairs:
            seeded = _seeded(other, [its for _, its in pairs])
            b = b.with_model(seeded)
    elif a.computes_layers and b.computes_layers:
        inner = (each for node in root.order for each in _layers_in_bodies(node))
        pairs = [(each, each) for each in inner if each.layer.type in SEEDED and _is_random(each)]
    else:
        pairs = []
    nodes = tuple(node for node, _ in pairs)
    if nodes:
        context = Context(_seeded(context.analysis, nodes), context.inputs, context.taps)
    return context, b, nodes


def _layers_in_bodies(node: LayerNode) -> Iterator[LayerNode]:
    for body in node.bodies.values():
        for inner in body.graph.order:
            yield inner
            yield from _layers_in_bodies(inner)


def _drawing_alike(
    node: LayerNode, other: LayerNode, side: Side, its: Side
) -> Iterator[tuple[LayerNode, LayerNode]]:
    """The layers in the bodies of two layers that draw from the same values, of which one is random."""
    for name in node.bodies.keys() & other.bodies.keys() if _is_random(node) or _is_random(other) else ():
        graphs = node.bodies[name].graph, other.bodies[name].graph
        inner = [
            Side(one.analysis, graph, one.inferred and one.inferred.of(number).bodies.get(name))
            for one, graph, number in zip((side, its), graphs, (node.layer.id, other.layer.id))
        ]
        for one, partner in Matching(inner[0], inner[1]).to.items():
            pair = graphs[0].layers[one], graphs[1].layers[partner]
            yield from _drawing_alike(*pair, inner[0], inner[1])
            if pair[0].layer.type in SEEDED and any(map(_is_random, pair)) and _draw_alike(*pair):
                yield pair


def _seeded(analysis: ModelAnalysis, nodes: Sequence[LayerNode]) -> ModelAnalysis:
    """The model with seeds of their own for some layers of bodies."""
    seeds = {id(node.layer): str(number) for number, node in enumerate(nodes, 1)}

    def changed(graph: Graph) -> Graph:
        layers = []
        for layer in graph.layers:
            data = layer.data
            if id(layer) in seeds:
                data = {**data, "global_seed": seeds[id(layer)], "op_seed": seeds[id(layer)]}
            bodies = {name: replace(body, graph=changed(body.graph)) for name, body in layer.bodies.items()}
            layers.append(replace(layer, data=data, bodies=bodies))
        return replace(graph, layers=layers)

    made = replace(analysis.model, graph=changed(analysis.model.graph))
    return ModelAnalysis(made, analysis.registry, analysis.limits)


# ---- values of a layer for both sides


def _given_values(context: Context, a: Source, b: Source) -> Given:
    """The values of random layers of the outermost graph as Parameters."""
    layers = random_layers(context.analysis)
    if not layers:
        return Given(context, b)
    if not all(source.computes_layers or isinstance(source, Stored) for source in (a, b)):
        return Given(context, b, (), tuple(layers))
    numbers = {node.layer.id for node in layers}
    origin = next((source for source in (b, a) if isinstance(source, Stored)), a)
    values: dict[tuple[int, int], Array] = {}
    for value in origin.walk(Context(context.analysis, context.inputs, numbers)):
        if value.layer in numbers:
            outputs = enumerate(value.outputs)
            values |= {(value.layer, index): array for index, array in outputs if array is not None}
    given = [node for node in layers if all(key in values for key in _outputs(node))]
    left = [node for node in layers if node not in given]
    if not given:
        return Given(context, b, (), tuple(left))
    names = UniqueNames(layer.name for layer in context.model.layers)
    named = {key: names.unique(node.layer.name) for node in given for key in _outputs(node)}
    return Given(_replaced(context, given, values, named), b, tuple(given), tuple(left))


def _outputs(node: LayerNode) -> Iterable[tuple[int, int]]:
    return ((node.layer.id, index) for index in range(len(node.layer.outputs)))


def _replaced(
    context: Context,
    nodes: Iterable[LayerNode],
    values: Mapping[tuple[int, int], Array],
    named: Mapping[tuple[int, int], str],
    *,
    has_tensors: bool = True,
) -> Context:
    """The model with Parameters for the outputs of layers, and the values of these.

    named: how the Parameters are named; has_tensors: whether they keep the names of tensors
    """
    model = context.model
    parameters: dict[tuple[int, int], Layer] = {}
    number = max(layer.id for layer in model.layers)
    inputs = dict(context.inputs)
    for node in nodes:
        for key in _outputs(node):
            number += 1
            fact = fact_of(values[key])
            data = {"element_type": fact.element_type.name, "shape": ",".join(map(str, values[key].shape))}
            port = port_of(0, fact, node.layer.outputs[key[1]].names if has_tensors else ())
            parameters[key] = Layer(number, named[key], "Parameter", "opset1", data, outputs=[port])
            inputs[number] = values[key]
    replaced = {node.layer.id: node.layer for node in nodes}
    ports = {(key[0], replaced[key[0]].outputs[key[1]].id): made for key, made in parameters.items()}
    edges = [
        Edge(ports[edge.from_layer, edge.from_port].id, 0, edge.to_layer, edge.to_port)
        if (edge.from_layer, edge.from_port) in ports
        else edge
        for edge in model.edges
        if edge.to_layer not in replaced
    ]
    layers = [*parameters.values(), *(layer for layer in model.layers if layer.id not in replaced)]
    made = replace(model, graph=Graph(layers, edges))
    old = context.analysis
    return Context(ModelAnalysis(made, old.registry, old.limits), inputs, context.taps)


# ---- another model


def _shared_with(context: Context, b: OtherModel) -> Given:
    """Give the random values of a model to another one, whose random layers are partners of the same kind.

    Random layers that draw from other ranges, or that have other inputs, are no such partners: what follows
    from them cannot be judged, and to give both the same values would hide that they differ.
    """
    other = b.analysis(context.analysis)
    to = {**b.matching(context.analysis).to, **b.mapping}
    theirs = {node.layer.id for node in random_layers(other)}
    ours = {node.layer.id for node in random_layers(context.analysis)}
    nodes = [node for node in context.analysis.root.order if node.layer.id in ours]
    nodes += [
        context.analysis.root.layers[one] for one, its in to.items() if its in theirs and one not in ours
    ]
    pairs = {
        node.layer.id: other.root.layers[to[node.layer.id]]
        for node in nodes
        if node.layer.id in to and _draw_alike(node, other.root.layers[to[node.layer.id]])
    }
    values = _values_of_partners(context, b, pairs) if pairs else {}
    given = [node for node in nodes if all(key in values for key in _outputs(node))]
    partners = {node.layer.id: pairs[node.layer.id] for node in given}
    if given:
        both = (*context.model.layers, *other.model.layers)
        names = UniqueNames(layer.name for layer in both)
        named = {key: names.unique(node.layer.name) for node in given for key in _outputs(node)}
        inputs = Context(other, b.inputs(context))
        replaced = _replaced(
            inputs,
            partners.values(),
            {(partners[key[0]].layer.id, key[1]): values[key] for key in named},
            {(partners[key[0]].layer.id, key[1]): name for key, name in named.items()},
            has_tensors=False,
        )
        context = _replaced(context, given, values, named, has_tensors=False)
        b = b.with_model(replaced.analysis, leaving=partners)
    left = [node for node in nodes if node not in given and node.layer.id in ours]
    return Given(context, b, tuple(given), (*left, *results_of_random(context, b)))


def _draw_alike(node: LayerNode, other: LayerNode) -> bool:
    """Whether two layers draw from the same values, if they have the same inputs."""
    if node.bodies or other.bodies or node.invocation is None or other.invocation is None:
        return False
    attributes = [
        {name: value for name, value in one.invocation.attributes.items() if name not in SEEDS}
        for one in (node, other)
        if one.invocation is not None
    ]
    is_same = node.op is not None and other.op is not None and node.op.id == other.op.id
    return is_same and attributes[0] == attributes[1]


def _values_of_partners(
    context: Context, b: OtherModel, pairs: Mapping[int, LayerNode]
) -> Mapping[tuple[int, int], Array]:
    """The values of random layers whose partners have the same inputs. Raises: EvaluationError"""
    partners = {node.layer.id: number for number, node in pairs.items()}
    inputs: dict[int, Sequence[Array | None]] = {}
    values: dict[tuple[int, int], Array] = {}
    for computed in walk_model(Evaluator(context.analysis, (Reference(),)), context.inputs, Variables()):
        number = computed.step.layer.id
        if number in pairs:
            inputs[number] = computed.inputs
            values |= {(number, index): array for index, array in enumerate(computed.outputs)}
    analysis = b.analysis(context.analysis)
    agreeing: set[int] = set()
    with suppress(EvaluationError):  # where b cannot run any further is found when it is compared
        for computed in walk_model(Evaluator(analysis, (Reference(),)), b.inputs(context), Variables()):
            number = partners.get(computed.step.layer.id, -1)
            if number in inputs and _agree(inputs[number], computed.inputs, b):
                agreeing.add(number)
                for index in range(len(computed.outputs)):  # so that the inputs of later random layers agree
                    computed.outputs[index] = values[number, index]
    return {key: array for key, array in values.items() if key[0] in agreeing}


def _agree(ours: Sequence[Array | None], theirs: Sequence[Array | None], b: OtherModel) -> bool:
    """Whether inputs are equal but for rounding."""
    if len(ours) != len(theirs):
        return False
    for one, other in zip(ours, theirs):
        if one is None or other is None:
            if one is not other:
                return False
            continue
        pair = alike(one, other)
        if isinstance(pair, str):
            return False
        if agreement(pair.one, pair.other, [pair.one], pair.arithmetic(b.arithmetic)).is_fault:
            return False
    return True


def results_of_random(context: Context, b: OtherModel) -> list[LayerNode]:
    """The Results of a model that follow from random layers, in it or in another one."""
    other = b.analysis(context.analysis)
    ours, theirs = random_values(context.analysis), random_values(other)
    pairs = b.matched_results(context).pairs
    return [
        context.analysis.root.layers[port.layer.id]
        for port in context.analysis.signature.results
        if port.layer.id in ours or (port.position in pairs and pairs[port.position][0].layer.id in theirs)
    ]
