"""Checks for element types that OpenVINO's CPU plug-in does not compile as inputs of an op."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.needs import created_layers
from irops.analysis.structure import GraphNode, ModelStructure
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import plural
from irops.invocation.invocation import input_spec
from irops.ir.model import Layer, LayerKind
from irops.spec.cpu_plugin import CpuPlugin, Refused, cpu_plugin
from irops.spec.op import Op

_Places = dict[tuple[object, tuple[str | None, ...], bool], list[tuple[Refused, int]]]


@dataclass(slots=True)
class _Layers:
    """The layers of one op with one element type that is not compiled: the first one, and how many."""

    scope: GraphNode
    layer: Layer
    input_name: str
    count: int = 0


def element_types_can_be_compiled(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """One finding for each op, input and element type, at the first layer: only warnings, because another
    device may compile the model.
    """
    if not structure.dialect.runtime_notes:
        return
    groups: dict[tuple[str, str, str], _Layers] = {}
    for scope, known, entry, index in _refused_inputs(structure, inferred):
        fact = known.inputs[index]
        assert fact is not None
        assert known.op is not None
        key = (entry.op, entry.of, fact.element_type.name)
        name = input_spec(known.op, index).name
        groups.setdefault(key, _Layers(scope, known.layer, name)).count += 1
    release = cpu_plugin().release
    for (op, _, name), layers in groups.items():
        others = f" ({plural(layers.count, 'layer')})" if layers.count > 1 else ""
        message = (
            f"{layers.layer} takes {name} as {layers.input_name}; the CPU plug-in of OpenVINO {release} does"
            f" not support {op} of {name}{others}"
        )
        notes = (
            "OpenVINO reads the file, but its CPU plug-in refuses to compile it, or to run it if shapes are"
            " dynamic",
            "another device may support it; otherwise convert the input to a type that the plug-in supports",
        )
        yield structure.finding(
            "uncompiled-element-type", message, layers.layer.at, layers.scope, layers.layer, notes=notes
        )


def _refused_inputs(
    structure: ModelStructure, inferred: Inferred
) -> Iterator[tuple[GraphNode, LayerFacts, Refused, int]]:
    """Each layer with an entry of the table that applies, and the first input that it applies to."""
    table, ahead = cpu_plugin(), [inferred]
    places: _Places = {}
    while ahead:
        here = ahead.pop()
        scope = structure.by_path[here.path]
        ahead.extend(here.bodies)
        refused = [
            (known, entry, index)
            for known in _candidates(here, table)
            for entry, index in _places(known, table, places)
        ]
        if not refused:
            continue
        created, variable = created_layers(scope), _depending_on_inputs(scope)
        for known, entry, index in refused:
            otherwise = "constant" if known.layer.id in variable else "variable"
            if known.layer.id in created and entry.when != otherwise:
                yield scope, known, entry, index


def _candidates(inferred: Inferred, table: CpuPlugin) -> list[LayerFacts]:
    """The layers with an input of a type that the table names for their op."""
    candidates = []
    types = table.types
    for known in inferred.layers.values():
        if known.op is None or known.failed:
            continue
        refused = types.get(known.op.id, frozenset())
        for fact in known.inputs if refused else ():
            if fact is not None and fact.element_type.name in refused:
                candidates.append(known)
                break
    return candidates


def _places(known: LayerFacts, table: CpuPlugin, places: _Places) -> list[tuple[Refused, int]]:
    """The entries that are about a layer, each with the first input that it is about, without regard to
    whether the layer depends on inputs of the model.

    places: those of layers before, by what they depend on
    """
    types = tuple([None if fact is None else fact.element_type.name for fact in known.inputs])
    is_static = all(fact is None or fact.shape.static for fact in known.inputs)
    key = (known.invocation, types, is_static)
    entries = places.get(key)
    if entries is None:
        assert known.op is not None
        each = ((entry, _place(known, entry)) for entry in table.refused(known.op.id))
        entries = places[key] = [(entry, index) for entry, index in each if index is not None]
    return entries


def _place(known: LayerFacts, entry: Refused) -> int | None:
    """The first input that an entry is about; None if it is not about the layer."""
    op = known.op
    assert op is not None
    place = next((k for k in _inputs_of(known, op, entry.of) if _type(known, k) in entry.types), None)
    if entry.when == "static" and not all(fact is None or fact.shape.static for fact in known.inputs):
        return None
    if entry.beside and _beside(known, op, entry.beside) not in entry.others:
        return None
    return place


def _beside(known: LayerFacts, op: Op, name: str) -> str:
    """The element type that an attribute names, or that the first input of a type variable has."""
    if name in op.definition.attributes:
        return str(known.attributes.get(name, "")).lower()
    return next((_type(known, index) for index in _inputs_of(known, op, name)), "")


def _inputs_of(known: LayerFacts, op: Op, name: str) -> Iterator[int]:
    """The inputs of a type variable, or of a name."""
    for index, fact in enumerate(known.inputs):
        if fact is not None and index < max(len(op.definition.inputs), op.is_variadic * (index + 1)):
            port = input_spec(op, index)
            if name in (port.type, port.name):
                yield index


def _type(known: LayerFacts, index: int) -> str:
    fact = known.inputs[index]
    return "" if fact is None else fact.element_type.name


def _depending_on_inputs(scope: GraphNode) -> set[int]:
    """The layers that depend on a Parameter or on a variable, which no compiler replaces by a constant."""
    depending: set[int] = set()
    for node in scope.order:
        sources = (source[0].id for source in scope.wiring.inputs[node.layer.id] if source is not None)
        first = node.layer.kind is LayerKind.PARAMETER or node.layer.type.lower() == "readvalue"
        if first or not depending.isdisjoint(sources):
            depending.add(node.layer.id)
    return depending
