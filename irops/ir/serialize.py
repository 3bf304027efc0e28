"""Writes a model as the text of an .xml file, in the layout that OpenVINO uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from irops.ir.model import COMMENT, Body, Edge, Element, Graph, Layer, Model, Port, PortMapping
from irops.ir.subgraphs import DEFAULTS, WRITTEN

_FIRST = (
    ":A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = f"[{_FIRST}][{_FIRST}.0-9\u00b7\u0300-\u036f\u203f\u2040-]*"  # a Name of XML 1.0; slow to compile
_SPECIAL = re.compile(r'[&<"\x00-\x1f]')
_ESCAPES = {"&": "&amp;", "<": "&lt;", '"': "&quot;"}
_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

Data = Callable[[Layer], Mapping[str, str]]


def document(model: Model, data: Data) -> Iterator[str]:
    """The text, in pieces. data: returns the <data> attributes to write for a layer; called once per layer.

    Raises:  ValueError if something in the model is not representable in XML
    """
    yield '<?xml version="1.0"?>\n'
    yield from _comments(model.comments, "")
    yield f"<net{_attributes({'name': model.name, 'version': str(model.version), **model.extra})}>\n"
    yield from _graph(model.graph, "\t", data)
    for element in (*_some(model.rt_info), *model.legacy, *model.unknown):
        yield from _element(element, "\t")
    yield "</net>\n"


def _graph(graph: Graph, tab: str, data: Data) -> Iterator[str]:
    yield f"{tab}<layers>\n" if graph.layers else f"{tab}<layers />\n"
    for layer in graph.layers:
        yield from _layer(layer, tab + "\t", data)
    if graph.layers:
        yield f"{tab}</layers>\n"
    yield f"{tab}<edges>\n" if graph.edges or graph.comments else f"{tab}<edges />\n"
    yield from _comments(graph.comments, tab + "\t")
    for edge in graph.edges:
        yield _edge(edge, tab + "\t")
    if graph.edges or graph.comments:
        yield f"{tab}</edges>\n"


def _layer(layer: Layer, tab: str, data: Data) -> Iterator[str]:
    yield from _comments(layer.comments, tab)
    named = {} if layer.output_names is None else {"output_names": names_text(layer.output_names)}
    head = {
        "id": str(layer.id),
        "name": layer.name,
        "type": layer.type,
        "version": layer.version,
        **named,
        **layer.extra,
    }
    inner = tab + "\t"
    body = [f"{tab}<layer{_attributes(head)}>\n"]
    if layer.data or layer.data_at >= 0:
        body.append(f"{inner}<data{_attributes(data(layer))} />\n")
    for element in _some(layer.rt_info):
        body.extend(_element(element, inner))
    for name in sorted(layer.bodies):  # the maps of else_body before those of then_body, as OpenVINO has them
        body.extend(_maps(layer.bodies[name], inner))
    for section, ports in (("input", layer.inputs), ("output", layer.outputs)):
        if ports:
            body.append(f"{inner}<{section}>\n")
            for port in ports:
                body.extend(_port(port, inner + "\t"))
            body.append(f"{inner}</{section}>\n")
    yield "".join(body)
    for part in layer.bodies.values():
        yield from _body(part, inner, data)
    for element in layer.unknown:
        yield from _element(element, inner)
    yield f"{tab}</layer>\n"


def _port(port: Port, tab: str) -> Iterator[str]:
    declared = {
        "id": str(port.id),
        "precision": port.precision,
        "names": names_text(port.names) if port.names else None,
    }
    attributes = _attributes(
        {**{name: text for name, text in declared.items() if text is not None}, **port.extra}
    )
    if not (port.dims or port.rt_info or port.unknown):
        yield f"{tab}<port{attributes} />\n"
        return
    yield f"{tab}<port{attributes}>\n"
    for dim in port.dims:
        yield f"{tab}\t<dim>{dim}</dim>\n"
    for element in (*_some(port.rt_info), *port.unknown):
        yield from _element(element, tab + "\t")
    yield f"{tab}</port>\n"


def _edge(edge: Edge, tab: str) -> str:
    ends = {
        "from-layer": edge.from_layer,
        "from-port": edge.from_port,
        "to-layer": edge.to_layer,
        "to-port": edge.to_port,
    }
    return f"{tab}<edge{_attributes({**{name: str(end) for name, end in ends.items()}, **edge.extra})} />\n"


def _maps(body: Body, tab: str) -> Iterator[str]:
    if body.inputs or body.outputs:
        name = body.name.removesuffix("body") + "port_map"
        yield f"{tab}<{name}>\n"
        sides = [("input", mapping) for mapping in body.inputs] + [
            ("output", mapping) for mapping in body.outputs
        ]
        for side, mapping in sorted(sides, key=lambda entry: entry[1].at):  # in the order of the file, if any
            yield f"{tab}\t<{side}{_attributes(mapping_attributes(mapping))} />\n"
        yield f"{tab}</{name}>\n"
    if body.back_edges:
        yield f"{tab}<back_edges>\n"
        for edge in body.back_edges:
            yield f'{tab}\t<edge from-layer="{edge.from_layer}" to-layer="{edge.to_layer}" />\n'
        yield f"{tab}</back_edges>\n"


def mapping_attributes(mapping: PortMapping) -> dict[str, str]:
    """The attributes of an entry of a port map: those in its file, and those that differ from the default."""
    values = {name: getattr(mapping, name) for name in WRITTEN}
    sliced = mapping.axis is not None and not mapping.written
    return {
        name: str(value)
        for name, value in values.items()
        if value is not None and (sliced or name in mapping.written or value != DEFAULTS.get(name))
    } | mapping.extra


def _body(body: Body, tab: str, data: Data) -> Iterator[str]:
    yield f"{tab}<{body.name}{_attributes(body.extra)}>\n"
    yield from _graph(body.graph, tab + "\t", data)
    for element in (*_some(body.rt_info), *body.unknown):
        yield from _element(element, tab + "\t")
    yield f"{tab}</{body.name}>\n"


def _element(element: Element, tab: str) -> Iterator[str]:
    if element.tag == COMMENT:
        yield from _comments((element.text,), tab)
        return
    head = f"{tab}<{_name(element.tag)}{_attributes(element.attributes)}"
    if not element.children:
        yield f"{head}>{_content(element.text)}</{element.tag}>\n" if element.text else f"{head} />\n"
        return
    yield f"{head}>{_content(element.text)}\n"
    for child in element.children:
        yield from _element(child, tab + "\t")
    yield f"{tab}</{element.tag}>\n"


def _comments(texts: Iterable[str], tab: str) -> Iterator[str]:
    for text in texts:
        if "--" in text or text.endswith("-") or _NO_TEXT.search(text):
            raise ValueError(f"the text {text!r} cannot be a comment")
        yield f"{tab}<!--{text}-->\n"


def _attributes(attributes: Mapping[str, str]) -> str:
    return "".join([f' {_name(name)}="{escaped(text)}"' for name, text in attributes.items()])


def escaped(text: str) -> str:
    """Text escaped for an attribute in quotes. Raises: ValueError if XML cannot represent it"""
    if _NO_TEXT.search(text):
        raise ValueError(f"the text {text!r} has a character that XML does not allow")
    return _SPECIAL.sub(lambda match: _ESCAPES.get(match[0]) or f"&#{ord(match[0]):02};", text)


def _content(text: str) -> str:
    return escaped(text).replace(">", "&gt;")


def _name(name: str) -> str:
    if not (name.isascii() and name.isidentifier()) and not re.fullmatch(_NAME, name):
        raise ValueError(f"{name!r} cannot be the name of an element or attribute")
    return name


def names_text(names: Iterable[str]) -> str:
    r"""Tensor names as one text, separated by commas; a comma in a name is written \, (see names_of)."""
    return ",".join(name.replace(",", "\\,") for name in names)


def _some(element: Element | None) -> tuple[Element, ...]:
    return () if element is None else (element,)
