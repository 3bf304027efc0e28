"""Checks <pre-process>, the mean values of an IR 10 file."""

from __future__ import annotations

from irops.ir.faults import Faults
from irops.ir.model import Element, LayerKind, Model
from irops.ir.numbers import integer
from irops.ir.weights import Weights


def legacy_faults(model: Model, weights: Weights, faults: Faults) -> None:
    """Report each <pre-process> that names an unknown layer, or a mean image outside the weights."""
    elements = [element for element in model.legacy if element.tag == "pre-process"]
    if elements:
        names = {layer.name for layer in model.layers if layer.kind is LayerKind.PARAMETER}
        for element in elements:
            _pre_process_faults(element, names, weights, faults)


def _pre_process_faults(element: Element, names: set[str], weights: Weights, faults: Faults) -> None:
    name = element.attributes.get("reference-layer-name")
    if name is not None and name not in names:
        faults.add(
            "unknown-reference-layer",
            f'<pre-process> refers to the layer "{name}", must refer to a Parameter of the model',
            element.at,
            attribute="reference-layer-name",
            notes=("OpenVINO refuses the file",),
        )
    for channel in element.children:
        for mean in channel.children:
            if mean.tag == "mean" and "offset" in mean.attributes and _outside(mean, weights):
                faults.add(
                    "mean-outside-weights",
                    f"the mean image of channel {channel.attributes.get('id', '?')} has offset"
                    f" {mean.attributes['offset']} and size {mean.attributes.get('size', 'missing')}, must be"
                    f" within the {weights.size} bytes of {weights.name}",
                    element.at,
                )
                return


def _outside(mean: Element, weights: Weights) -> bool:
    offset, _ = integer(mean.attributes["offset"])
    size, _ = integer(mean.attributes.get("size", ""))
    return offset is None or size is None or not 0 <= offset <= offset + size <= weights.size
