"""The box of a layer: its op, its name, its parameters, its outputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irops.analysis.inferred import Inferred
from irops.analysis.structure import GraphNode, LayerNode
from irops.drawing.scene import Box, BoxKind, DrawnPort
from irops.drawing.text import head, tail
from irops.ir.model import LayerKind
from irops.values.fact import Fact, holds_dims

MAX_PARAMETERS = 6
"""How many parameters a box lists."""
LINE = 40
"""How many characters a line of a box has."""
SHOWN_ELEMENTS = 4
"""The elements of smaller parameters are shown in place of their type and shape."""


def fact_text(inferred: Inferred | None, number: int, index: int) -> str:
    """Type and shape of a value: f32[1,3,224,224]."""
    if inferred is None or number not in inferred.layers:
        return "?"
    outputs = inferred.of(number).outputs
    if index >= len(outputs):
        return "?"
    return head(outputs[index].spelled, LINE)


def layer_box(
    graph: GraphNode,
    inferred: Inferred | None,
    node: LayerNode,
    folded: set[int],
    copies: Sequence[int] = (),
) -> Box:
    """The box of a layer, without what is in its bodies and the folded layers behind it.

    copies: other layers that it stands for; a parameter shows its value only if it is theirs, too.
    """
    layer = node.layer
    category = node.op.definition.category if node.op is not None else ""
    box = Box(BoxKind.LAYER, head(layer.type, LINE), tail(layer.name), category, node)
    if node.bodies:
        box.category = "condition"  # coloured as control flow, whatever the definition counts it to
    if layer.kind is LayerKind.CONSTANT and inferred is not None and layer.id in inferred.layers:
        box.lines.extend(head(value_text(fact), LINE) for fact in inferred.of(layer.id).outputs[:1])
    if layer.kind is LayerKind.SINK or layer.data.get("variable_id"):
        box.lines.append(f"variable {tail(layer.data.get('variable_id', ''), 24)}")
    lines = []
    for index, source in enumerate(graph.wiring.inputs[layer.id]):
        if source is not None and source[0].id in folded:
            texts = [_parameter(graph, inferred, number, index) for number in (layer.id, *copies)]
            text = texts[0][0] if len({value for value, _ in texts}) == 1 else f"{texts[0][1]}, different"
            lines.append(head(f"{input_name(node, index)} {text}", LINE))
    if len(lines) > MAX_PARAMETERS:
        lines[MAX_PARAMETERS - 1 :] = [f"and {len(lines) - MAX_PARAMETERS + 1} more parameters"]
    box.lines += lines
    consumers = graph.wiring.consumers
    used = [k for k in range(len(layer.outputs)) if (layer.id, k) in consumers]
    shown = used[:8] if used else list(range(min(len(layer.outputs), 1)))
    for index in range(shown[-1] + 1 if shown else 0):
        box.ports.append(DrawnPort(fact_text(inferred, layer.id, index) if index in shown else ""))
    return box


def _parameter(graph: GraphNode, inferred: Inferred | None, layer: int, index: int) -> tuple[str, str]:
    """An input that a folded layer feeds: its value, where it is small, and its type and shape."""
    source = graph.wiring.inputs[layer][index]
    if source is None or inferred is None or source[0].id not in inferred.layers:
        return "?", "?"
    outputs = inferred.of(source[0].id).outputs
    if source[1] >= len(outputs):
        return "?", "?"
    return value_text(outputs[source[1]]), outputs[source[1]].spelled


def input_name(node: LayerNode, index: int) -> str:
    """The name of an input by the definition, or its number."""
    specs = node.op.definition.inputs if node.op is not None else ()
    if index < len(specs) and not specs[index].variadic:
        return specs[index].name
    return str(index)


def value_text(fact: Fact) -> str:
    """The elements of a small value where they are known, else its type and shape."""
    known = fact.known if fact.shape.size.high <= SHOWN_ELEMENTS else None
    if known is None or known.size == 0:
        return fact.spelled
    texts = [e.spelled for e in known.ravel()] if holds_dims(known) else [_number(e) for e in known.ravel()]
    if set(texts) == {"?"}:
        return fact.spelled
    return texts[0] if known.ndim == 0 else f"[{','.join(texts)}]"


def _number(element: object) -> str:
    if isinstance(element, str):
        return repr(element)
    if isinstance(element, np.integer | int):
        return str(int(element))
    value = float(element)  # type: ignore[arg-type]  # numpy scalars, and those of ml_dtypes
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.4g}"
