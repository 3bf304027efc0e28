"""Builds a model from XML elements, and reports all structural errors."""

from collections.abc import Iterator
from math import prod
from sys import intern

from irops.diagnostics.diagnostic import Severity, fix
from irops.diagnostics.printable import shortened
from irops.environment import enabled
from irops.files.limits import Clock
from irops.ir.attributes import (
    PARTS,
    UNREAD,
    Attributes,
    Ports,
    integer,
    names_of,
    number_layers,
    number_ports,
    sub_graphs,
)
from irops.ir.edits import without_element
from irops.ir.model import COMMENT, Body, Edge, Element, Layer, LayerGraph, LayerKind, Model, parse_layout
from irops.ir.parse import Faults, parse
from irops.ir.scanning import scan
from irops.ir.weights import Weights
from irops.values.element import element_type
from irops.values.shape import Shape

READ = (10, 11)
UNREADABLE = ('OpenVINO reports "Unable to read the model"',)
REFUSED = ("OpenVINO refuses the file",)
_PER_LAYER = "OpenVINO 2020.1 replaced IR 7 and older; export the model again from its original framework"


def version_of(root: Element, faults: Faults) -> int:
    """The IR version; 11 if it is missing or invalid.

    Raises:  ReadError if the root is not <net>, or the version is so old that layers have another format
    """
    if root.tag != "net":
        prefixed = "its local name is net, but it is in a namespace; IR files use none"
        note = (prefixed,) if root.tag.endswith(":net") else ()
        raise faults.stop(
            "wrong-root", f"the root element is <{root.tag}>, must be <net>", root.at, notes=note
        )
    text = root.attributes.get("version")
    if text is None:
        message = "<net> has no version, must be 10 or 11"
        faults.add("unsupported-ir-version", message, root.at, notes=UNREADABLE)
        return max(READ)
    version, plain = integer(text)
    if version is not None and 0 < version < min(READ):
        message = f"the IR version is {version}, must be 10 or 11"
        raise faults.stop("old-ir-version", message, root.at, notes=(_PER_LAYER,), alone=True)
    if version not in READ:
        message = f"the IR version is {text!r}, must be 10 or 11"
        faults.add("unsupported-ir-version", message, root.at, attribute="version", notes=UNREADABLE)
        return max(READ)
    if not plain:
        message = f"IR version {text!r} is not in canonical form, must be {version}"
        faults.add("noncanonical-number", message, root.at, attribute="version", notes=REFUSED)
    return version


ENDS = ("from-layer", "from-port", "to-layer", "to-port")
_ONCE = PARTS | {"data", "input", "output", "rt_info"}
LEGACY = ("meta_data", "quantization_parameters", "pre-process")


class Builder:
    """Builds one model. Layers and edges are built as soon as their elements end, the rest after parsing."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.read = Attributes(faults)
        self.ports = Ports(self.read)
        self.graph = LayerGraph()
        self._sections: dict[str, Element] = {}

    def model(self, data: bytes, weights: Weights) -> Model:
        """The model that a text describes. Raises: ReadError if it describes none"""
        clock = Clock(self.faults.limits.seconds)
        document = scan(data, self.read, self.graph, clock) if enabled("scanner") else None
        if document is None:
            document = parse(data, self.faults, self._take, clock)
        root = next(child for child in document.children if child.tag != COMMENT)
        version = version_of(root, self.faults)
        attributes = root.attributes
        model = Model(
            attributes.pop("name", ""), version, self.graph, weights=weights, source=self.faults.source
        )
        attributes.pop("version", None)
        self.read.prefixes.update(name[6:] for name in attributes if name.startswith("xmlns:"))
        model.extra = self.read.rest(root)
        for child in self._others(root, model):
            if child.tag in LEGACY:
                model.legacy.append(self.read.preserved(child))
            elif child.tag != COMMENT:
                model.unknown.append(self.read.unknown(child, root))
        model.comments = (*comments_of(document), *comments_of(root))
        number_layers(self.graph, self.faults)
        if not any(child.tag == "layers" for child in root.children):
            read = ("OpenVINO silently reads an empty model",)
            message = "<net> has no <layers>, must have one"
            self.faults.add("missing-section", message, root.at, notes=read)
        legacy_faults(model, weights, self.faults)
        if self.read.has_rt_info:
            runtime_attribute_faults(model, self.faults)
        return model

    def _take(self, section: Element, child: Element) -> bool:
        """Build a layer or an edge of the first <layers> or <edges> as soon as its element ends."""
        return self._sections.setdefault(section.tag, section) is section and self._into(
            self.graph, section, child
        )

    def _into(self, graph: LayerGraph, section: Element, child: Element) -> bool:
        if child.tag == "layer" and section.tag == "layers":
            graph.layers.append(self.layer(child))
            if len(section.children) > 1:
                # the comments directly before the last child of a section are the layer's
                last = len(section.children) - 1
                first = last
                while first > 0 and section.children[first - 1].tag == COMMENT:
                    first -= 1
                graph.layers[-1].comments = tuple(comment.text for comment in section.children[first:last])
                del section.children[first:last]
        elif child.tag == "edge" and section.tag == "edges":
            self.edge(child, graph)
        else:
            return False
        return True

    def _others(self, parent: Element, part: Model | Body) -> Iterator[Element]:
        """The children of <net> or of a body but the sections that it has once, which become its content."""
        seen: set[str] = set()
        for child in parent.children:
            if child.tag not in ("layers", "edges", "rt_info"):
                yield child
            elif child.tag in seen:
                part.unknown.append(self.read.duplicate(child, parent))
            elif child.tag == "rt_info":
                part.rt_info = self.read.preserved(child)
            else:
                children, child.children = child.children, []
                for inner in children:  # those of <net> are built already
                    child.children.append(inner)
                    if self._into(part.graph, child, inner):
                        child.children.pop()
                self._other_content(child, part.graph, part.unknown)
            seen.add(child.tag)

    def _other_content(self, section: Element, graph: LayerGraph, unknown: list[Element]) -> None:
        """Collect the content of <layers> or <edges> other than layers and edges."""
        graph.comments += comments_of(section)
        unknown += [child for child in self.read.unknown_children(section) if child.tag != COMMENT]
        self.read.rest(section)

    def body(self, name: str, element: Element) -> Body:
        """A body, without its port map and back edges."""
        body = Body(name, LayerGraph(), extra=self.read.rest(element), at=element.at)
        for child in self._others(element, body):
            body.unknown.append(self.read.unknown(child, element))
        self.faults.layer = None
        number_layers(body.graph, self.faults)
        return body

    def layer(self, element: Element) -> Layer:
        take = element.attributes.pop
        name, kind, version = take("name", None), take("type", None), take("version", None)
        self.faults.layer = layer = Layer(
            UNREAD, name or "", intern(kind or ""), intern(version or ""), at=element.at
        )
        owner = f'layer "{layer.shown_name}"' if name else "a layer"
        layer.id = self.read.number(element, "id", owner, UNREAD)
        if not (name and kind and version):
            self.read.required(element, {"name": name, "type": kind, "version": version}, owner)
        if element.attributes:
            names = take("output_names", None)
            layer.output_names = None if names is None else names_of(names)
            layer.extra = self.read.rest(element)
        self._children(layer, element)
        number_ports(layer, self.faults)
        self.faults.layer = None
        return layer

    def _children(self, layer: Layer, element: Element) -> None:
        parts: dict[str, Element] = {}
        unknown: list[Element] = []
        for child in element.children:
            tag = child.tag
            if tag == "data" and layer.data_at < 0:
                layer.data, layer.data_at = child.attributes, child.at
                unknown += self.read.unknown_children(child)
            elif tag == "input" and not layer.inputs:
                layer.inputs = self.ports.of(child, unknown)
            elif tag == "output" and not layer.outputs:
                layer.outputs = self.ports.of(child, unknown)
            elif tag == "rt_info" and layer.rt_info is None:
                layer.rt_info, self.read.has_rt_info = self.read.preserved(child), True
            elif tag in PARTS and tag not in parts:
                parts[tag] = child
            elif tag in _ONCE:
                unknown.append(self.read.duplicate(child, element))
            else:
                unknown.append(self.read.unknown(child, element))
        layer.unknown = tuple(unknown)
        if parts:
            layer.bodies = sub_graphs(layer, parts, self.read, self.body)

    def edge(self, element: Element, graph: LayerGraph) -> None:
        attributes, parsed = element.attributes, self.read.numbers
        try:
            source = parsed[attributes["from-layer"]], parsed[attributes["from-port"]]
            target = parsed[attributes["to-layer"]], parsed[attributes["to-port"]]
            edge = Edge(*source, *target, {}, element.at)
        except KeyError:  # a number that is not cached, or an error
            a, b, c, d = (self.read.number(element, name, "an edge", UNREAD) for name in ENDS)
            if UNREAD in (a, b, c, d):
                graph.incomplete = True
                return
            edge = Edge(a, b, c, d, self.read.rest(element), element.at)
        else:
            if len(attributes) > len(ENDS):
                for name in ENDS:
                    del attributes[name]
                edge.extra = self.read.rest(element)
        graph.edges.append(edge)
        for child in element.children:
            self.read.unknown(child, element)


def comments_of(element: Element) -> tuple[str, ...]:
    return tuple(child.text for child in element.children if child.tag == COMMENT)


# Checks <pre-process>, the mean values of an input, and <meta_data>.


def legacy_faults(model: Model, weights: Weights, faults: Faults) -> None:
    """Report what OpenVINO refuses in the first <pre-process> and in the first <meta_data>."""
    first = {element.tag: element for element in reversed(model.legacy)}  # OpenVINO reads no further ones
    if "pre-process" in first:
        _pre_process_faults(first["pre-process"], model, weights, faults)
    if "meta_data" in first and model.rt_info is None:
        # OpenVINO reads <meta_data> if there is no <rt_info>: elements with a value, and cli_parameters
        for child in first["meta_data"].children:
            if child.tag != "cli_parameters" and child.tag.isidentifier() and "value" not in child.attributes:
                message = f"<{child.tag}> in <meta_data> has no value, must have one"
                faults.add("malformed-meta-data", message, child.at, notes=REFUSED)


def _pre_process_faults(element: Element, model: Model, weights: Weights, faults: Faults) -> None:
    outside = image_outside(element, weights, faults)
    name = element.attributes.get("reference-layer-name", "").strip()
    if not name:
        return  # without a name, OpenVINO ignores the element
    parameters = (x for x in model.layers if x.name == name and x.kind is LayerKind.PARAMETER)
    layer = next(parameters, None)
    if layer is None:
        message = f'<pre-process> refers to the layer "{name}", must refer to a Parameter of the model'
        about = "reference-layer-name"
        faults.add("unknown-reference-layer", message, element.at, attribute=about, notes=REFUSED)
    elif not outside:
        mean_value_faults(element, layer, faults)


# Checks the mean values in <pre-process>: one number or one image for each channel of an input.


def mean_value_faults(element: Element, layer: Layer, faults: Faults) -> None:
    """Report mean values that OpenVINO refuses. layer: the Parameter that they are subtracted from"""
    at = element.at
    try:
        shape = Shape.parse(layer.data.get("shape", ""))
        kind = element_type(layer.data.get("element_type", ""))
    except ValueError:
        return  # reported where the Parameter is
    if not shape.static:
        message = f"<pre-process> applies to an input of shape {shape}; it must be static"
        faults.add("malformed-mean-values", message, at)
    elif len(shape) < 2:
        message = f"<pre-process> applies to an input of shape {shape}; its rank must be 2 or more"
        faults.add("malformed-mean-values", message, at)
    else:
        sizes = shape.to_tuple()
        # three axes have no batch: channels, rows and columns
        channels, image = (sizes[0], sizes[1:]) if len(sizes) == 3 else (sizes[1], sizes[2:])
        message = _fault(element, channels, prod(image) * kind.bits // 8)
        if message:
            faults.add("malformed-mean-values", message, at, notes=REFUSED)


def _fault(element: Element, channels: int, image_bytes: int) -> str:
    """The fault of the mean values, or an empty string."""
    numbers = 0
    images: set[int] = set()
    for channel, mean in means_of(element):
        label = channel.attributes.get("id")
        number = numbers + len(images) if label is None else integer(label)[0]
        if number is None or number < 0:
            return f"<channel> has the id {shortened(label or '')!r}, must have the number of a channel"
        if "value" in mean.attributes:
            numbers, text = numbers + 1, mean.attributes["value"]
            if text and not _is_number(text):
                return f"the mean value of channel {number} is {shortened(text)!r}, must be a number"
            continue
        size = integer(mean.attributes.get("size", "0"))[0]
        if number >= channels:
            return f"channel {number} has a mean image; the input has {channels} channels"
        if number in images:
            return f"channel {number} has two mean images"
        if size is not None and size != image_bytes:
            return f"the mean image of channel {number} has {size} bytes, must have {image_bytes}"
        images.add(number)
    if numbers and images:
        return "some channels have a mean value and others a mean image; all must be alike"
    count = numbers + len(images)
    if count in (0, channels):
        return ""
    return f"there are {count} mean values, must be {channels}, one for each channel"


def means_of(element: Element) -> Iterator[tuple[Element, Element]]:
    """The channels with the <mean> of each that OpenVINO reads: the first, if it has a value or an offset."""
    for channel in element.children:
        means = [mean for mean in channel.children if mean.tag == "mean"]
        if channel.tag == "channel" and means and {"value", "offset"} & means[0].attributes.keys():
            yield channel, means[0]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def image_outside(element: Element, weights: Weights, faults: Faults) -> bool:
    """Report the first mean image that lies outside the weights; return whether there is one."""
    for channel in element.children:
        for mean in channel.children:
            if mean.tag == "mean" and "offset" in mean.attributes and _outside(mean, weights):
                offset, size = mean.attributes["offset"], mean.attributes.get("size", "missing")
                image = f"the mean image of channel {channel.attributes.get('id', '?')}"
                bounds = f"must be within the {weights.size} bytes of {weights.name}"
                message = f"{image} has offset {offset} and size {size}, {bounds}"
                faults.add("mean-outside-weights", message, element.at)
                return True
    return False


def _outside(mean: Element, weights: Weights) -> bool:
    offset, _ = integer(mean.attributes["offset"])
    size, _ = integer(mean.attributes.get("size", ""))
    return offset is None or size is None or not 0 <= offset <= offset + size <= weights.size


# Checks runtime attributes (rt_info) of layers and ports.

_VALUED = ("fused_names", "old_api_map_element_type", "old_api_map_order", "primitives_priority")
PAYLOADS = {**dict.fromkeys(_VALUED, "value"), "layout": "layout"}
"""The XML attribute that contains the value of each known runtime attribute."""


def runtime_attribute_faults(model: Model, faults: Faults) -> None:
    """Report errors in the runtime attributes of layers and ports, which OpenVINO reads from IR 11 on."""
    if model.version == 10:
        return
    for path, layer in model.walk():
        for rt_info in _rt_infos(layer):
            faults.layer, faults.path = layer, path
            seen: dict[str, Element] = {}
            for child in rt_info.children:
                if child.tag != "attribute":
                    continue
                name = child.attributes.get("name")
                _content_faults(name, child, faults)
                if name in seen:
                    removal = fix(
                        f"remove the second rt_info attribute {name}",
                        [without_element(faults.source, child.at)],
                    )
                    repair = removal if child == seen[name] else None
                    message = f"rt_info attribute {name} is repeated"
                    faults.add("duplicate-rt-info", message, child.at, fix=repair)
                elif name is not None:
                    seen[name] = child
    faults.layer, faults.path = None, ()


def _rt_infos(layer: Layer) -> Iterator[Element]:
    if layer.rt_info is not None:
        yield layer.rt_info
    for port in (*layer.inputs, *layer.outputs):
        if port.rt_info is not None:
            yield port.rt_info


def _content_faults(name: str | None, element: Element, faults: Faults) -> None:
    """Report an attribute without name, version or value, and a value that OpenVINO cannot read."""
    if name is None:
        ignored = "an rt_info attribute has no name"
    elif "version" not in element.attributes:
        ignored = f"an rt_info attribute {name!r} has no version"
    else:
        ignored = None
    if ignored is not None:
        faults.add("empty-rt-info", ignored, element.at, level=Severity.WARNING)
    payload = PAYLOADS.get(name or "")
    if payload is not None and payload not in element.attributes:
        what = f"remove the rt_info attribute {name}, which has no value"
        removal = fix(what, [without_element(faults.source, element.at)])
        faults.add("empty-rt-info", f"rt_info attribute {name} has no {payload}", element.at, fix=removal)
        return
    text = element.attributes.get(payload or "", "")
    try:
        # raises: ValueError for a value that OpenVINO refuses
        if name == "layout":
            parse_layout(text)
        elif name == "old_api_map_element_type":
            element_type(text)
        elif name == "old_api_map_order" and text:
            for item in text.split(","):
                if not item.strip()[:1].isdigit():
                    raise ValueError(f"{shortened(item)!r} is not the number of an axis")
        elif name == "nms_selected_indices":
            raise ValueError("OpenVINO cannot read this attribute, which its own passes add")
    except ValueError as error:
        message = f"rt_info attribute {name} is {shortened(text)!r}: {error}"
        faults.add("malformed-rt-info", message, element.at, attribute=payload)
