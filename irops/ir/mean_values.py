"""Checks what <pre-process> says of an input: the mean value or mean image of each channel."""

from __future__ import annotations

import re
from collections.abc import Iterator

from irops.ir.model import Element, Layer
from irops.values.shape import Shape

_INTEGER, _NUMBER = (
    re.compile(r"\s*\+?[0-9]+\s*"),
    re.compile(r"\s*([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)?\s*"),
)
F32 = 4
"""The number of bytes of an element of a mean image."""


def fault_in_means(element: Element, parameter: Layer) -> str:
    """Why OpenVINO refuses the <pre-process> of an input; '' if it reads it."""
    if "shape" not in parameter.data:
        return ""
    shape = _shape(parameter.data["shape"])
    if shape is None:
        return "belongs to an input whose shape is not static"
    if len(shape) not in (2, 3, 4, 5):
        return f"belongs to an input of rank {len(shape)}, must be of rank 2 to 5"
    channels, image = (shape[0], shape) if len(shape) == 3 else (shape[1], (1, *shape[2:]))
    values: set[int] = set()
    images: set[int] = set()
    for number, channel in _numbered(element):
        if number is None:
            return f"has a channel with id {channel.attributes['id']!r}, must be a number"
        mean = next((child for child in channel.children if child.tag == "mean"), None)
        if mean is None:
            continue
        why = _fault_in_mean(mean, image)
        if why:
            return f"has a mean of channel {number} {why}"
        values |= {number} if "value" in mean.attributes else set()
        images |= {number} if "size" in mean.attributes else set()
    for numbers, what in ((values, "values"), (images, "images")):
        if numbers and numbers != set(range(channels)):
            stated = ", ".join(map(str, sorted(numbers)[:8]))
            return f"has mean {what} for the channels {stated}, must have one for each of {channels} channels"
    return ""


def _shape(text: str) -> tuple[int, ...] | None:
    try:
        shape = Shape.parse(text)
    except ValueError:
        return None
    return shape.to_tuple() if shape.static else None


def _numbered(element: Element) -> Iterator[tuple[int | None, Element]]:
    """The channels with their numbers, by default one more than that before; None for a malformed one."""
    number: int | None = -1
    for channel in element.children:
        if channel.tag == "channel":
            text = channel.attributes.get("id")
            if text is None:
                number = (number or 0) + 1 if number is not None else None
            else:
                number = int(text) if _INTEGER.fullmatch(text) else None
            yield number, channel


def _fault_in_mean(mean: Element, image: tuple[int, ...]) -> str:
    value, size = mean.attributes.get("value"), mean.attributes.get("size")
    if value is None and size is None:
        return "without value and size, must have one of them"
    if value is not None and not _NUMBER.fullmatch(value):
        return f"with value {value!r}, must be a number"
    expected = F32
    for length in image:
        expected *= length
    if size is not None and size.strip() != str(expected):
        return f"with size {size}, must be {expected}, the bytes of an image of f32 elements"
    return ""
