"""Checks <pre-process>, the mean values of an IR 10 file, and <meta_data>."""

from __future__ import annotations

from irops.ir.faults import Faults
from irops.ir.mean_values import fault_in_means
from irops.ir.model import COMMENT, Element, Layer, LayerKind, Model
from irops.ir.numbers import integer
from irops.ir.weights import Weights


def pre_process_faults(element: Element, model: Model, weights: Weights, faults: Faults) -> None:
    """Report a <pre-process> that names an unknown layer, or a mean image outside the weights."""
    if element.tag != "pre-process":
        return
    name = element.attributes.get("reference-layer-name")
    if name is not None and not any(
        layer.name == name and layer.kind is LayerKind.PARAMETER for layer in model.layers
    ):
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
    parameter = _preprocessed(name, model)
    why = "" if parameter is None else fault_in_means(element, parameter)
    if why:
        message = f"<pre-process> {why}"
        faults.add("malformed-pre-process", message, element.at, notes=("OpenVINO refuses the file",))


def _outside(mean: Element, weights: Weights) -> bool:
    offset, _ = integer(mean.attributes["offset"])
    size, _ = integer(mean.attributes.get("size", ""))
    return offset is None or size is None or not 0 <= offset <= offset + size <= weights.size


def _preprocessed(name: str | None, model: Model) -> Layer | None:
    """The Parameter that a <pre-process> is for: that of its name, or else the only one."""
    parameters = [layer for layer in model.layers if layer.kind is LayerKind.PARAMETER]
    if name is not None:
        return next((layer for layer in parameters if layer.name == name), None)
    return parameters[0] if len(parameters) == 1 else None


def meta_data_faults(element: Element, model: Model, faults: Faults) -> None:
    """Report content of <meta_data> that OpenVINO, which reads it where there is no <rt_info>, refuses."""
    if element.tag != "meta_data" or model.rt_info is not None:
        return
    wrong = [
        f"<{child.tag}> without a value"
        for child in element.children
        if child.tag not in ("cli_parameters", COMMENT) and "value" not in child.attributes
    ]
    if element.text.strip():
        wrong.append("text")
    if wrong:
        message = f"<meta_data> has {wrong[0]}, must have <cli_parameters> and elements with a value"
        faults.add("unreadable-meta-data", message, element.at, notes=("OpenVINO refuses the file",))
