"""Checks of what a model says, before anything is inferred: edges, port maps, ops and attributes, names of
layers and tensors, state variables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from irops.analysis.describing import correct_name, written_out
from irops.analysis.structure import GraphNode, LayerNode, ModelStructure, Path
from irops.diagnostics.diagnostic import Diagnostic, fix
from irops.diagnostics.printable import abridged, plural
from irops.diagnostics.rule import Severity
from irops.diagnostics.rules import rule
from irops.dialects import dialect_of
from irops.ir.edits import with_attribute
from irops.ir.model import SHOWN, Edge, Layer, LayerKind, Port
from irops.ir.order import cycles, feeding_layers
from irops.ir.wiring import Wiring
from irops.spec.op import NoOp, Op
from irops.spec.opsets import opsets

# Port maps and back edges tie a body to the ports of its layer.


def port_maps_are_sound(structure: ModelStructure) -> Iterator[Diagnostic]:
    """The faults of every port map; what is absent is not reported of a graph that was read only in part."""
    for node in structure.bodies:
        outer = node.outer
        for fault in node.faults:
            if not (fault.absence and outer.path in structure.partially_read):
                yield structure.finding(
                    fault.rule, fault.message, fault.at, outer, node.layer, notes=(fault.note,)
                )


# What is wrong with the ops that layers name and with their attributes, whatever the shapes are.

VERSION_RULES = frozenset(("unknown-opset", "op-not-in-opset"))
"""Rules about the version of a layer rather than its type."""


def layers_name_ops_and_attributes(structure: ModelStructure) -> Iterator[Diagnostic]:
    """Every layer names an op, and its attributes are those of the op."""
    reported: set[NoOp] = set()
    for graph in structure.graphs:
        for node in graph.layers.values():
            if node.missing is not None:
                if not (node.missing.once and node.missing in reported):
                    reported.add(node.missing)
                    yield _missing_op(structure, node, node.missing)
            elif node.invocation is not None and node.invocation.faults:
                yield from _attribute_faults(structure, node)


def layers_have_the_inputs_that_openvino_requires(structure: ModelStructure) -> Iterator[Diagnostic]:
    """Every layer has those optional inputs that OpenVINO's reader has no default for."""
    for graph in structure.graphs:
        for number, node in graph.layers.items():
            if node.op is None or not node.op.reader_requires:
                continue
            count = len(graph.wiring.inputs[number])
            missing = [port for k, port in node.op.reader_requires if k >= count]
            if missing and count >= node.op.min_inputs:
                names = ", ".join(missing)
                message = (
                    f"{node.op.id} has no input {names}, which is optional in the specification, but OpenVINO"
                    " cannot read the layer without it"
                )
                layer = node.layer
                yield structure.finding("wrong-number-of-inputs", message, layer.at, graph, layer)


def _missing_op(structure: ModelStructure, node: LayerNode, missing: NoOp) -> Diagnostic:
    layer, notes = node.layer, missing.notes
    count = structure.op_counts[layer.type, layer.version]
    if missing.once and count > 1:
        notes = (*notes, f"{count} layers of the model are of this op")
    attribute = "version" if missing.rule in VERSION_RULES else "type"
    return Diagnostic(
        rule(missing.rule),
        missing.message,
        structure.location(layer, node.path, layer.at, attribute),
        notes=notes,
        fix=correct_name(structure.model.source, layer, missing),
    )


def _attribute_faults(structure: ModelStructure, node: LayerNode) -> Iterator[Diagnostic]:
    layer = node.layer
    assert node.invocation is not None
    is_strict = dialect_of(structure.model).refuses_unknown_attributes
    for fault in node.invocation.faults:
        written = fault.attribute in layer.data and layer.data_at >= 0
        at = layer.data_at if written else layer.at
        yield Diagnostic(
            rule(fault.rule),
            fault.message,
            structure.location(layer, node.path, at, fault.attribute if written else None),
            notes=(fault.note,) if fault.note else (),
            fix=written_out(structure.model.source, layer, fault),
            level=Severity.ERROR if is_strict and fault.rule == "unknown-attribute" else None,
        )


MAX_ITEMS = 8
"""How many layers of a cycle a message names."""


def edges_end_at_layers(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope, _, edge in _faulty_edges(structure, "dangling-edge"):
        layers = scope.wiring.layers
        begins = edge.from_layer in layers
        verb, absent, there = ("ends", edge.to_layer, "from") if begins else ("starts", edge.from_layer, "to")
        other = layers.get(edge.from_layer, layers.get(edge.to_layer))
        notes = [
            "OpenVINO ignores this edge"
            if begins
            else (
                'OpenVINO refuses the file with "Cannot create layer id:0 from unsupported opset", if it'
                " reads that far"
            )
        ]
        if scope.outer is not None and absent in scope.outer.wiring.layers:
            notes.append(
                f"{scope.outer.wiring.layers[absent]} is outside the body, whose edges cannot refer to it"
            )
        message = (
            f"an edge{f' {there} {other}' if other else ''} {verb} at layer {absent}, which does not exist in"
            f" {scope.what}"
        )
        yield structure.finding("dangling-edge", message, edge.at, scope, other, notes=tuple(notes))


def edges_meet_ports(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope, rule_name, edge in _faulty_edges(structure, "unknown-output-port", "unknown-input-port"):
        if rule_name == "unknown-output-port":
            layer, label, verb, side, other = (
                scope.wiring.layers[edge.from_layer],
                edge.from_port,
                "starts",
                "output",
                "input",
            )
            ports, elsewhere = layer.outputs, scope.wiring.input_index(layer, label)
        else:
            layer, label, verb, side, other = (
                scope.wiring.layers[edge.to_layer],
                edge.to_port,
                "ends",
                "input",
                "output",
            )
            ports, elsewhere = layer.inputs, scope.wiring.output_index(layer, label)
        instead = f", which is an {other}" if elsewhere is not None else ""
        message = f"an edge {verb} at port {label} of {layer}{instead}, {_labels(ports, side)}"
        words = f"Can not find {side} port with id {label} in layer {layer.shown_name}"
        note = f'OpenVINO refuses the file: "{words}"'
        yield structure.finding(rule_name, message, edge.at, scope, layer, notes=(note,))


def no_input_has_two_edges(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope, _, edge in _faulty_edges(structure, "multiple-producers"):
        layer = scope.wiring.layers[edge.to_layer]
        index = scope.wiring.input_index(layer, edge.to_port) or 0
        first, second = scope.wiring.inputs[layer.id][index], scope.wiring.layers[edge.from_layer]
        by = f"twice by {second}" if first is None or first[0] is second else f"by {first[0]} and by {second}"
        message = f"input {index} of {layer} is fed {by}, must have one incoming edge"
        note = 'OpenVINO refuses the file: "has incorrect input with index ..."'
        yield structure.finding("multiple-producers", message, edge.at, scope, layer, notes=(note,))


def every_input_port_is_fed(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope in structure.fully_read:
        for layer, index in scope.wiring.unconnected:
            name = f"input {index} (port {layer.inputs[index].id}) of {layer}"
            message = f"{name} has no incoming edge, must have one"
            note = (
                "OpenVINO counts edges, not ports, and sees an op with fewer inputs, or fails with an index"
                " out of range"
            )
            yield structure.finding("unconnected-input", message, layer.at, scope, layer, notes=(note,))


def there_are_no_cycles(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope in structure.graphs:
        for cycle in cycles(scope.wiring):
            way = [f'{layer.id} "{layer.shown_name}"' for layer in (*cycle[:MAX_ITEMS], cycle[0])]
            if len(cycle) > MAX_ITEMS:
                way.insert(MAX_ITEMS, f"({len(cycle) - MAX_ITEMS} more)")
            what = (
                f"the graph has the cycle {' -> '.join(way)}"
                if len(cycle) > 1
                else f"the graph has a cycle: {cycle[0]} feeds itself"
            )
            message = f"{what}, must have no cycle"
            note = (
                'OpenVINO refuses the file with "Attempt to access node ... that not in graph" if the cycle'
                " leads to a Result, and ignores the cycle otherwise"
            )
            yield structure.finding("cycle", message, cycle[0].at, scope, cycle[0], notes=(note,))


def _faulty_edges(structure: ModelStructure, *rules: str) -> Iterator[tuple[GraphNode, str, Edge]]:
    for scope in structure.graphs:
        for fault in scope.wiring.faults:
            if fault.rule in rules:
                yield scope, fault.rule, fault.edge


def _labels(ports: Sequence[Port], side: str) -> str:
    shown = ", ".join(str(port.id) for port in ports[:MAX_ITEMS])
    if len(ports) < 2:
        return f"must be port {shown}, its only {side}" if ports else f"which has no {side}s"
    return f"must be one of its {side} ports {shown}{', ...' if len(ports) > MAX_ITEMS else ''}"


# Layers are used, and the names of layers and tensors are unique.


def the_model_has_results(structure: ModelStructure) -> Iterator[Diagnostic]:
    if () not in structure.partially_read and not structure.graphs[0].sinks:
        count = len(structure.model.layers)
        what = f"the model has {count} layer{'s' * (count != 1)} and no Result"
        yield structure.finding(
            "no-results",
            f"{what}, must have one for each tensor that it returns",
            0,
            structure.graphs[0],
            notes=("OpenVINO reads and compiles it as a model without outputs",),
        )


def every_layer_reaches_a_result(structure: ModelStructure) -> Iterator[Diagnostic]:
    """Reports the last layer of each unused branch, with the number of other layers in the branch."""
    for scope in structure.fully_read:
        sinks = scope.sinks
        if not sinks or scope.wiring.faults or scope.wiring.unconnected:  # a missing edge may be the cause
            continue
        living = scope.preceding(layer.id for layer in sinks)
        if len(living) == len(scope.wiring.layers):
            continue
        for layer, behind in _dead_ends(scope.wiring, living):
            more = f" (nor on {plural(behind, 'layer')} that only it depends on)" if behind else ""
            whole = "the model" if scope.outer is None else "the body"
            message = (
                f"no result of {whole} depends on {layer}{more}; there is no path from it to a Result or"
                " Assign"
            )
            yield structure.finding(
                "dead-layer",
                message,
                layer.at,
                scope,
                layer,
                notes=("OpenVINO does not read such a layer",),
            )


def nothing_uses_a_sink(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope in structure.graphs:
        for layer in scope.groups.of_kinds(LayerKind.RESULT, LayerKind.SINK):
            if layer.id not in scope.wiring.feeding:
                continue
            users = scope.wiring.consumers.get((layer.id, 0), ())
            for user, _ in users[:1]:
                message = f"{user} takes the output of {layer}; it must take the input of that layer"
                note = "OpenVINO reads the file, but its CPU plug-in refuses to compile the model"
                yield structure.finding("used-sink", message, user.at, scope, user, notes=(note,))


def layer_names_are_unique(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope in structure.graphs:
        first: dict[str, Layer] = {}
        for layer in scope.graph.layers:
            other = first.setdefault(layer.name, layer)
            if other is layer:
                continue
            if layer.name and other.id != layer.id:
                message = f"{layer} has the name of {other}, must have a unique name to be found by it"
                yield structure.finding(
                    "duplicate-layer-name",
                    message,
                    layer.at,
                    scope,
                    layer,
                    notes=("OpenVINO keeps both names",),
                )


def tensor_names_are_unique(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope in structure.graphs:
        first: dict[str, tuple[Layer, int]] = {}
        for layer in scope.graph.layers:
            for index, port in enumerate(layer.outputs):
                if not port.names:
                    continue
                for name in port.names:
                    other, output = first.setdefault(name, (layer, index))
                    if (other.id, output) != (layer.id, index):
                        message = (
                            f'output {index} of {layer} has the tensor name "{abridged(name, SHOWN)}",'
                            f" as has output {output} of {other}"
                        )
                        yield structure.finding(
                            "duplicate-tensor-name",
                            f"{message}, must have a unique tensor name",
                            port.at,
                            scope,
                            layer,
                            notes=("OpenVINO keeps both names",),
                        )


def _dead_ends(wiring: Wiring, living: set[int]) -> Iterator[tuple[Layer, int]]:
    """Layers without consumers that are not sinks, each with the number of layers that only it depends on."""
    reported: set[int] = set()
    feeding = wiring.feeding

    def is_left(source: tuple[Layer, int]) -> bool:
        number, kind = source[0].id, source[0].kind
        return number not in living and number not in reported and kind is not LayerKind.PARAMETER

    for layer in wiring.layers.values():
        if layer.id in living or layer.id in feeding or layer.kind is LayerKind.PARAMETER:
            continue
        branch = feeding_layers(wiring, [layer.id], is_left)
        reported.update(branch)
        yield layer, len(branch) - 1


# The spelling of op types, and the bodies of layers against their definitions.

ANCHORS = {
    "Result": "OpenVINO silently drops this layer, and all layers that only it depends on",
    "Assign": "OpenVINO silently drops this layer, and all layers that only it depends on",
    "Const": "OpenVINO refuses the file",
}
"""Types that OpenVINO's reader compares exactly, and its behaviour on other spellings."""
MAX_NAMES = 6
"""How many ops of a library a message names."""


def types_are_spelled_as_specified(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope in structure.graphs:
        for layer in scope.groups.where(lambda layer: _spelled(structure, layer) != layer.type):
            spelled = _spelled(structure, layer)
            anchor = ANCHORS.get(spelled)
            name = "nonstandard-type-spelling" if anchor is None else "misread-type-spelling"
            message = f"the type is spelled {layer.type}, must be {spelled}"
            note = anchor or "OpenVINO ignores the case and finds the op"
            source = structure.editable
            right_way = source and fix(
                f"write the type {spelled}", [with_attribute(source, layer.at, "type", spelled)]
            )
            yield structure.finding(
                name, message, layer.at, scope, layer, attribute="type", notes=(note,), fix=right_way
            )


def ops_need_no_extension_library(structure: ModelStructure) -> Iterator[Diagnostic]:
    """One finding for each library, at its first layer."""
    by_library: dict[str, dict[str, tuple[GraphNode, Layer]]] = {}
    for graph in structure.graphs:
        for node in graph.layers.values():
            if node.op is not None and node.op.definition.library:
                first_layers = by_library.setdefault(node.op.definition.library, {})
                first_layers.setdefault(node.layer.type, (graph, node.layer))
    for library, first_layers in by_library.items():
        graph, layer = next(iter(first_layers.values()))
        message = (
            f"OpenVINO reads this model only with the extension library {library}, which has the"
            f" {'op' if len(first_layers) == 1 else 'ops'} {_listed(list(first_layers))}"
        )
        note = (
            f"import {library.replace('-', '_')} before creating an openvino.Core, or use Core.add_extension"
        )
        yield structure.finding(
            "extension-library", message, layer.at, graph, layer, attribute="version", notes=(note,)
        )


def _listed(names: list[str]) -> str:
    """Names for a sentence; the first of them, if there are many."""
    if len(names) > MAX_NAMES:
        return f"{', '.join(names[: MAX_NAMES - 1])} and {len(names) - MAX_NAMES + 1} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def bodies_are_those_of_the_op(structure: ModelStructure) -> Iterator[Diagnostic]:
    is_strict = dialect_of(structure.model).refuses_unknown_attributes
    for inside in structure.bodies:
        op = structure.registry.resolve(inside.layer.type, inside.layer.version)
        if isinstance(op, Op) and inside.body.name not in op.definition.bodies:
            takes = ", ".join(op.definition.bodies) or "none"
            message = (
                f"{inside.layer} has a {inside.body.name}, must have only the bodies of {op.id}: {takes}"
            )
            yield structure.finding(
                "unknown-body",
                message,
                inside.body.at,
                inside.outer,
                inside.layer,
                notes=("OpenVINO silently ignores it",),
                level=Severity.ERROR if is_strict else None,
            )


def _spelled(structure: ModelStructure, layer: Layer) -> str:
    """The type of a layer as spelled in the specification; unchanged if there is no such op."""
    version = opsets().find(layer.type, layer.version)
    if version is not None:
        return version.type
    op = structure.registry.resolve(layer.type, layer.version)
    return op.definition.type if isinstance(op, Op) else layer.type


# State variables: assigned variables are read, and all declarations agree.


def variables_have_one_type_and_shape(structure: ModelStructure) -> Iterator[Diagnostic]:
    first: dict[str, Layer] = {}
    for scope, layer in layers_of_type(structure, "readvalue"):
        declared = _declaration(layer)
        if declared is None:
            continue
        other = first.setdefault(layer.data["variable_id"], layer)
        before = _declaration(other)
        if before is not None and before != declared:
            message = (
                f'{layer} declares the variable "{layer.data["variable_id"]}" as {"".join(declared)}, must be'
                f" {''.join(before)}, as {other} declares it"
            )
            yield structure.finding(
                "conflicting-variable-types",
                message,
                layer.at,
                scope,
                layer,
                notes=("OpenVINO checks one layer against the declaration of the other",),
            )


def assigned_variables_are_read(structure: ModelStructure) -> Iterator[Diagnostic]:
    read = {layer.data.get("variable_id") for _, layer in layers_of_type(structure, "readvalue")}
    for scope, layer in layers_of_type(structure, "assign"):
        name = layer.data.get("variable_id")
        if name is not None and name not in read and not structure.partially_read:
            message = (
                f'{layer} assigns the variable "{abridged(name, SHOWN)}", which no layer reads;'
                " there must be a ReadValue with the same variable_id"
            )
            yield structure.finding(
                "unread-variable",
                message,
                layer.at,
                scope,
                layer,
                notes=('OpenVINO refuses the file with "map::at"',),
            )


def variables_are_read_before_they_are_assigned(structure: ModelStructure) -> Iterator[Diagnostic]:
    """OpenVINO computes an Assign after every ReadValue of its variable, which must not depend on it."""
    reads = _variables(structure, "readvalue")
    assigns = _variables(structure, "assign")
    for scope in structure.fully_read if reads and assigns else ():
        if not any(path == scope.path and number in scope.wiring.feeding for path, number in assigns):
            continue
        behind: dict[int, frozenset[str]] = {}
        for node in scope.order:
            layer, place = node.layer, (scope.path, node.layer.id)
            sources = (source[0].id for source in scope.wiring.inputs[layer.id] if source is not None)
            assigned = frozenset().union(*(behind.get(number, frozenset()) for number in sources))
            if reads.get(place) in assigned:
                name = reads[place]
                message = f'{layer} reads the variable "{name}" and depends on an Assign of it, must not'
                note = ("OpenVINO refuses the file: it finds a cycle",)
                yield structure.finding("cyclic-variable", message, layer.at, scope, layer, notes=note)
            if place in assigns:
                assigned |= {assigns[place]}
            if assigned:
                behind[layer.id] = assigned


def _variables(structure: ModelStructure, type_: str) -> dict[tuple[Path, int], str]:
    """The variables that layers of a type name, by graph and id."""
    return {
        (scope.path, layer.id): layer.data["variable_id"]
        for scope, layer in layers_of_type(structure, type_)
        if "variable_id" in layer.data
    }


def layers_of_type(structure: ModelStructure, type_: str) -> Iterator[tuple[GraphNode, Layer]]:
    """The layers of a type, in lower case, with their graphs, bodies included."""
    for scope in structure.graphs:
        for layer in scope.groups.of_type(type_):
            yield scope, layer


def _declaration(layer: Layer) -> tuple[str, str] | None:
    """The declared element type and shape of the variable, normalized; None if the layer declares none."""
    if not {"variable_id", "variable_type", "variable_shape"} <= layer.data.keys():
        return None
    shape = "".join(layer.data["variable_shape"].split()).strip("[]").replace("-1", "?")
    return layer.data["variable_type"].strip().lower(), f"[{shape}]"


# The layers of one state variable belong together as OpenVINO requires.

MAX_SEARCHES = 100
"""For how many layers all those before them are searched, which takes time for each."""
STATEFUL = ("readvalue", "assign")


def first_assignments_follow_a_read(structure: ModelStructure) -> Iterator[Diagnostic]:
    """Assign-3 takes type and shape of the variable from a ReadValue-3 that its input depends on."""
    by_any = {layer.data.get("variable_id") for _, layer in layers_of_type(structure, "readvalue")}
    by_first = {node.layer.data.get("variable_id") for _, node in _nodes(structure, "ReadValue-3")}
    for scope, node in islice(_nodes(structure, "Assign-3"), MAX_SEARCHES):
        name = node.layer.data.get("variable_id")
        if name not in by_any:  # reported as not read at all
            continue
        if name not in by_first:
            why = "is not read by a ReadValue of opset3; a ReadValue of a later version is not enough"
        elif name not in _read_before(scope, node):
            why = "must be read by a ReadValue of opset3 that the input of the Assign depends on"
        else:
            continue
        message = f'{node.layer} of {node.layer.version} assigns the variable "{name}", which {why}'
        notes = ("OpenVINO refuses the file: it does not find the variable",)
        yield structure.finding("unread-variable", message, node.layer.at, scope, node.layer, notes=notes)


def _nodes(structure: ModelStructure, op: str) -> Iterator[tuple[GraphNode, LayerNode]]:
    """The layers of an op version, with their graphs."""
    for scope in structure.fully_read:
        for layer in scope.current(scope.groups.where(lambda layer: _is_of(structure, layer, op))):
            yield scope, scope.layers[layer.id]


def _is_of(structure: ModelStructure, layer: Layer, op: str) -> bool:
    """Whether a layer is of an op version."""
    resolved = structure.registry.resolve(layer.type, layer.version)
    return isinstance(resolved, Op) and resolved.id == op


def _read_before(scope: GraphNode, node: LayerNode) -> set[str | None]:
    """The variables that are read by ReadValue-3 before a layer."""
    before = scope.preceding([node.layer.id])
    others = (scope.layers[number] for number in before if number in scope.layers)
    return {
        other.layer.data.get("variable_id")
        for other in others
        if other.op is not None and other.op.id == "ReadValue-3"
    }


def _in_bodies(structure: ModelStructure) -> bool:
    return any(
        layer.type.lower() in STATEFUL
        for scope in structure.graphs[1:]
        for layer in scope.groups.first_layers
    )


def variables_are_read_and_assigned_once(structure: ModelStructure) -> Iterator[Diagnostic]:
    """Only outside of bodies, whose variables OpenVINO's CPU plug-in handles otherwise."""
    scope = structure.graphs[0]
    if scope not in structure.fully_read or _in_bodies(structure):
        return
    layers = scope.groups.where(lambda layer: layer.type.lower() in STATEFUL)
    counts = Counter((layer.data.get("variable_id"), layer.type.lower()) for layer in layers)
    for layer in layers:
        name, kind = layer.data.get("variable_id"), layer.type.lower()
        if name is None:
            continue
        if kind == "readvalue" and not counts[name, "assign"]:
            message = f'{layer} reads the variable "{name}", which no layer assigns'
        elif counts[name, kind] > 1:
            message = f'{layer} is one of {counts[name, kind]} layers of its type for the variable "{name}"'
        else:
            continue
        counts[name, kind] = counts[name, "assign"] = 1  # once for each variable
        notes = ("OpenVINO compiles the model, but its CPU plug-in fails when it runs it",)
        yield structure.finding("unpaired-variable", message, layer.at, scope, layer, notes=notes)


Check: TypeAlias = Callable[[ModelStructure], Iterator[Diagnostic]]

ANALYSIS_CHECKS: tuple[Check, ...] = (
    edges_end_at_layers,
    edges_meet_ports,
    no_input_has_two_edges,
    every_input_port_is_fed,
    there_are_no_cycles,
    port_maps_are_sound,
    layers_name_ops_and_attributes,
    layers_have_the_inputs_that_openvino_requires,
)
"""Part of every analysis: what they report makes some results of inference unknown."""
CHECKS: tuple[Check, ...] = (
    the_model_has_results,
    every_layer_reaches_a_result,
    layer_names_are_unique,
    tensor_names_are_unique,
    variables_have_one_type_and_shape,
    assigned_variables_are_read,
    variables_are_read_before_they_are_assigned,
    first_assignments_follow_a_read,
    variables_are_read_and_assigned_once,
    nothing_uses_a_sink,
    types_are_spelled_as_specified,
    ops_need_no_extension_library,
    bodies_are_those_of_the_op,
)
"""The others that need no inference, in the order in which they run."""
