"""The text of hovers: layers, attributes, ports and edges."""

import re
from collections.abc import Iterator

from irops.server.navigation import OpLookup, Outputs, output_text, source_of
from irops.server.outline import Cursor, EdgeSpan, LayerSpan, Outline, port_at, values
from irops.spec.definition import Attribute, attribute_phrase
from irops.spec.op import Op

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#])")


def plain(text: str) -> str:
    """A text of a file or a definition, without meaning as Markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def code(text: str) -> str:
    """A text as code: on one line, whatever it contains."""
    shown = " ".join(text.split()).replace("`", "'")
    return f"`{shown}`" if shown else "` `"


def attribute_text(attribute: Attribute) -> str:
    """The line of a list about an attribute."""
    name = attribute.label or attribute.name
    return f"{code(name)} ({plain(attribute_phrase(attribute))}): {plain(attribute.text)}"


MAX_PORTS = 20
"""How many ports or edges of a layer a hover lists."""


def hover_text(cursor: Cursor, ops: OpLookup, outputs: Outputs) -> str | None:
    """Markdown about what is at a cursor; None where there is nothing to say."""
    if cursor.edge is not None:
        return "\n\n".join(_edge(cursor.outline, cursor.edge, outputs))
    layer = cursor.layer
    if layer is None or not cursor.in_head:
        return None
    op = ops.op(layer.type, layer.version)
    if cursor.node.tag == "data" and cursor.attribute is not None and op is not None:
        attribute = op.definition.attributes.get(cursor.attribute.name)
        return None if attribute is None else f"{attribute_text(attribute)}\n\n*{plain(op.id)}*"
    port = port_at(cursor)
    if port is not None:
        return "\n\n".join(_port(cursor.outline, *port, op, outputs))
    if cursor.node.tag not in ("layer", "data"):
        return None
    return "\n\n".join(_layer(cursor.outline, layer, op, outputs))


def _layer(outline: Outline, layer: LayerSpan, op: Op | None, outputs: Outputs) -> Iterator[str]:
    yield f"**{plain(op.id if op else layer.type or '?')}** {code(layer.name)}"
    if op is None:
        yield f"{code(layer.type)} of {code(layer.version)} is no op that irops defines"
    else:
        yield plain(op.definition.summary)
    ports = []
    for label, _ in layer.ports(outline.text, "input")[:MAX_PORTS]:
        edge = None if label is None else source_of(layer, label)
        name = _port_name(outline, layer, op, "input", label)
        ports.append(f"- input {name}: {_source(outline, edge, outputs)}")
    for label, _ in layer.ports(outline.text, "output")[:MAX_PORTS]:
        shown = output_text(outline, outputs, layer, label)
        name = _port_name(outline, layer, op, "output", label)
        ports.append(f"- output {name}: {code(shown) if shown else 'not inferred'}")
    if ports:
        yield "\n".join(ports)
    if op is not None and op.definition.attributes:
        yield "\n".join(_attributes(outline, layer, op))


def _attributes(outline: Outline, layer: LayerSpan, op: Op) -> Iterator[str]:
    data = next(layer.node.named("data"), None)
    texts = {} if data is None else values(outline.text, data)
    for name, attribute in op.definition.attributes.items():
        default = attribute.reader_default or attribute.default
        if name in texts:
            yield f"- {code(name)} = {code(texts[name])}"
        elif attribute.required:
            yield f"- {code(name)} is missing"
        elif default is not None:
            yield f"- {code(name)} = {code(default)} by default"


def _port(
    outline: Outline, layer: LayerSpan, side: str, label: int, op: Op | None, outputs: Outputs
) -> Iterator[str]:
    yield f"{side} {_port_name(outline, layer, op, side, label)} of {code(layer.name)}"
    if side == "input":
        yield _source(outline, source_of(layer, label), outputs)
        return
    shown = output_text(outline, outputs, layer, label)
    if shown:
        yield code(shown)
    ends = [e for e in layer.graph.edges if e.from_layer == layer.id and e.from_port == label]
    lines = [f"- to {_end(e, 'to')}" for e in ends[:MAX_PORTS]]
    if len(ends) > MAX_PORTS:
        lines.append(f"- and {len(ends) - MAX_PORTS} more")
    yield "\n".join(lines) or "no edge starts here"


def _edge(outline: Outline, edge: EdgeSpan, outputs: Outputs) -> Iterator[str]:
    yield f"from {_end(edge, 'from')}\n\nto {_end(edge, 'to')}"
    source = edge.graph.layers.get(-1 if edge.from_layer is None else edge.from_layer)
    shown = "" if source is None else output_text(outline, outputs, source, edge.from_port)
    if shown:
        yield code(shown)


def _end(edge: EdgeSpan, end: str) -> str:
    number, port = (edge.from_layer, edge.from_port) if end == "from" else (edge.to_layer, edge.to_port)
    layer = None if number is None else edge.graph.layers.get(number)
    if layer is None:
        return f"layer {number if number is not None else '?'}, which does not exist"
    return f"{code(layer.name)} ({plain(layer.type)}, layer {number}), port {'?' if port is None else port}"


def _source(outline: Outline, edge: EdgeSpan | None, outputs: Outputs) -> str:
    """Where an input comes from, with its type and shape."""
    if edge is None:
        return "no edge ends here"
    source = None if edge.from_layer is None else edge.graph.layers.get(edge.from_layer)
    shown = "" if source is None else output_text(outline, outputs, source, edge.from_port)
    return f"{code(shown)} from {_end(edge, 'from')}" if shown else f"from {_end(edge, 'from')}"


def _port_name(outline: Outline, layer: LayerSpan, op: Op | None, side: str, label: int | None) -> str:
    """The id of a port, with its name in the definition."""
    specs = () if op is None else getattr(op.definition, f"{side}s")
    labels = [one for one, _ in layer.ports(outline.text, side)]
    index = labels.index(label)
    name = specs[min(index, len(specs) - 1)].name if specs else ""
    return f"{label if label is not None else '?'}{f' ({code(name)})' if name else ''}"
