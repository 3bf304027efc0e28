"""Compare the expressions of irops.why with inference, for every size of every layer of a model."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.model_analysis import analyse
from irops.debugging.origins.symbolic import Kind, SymbolicModel
from irops.debugging.origins.why import Aspect, Facet, expressions_of, source_of

SETTINGS, ATTEMPTS = 3, 40


def check_model(path: Path, seed: int) -> tuple[Counter[str], list[str]]:
    """How many sizes have an expression, and of which kind; sizes that differ from inference."""
    model = SymbolicModel(analyse(path))
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    settings = list(_settings(model, random.Random(seed)))
    counts["settings"] = len(settings)
    for facet in _facets(model):
        counts["sizes"] += 1
        (expression,), fitted = expressions_of(model, facet)
        if expression is None:
            counts["without expression"] += 1
            continue
        kinds = {source_of(model, name).kind for name in expression.names}
        counts[_class(kinds, bool(fitted))] += 1
        if kinds - {Kind.INPUT}:
            continue
        for numbers, graphs in settings:
            expected = _size(graphs, facet)
            if expected is None:
                continue
            counts["comparisons"] += 1
            try:
                found = expression.evaluate(numbers)
            except ValueError as error:
                wrong.append(f"{path.parent.name} {facet}: {expression}: {error} at {numbers}")
                continue
            if found != expected:
                wrong.append(
                    f"{path.parent.name} {facet}: {expression} is {found}, not {expected}, at {numbers}"
                )
    return counts, wrong


def _class(kinds: set[Kind], fitted: bool) -> str:
    for kind in (Kind.DATA, Kind.UNEXPRESSED):
        if kind in kinds:
            return kind.value
    if fitted:
        return Kind.FITTED.value
    return "of inputs" if kinds else "constant"


def _settings(
    model: SymbolicModel, chance: random.Random
) -> Iterator[tuple[Mapping[str, int], Mapping[tuple[str, ...], Inferred]]]:
    """Random sizes of the sources for which the model is valid, and what is inferred for them.

    Each time fewer sizes differ from the declared ones, and equal declared sizes are drawn equal more often,
    since many models are valid for few sizes.
    """
    made = 0
    for attempt in range(ATTEMPTS):
        freedom = 1 - attempt / ATTEMPTS
        numbers = _numbers(model, chance, freedom)
        inferred = model.inferred_at(numbers)
        if inferred.errors:
            continue
        yield numbers, dict(_graphs(inferred))
        made += 1
        if made == SETTINGS:
            return


def _numbers(model: SymbolicModel, chance: random.Random, freedom: float) -> dict[str, int]:
    together: dict[object, int] = {}
    numbers = {}
    for name, source in model.sources.items():
        low, high = int(max(source.declared.low, 1)), min(source.declared.high, 10**6)
        if source.declared.known:
            low, high = (2 if low > 1 else 1), 10**6
        drawn = chance.choice((chance.randint(1, 6), chance.randint(7, 64), 16 * chance.randint(1, 8)))
        if source.declared.known and chance.random() > freedom:
            drawn = int(source.declared)
        group = (str(source.declared), source.axis)
        if chance.random() > freedom or freedom < 0.7:
            drawn = together.setdefault(group, drawn)
        numbers[name] = int(min(max(drawn, low), high))
    return numbers


def _facets(model: SymbolicModel) -> Iterator[Facet]:
    for path, facts in _layers(model.inferred):
        for output, fact in enumerate(facts.outputs):
            for axis in range(len(fact.shape.dims or ())):
                yield Facet(path, facts.layer.id, output, Aspect.SIZE, axis)


def _layers(inferred: Inferred) -> Iterator[tuple[tuple[str, ...], LayerFacts]]:
    for graph_path, graph in _graphs(inferred):
        for facts in graph.layers.values():
            if not facts.failed:
                yield graph_path, facts


def _graphs(inferred: Inferred) -> Iterator[tuple[tuple[str, ...], Inferred]]:
    yield inferred.path, inferred
    for facts in inferred.layers.values():
        for body in facts.bodies.values():
            yield from _graphs(body)


def _size(graphs: Mapping[tuple[str, ...], Inferred], facet: Facet) -> int | None:
    """The size at a setting, if it is one number there."""
    graph = graphs.get(facet.path)
    if graph is None or facet.output >= len(graph.layers[facet.layer].outputs):
        return None
    size = facet.size(graph.layers[facet.layer].outputs[facet.output])
    return int(size) if size is not None and size.known else None
