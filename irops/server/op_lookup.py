"""The ops that the layers of a text mean, and the files that define them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path

from irops.diagnostics.diagnostic import DiagnosticError
from irops.registry import Registry, default_registry
from irops.server.options import ServerOptions
from irops.server.outline import EdgeSpan, LayerSpan, Outline
from irops.server.outline import Path as GraphPath
from irops.spec.op import NoOp, Op

Outputs = Mapping[tuple[GraphPath, int], tuple[str, ...]]
"""Type and shape of each output, by the path of the graph and the id of the layer."""


class OpLookup:
    """The ops by type and version of layers."""

    def __init__(self, options: ServerOptions) -> None:
        has_custom = options.definitions or options.modules
        self.registry = Registry(options.definitions, options.modules) if has_custom else default_registry()

    def op(self, type: str, version: str) -> Op | None:
        """The op of a type and a version; None if there is none, or its definition is faulty."""
        try:
            resolved = self.registry.resolve(type, version)
        except DiagnosticError:  # reported in its own file
            return None
        return None if isinstance(resolved, NoOp) else resolved

    def page_of(self, name: str) -> Op | None:
        """The op of an id or a type; None if there is none."""
        try:
            return self.registry.named(name)
        except (KeyError, DiagnosticError):
            return None

    def custom(self) -> tuple[str, ...]:
        """The ids of custom ops; none where a folder of definitions is faulty."""
        try:
            return tuple(self.registry.extensions())
        except DiagnosticError:
            return ()


def places(op: Op) -> list[tuple[str, int]]:
    """File and line, from 1, of the definition of an op and of its functions, the kernel first."""
    result = [(op.definition.path, 1)]
    functions = sorted(op.functions.by_role().items(), key=lambda pair: pair[0] != "kernel")
    for _, function in functions:
        code = inspect.unwrap(function).__code__
        result.append((code.co_filename, code.co_firstlineno))
    return result


def attribute_line(op: Op, name: str) -> int:
    """The line, from 1, of an attribute in the file of its definition; 1 if it cannot be found."""
    try:
        lines = Path(op.definition.path).read_text("utf-8", "replace").splitlines()
    except OSError:
        return 1
    return next((k for k, line in enumerate(lines, 1) if f'<attribute name="{name}"' in line), 1)


def source_of(layer: LayerSpan, port: int) -> EdgeSpan | None:
    """The edge that ends at an input of a layer; of several the first."""
    edges = layer.graph.edges
    return next((e for e in edges if e.to_layer == layer.id and e.to_port == port), None)


def output_text(outline: Outline, outputs: Outputs, layer: LayerSpan, port: int | None) -> str:
    """Type and shape of an output as they were inferred last; empty if they are not known."""
    facts = outputs.get((layer.graph.path, -1 if layer.id is None else layer.id), ())
    labels = [label for label, _ in layer.ports(outline.text, "output")]
    index = labels.index(port) if port in labels else -1
    return facts[index] if 0 <= index < len(facts) else ""
