"""Checks the inputs and outputs of IR 10 models, whose types OpenVINO changes."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.inferred import Inferred
from irops.analysis.structure import ModelStructure
from irops.diagnostics.diagnostic import Diagnostic
from irops.ir.model import LayerKind
from irops.values.element import DYNAMIC


def inputs_and_outputs_keep_their_types(
    structure: ModelStructure, inferred: Inferred
) -> Iterator[Diagnostic]:
    """Only for IR 10; OpenVINO keeps the types of IR 11."""
    if structure.model.version != 10:
        return
    for known in inferred.layers.values():
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
