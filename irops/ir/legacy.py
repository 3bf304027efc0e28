"""Checks <pre-process>, the mean values of an input, and <meta_data>.

Checks the mean values in <pre-process>: one number or one image for each channel of an input.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from irops.diagnostics.printable import shortened
from irops.ir.faults import Faults
from irops.ir.model import Element, Layer, LayerKind, Model
from irops.ir.numbers import integer
from irops.ir.weights import Weights
from irops.values.element import element_type
from irops.values.shape import Shape


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


def mean_value_faults(element: Element, layer: Layer, faults: Faults) -> None:
    """Report mean values that OpenVINO refuses. layer: the Parameter that they are subtracted from"""
    at = element.at
    try:
        shape = Shape.parse(layer.data.get("shape", ""))
        kind = element_type(layer.data.get("element_type", ""))
    except ValueError:
        return  # reported where the Parameter is
    if not shape.static:
        faults.add(
            "malformed-mean-values",
            f"<pre-process> applies to an input of shape {shape}; it must be static",
            at,
        )
    elif len(shape) < 2:
        faults.add(
            "malformed-mean-values",
            f"<pre-process> applies to an input of shape {shape}; its rank must be 2 or more",
            at,
        )
    else:
        sizes = shape.to_tuple()
        channels, image = (sizes[0], sizes[1:]) if len(sizes) == 3 else (sizes[1], sizes[2:])
        message = _fault(element, channels, prod(image) * kind.bits // 8)
        if message:
            faults.add("malformed-mean-values", message, at, notes=("OpenVINO refuses the file",))


def _fault(element: Element, channels: int, image_bytes: int) -> str:
    """What is wrong with the mean values, or an empty string."""
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
    return (
        ""
        if count in (0, channels)
        else f"there are {count} mean values, must be {channels}, one for each channel"
    )


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
                faults.add(
                    "mean-outside-weights",
                    f"the mean image of channel {channel.attributes.get('id', '?')} has offset"
                    f" {mean.attributes['offset']} and size {mean.attributes.get('size', 'missing')}, must be"
                    f" within the {weights.size} bytes of {weights.name}",
                    element.at,
                )
                return True
    return False


def _outside(mean: Element, weights: Weights) -> bool:
    offset, _ = integer(mean.attributes["offset"])
    size, _ = integer(mean.attributes.get("size", ""))
    return offset is None or size is None or not 0 <= offset <= offset + size <= weights.size
