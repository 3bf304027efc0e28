"""From a layer with bodies into them, and from a Parameter of a body out of it, by the port maps."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.structure import BodyNode
from irops.debugging.origins.facet import Aspect, Facet
from irops.debugging.origins.symbolic import SymbolicModel
from irops.diagnostics.printable import shown
from irops.spec.body import Cut


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
