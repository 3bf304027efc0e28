"""Checks that layers are used, and that the names of layers and tensors are unique; of inputs and outputs."""

from collections.abc import Iterator, Sequence

from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.structure import ModelStructure
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import abridged, plural, shortened
from irops.graph.topology import Wiring, feeding_layers
from irops.ir.model import SHOWN, Layer, LayerKind, Port, parse_layout
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
