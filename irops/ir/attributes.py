"""Reads the attributes of elements, the ports of layers, and the bodies and maps that are tied to these."""

import re
from collections.abc import Callable, Mapping

from irops.diagnostics.diagnostic import Severity
from irops.diagnostics.printable import abridged
from irops.ir.model import COMMENT, SHOWN, BackEdge, Body, Element, Layer, LayerGraph, Port, PortMapping
from irops.ir.parse import SECTIONS, SEPARATOR, Faults
from irops.values.element import element_type_of_precision

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
_CANONICAL = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NONCANONICAL = re.compile(r"[ \t\r\n]*([+-]?[0-9]+)[ \t\r\n]*")
_DIGITS = 25  # more than any 64-bit number has, and few enough for int()


def integer(text: str) -> tuple[int | None, bool]:
    """The integer that the whole text is, and whether it is in canonical form.

    Canonical: no whitespace, no plus sign, no leading zeros. None if the text is not an integer, or has far
    too many digits.
    """
    if _CANONICAL.fullmatch(text) and len(text) < _DIGITS and text != "-0":
        return int(text), True
    match = _NONCANONICAL.fullmatch(text)
    return (int(match[1]) if match and len(match[1]) < _DIGITS else None), False


def prefix_note(text: str) -> tuple[str, ...]:
    """A note with the number that OpenVINO reads from a prefix of the text; empty if OpenVINO refuses it."""
    match = re.match(r"[ \t\r\n]*([+-]?[0-9]+)", text)
    if (
        match is None
        or len(match[1]) >= _DIGITS
        or not INT64_MIN <= int(match[1]) <= INT64_MAX
        or not text[match.end() :].strip()
    ):
        return ()
    return (f"OpenVINO silently reads it as {int(match[1])}",)


_IGNORED = ("OpenVINO silently ignores it",)


class Attributes:
    """Reads the elements of one file.

    numbers: a cache of parsed texts, for numbers of 0 or greater; has_rt_info: whether a layer or a port that
    was read has runtime attributes
    """

    __slots__ = ("faults", "has_rt_info", "numbers", "prefixes")

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.numbers: dict[str, int] = {}
        self.prefixes = {"xml", "xmlns"}
        self.has_rt_info = False

    def number(self, element: Element, name: str, owner: str, otherwise: int, low: int = 0) -> int:
        """Remove and return a required 64-bit integer attribute, low or greater.

        Reports a missing or malformed one and returns otherwise.
        """
        text = element.attributes.pop(name, None)
        if text is None:
            self.faults.add("incomplete-element", f"{owner} has no {name}", element.at)
            return otherwise
        cached = self.numbers.get(text)
        if cached is not None and cached >= low:
            return cached
        return self._new_number(element, name, owner, text, otherwise, low)

    def _new_number(
        self, element: Element, name: str, owner: str, text: str, otherwise: int, low: int
    ) -> int:
        value, plain = integer(text)
        if value is None or not low <= value <= INT64_MAX:
            what = "is not an integer" if value is None else "is out of range"
            lowest = "-2^63" if low == INT64_MIN else low
            message = f"{name} {text!r} of {owner} {what}, must be a decimal integer from {lowest} to 2^63-1"
            refused = ("OpenVINO refuses the file",)
            self.faults.add("malformed-number", message, element.at, attribute=name, notes=refused)
            return otherwise
        if not plain:
            message = f"{name} {text!r} of {owner} is not in canonical form, must be {value}"
            self.faults.add("noncanonical-number", message, element.at, attribute=name)
        elif value >= 0:
            self.numbers[text] = value
        return value

    def required(self, element: Element, attributes: Mapping[str, str | None], owner: str) -> None:
        """Report which of the attributes are missing or empty; a name may be empty."""
        for name, text in attributes.items():
            if text is None:
                self.faults.add("incomplete-element", f"{owner} has no {name}", element.at)
            elif not text and name != "name":
                self.faults.add("empty-attribute", f"{owner} has an empty {name}", element.at, attribute=name)

    def rest(self, element: Element) -> dict[str, str]:
        """The remaining attributes, each reported as unknown."""
        for name in element.attributes:
            prefix, colon, _ = name.partition(":")
            if colon and prefix not in self.prefixes and f"xmlns:{prefix}" not in element.attributes:
                owner = abridged(element.tag, SHOWN)
                message = f"the prefix of attribute {name!r} of <{owner}> is not bound to a namespace"
                self.faults.add("unbound-prefix", message, element.at, attribute=name, notes=_IGNORED)
            elif prefix != "xmlns":
                message = f"<{abridged(element.tag, SHOWN)}> has an unknown attribute {name!r}"
                self.faults.add("stray-attribute", message, element.at, attribute=name, notes=_IGNORED)
        return element.attributes

    def unknown(self, element: Element, parent: Element) -> Element:
        """An element that is not allowed in its parent, reported and preserved; comments are allowed."""
        if element.tag == COMMENT:
            return element
        name = element.attributes.get("name")
        shown = f"<{element.tag}>" if name is None else f'<{element.tag}> "{name}"'
        message = f"{shown} is not allowed in <{abridged(parent.tag, SHOWN)}>"
        self.faults.add("unknown-element", message, element.at, notes=_IGNORED)
        return self.preserved(element)

    def duplicate(self, element: Element, parent: Element) -> Element:
        """A repeated element of which its parent may have one, reported and preserved."""
        self.faults.add(
            "duplicate-section",
            f"<{abridged(parent.tag, SHOWN)}> has a second <{element.tag}>, must have one",
            element.at,
            notes=("OpenVINO reads the first and silently ignores this one",),
        )
        return self.preserved(element)

    def unknown_children(self, element: Element) -> list[Element]:
        """The children of an element that may have none, each reported.

        Those that the element's parent could interpret are dropped, the others are returned.
        """
        children = [self.unknown(child, element) for child in element.children]
        return [child for child in children if child.tag not in SECTIONS]

    def preserved(self, element: Element) -> Element:
        """The element as it is in the file: dims packed into the text of a port become elements again."""
        if SEPARATOR in element.text:
            element.children[:0] = [Element("dim", text=text) for text in element.text.split(SEPARATOR)[:-1]]
            element.text = ""
        for child in element.children:
            self.preserved(child)
        return element


# Reads the ports of layers, and the bodies and maps that are tied to them.


UNREAD = -1


def number_layers(graph: LayerGraph, faults: Faults) -> None:
    """Report ids that are not unique, and number the layers whose id is malformed."""
    if has_unique_ids(graph.layers):
        return
    used: dict[int, Layer] = {}
    for layer in graph.layers:
        first = layer if layer.id == UNREAD else used.setdefault(layer.id, layer)
        if first is not layer:
            faults.layer = layer
            found = f'layer "{layer.shown_name}" has the id {layer.id} of layer "{first.shown_name}"'
            message = f"{found}, must have a unique id"
            last = ("OpenVINO uses the last layer with an id for all of them",)
            faults.add("duplicate-layer-id", message, layer.at, attribute="id", notes=last)
            faults.layer = None
    if any(layer.id == UNREAD for layer in graph.layers):
        referenced = {end for edge in graph.edges for end in (edge.from_layer, edge.to_layer)}
        _fill(graph.layers, set(used), referenced - used.keys())


def has_unique_ids(layers: list[Layer]) -> bool:
    """Whether all layers have an id, and no two the same."""
    ids = {layer.id for layer in layers}
    return len(ids) == len(layers) and UNREAD not in ids


def _fill(layers: list[Layer], used: set[int], unresolved: set[int]) -> None:
    """Number layers without an id. unresolved: ids that edges refer to and no layer has.

    Prefers the number that follows the previous layer if edges refer to it, then another such, then any.
    """
    before, largest = -1, max(used, default=-1)
    others = iter(sorted(unresolved))
    for layer in layers:
        if layer.id == UNREAD:
            likely = before + 1
            if unresolved and likely not in unresolved:
                likely = next(number for number in others if number in unresolved)
            layer.id = likely if likely not in used else largest + 1
            unresolved.discard(layer.id)
            used.add(layer.id)
            largest = max(largest, layer.id)
        before = layer.id


def number_ports(layer: Layer, faults: Faults) -> None:
    """Report ids that are not unique, and number the ports whose id is malformed by their positions."""
    start = 0
    for side, ports in (("input", layer.inputs), ("output", layer.outputs)):
        ids = {port.id for port in ports} if len(ports) != 1 or ports[0].id == UNREAD else None
        if ids is not None and (len(ids) < len(ports) or UNREAD in ids):
            seen: set[int] = set()
            for port in ports:
                if port.id in seen and port.id != UNREAD:
                    message = f"a second {side} port has the id {port.id}, must have an id that is unique"
                    faults.add("duplicate-port-id", f"{message} in its layer", port.at, attribute="id")
                seen.add(port.id)
            largest = max(ids)
            for place, port in enumerate(ports, start):
                if port.id == UNREAD:
                    port.id = place if place not in ids else largest + 1
                    ids.add(port.id)
                    largest = max(largest, port.id)
        start += len(ports)


DYNAMIC = -1


class Ports:
    """Reads the ports of one file. Texts are parsed once and cached, since most ports are alike."""

    __slots__ = ("_dims", "_precisions", "faults", "read")

    def __init__(self, read: Attributes) -> None:
        self.read, self.faults = read, read.faults
        self._dims: dict[str, tuple[int, ...]] = {"": ()}
        self._precisions: dict[str, str] = {}

    def of(self, section: Element, others: list[Element]) -> list[Port]:
        """The ports in <input> or <output>. Appends its other children to others. A malformed id is -1."""
        ports: list[Port] = []
        numbers, all_dims, precisions = self.read.numbers, self._dims, self._precisions
        for element in section.children:
            if element.tag != "port":
                others += self.read.unknown_children(Element(section.tag, children=[element]))
                continue
            attributes = element.attributes
            number = numbers.get(attributes.get("id", ""))
            if number is None:
                number = self.read.number(element, "id", f"an {section.tag} port", -1)
            else:
                del attributes["id"]
            dims = all_dims.get(element.text)
            if dims is None:
                dims = self._new_dims(element, f"{section.tag} port {number}")
            precision = attributes.pop("precision", None)
            if precision not in precisions:
                self._new_precision(element, precision, number, section.tag)
            names = attributes.pop("names", None)
            kind, tensors = precisions.get(precision or ""), () if names is None else names_of(names)
            port = Port(number, kind, dims, tensors, None, attributes, (), element.at)
            if attributes:
                self.read.rest(element)
            if element.children:
                self._children(port, element)
            ports.append(port)
        return ports

    def _new_dims(self, element: Element, owner: str) -> tuple[int, ...]:
        texts = element.text.split(SEPARATOR)[:-1]
        before = len(self.faults.findings)
        dims = tuple([self._dim(text, element, k, owner) for k, text in enumerate(texts)])
        if len(self.faults.findings) == before:
            self._dims[element.text] = dims
        return dims

    def _dim(self, text: str, element: Element, index: int, owner: str) -> int:
        value, plain = integer(text.strip(" \t\r\n"))
        if plain and value is not None and DYNAMIC <= value <= INT64_MAX:
            return value
        if value is None or not DYNAMIC <= value <= INT64_MAX:
            found = f"{owner} has the dimension {text.strip()!r}"
            message = f"{found}, must be an integer of 0 or greater, or -1 if it is dynamic"
            at, child = element.at, ("dim", index)
            self.faults.add("malformed-dimension", message, at, child=child, notes=prefix_note(text))
            return DYNAMIC
        message = f"dimension {text.strip()!r} of {owner} is not in canonical form, must be {value}"
        self.faults.add("noncanonical-number", message, element.at, child=("dim", index))
        return value

    def _new_precision(self, element: Element, precision: str | None, number: int, side: str) -> None:
        """Cache a valid precision; report an invalid one. OpenVINO does not read that of an input port."""
        if precision is None:
            if side == "output":
                self.faults.add("incomplete-element", f"output port {number} has no precision", element.at)
            return
        try:
            element_type_of_precision(precision)
        except ValueError:
            what = f"{side} port {number} has the precision {precision!r}"
            self.faults.add(
                "unknown-precision",
                f"{what}, must be an element type such as FP32, I64, BOOL",
                element.at,
                attribute="precision",
                level=Severity.ERROR if side == "output" else Severity.WARNING,
                notes=(
                    (
                        "OpenVINO refuses the file"
                        if side == "output"
                        else "OpenVINO ignores the precision of an input port"
                    ),
                ),
            )
        else:
            self._precisions[precision] = precision

    def _children(self, port: Port, element: Element) -> None:
        unknown: list[Element] = []
        for child in element.children:
            if child.tag == "rt_info" and port.rt_info is None:
                port.rt_info, self.read.has_rt_info = self.read.preserved(child), True
            elif child.tag == "rt_info":
                unknown.append(self.read.duplicate(child, element))
            elif child.tag == "dim":  # a dim that contains elements
                unknown.extend(self.read.unknown(inner, child) for inner in child.children)
            else:
                unknown.append(self.read.unknown(child, element))
        port.unknown = tuple(unknown)


def names_of(text: str) -> tuple[str, ...]:
    r"""Tensor names, separated by commas; \, is a comma in a name. Drops empty names, as OpenVINO does."""
    if "," not in text:
        return (text,) if text else ()
    parts = text.replace("\\,", "\0").split(",")
    return tuple(part.replace("\0", ",") for part in parts if part)


PARTS = frozenset(
    ("port_map", "back_edges", "body", "then_port_map", "else_port_map", "then_body", "else_body")
)
"""The elements that make up the bodies of a layer."""
WRITTEN = ("axis", "external_port_id", "internal_layer_id", "start", "end", "stride", "part_size", "purpose")
"""The attributes of an entry of a port map, in the order in which they are written."""
DEFAULTS = {"axis": 0, "start": 0, "end": -1, "stride": 1, "part_size": 1}
_UNREAD = -2


def sub_graphs(
    layer: Layer, parts: dict[str, Element], read: Attributes, build: Callable[[str, Element], Body]
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
