"""Reads the bodies of a layer, and the maps that connect them to its ports."""

from __future__ import annotations

from collections.abc import Callable

from irops.ir.attributes import Attributes
from irops.ir.model import BackEdge, Body, Element, Layer, PortMapping
from irops.ir.numbers import INT64_MIN

PARTS = frozenset(
    ("port_map", "back_edges", "body", "then_port_map", "else_port_map", "then_body", "else_body")
)
"""The elements that make up the bodies of a layer."""
WRITTEN = ("axis", "external_port_id", "internal_layer_id", "start", "end", "stride", "part_size", "purpose")
"""The attributes of an entry of a port map, in the order in which they are written."""
DEFAULTS = {"axis": 0, "start": 0, "end": -1, "stride": 1, "part_size": 1}
_UNREAD = -2


def sub_graphs(
    layer: Layer,
    parts: dict[str, Element],
    read: Attributes,
    build: Callable[[str, Element], Body],
) -> dict[str, Body]:
    """The bodies, by name, in the order of the file. build: builds a body from its name and its element."""
    faults, outer = read.faults, read.faults.path
    bodies: dict[str, Body] = {}
    for name, element in parts.items():
        if name.endswith("body"):
            faults.path = (*outer, layer.name, name)
            bodies[name] = build(name, element)
            faults.path, faults.layer = outer, layer
    for name, element in parts.items():
        if not name.endswith("body"):
            body = bodies.get(name.removesuffix("port_map") + "body" if name != "back_edges" else "body")
            if body is None:
                layer.unknown += (read.preserved(element),)
            elif name == "back_edges":
                _back_edges(body, element, read)
            else:
                _port_map(body, element, read)
    return bodies


def _port_map(body: Body, element: Element, read: Attributes) -> None:
    for entry in element.children:
        if entry.tag not in ("input", "output"):
            body.unknown.append(read.unknown(entry, element))
            continue
        written = tuple(name for name in WRITTEN if name in entry.attributes)
        owner = f"an {entry.tag} of <{element.tag}>"
        external = read.number(entry, "external_port_id", owner, _UNREAD, low=-1)
        internal = read.number(entry, "internal_layer_id", owner, _UNREAD)
        numbers = {
            name: read.number(entry, name, owner, default, low=INT64_MIN)
            for name, default in DEFAULTS.items()
            if name in entry.attributes
        }
        purpose = entry.attributes.pop("purpose", None)
        extra = read.rest(entry)
        body.unknown.extend(read.unknown_children(entry))
        if _UNREAD in (external, internal):
            body.incomplete = True
            continue
        mapping = PortMapping(
            external, internal, purpose=purpose, extra=extra, written=written, at=entry.at, **numbers
        )
        (body.inputs if entry.tag == "input" else body.outputs).append(mapping)


def _back_edges(body: Body, element: Element, read: Attributes) -> None:
    for entry in element.children:
        if entry.tag != "edge":
            body.unknown.append(read.unknown(entry, element))
            continue
        ends = [read.number(entry, name, "a back edge", _UNREAD) for name in ("from-layer", "to-layer")]
        read.rest(entry)
        body.unknown.extend(read.unknown_children(entry))
        if _UNREAD in ends:
            body.incomplete = True
        else:
            body.back_edges.append(BackEdge(ends[0], ends[1], entry.at))
