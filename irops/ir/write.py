"""Writes IR files, .xml and .bin, in the layout that OpenVINO uses."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import IO, NamedTuple

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.diagnostics.rules import rule
from irops.files.limits import MAX_DEPTH, recursion_limit_for
from irops.files.output import PendingFiles, UnwritableModel, local_target
from irops.files.storage import Weights, WeightsChanged
from irops.files.urls import StrPath
from irops.ir.attributes import DEFAULTS, WRITTEN, integer
from irops.ir.model import COMMENT, Body, Edge, Element, Layer, LayerGraph, Model, Port, PortMapping
from irops.ir.weights import changed_weights, checked_region

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


def _graph(graph: LayerGraph, tab: str, data: Data) -> Iterator[str]:
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
    own = {"id": str(layer.id), "name": layer.name, "type": layer.type, "version": layer.version}
    head = {**own, **named, **layer.extra}
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
    names = names_text(port.names) if port.names else None
    declared = {"id": str(port.id), "precision": port.precision, "names": names}
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
    source = {"from-layer": edge.from_layer, "from-port": edge.from_port}
    ends = source | {"to-layer": edge.to_layer, "to-port": edge.to_port}
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
            raise UnwritableModel(f"the text {text!r} cannot be a comment")
        yield f"{tab}<!--{text}-->\n"


def _attributes(attributes: Mapping[str, str]) -> str:
    return "".join([f' {_name(name)}="{escaped(text)}"' for name, text in attributes.items()])


def escaped(text: str) -> str:
    """Text escaped for an attribute in quotes. Raises: ValueError if XML cannot represent it"""
    if _NO_TEXT.search(text):
        raise UnwritableModel(f"the text {text!r} has a character that XML does not allow")
    return _SPECIAL.sub(lambda match: _ESCAPES.get(match[0]) or f"&#{ord(match[0]):02};", text)


def _content(text: str) -> str:
    return escaped(text).replace(">", "&gt;")


def _name(name: str) -> str:
    if not (name.isascii() and name.isidentifier()) and not re.fullmatch(_NAME, name):
        raise UnwritableModel(f"{name!r} cannot be the name of an element or attribute")
    return name


def names_text(names: Iterable[str]) -> str:
    r"""Tensor names as one text, separated by commas; a comma in a name is written \, (see names_of)."""
    return ",".join(name.replace(",", "\\,") for name in names)


def _some(element: Element | None) -> tuple[Element, ...]:
    return () if element is None else (element,)


def write_layers(model: Model, path: StrPath) -> None:
    """Write a model to path, whose constants stay where they lie in weights that are not written.

    Raises:  as write, but for bytes that are missing
    """
    xml = local_target(path, of_model=True)
    with recursion_limit_for(MAX_DEPTH), PendingFiles(xml) as (file,):
        for piece in document(model, lambda layer: layer.data):
            file.write(piece.encode())


_ONE_BYTE = Weights.of_bytes(b"\0")


def write(model: Model, path: StrPath) -> None:
    """Write a model to path, and the bytes of its constants to the .bin file of the same name.

    Files are replaced atomically; the file that the model was read from may be overwritten. Bytes of the
    weights that belong to no constant are dropped; equal constants share bytes. Weights in a file are copied
    in pieces.
    Raises:  DiagnosticError if bytes of a constant or a mean image are missing or changed; ValueError for
        text that XML cannot represent; OSError
    """
    xml = local_target(path, of_model=True)
    weights = local_target(xml.with_suffix(".bin"), of_model=True)
    if weights == xml:
        raise UnwritableModel(f"the model path is {xml.name}, must end with .xml: .bin is for weights")
    with recursion_limit_for(MAX_DEPTH), PendingFiles(weights, xml) as (weights_file, xml_file):
        pool = _Pool(model, weights_file)
        with_means = replace(model, legacy=[pool.legacy(element) for element in model.legacy])
        for piece in document(with_means, pool.data):
            xml_file.write(piece.encode())


class _Pool:
    """Writes the bytes of constants in the order of layers, each content once."""

    def __init__(self, model: Model, file: IO[bytes]) -> None:
        self.model = model
        self.weights = model.weights or Weights.of_bytes(b"")
        self._contents = Contents(file)
        self._places: dict[tuple[int, int], int] = {}

    def data(self, layer: Layer) -> Mapping[str, str]:
        """The <data> of a layer; that of a Const says where its bytes are now."""
        if not layer.is_constant:
            return layer.data
        region = checked_region(self.model, layer)
        if region.elements == 0 and (region.size == 0 or region.end > self.weights.size):
            # OpenVINO requires a byte for an empty tensor, and writes one
            offset, size = self._contents.append(_ONE_BYTE, 0, 1), 1
        else:
            offset, size = self._place(region.offset, region.size), region.size
        return {**layer.data, "offset": str(offset), "size": str(size)}

    def legacy(self, element: Element) -> Element:
        """The element with the new positions of the mean images in it."""
        children = [self.legacy(child) for child in element.children]
        attributes = element.attributes
        if element.tag == "mean" and "offset" in attributes:
            offset, size = (integer(attributes.get(name, ""))[0] for name in ("offset", "size"))
            if offset is None or size is None:
                raise self._outside(element)
            try:
                place = self._place(offset, size)
            except DiagnosticError:
                raise
            except ValueError:
                raise self._outside(element) from None
            attributes = {**attributes, "offset": str(place)}
        return replace(element, attributes=attributes, children=children)

    def _outside(self, mean: Element) -> DiagnosticError:
        shown = (mean.attributes.get(name, "missing") for name in ("offset", "size"))
        message = "a mean image has offset {} and size {}, must be within the weights to be written".format(
            *shown
        )
        place = self.model.location(at=mean.at)
        return DiagnosticError([Diagnostic(rule("mean-outside-weights"), message, place)])

    def _place(self, offset: int, size: int) -> int:
        """The position of bytes of the weights in the file, to which they are written once."""
        place = self._places.get((offset, size))
        if place is None:
            try:
                if not self._places:  # the model stays readable if it is written over its own file
                    self.weights.keep_open()
                place = self._places[offset, size] = self._contents.append(self.weights, offset, size)
            except WeightsChanged as error:
                raise changed_weights(self.model, error) from None
        return place


# The bytes of constants in a file that is written: each content once, and none of them loaded as a whole.

_SMALL = 1 << 16
"""Bytes of a content that is read in any case. A larger one is read only if it may equal another one."""
_SAMPLE = 1 << 14  # three of them, which are read of a large content, are smaller than _SMALL
_STEP = 1 << 20


class _Content(NamedTuple):
    """A content that is in the file. digested: whether its place is known by a digest of all bytes."""

    weights: Weights
    offset: int
    place: int
    digested: bool = False


class Contents:
    """Appends contents of weights to a file, in pieces.

    Large contents of one size and equal samples of their bytes are compared by digests of all bytes.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._end = file, 0
        self._places: dict[tuple[int, bytes], int] = {}
        self._by_sample: dict[tuple[int, bytes], _Content] = {}

    def append(self, weights: Weights, offset: int, size: int) -> int:
        """The position of a content in the file, to whose end it is written unless it is there already.

        Raises:  ValueError if the bytes are outside the weights; WeightsChanged; OSError
        """
        is_small = size <= _SMALL
        starts = (0,) if is_small else (0, (size - _SAMPLE) // 2, size - _SAMPLE)
        samples = (weights.read(offset + start, size if is_small else _SAMPLE) for start in starts)
        sample = size, _digest(samples)
        like = self._by_sample.get(sample)
        if like is None:
            place = self._copy(weights, offset, size)
            self._by_sample[sample] = _Content(weights, offset, place)
            return place
        if is_small:
            return like.place
        if not like.digested:
            self._places[size, _digest_of_all(like.weights, like.offset, size)] = like.place
            self._by_sample[sample] = like._replace(digested=True)
        key = size, _digest_of_all(weights, offset, size)
        if key not in self._places:
            self._places[key] = self._copy(weights, offset, size)
        return self._places[key]

    def _copy(self, weights: Weights, offset: int, size: int) -> int:
        weights.copy_to(self._file, offset, size)
        place, self._end = self._end, self._end + size
        return place


def _digest_of_all(weights: Weights, offset: int, size: int) -> bytes:
    starts = range(0, size, _STEP)
    return _digest(weights.read(offset + start, min(_STEP, size - start)) for start in starts)


def _digest(pieces: Iterable[memoryview]) -> bytes:
    from hashlib import blake2b  # slow to import, and most commands write no model

    digest = blake2b(digest_size=32)
    for piece in pieces:
        digest.update(piece)
    return digest.digest()
