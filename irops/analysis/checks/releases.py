"""Checks of what a release of OpenVINO does not read, and of what its CPU plug-in does not compile."""

from collections.abc import Iterator
from dataclasses import dataclass

from irops.analysis.checks.layers import interface
from irops.analysis.inference import OF_WEIGHTS
from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.invocation import input_spec
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.needs import Need, created_layers, needs
from irops.analysis.structure import GraphNode, ModelStructure
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import plural
from irops.ir.model import Layer, LayerKind
from irops.spec.definition import OPENVINO
from irops.spec.op import Op
from irops.spec.releases import UNRELEASED, CpuPlugin, RefusedTypes, cpu_plugin, releases


def the_target_reads_the_model(analysis: ModelAnalysis, target: str) -> Iterator[Diagnostic]:
    """target: one of the names of releases."""
    table = releases()
    if analysis.dialect.name != OPENVINO:
        why = why_no_target(analysis, target)
        yield analysis.finding("target-of-another-dialect", why, -1, analysis.root)
        return
    seen: set[tuple[int, str, tuple[str, ...]]] = set()
    for need in needs(analysis):
        if table.reads(target, need.since):
            continue
        key = (need.layer.id if need.layer else -1, need.rule, need.graph.path)
        if need.rule == "extension-library" and need.layer is not None:
            op = need.graph.layers[need.layer.id].op
            if op is not None and op.definition.library:
                continue  # which is reported for any target
            key = (-1, need.what, ())
        if key not in seen:  # a Parameter of u2 has an output of u2 as well
            seen.add(key)
            yield _finding(analysis, need, target)


def why_no_target(analysis: ModelAnalysis, target: str) -> str:
    """Why a model of another dialect is not checked for a target."""
    return f"irops does not know which {analysis.dialect.title} models OpenVINO {target} reads"


def _finding(analysis: ModelAnalysis, need: Need, target: str) -> Diagnostic:
    subject = f"{need.layer} {need.what}" if need.layer is not None else need.what
    known = "no release that irops knows does" if need.since == UNRELEASED else None
    first = known or f"the oldest release that does is {need.since}"
    message = f"{subject}, which OpenVINO {target} does not read; {first}"
    return analysis.finding(need.rule, message, need.at, need.graph, need.layer, attribute=need.attribute)


_Places = dict[tuple[object, tuple[str | None, ...], bool], list[tuple[RefusedTypes, int]]]


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
        why = f"the CPU plug-in of OpenVINO {release} does not support {op} of {name}{others}"
        message = f"{layers.layer} takes {name} as {layers.input_name}; {why}"
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
) -> Iterator[tuple[GraphNode, LayerFacts, RefusedTypes, int]]:
    """Each layer with an entry of the table that applies, and the first input that it applies to."""
    table = cpu_plugin()
    places: _Places = {}
    for here in inferred.walk():
        scope = structure.by_path[here.path]
        candidates = _candidates(here, table)
        refused = [(known, *place) for known in candidates for place in _places(known, table, places)]
        if not refused:
            continue
        # the layers that depend on a Parameter or on a variable, which no compiler replaces by a constant
        depending: set[int] = set()
        for node in scope.order:
            sources = (source[0].id for source in scope.wiring.inputs[node.layer.id] if source is not None)
            first = node.layer.kind is LayerKind.PARAMETER or node.layer.type.lower() == "readvalue"
            if first or not depending.isdisjoint(sources):
                depending.add(node.layer.id)
        created, variable = created_layers(scope), depending
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


def _places(known: LayerFacts, table: CpuPlugin, places: _Places) -> list[tuple[RefusedTypes, int]]:
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


def _place(known: LayerFacts, entry: RefusedTypes) -> int | None:
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


UNCOMPILED = frozenset(("u1", "u3", "u6", "dynamic"))
"""The element types that inputs of a model cannot have in OpenVINO's CPU plug-in."""


UNCOMPILED_NOTES = ("OpenVINO reads the file, but its CPU plug-in refuses to compile the model",)


def nothing_uses_a_sink(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope in structure.graphs:
        for layer in scope.groups.of_kinds(LayerKind.RESULT, LayerKind.SINK):
            if layer.id not in scope.wiring.feeding:
                continue
            users = scope.wiring.consumers.get((layer.id, 0), ())
            for user, _ in users[:1]:  # one finding a sink
                message = f"{user} takes the output of {layer}; it must take the input of that layer"
                yield structure.finding("used-sink", message, user.at, scope, user, notes=UNCOMPILED_NOTES)


def inputs_can_be_compiled(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """Reports what OpenVINO reads, so that a model can be changed before it is compiled: only warnings."""
    if not structure.dialect.runtime_notes:
        return
    for known in interface(structure, inferred):
        if known.layer.kind is not LayerKind.PARAMETER or not known.outputs or known.failed:
            continue
        fact = known.outputs[0]
        if fact.element_type.name in UNCOMPILED:
            reason = f"the element type {fact.element_type}"
        elif fact.shape.rank is None:
            reason = "an unknown rank"
        else:
            continue
        message = f'input "{known.layer.name}" has {reason}'
        place = structure.graphs[0]
        yield structure.finding(
            "uncompiled-input", message, known.layer.at, place, known.layer, notes=UNCOMPILED_NOTES
        )


def ranks_can_be_compiled(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """Reports the first layers of which a rank is unknown: the ranks of their inputs are known."""
    if not structure.dialect.runtime_notes or any(d.name in OF_WEIGHTS for d in inferred.findings):
        return
    for known in inferred.layers.values():
        for fact in known.outputs:
            if fact.shape.dims is None:
                break
        else:
            continue
        if known.op is None or known.failed or known.layer.kind is LayerKind.PARAMETER:
            continue
        if all(fact is not None and fact.shape.dims is not None for fact in known.inputs):
            place = structure.graphs[0]
            message = f"{known.layer} has an output of unknown rank"
            yield structure.finding(
                "unknown-rank", message, known.layer.at, place, known.layer, notes=UNCOMPILED_NOTES
            )
