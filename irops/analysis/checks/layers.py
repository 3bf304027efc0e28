"""Checks of layers: that they are used, and of their names, ops, types, attributes, bodies and outputs."""

from collections.abc import Iterator, Sequence

from irops.analysis.declaring import correct_name, written_out
from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.structure import GraphNode, LayerNode, ModelStructure
from irops.diagnostics.diagnostic import Diagnostic, Severity, fix
from irops.diagnostics.printable import abridged, plural, shortened
from irops.diagnostics.rules import rule
from irops.dialects import dialect_of
from irops.graph.topology import Wiring, feeding_layers
from irops.ir.edits import with_attribute
from irops.ir.model import SHOWN, Layer, LayerKind, Port, parse_layout
from irops.spec.op import NoOp, Op
from irops.spec.releases import opsets
from irops.values.element import DYNAMIC
from irops.values.fact import Fact


def the_model_has_results(structure: ModelStructure) -> Iterator[Diagnostic]:
    if () not in structure.partially_read and not structure.graphs[0].sinks:
        count = len(structure.model.layers)
        what = f"the model has {count} layer{'s' * (count != 1)} and no Result"
        what = f"{what}, must have one for each tensor that it returns"
        read = ("OpenVINO reads and compiles it as a model without outputs",)
        yield structure.finding("no-results", what, 0, structure.graphs[0], notes=read)


def every_layer_reaches_a_result(structure: ModelStructure) -> Iterator[Diagnostic]:
    """Reports the last layer of each unused branch, with the number of other layers in the branch."""
    for scope in structure.fully_read:
        sinks = scope.sinks
        if not sinks or scope.wiring.faults or scope.wiring.unconnected:  # a missing edge may be the cause
            continue
        living = feeding_layers(scope.wiring, sinks)
        if len(living) == len(scope.wiring.layers):
            continue
        for layer, behind in _dead_ends(scope.wiring, living):
            more = f" (nor on {plural(behind, 'layer')} that only it depends on)" if behind else ""
            whole = "the model" if scope.outer is None else "the body"
            way = "there is no path from it to a Result or Assign"
            message = f"no result of {whole} depends on {layer}{more}; {way}"
            yield structure.finding(
                "dead-layer", message, layer.at, scope, layer, notes=("OpenVINO does not read such a layer",)
            )


KEPT = ("OpenVINO keeps both names",)


def layer_names_are_unique(structure: ModelStructure) -> Iterator[Diagnostic]:
    for scope in structure.graphs:
        first: dict[str, Layer] = {}
        for layer in scope.graph.layers:
            other = first.setdefault(layer.name, layer)
            if other is layer:
                continue
            if layer.name and other.id != layer.id:
                message = f"{layer} has the name of {other}, must have a unique name to be found by it"
                yield structure.finding("duplicate-layer-name", message, layer.at, scope, layer, notes=KEPT)


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
                        shown, before = abridged(name, SHOWN), f"output {output} of {other}"
                        message = f'output {index} of {layer} has the tensor name "{shown}", as has {before}'
                        wanted = f"{message}, must have a unique tensor name"
                        yield structure.finding(
                            "duplicate-tensor-name", wanted, port.at, scope, layer, notes=KEPT
                        )


def _dead_ends(wiring: Wiring, living: set[int]) -> Iterator[tuple[Layer, int]]:
    """Layers without consumers that are not sinks, each with the number of layers that only it depends on."""
    reported: set[int] = set()
    feeding = wiring.feeding
    for layer in wiring.layers.values():
        if layer.id in living or layer.id in feeding or layer.kind is LayerKind.PARAMETER:
            continue
        behind, ahead = -1, [layer.id]
        while ahead:
            layer_id = ahead.pop()
            if (
                layer_id in living
                or layer_id in reported
                or wiring.layers[layer_id].kind is LayerKind.PARAMETER
            ):
                continue
            reported.add(layer_id)
            behind += 1
            ahead.extend(source[0].id for source in wiring.inputs[layer_id] if source is not None)
        yield layer, behind


def interface(structure: ModelStructure, inferred: Inferred) -> list[LayerFacts]:
    """The Parameters and Results of the model, in the order in which they were inferred."""
    ends = {layer.id for layer in (*structure.root.parameters, *structure.root.results)}
    return [known for number, known in inferred.layers.items() if number in ends]


def inputs_and_outputs_keep_their_types(
    structure: ModelStructure, inferred: Inferred
) -> Iterator[Diagnostic]:
    """Only for IR 10; OpenVINO keeps the types of IR 11."""
    if structure.model.version != 10:
        return
    for known in interface(structure, inferred):
        layer = known.layer
        if layer.kind is LayerKind.RESULT and known.inputs and known.inputs[0] is not None:
            what, kind = "output", known.inputs[0].element_type
            read = "i32" if kind.name in ("i32", "i64", "u32", "u64") else "f32"
        elif layer.kind is LayerKind.PARAMETER and known.outputs:
            what, kind = "input", known.outputs[0].element_type
            read = "f32" if kind.name == "f16" else kind.name
        else:
            continue
        if kind is not DYNAMIC and kind.name != read:
            read_as = f"but OpenVINO reads it as {read} from an IR 10 file"
            message, scope = f'{what} "{layer.shown_name}" is {kind}, {read_as}', structure.graphs[0]
            why = (f"OpenVINO adds a Convert to the {what}; IR 11 files are read as written",)
            yield structure.finding("implicit-type-conversion", message, layer.at, scope, layer, notes=why)


def layouts_fit_inputs_and_outputs(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """Only for IR 11; OpenVINO reads no layouts of IR 10, and uses only those of inputs and results."""
    if structure.model.version == 10:
        return
    for known in interface(structure, inferred):
        layer = known.layer
        ports: Sequence[Port] = layer.outputs
        facts: Sequence[Fact | None] = known.outputs
        if layer.kind is LayerKind.RESULT:
            ports, facts = layer.inputs, known.inputs
        for port, fact in zip(ports, facts):
            children = [] if port.rt_info is None else port.rt_info.children
            layouts = (child.attributes for child in children if child.attributes.get("name") == "layout")
            text = next(layouts, {}).get("layout", "")
            rank = None if fact is None else fact.shape.rank
            try:
                layout = parse_layout(text)
            except ValueError:
                continue  # reported by the reader
            if layout is not None and rank is not None and not layout.fits(rank):
                message = f"{layer} has the layout {shortened(text)} and rank {rank}"
                why, scope = ("OpenVINO refuses to compile the model",), structure.graphs[0]
                yield structure.finding("malformed-rt-info", message, layer.at, scope, layer, notes=why)


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
                found = f"{node.op.id} has no input {names}, which is optional in the specification"
                message = f"{found}, but OpenVINO cannot read the layer without it"
                layer = node.layer
                yield structure.finding("wrong-number-of-inputs", message, layer.at, graph, layer)


def _missing_op(structure: ModelStructure, node: LayerNode, missing: NoOp) -> Diagnostic:
    layer, notes = node.layer, missing.notes
    count = structure.op_counts[layer.type, layer.version]
    if missing.once and count > 1:
        notes = (*notes, f"{count} layers of the model are of this op")
    attribute = "version" if missing.rule in VERSION_RULES else "type"
    place = structure.location(layer, node.path, layer.at, attribute)
    repair = correct_name(structure.model.source, layer, missing)
    return Diagnostic(rule(missing.rule), missing.message, place, notes=notes, fix=repair)


def _attribute_faults(structure: ModelStructure, node: LayerNode) -> Iterator[Diagnostic]:
    layer = node.layer
    assert node.invocation is not None
    dialect = dialect_of(structure.model)
    for fault in node.invocation.faults:
        refused = fault.rule == "unknown-attribute" and dialect.refuses_attribute(fault.attribute)
        written = fault.attribute in layer.data and layer.data_at >= 0
        at = layer.data_at if written else layer.at
        place = structure.location(layer, node.path, at, fault.attribute if written else None)
        why, level = (fault.note,) if fault.note else (), Severity.ERROR if refused else None
        repair = written_out(structure.model.source, layer, fault)
        yield Diagnostic(rule(fault.rule), fault.message, place, notes=why, fix=repair, level=level)


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
    for inside in structure.bodies:
        op = structure.registry.resolve(inside.layer.type, inside.layer.version)
        if isinstance(op, Op) and inside.body.name not in op.definition.bodies:
            takes = ", ".join(op.definition.bodies) or "none"
            message = (
                f"{inside.layer} has a {inside.body.name}, must have only the bodies of {op.id}: {takes}"
            )
            at, ignored = inside.body.at, ("OpenVINO silently ignores it",)
            yield structure.finding("unknown-body", message, at, inside.outer, inside.layer, notes=ignored)


def layers_declare_the_outputs_that_there_are(
    structure: ModelStructure, inferred: Inferred
) -> Iterator[Diagnostic]:
    for here in inferred.walk():
        scope = structure.by_path[here.path]
        for known in here.layers.values():
            layer = known.layer
            given, declared = len(known.outputs), len(layer.outputs)
            if given == declared:
                continue
            # a Result gives its value to the caller, and an Assign to its variable; they may declare no port
            result = layer.intended_kind in (LayerKind.RESULT, LayerKind.SINK) and declared <= given
            if result or known.failed or known.op is None:
                continue
            message = (
                f"{layer} declares {plural(declared, 'output')}, must declare {given}, as {known.op.id} has"
            )
            note = 'OpenVINO refuses the file: "node index is out of range"'
            if declared < given:
                note = "OpenVINO treats the declared ports as the first ones"
            yield structure.finding("wrong-number-of-outputs", message, layer.at, scope, layer, notes=(note,))


def _spelled(structure: ModelStructure, layer: Layer) -> str:
    """The type of a layer as spelled in the specification; unchanged if there is no such op."""
    version = opsets().find(layer.type, layer.version)
    if version is not None:
        return version.type
    op = structure.registry.resolve(layer.type, layer.version)
    return op.definition.type if isinstance(op, Op) else layer.type


def port_maps_are_sound(structure: ModelStructure) -> Iterator[Diagnostic]:
    """The faults of every port map; what is absent is not reported of a graph that was read only in part."""
    for node in structure.bodies:
        outer = node.outer
        for fault in node.faults:
            if not (fault.absence and outer.path in structure.partially_read):
                yield structure.finding(
                    fault.rule, fault.message, fault.at, outer, node.layer, notes=(fault.note,)
                )
