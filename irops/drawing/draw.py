"""irops.draw: a picture of a model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.analysis.structure import GraphNode
from irops.diagnostics.printable import plural, shortened
from irops.drawing.arrange import arrange
from irops.drawing.build import Marks, Notes, SceneBuilder
from irops.drawing.drawing import Drawing
from irops.drawing.engines import engine
from irops.editing.extraction import Boundary, Name, extracted
from irops.editing.graph.graph import Graph
from irops.editing.scope import Scope
from irops.files.limits import Limits
from irops.ir.collection import no_collection
from irops.ir.model import Model
from irops.registry import Registry


def draw(
    model: Model | Graph | ModelAnalysis | str | os.PathLike[str],
    *,
    unfold: bool = False,
    around: Name | None = None,
    hops: int = 2,
    path: Sequence[str] = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Drawing:
    """A picture of a model, which notebooks show; write("model.svg"), .html or .dot stores it.

    Boxes are layers, coloured by the category of their op; below each are the types and shapes of its
    outputs. Constants, and what follows from them, are parameters in the box of their user. Bodies are
    frames. Blocks of equal layers that follow one another are drawn once, and shape computations in the box
    of their user, unless unfold is given. A graph of more than about 1500 boxes is drawn as blocks of layers;
    notes of the picture say so.

    around, hops: draw what lies within so many edges of a layer; path: the layers and bodies down to the
        graph to draw: ("loop", "body")
    Raises:  MissingExtraError where no library for the layout is installed; ReadError where the model cannot
        be read; DiagnosticError for a layer that does not exist; KeyError for a path that does not
    """
    near = around
    if isinstance(model, Graph):
        model = model.model()
    analysis = model if isinstance(model, ModelAnalysis) else analyse(model, registry, limits)
    whole = analysis
    cut = None
    if around is not None:
        graph = Scope.of(analysis, tuple(path)).graph
        cut = 1 + max(graph.layers, default=-1)
        around = _one_output(graph, around)
        part = extracted(analysis, Boundary(around=around, hops=hops, path=path))
        analysis = ModelAnalysis(replace(part.model, source=whole.model.source), whole.registry, whole.limits)
        path = ()
    return drawn(analysis, _title(whole, near, hops, path), path, unfold=unfold, cut=cut)


def drawn(
    analysis: ModelAnalysis,
    title: str,
    path: Sequence[str] = (),
    *,
    unfold: bool,
    cut: int | None = None,
    marks: Marks | None = None,
) -> Drawing:
    """The picture of a graph. cut, marks: see SceneBuilder. Raises: MissingExtraError"""
    layout = engine()
    with no_collection():
        scope = Scope.of(analysis, tuple(path))
        notes = Notes()
        scene = SceneBuilder(notes, unfold=unfold, cut=cut, marks=marks).scene(scope.graph, scope.inferred)
        arrange(scene, layout)
    return Drawing(title, tuple(_texts(notes, unfold=unfold)), scene, analysis, scope)


def _one_output(graph: GraphNode, around: Name) -> Name:
    """An output of a layer that has several, which are all around it."""
    if isinstance(around, tuple):
        return around
    try:
        layer = graph.find(around).layer
    except KeyError:
        return around
    return (layer.id, 0) if len(layer.outputs) > 1 else around


def _title(analysis: ModelAnalysis, around: Any, hops: int, path: Sequence[str]) -> str:
    name = shortened(analysis.model.name or "model", 60)
    where = f", {'/'.join(path)}" if path else ""
    near = f": {plural(hops, 'edge')} around {shortened(str(around), 40)}" if around is not None else ""
    return f"{name}{where}{near}"


def _texts(notes: Notes, *, unfold: bool) -> list[str]:
    """What the picture leaves out."""
    texts = []
    if notes.blocks:
        texts.append(
            f"{plural(notes.layers, 'layer')} are drawn as {plural(notes.blocks, 'block')};"
            " --around LAYER draws some of them"
        )
    if notes.constants:
        what = "constants are" if unfold else "constants and shape computations are"
        texts.append(f"{plural(notes.constants, 'layer')} of {what} in the boxes of their users")
    if notes.repeats:
        texts.append(f"{plural(notes.repeats, 'repeated block')} drawn once; --unfold draws all")
    return texts
