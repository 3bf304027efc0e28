"""An IR file as Python values, independent of any op."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from irops.diagnostics.diagnostic import Location
from irops.diagnostics.html_table import html_table
from irops.diagnostics.printable import abridged, plural, shortened
from irops.files.storage import Weights
from irops.ir.locate import SourceText
from irops.ir.names import LayerNames


class LayerKind(StrEnum):
    """The role of a layer in its graph, whatever its op computes."""

    PARAMETER = "parameter"
    RESULT = "result"
    CONSTANT = "constant"  # its value lies in the model's weights
    SINK = "sink"  # runs although nothing uses an output of it
    OPERATION = "operation"


@lru_cache(4096)
def kind_of(type: str) -> LayerKind:
    """The role of a layer of that type in IR: OpenVINO's reader compares Result and Const exactly, Parameter
    and Assign without regard to case.
    """
    match type:
        case "Result":
            return LayerKind.RESULT
        case "Const":
            return LayerKind.CONSTANT
    match type.lower():
        case "parameter":
            return LayerKind.PARAMETER
        case "assign":
            return LayerKind.SINK
    return LayerKind.OPERATION


class UniqueNames:
    """Names in use. A new name that equals one of them gets a mark and a number: x, x#1, x#2.

    Takes constant time on average, however many equal names there are: the next number of each is kept.
    """

    __slots__ = ("_mark", "_next", "_used")

    def __init__(self, used: Iterable[str] = (), mark: str = "#") -> None:
        self._used, self._mark = set(used), mark
        self._next: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._used

    def update(self, names: Iterable[str]) -> None:
        self._used.update(names)

    def discard(self, name: str) -> None:
        """Let a name be given once more."""
        self._used.discard(name)

    def unique(self, name: str) -> str:
        """The name, with a number appended if it is in use; the result is in use from now on."""
        candidate = name
        while candidate in self._used:
            count = self._next[name] = self._next.get(name, 0) + 1
            candidate = f"{name}{self._mark}{count}"
        self._used.add(candidate)
        return candidate


SCALAR = "**SCALAR**"
ELLIPSIS = "..."
_NAME = re.compile(r"[A-Za-z0-9_]*[A-Za-z0-9][A-Za-z0-9_]*")


class Layout(NamedTuple):
    """rank: the number of axes, the least one if open; open: whether there is an ellipsis."""

    rank: int
    open: bool = False

    def fits(self, rank: int) -> bool:
        return rank >= self.rank if self.open else rank == self.rank


def parse_layout(text: str) -> Layout | None:
    """The layout that a text describes; None if it describes none.

    Raises:  ValueError with what is wrong
    """
    text = text.strip()
    if not text:
        return None
    if text == SCALAR:
        return Layout(0)
    bracketed = text.startswith("[") and text.endswith("]")
    letters = re.findall(r"\.\.\.|.", text, re.DOTALL)  # an axis each, or an ellipsis
    axes = [part.strip() for part in text[1:-1].split(",")] if bracketed else letters
    if axes.count(ELLIPSIS) > 1:
        raise ValueError("it has more than one ellipsis")
    names = [axis.lower() for axis in axes if axis not in ("?", ELLIPSIS)]
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{shortened(name)!r} is not a name of letters, digits and _")
    repeated, times = next(iter(Counter(names).most_common(1)), ("", 0))
    if times > 1:
        raise ValueError(f"the axis {shortened(repeated)!r} occurs twice")
    return Layout(len(axes) - axes.count(ELLIPSIS), ELLIPSIS in axes)


COMMENT = "!--"
SHOWN = 100
"""How many characters of a name messages give."""


@dataclass(slots=True)
class Element:
    """An XML element that the reader preserves without interpreting it, such as rt_info.

    at: its byte offset in the file, or -1. A comment is an element with the tag COMMENT.
    """

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: "list[Element]" = field(default_factory=list)
    text: str = ""
    at: int = field(default=-1, compare=False)


@dataclass(slots=True)
class Port:
    """A port of a layer. Its id is a label; its position in the list determines which port it is.

    dims: as declared, -1 for a dynamic one; names: of the tensor, unescaped; absent: set for an optional
    input that is omitted where inputs after it are not.
    """

    id: int
    precision: str | None = None
    dims: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    rt_info: Element | None = None
    extra: dict[str, str] = field(default_factory=dict)  # attributes that the reader does not know
    unknown: tuple[Element, ...] = ()  # children that the reader does not know
    at: int = field(default=-1, compare=False)
    absent: bool = False


@dataclass(slots=True)
class PortMapping:
    """An entry of a port map, which connects a port of a layer to a layer of its body.

    axis None: the whole tensor; otherwise the tensor is sliced or concatenated along axis, from start to end
    in steps of stride, part_size elements per iteration. external_port_id -1 with a purpose: not a port, but
    the iteration number or the execution condition.
    """

    external_port_id: int
    internal_layer_id: int
    axis: int | None = None
    start: int = 0
    end: int = -1
    stride: int = 1
    part_size: int = 1
    purpose: str | None = None
    extra: dict[str, str] = field(default_factory=dict)
    written: tuple[str, ...] = ()  # names of the attributes that the file spells out
    at: int = field(default=-1, compare=False)


@dataclass(slots=True)
class BackEdge:
    """From a Result of a body to the Parameter that receives its value in the next iteration."""

    from_layer: int
    to_layer: int
    at: int = field(default=-1, compare=False)


@dataclass(slots=True)
class Body:
    """A sub-graph of a layer with the maps that connect it to the layer's ports.

    name: body, then_body or else_body; incomplete: the maps were only partially read, so absent entries are
    not reported.
    """

    name: str
    graph: "LayerGraph"
    inputs: list[PortMapping] = field(default_factory=list)
    outputs: list[PortMapping] = field(default_factory=list)
    back_edges: list[BackEdge] = field(default_factory=list)
    rt_info: Element | None = None
    unknown: list[Element] = field(default_factory=list)
    at: int = field(default=-1, compare=False)
    extra: dict[str, str] = field(default_factory=dict)
    incomplete: bool = field(default=False, compare=False)


@dataclass(slots=True)
class Layer:
    """A node of a graph: its op type and version, its attributes as texts, its ports and its bodies.

    own_kind: its kind, where the reader of a dialect knows that it is not what IR means by the type.
    """

    id: int
    name: str
    type: str
    version: str
    data: dict[str, str] = field(default_factory=dict)
    inputs: list[Port] = field(default_factory=list)
    outputs: list[Port] = field(default_factory=list)
    bodies: dict[str, Body] = field(default_factory=dict)
    output_names: tuple[str, ...] | None = None  # of a Result (IR v11)
    rt_info: Element | None = None
    extra: dict[str, str] = field(default_factory=dict)
    unknown: tuple[Element, ...] = ()
    at: int = field(default=-1, compare=False)
    data_at: int = field(default=-1, compare=False)
    comments: tuple[str, ...] = ()  # those before it
    own_kind: LayerKind | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f'layer {self.id} "{self.shown_name}" ({abridged(self.type, SHOWN)})'

    def __repr__(self) -> str:
        return f'<layer {self.id} "{shortened(self.name)}" ({shortened(self.type)})>'

    @property
    def shown_name(self) -> str:
        """The name as messages give it: a name in a file may be of any length."""
        return abridged(self.name, SHOWN)

    @property
    def kind(self) -> LayerKind:
        """The role in its graph."""
        return self.own_kind or kind_of(self.type)

    @property
    def intended_kind(self) -> LayerKind:
        """The role that is meant where the type is misspelled in case alone, which is a finding."""
        return self.own_kind or kind_of(self.type.capitalize())

    @property
    def is_constant(self) -> bool:
        """Whether its value is stored in the model's weights."""
        return self.kind is LayerKind.CONSTANT

    def input_index(self, port_id: int) -> int | None:
        """The index of the input with a port label; the first one if labels repeat, None if there is none."""
        return next((k for k, port in enumerate(self.inputs) if port.id == port_id), None)

    def output_index(self, port_id: int) -> int | None:
        """The index of the output with a port label, like input_index."""
        return next((k for k, port in enumerate(self.outputs) if port.id == port_id), None)


@dataclass(slots=True)
class Edge:
    """From an output port to an input port, by labels."""

    from_layer: int
    from_port: int
    to_layer: int
    to_port: int
    extra: dict[str, str] = field(default_factory=dict)
    at: int = field(default=-1, compare=False)


@dataclass(slots=True)
class LayerGraph:
    """Layers and edges, in the order of the file.

    incomplete: the edges were only partially read, so unconnected inputs are not reported.
    """

    layers: list[Layer] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    incomplete: bool = field(default=False, compare=False)
    comments: tuple[str, ...] = ()  # those among the edges, or behind all layers
    _places: dict[int | str, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<Graph: {plural(len(self.layers), 'layer')}, {plural(len(self.edges), 'edge')}>"

    def layer(self, id_or_name: int | str) -> Layer:
        """The layer of an id or a name, else of another key of LayerNames; KeyError for none.

        Takes constant time on average: the places of layers are kept, and looked up anew once layers change.
        """
        place = self._places.get(id_or_name, len(self.layers))
        if place < len(self.layers) and id_or_name in (self.layers[place].id, self.layers[place].name):
            return self.layers[place]
        places: dict[int | str, int] = {}
        for place, layer in reversed(list(enumerate(self.layers))):  # of equal names, the first counts
            places[layer.name] = places[layer.id] = place
        self._places = places
        if id_or_name not in places:
            return LayerNames((layer.id, layer) for layer in self.layers).one(id_or_name)[0]
        return self.layers[places[id_or_name]]


@dataclass(slots=True)
class Model:
    """The content of an .xml file, and the weights that store its constants.

    rt_info and legacy (meta_data, quantization_parameters, pre-process) are preserved as XML; unknown has all
    other elements. dialect: the dialect of its ops; opsets: in other dialects than OpenVINO, the imported
    opset of each domain.
    """

    name: str = ""
    version: int = 11
    graph: LayerGraph = field(default_factory=LayerGraph)
    rt_info: Element | None = None
    legacy: list[Element] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)
    unknown: list[Element] = field(default_factory=list)
    weights: Weights | None = field(default=None, compare=False)
    source: SourceText | None = field(default=None, compare=False)
    comments: tuple[str, ...] = ()  # those outside layers and edges
    dialect: str = "openvino"
    opsets: dict[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Model '{shortened(self.name)}': {plural(len(self.layers), 'layer')}, {self.dialect}>"

    def _repr_html_(self) -> str:
        """A table for notebooks: declared inputs and results, and how many layers of each type."""
        types = Counter(layer.type for _, layer in self.walk())
        rows: list[tuple[str, str, str]] = []
        for layer in self.layers:
            if layer.kind in (LayerKind.PARAMETER, LayerKind.RESULT):
                ports = layer.outputs or layer.inputs
                what = "input" if layer.kind is LayerKind.PARAMETER else "result"
                rows.append((what, layer.name, _declared(ports[0]) if ports else ""))
        rows.extend(("layers", name, str(count)) for name, count in types.most_common())
        return html_table(repr(self)[1:-1], ("", "", ""), rows)

    @property
    def layers(self) -> list[Layer]:
        return self.graph.layers

    @property
    def edges(self) -> list[Edge]:
        return self.graph.edges

    @property
    def inputs(self) -> tuple[Layer, ...]:
        """The Parameters, in the order in which runtimes number them."""
        return tuple(layer for layer in self.layers if layer.kind is LayerKind.PARAMETER)

    @property
    def results(self) -> tuple[Layer, ...]:
        """The Results, in the order in which runtimes number them."""
        return tuple(layer for layer in self.layers if layer.kind is LayerKind.RESULT)

    def layer(self, id_or_name: int | str) -> Layer:
        return self.graph.layer(id_or_name)

    def __getitem__(self, name: str) -> Layer:
        """The layer of a name; KeyError, with a suggestion, if there is none."""
        return self.graph.layer(name)

    def __len__(self) -> int:
        """The number of layers, without those of bodies."""
        return len(self.layers)

    def __iter__(self) -> Iterator[Layer]:
        """The layers, without those of bodies."""
        return iter(self.layers)

    def __contains__(self, item: object) -> bool:
        """Whether it has a layer of a name or an id, or this layer."""
        return any(item in (layer.name, layer.id) or item is layer for layer in self.layers)

    def __bool__(self) -> bool:
        return True

    def walk(self) -> Iterator[tuple[tuple[str, ...], Layer]]:
        """Every layer with the path of layers and bodies down to its graph; a layer precedes its bodies."""
        return walk(self.graph)

    def location(
        self,
        layer: Layer | None = None,
        path: tuple[str, ...] = (),
        at: int | None = None,
        attribute: str | None = None,
    ) -> Location:
        """Where a layer is, or what belongs to it: in its file, if there is one.

        path: the layers and bodies down to the graph of the layer; at: the byte offset of an element, that of
        the layer by default; attribute: the name of an attribute of that element
        """
        owner: tuple[int | None, str | None] = (None, None) if layer is None else (layer.id, layer.name)
        if self.source is None:
            return Location(None, None, None, owner[0], owner[1], path)
        if at is None:
            at = -1 if layer is None else layer.at
        return self.source.location(at, owner, path, attribute)

    def with_graph(self, graph: LayerGraph) -> "Model":
        return replace(self, graph=graph)


def _declared(port: Port) -> str:
    """The type and shape that a port declares: FP32 [?,3]."""
    dims = ",".join("?" if dim < 0 else str(dim) for dim in port.dims)
    return f"{port.precision or ''} [{dims}]".strip()


def walk(graph: LayerGraph, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Layer]]:
    for layer in graph.layers:
        yield path, layer
        for name, body in layer.bodies.items():
            yield from walk(body.graph, (*path, layer.name, name))
