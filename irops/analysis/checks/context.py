"""What the checks share: the graphs of a model, wired once, and how a finding is placed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from irops.diagnostics.diagnostic import Diagnostic, Location, errors_of
from irops.diagnostics.rules import rule
from irops.dialects import dialect_of
from irops.graph.wiring import Wiring
from irops.ir.locate import Source
from irops.ir.model import Body, Graph, Layer, Model
from irops.ir.read import HARMLESS
from irops.limits import Limits
from irops.registry import Registry, default_registry


@dataclass(frozen=True, slots=True)
class Scope:
    """One graph of a model: the outermost, or a body. path: the layers and bodies on the way to it; outer:
    the graph around.
    """

    graph: Graph
    path: tuple[str, ...]
    wiring: Wiring
    outer: Scope | None = None

    @property
    def what(self) -> str:
        return "the body" if self.outer else "the graph"


@dataclass(frozen=True, slots=True)
class Inside:
    """A body: the graph that its layer is in, the layer, the body, and the body's layers by id."""

    scope: Scope
    layer: Layer
    body: Body
    layers: dict[int, Layer]

    def unfit(self, layer_id: int, wanted: str) -> str | None:
        """Why the body's layer of that id is none of the wanted type; None if it is."""
        layer = self.layers.get(layer_id)
        if layer is None:
            return "which does not exist"
        return None if layer.type.lower() == wanted.lower() else f"which is of type {layer.type}"


class Context:
    """A model about to be checked.

    partially_read: the paths of graphs of which the reader could not take all. What seems to be missing there
        may only be unread, so
    no check complains of an absence.
    """

    def __init__(
        self,
        model: Model,
        registry: Registry | None = None,
        told: Iterable[Diagnostic] = (),
        limits: Limits | None = None,
    ) -> None:
        self.model, self.registry, self.limits = model, registry or default_registry(), limits or Limits()
        self.partially_read = frozenset(d.location.path for d in errors_of(told) if d.name not in HARMLESS)
        self.scopes = tuple(_scopes(model.graph))
        self.whole = tuple(scope for scope in self.scopes if scope.path not in self.partially_read)
        inside = {id(scope.graph): scope.wiring.layers for scope in self.scopes}
        self.bodies = tuple(
            Inside(scope, layer, body, inside[id(body.graph)])
            for scope in self.scopes
            for layer in scope.graph.layers
            if layer.bodies
            for body in layer.bodies.values()
        )

    def finding(
        self,
        name: str,
        message: str,
        at: int,
        scope: Scope,
        layer: Layer | None = None,
        *,
        attribute: str | None = None,
        **more: Any,
    ) -> Diagnostic:
        """A finding of the rule of that name, at the element of that byte offset or at one of its attributes.

        more: the other fields of a Diagnostic; notes are dropped that say what OpenVINO does with a model
            that it cannot be given
        """
        if not dialect_of(self.model).runtime_notes:
            more["notes"] = tuple(note for note in more.get("notes", ()) if "OpenVINO" not in note)
        return Diagnostic(rule(name), message, self._location(at, scope, layer, attribute), **more)

    @property
    def editable(self) -> Source | None:
        """The text that fixes can change: none where the model is not of a file, or in another encoding than
        it is read in.
        """
        source = self.model.source
        return source if source is not None and source.as_stored else None

    def _location(self, at: int, scope: Scope, layer: Layer | None, attribute: str | None) -> Location:
        if self.model.source is not None:
            return self.model.source.location(at, layer, scope.path, attribute)
        return (
            Location(path=scope.path)
            if layer is None
            else Location(layer_id=layer.id, layer_name=layer.name, path=scope.path)
        )


def _scopes(graph: Graph) -> Iterator[Scope]:
    ahead: list[tuple[Graph, tuple[str, ...], Scope | None]] = [(graph, (), None)]
    while ahead:
        graph, path, outer = ahead.pop()
        scope = Scope(graph, path, Wiring(graph), outer)
        yield scope
        ahead.extend(
            (body.graph, (*path, layer.name, name), scope)
            for layer in graph.layers
            for name, body in layer.bodies.items()
        )
