"""What a model consists of, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from irops.ir.model import Element, Graph, Layer, LayerKind, Model, Port
from irops.ir.weights import Region, region_of
from irops.values.element import element_type, element_type_of_precision


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or output as the file declares it. names: of the layer, then of the tensor."""

    layer: str
    names: tuple[str, ...]
    type: str
    shape: str


@dataclass(frozen=True, slots=True)
class Held:
    """What constants of one element type there are. bytes: in the file; those that several constants share
    count once.
    """

    type: str
    constants: int
    elements: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Inner:
    """A layer that runs sub-graphs. bodies: name, number of layers, what is inside."""

    layer: str
    type: str
    bodies: tuple[tuple[str, int, tuple[Inner, ...]], ...]


@dataclass(frozen=True, slots=True)
class Glance:
    """A model at a glance. Counts are over all graphs, bodies included."""

    name: str
    format: str
    ir_version: int | None
    written_by: str | None
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    variables: tuple[str, ...]
    layers: int
    edges: int
    ops: dict[str, int]
    opsets: dict[str, int]
    weights: tuple[Held, ...]
    weights_bytes: int
    weights_file: str | None
    weights_file_bytes: int
    subgraphs: tuple[Inner, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def glance(model: Model) -> Glance:
    layers = [layer for _, layer in model.walk()]
    held, used = _weights(layers)
    weights = model.weights
    graphs = [model.graph, *(body.graph for layer in layers for body in layer.bodies.values())]
    return Glance(
        model.name,
        _format(model),
        None if model.opsets else model.version,
        _written_by(model.rt_info),
        tuple(_input(layer) for layer in model.layers if layer.kind is LayerKind.PARAMETER),
        tuple(_output(layer, model.graph) for layer in model.layers if layer.kind is LayerKind.RESULT),
        tuple(dict.fromkeys(layer.data["variable_id"] for layer in layers if "variable_id" in layer.data)),
        len(layers),
        sum(len(graph.edges) for graph in graphs),
        dict(Counter(f"{layer.type} {layer.version}" for layer in layers).most_common()),
        dict(Counter(layer.version for layer in layers).most_common()),
        held,
        used,
        weights.path if weights else None,
        weights.size if weights else 0,
        _inside(model.graph),
    )


def _format(model: Model) -> str:
    """IR 11; or the opsets that the model imports, by domain."""
    return (
        ", ".join(f"{domain} {opset}" for domain, opset in model.opsets.items())
        if model.opsets
        else f"IR {model.version}"
    )


def _input(layer: Layer) -> Tensor:
    shape = layer.data.get("shape", "").replace(" ", "").replace("-1", "?").strip("[]")
    names = layer.outputs[0].names if layer.outputs else ()
    return Tensor(layer.name, names, _spelled(layer.data.get("element_type", "dynamic")), f"[{shape}]")


def _output(layer: Layer, graph: Graph) -> Tensor:
    port = layer.inputs[0] if layer.inputs else Port(0)
    names = layer.output_names
    if names is None:
        source = next((edge for edge in graph.edges if edge.to_layer == layer.id), None)
        producer = next((other for other in graph.layers if source and other.id == source.from_layer), None)
        index = producer.output_index(source.from_port) if producer and source else None
        names = producer.outputs[index].names if producer and index is not None else ()
    shape = ",".join("?" if dim < 0 else str(dim) for dim in port.dims)
    try:
        kind = str(element_type_of_precision(port.precision or "dynamic"))
    except ValueError:
        kind = port.precision or ""
    return Tensor(layer.name, names, kind, f"[{shape}]")


def _spelled(kind: str) -> str:
    try:
        return str(element_type(kind, foreign=True))
    except ValueError:
        return kind


def _weights(layers: list[Layer]) -> tuple[tuple[Held, ...], int]:
    """What constants hold by element type, the largest first; and the bytes of the file that are used."""
    regions = [
        region
        for region in (region_of(layer) for layer in layers if layer.is_constant)
        if isinstance(region, Region)
    ]
    held = []
    for kind in dict.fromkeys(region.element for region in regions):
        those = [region for region in regions if region.element is kind]
        held.append(Held(str(kind), len(those), sum(region.elements for region in those), _covered(those)))
    return tuple(sorted(held, key=lambda h: -h.bytes)), _covered(regions)


def _covered(regions: list[Region]) -> int:
    """How many bytes lie in at least one region."""
    total, end = 0, 0
    for region in sorted(regions, key=lambda region: region.offset):
        total += max(0, region.end - max(end, region.offset))
        end = max(end, region.end)
    return total


def _written_by(rt_info: Element | None) -> str | None:
    """The release of OpenVINO that wrote the file, if it says so."""
    for child in rt_info.children if rt_info else ():
        if child.attributes.get("name") == "OpenVINO Runtime" or child.tag == "Runtime_version":
            return f"OpenVINO {child.attributes.get('value', '')}".strip()
    return None


def _inside(graph: Graph) -> tuple[Inner, ...]:
    return tuple(
        Inner(
            layer.name,
            layer.type,
            tuple((name, len(body.graph.layers), _inside(body.graph)) for name, body in layer.bodies.items()),
        )
        for layer in graph.layers
        if layer.bodies
    )
