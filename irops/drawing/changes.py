"""Pictures of the differences of two models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import GraphNode, Path
from irops.diagnostics.printable import plural
from irops.drawing.build import Mark
from irops.drawing.draw import drawn
from irops.drawing.drawing import Drawing
from irops.editing.diff.differences import Difference
from irops.editing.scope import Scope
from irops.editing.selection import Selection

MAX_LAYERS = 60
"""Of a model with more layers, the surroundings of the differences are drawn."""
HOPS = 2
"""How many edges the surroundings reach."""


def draw_changes(a: ModelAnalysis, b: ModelAnalysis, difference: Difference) -> tuple[Drawing, ...]:
    """Pictures of what differs: of the first model, if it has layers that were removed, and of the second.

    Layers are coloured by what happened to them, and their boxes list what differs; of a large model, layers
    within two edges of these are drawn. a, b: the models that were compared, of one dialect
    Raises:  MissingExtraError where no library for the layout is installed
    """
    before, after = _marks(a, difference, "removed"), _marks(b, difference, "added")
    made = []
    if any(mark.kind == "removed" for mark in before.values()):
        made.append(_drawing(a, before, f"before: {difference.a}"))
    if after:
        made.append(_drawing(b, after, f"after: {difference.b}"))
    return tuple(made)


def _marks(analysis: ModelAnalysis, difference: Difference, only: str) -> dict[tuple[Path, int], Mark]:
    """The marks of layers. only: the changes that concern layers of this model alone"""
    marks: dict[tuple[Path, int], Mark] = {}
    for kind in (only, "changed", "rewired"):
        for change in getattr(difference, kind):
            _add(marks, analysis, change.path, change.name, Mark(kind, change.details))
    for weight in difference.weights:
        _add(marks, analysis, weight.path, weight.name, Mark("weights", (weight.details,)))
    return marks


def _add(
    marks: dict[tuple[Path, int], Mark], analysis: ModelAnalysis, path: Path, name: str, mark: Mark
) -> None:
    """Mark a layer of that name, if the model has it, and the layers around it whose bodies it is in."""
    graph = analysis.by_path.get(path)
    if graph is None or _number(graph, name) is None:
        return
    for depth in range(0, len(path), 2):
        outer = _number(analysis.by_path[path[:depth]], path[depth])
        assert outer is not None, "the path of a graph names layers"
        marks.setdefault((path[:depth], outer), Mark("changed", ("its bodies",)))
    key = path, _number(graph, name) or 0
    first = marks.get(key)
    marks[key] = mark if first is None else replace(first, texts=(*first.texts, *mark.texts))


def _number(graph: GraphNode, name: str) -> int | None:
    try:
        return graph.find(name).layer.id
    except KeyError:
        return None


def _drawing(analysis: ModelAnalysis, marks: Mapping[tuple[Path, int], Mark], title: str) -> Drawing:
    scope = Scope.of(analysis, ())
    layers = scope.graph.layers
    if len(layers) <= MAX_LAYERS:
        return drawn(analysis, title, unfold=True, marks=marks)
    seeds = [layers[number].layer for path, number in marks if not path]
    part = Selection.around(scope, seeds, HOPS).model()
    near = ModelAnalysis(replace(part, source=analysis.model.source), analysis.registry, analysis.limits)
    title = f"{title}, {plural(HOPS, 'edge')} around what differs"
    return drawn(near, title, unfold=True, marks=marks, cut=1 + max(layers))
