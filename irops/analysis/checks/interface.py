"""Checks the inputs and outputs of models: types that OpenVINO changes in IR 10, and layouts of IR 11."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.structure import ModelStructure
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import shortened
from irops.ir.model import LayerKind, Port, parse_layout
from irops.values.element import DYNAMIC
from irops.values.fact import Fact


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
            yield structure.finding(
                "implicit-type-conversion",
                f'{what} "{layer.shown_name}" is {kind}, but OpenVINO reads it as {read} from an IR 10 file',
                layer.at,
                structure.graphs[0],
                layer,
                notes=(f"OpenVINO adds a Convert to the {what}; IR 11 files are read as written",),
            )


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
        elif layer.kind is not LayerKind.PARAMETER:
            continue
        for port, fact in zip(ports, facts):
            text = _layout(port)
            rank = None if fact is None else fact.shape.rank
            try:
                layout = parse_layout(text)
            except ValueError:
                continue  # reported by the reader
            if layout is not None and rank is not None and not layout.fits(rank):
                yield structure.finding(
                    "malformed-rt-info",
                    f"{layer} has the layout {shortened(text)} and rank {rank}",
                    layer.at,
                    structure.graphs[0],
                    layer,
                    notes=("OpenVINO refuses to compile the model",),
                )


def _layout(port: Port) -> str:
    children = [] if port.rt_info is None else port.rt_info.children
    layouts = (child.attributes for child in children if child.attributes.get("name") == "layout")
    return next(layouts, {}).get("layout", "")
