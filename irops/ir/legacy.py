"""Checks <pre-process>, the mean values of an input, and <meta_data>."""

from __future__ import annotations

from irops.ir.faults import Faults
from irops.ir.mean_values import image_outside, mean_value_faults
from irops.ir.model import Element, LayerKind, Model
from irops.ir.weights import Weights


def legacy_faults(model: Model, weights: Weights, faults: Faults) -> None:
    """Report what OpenVINO refuses in the first <pre-process> and in the first <meta_data>."""
    first = {element.tag: element for element in reversed(model.legacy)}
    if "pre-process" in first:
        _pre_process_faults(first["pre-process"], model, weights, faults)
    if "meta_data" in first and model.rt_info is None:
        _meta_data_faults(first["meta_data"], faults)


def _pre_process_faults(element: Element, model: Model, weights: Weights, faults: Faults) -> None:
    outside = image_outside(element, weights, faults)
    name = element.attributes.get("reference-layer-name", "").strip()
    if not name:
        return  # without a name, OpenVINO ignores the element
    parameters = (x for x in model.layers if x.name == name and x.kind is LayerKind.PARAMETER)
    layer = next(parameters, None)
    if layer is None:
        faults.add(
            "unknown-reference-layer",
            f'<pre-process> refers to the layer "{name}", must refer to a Parameter of the model',
            element.at,
            attribute="reference-layer-name",
            notes=("OpenVINO refuses the file",),
        )
    elif not outside:
        mean_value_faults(element, layer, faults)


def _meta_data_faults(element: Element, faults: Faults) -> None:
    """OpenVINO reads <meta_data> if there is no <rt_info>: elements with a value, and cli_parameters."""
    for child in element.children:
        if child.tag != "cli_parameters" and child.tag.isidentifier() and "value" not in child.attributes:
            message = f"<{child.tag}> in <meta_data> has no value, must have one"
            faults.add("malformed-meta-data", message, child.at, notes=("OpenVINO refuses the file",))
