"""Count the parts of a model: its inputs, outputs, ops, weights and sub-graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from irops.analysis.infer import analyse
from irops.analysis.need import Need
from irops.analysis.needs import oldest_release
from irops.dialects.openvino import DIALECT as OPENVINO
from irops.graph.wiring import Wiring
from irops.ir.model import Element, Graph, Layer, LayerKind, Model, Port
from irops.ir.region import Region
from irops.ir.weights import region_of
from irops.values.element import element_type, element_type_of_precision


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or output as the file declares it. layer: the layer's name; names: those of the tensor."""

    layer: str
    names: tuple[str, ...]
    type: str
    shape: str


@dataclass(frozen=True, slots=True)
class WeightsOfType:
    """The constants of one element type. bytes: in the file; bytes shared by several constants count once."""

    type: str
    constants: int
    elements: int
    bytes: int


@dataclass(frozen=True, slots=True)
class LayerWithBodies:
    """A layer with sub-graphs. bodies: name, number of layers, and nested layers with sub-graphs of each."""

    layer: str
    type: str
    bodies: tuple[tuple[str, int, tuple[LayerWithBodies, ...]], ...]


@dataclass(frozen=True, slots=True)
class OldestRelease:
    """The oldest release of OpenVINO that reads a model. decided_by: what keeps older ones from it."""

    name: str
    decided_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """What irops inspect shows. Counts include the layers and edges of bodies. oldest_release: of IR
    alone.
    """

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
    weights: tuple[WeightsOfType, ...]
    weights_bytes: int
    weights_file: str | None
    weights_file_bytes: int
    subgraphs: tuple[LayerWithBodies, ...]
    oldest_release: OldestRelease | None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def summarize(model: Model) -> ModelSummary:
    layers = [layer for _, layer in model.walk()]
    by_type, used = _weights(layers)
    weights = model.weights
    graphs = [model.graph, *(body.graph for layer in layers for body in layer.bodies.values())]
    return ModelSummary(
        model.name,
        _format(model),
        None if model.opsets else model.version,
        _written_by(model.rt_info),
        tuple(_input(layer) for layer in model.layers if layer.kind is LayerKind.PARAMETER),
        tuple(_outputs(model.graph)),
        tuple(dict.fromkeys(layer.data["variable_id"] for layer in layers if "variable_id" in layer.data)),
        len(layers),
        sum(len(graph.edges) for graph in graphs),
        dict(Counter(f"{layer.type} {layer.version}" for layer in layers).most_common()),
        dict(Counter(layer.version for layer in layers).most_common()),
        by_type,
        used,
        weights.path if weights else None,
        weights.size if weights else 0,
        _layers_with_bodies(model.graph),
        _oldest_release(model),
    )


def _oldest_release(model: Model) -> OldestRelease | None:
    analysis = analyse(model)
    if analysis.dialect is not OPENVINO:
        return None
    name, deciding = oldest_release(analysis)
    return OldestRelease(name, tuple(dict.fromkeys(map(_deciding, deciding))))


def _deciding(need: Need) -> str:
    return f"{need.layer} {need.what}" if need.layer is not None else need.what


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
    return Tensor(layer.name, names, _type_name(layer.data.get("element_type", "dynamic")), f"[{shape}]")


def _outputs(graph: Graph) -> Iterator[Tensor]:
    wiring = Wiring(graph)
    for layer in graph.layers:
        if layer.kind is LayerKind.RESULT:
            yield _output(layer, next(iter(wiring.inputs[layer.id]), None))


def _output(layer: Layer, source: tuple[Layer, int] | None) -> Tensor:
    port = layer.inputs[0] if layer.inputs else Port(0)
    names = layer.output_names
    if names is None:
        names = () if source is None else source[0].outputs[source[1]].names
    shape = ",".join("?" if dim < 0 else str(dim) for dim in port.dims)
    try:
        element_type_text = str(element_type_of_precision(port.precision or "dynamic"))
    except ValueError:
        element_type_text = port.precision or ""
    return Tensor(layer.name, names, element_type_text, f"[{shape}]")


def _type_name(element_type_text: str) -> str:
    try:
        return str(element_type(element_type_text, foreign=True))
    except ValueError:
        return element_type_text


def _weights(layers: list[Layer]) -> tuple[tuple[WeightsOfType, ...], int]:
    """The constants by element type, the largest first; and the number of bytes of the file that they use."""
    regions = [
        region
        for region in (region_of(layer) for layer in layers if layer.is_constant)
        if isinstance(region, Region)
    ]
    by_type = []
    for element_type_text in dict.fromkeys(region.element for region in regions):
        of_type = [region for region in regions if region.element is element_type_text]
        by_type.append(
            WeightsOfType(
                str(element_type_text),
                len(of_type),
                sum(region.elements for region in of_type),
                _covered_bytes(of_type),
            )
        )
    return tuple(sorted(by_type, key=lambda h: -h.bytes)), _covered_bytes(regions)


def _covered_bytes(regions: list[Region]) -> int:
    """The number of bytes that are in at least one region."""
    total, end = 0, 0
    for region in sorted(regions, key=lambda region: region.offset):
        total += max(0, region.end - max(end, region.offset))
        end = max(end, region.end)
    return total


def _written_by(rt_info: Element | None) -> str | None:
    """The OpenVINO release that wrote the file, if recorded in it."""
    for child in rt_info.children if rt_info else ():
        if child.attributes.get("name") == "OpenVINO Runtime" or child.tag == "Runtime_version":
            return f"OpenVINO {child.attributes.get('value', '')}".strip()
    return None


def _layers_with_bodies(graph: Graph) -> tuple[LayerWithBodies, ...]:
    return tuple(
        LayerWithBodies(
            layer.name,
            layer.type,
            tuple(
                (name, len(body.graph.layers), _layers_with_bodies(body.graph))
                for name, body in layer.bodies.items()
            ),
        )
        for layer in graph.layers
        if layer.bodies
    )
