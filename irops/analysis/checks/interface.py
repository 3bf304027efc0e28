"""IR v10: OpenVINO gives the model's inputs and outputs other types than the file."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.checks.context import Context
from irops.analysis.facts import Facts
from irops.diagnostics.diagnostic import Diagnostic
from irops.ir.model import LayerKind
from irops.values.element import DYNAMIC


def inputs_and_outputs_keep_their_types(context: Context, facts: Facts) -> Iterator[Diagnostic]:
    """Of v10 alone; OpenVINO leaves those of v11 as they are."""
    if context.model.version != 10:
        return
    for known in facts.layers.values():
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
            yield context.finding(
                "rewritten-type",
                f'{what} "{layer.name}" is {kind}; from a file of IR 10 OpenVINO reads it as {read}',
                layer.at,
                context.scopes[0],
                layer,
                notes=(
                    f"OpenVINO puts a Convert beside the {what}; a file of IR 11 is read as it is written",
                ),
            )
