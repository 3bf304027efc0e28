"""Reads which bytes of the weights a Const declares to be its value."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from irops.ir.model import Layer
from irops.ir.numbers import INT64_MAX, integer, prefix_note
from irops.ir.region import Region
from irops.values.element import DYNAMIC, STRING, element_types, foreign_types

_ELEMENTS = {
    element.name: element for element in (*element_types(), *foreign_types()) if element is not DYNAMIC
}
"""All that irops stores. Whether a dialect has the type is a question to the definition of its constants."""
_SIZES = re.compile("[0-9]{1,18}(?:, [0-9]{1,18})*")


class Fault(NamedTuple):
    """An error in a Const. attribute: of its <data>; "" for <data> itself, None for the layer."""

    rule: str
    message: str
    attribute: str | None = None
    notes: tuple[str, ...] = ()


def region_of(layer: Layer) -> Region | Fault:
    """What a Const declares, or the first error in its declaration."""
    data = layer.data
    if "value" in data and "offset" not in data:
        return Fault(
            "inline-constant",
            f"{layer} has its value in an attribute, must have offset and size of bytes in the weights",
            notes=("OpenVINO reads beyond the text of the attribute",),
        )
    for name in ("element_type", "shape", "offset", "size"):
        if name not in data:
            return Fault(
                "missing-constant-attribute", f"{layer} has no {name}", "", ("OpenVINO refuses the file",)
            )
    element = _ELEMENTS.get(data["element_type"])
    if element is None:
        return Fault(
            "malformed-constant-attribute",
            f"element_type of {layer} is {data['element_type']!r}, must be an element type such as"
            " f32, i64, boolean, spelled exactly so",
            "element_type",
            ("OpenVINO refuses the file",),
        )
    shape = _shape_of(layer)
    if isinstance(shape, Fault):
        return shape
    offset, size = _place(data["offset"]), _place(data["size"])
    if offset is None or size is None:
        name = "offset" if offset is None else "size"
        what = "is not an integer" if integer(data[name])[0] is None else "is out of range"
        return Fault(
            "malformed-constant-attribute",
            f"{name} {data[name]!r} of {layer} {what}, must be a decimal integer from 0 to 2^63-1",
            None if element is STRING else name,
            ("OpenVINO refuses the file",),
        )
    return Region(element, shape, offset, size)


def _place(text: str) -> int | None:
    """A number of bytes; None if the text is not a 64-bit integer of 0 or greater."""
    if len(text) < 19 and text.isascii() and text.isdecimal():
        return int(text)
    value, _ = integer(text)
    return value if value is not None and 0 <= value <= INT64_MAX else None


def _shape_of(layer: Layer) -> tuple[int, ...] | Fault:
    text = layer.data["shape"].strip()
    if len(text) < 100 and (sizes := _sizes(text)) is not None:
        return sizes
    dims: list[int] = []
    for part in text.split(",") if text else ():
        value, _ = integer(part.strip())
        if value == -1 or (value is None and (".." in part or part.strip() == "?")):
            return Fault(
                "dynamic-constant",
                f"shape of {layer} is {text!r}, must be static",
                "shape",
            )
        if value is None or not 0 <= value <= INT64_MAX:
            return Fault(
                "malformed-constant-attribute",
                f"shape of {layer} is {text!r}, must be sizes of 0 or greater; {part.strip()!r} is not one",
                "shape",
                prefix_note(part),
            )
        dims.append(value)
    return tuple(dims)


@lru_cache(maxsize=1024)
def _sizes(text: str) -> tuple[int, ...] | None:
    """The sizes in a text as OpenVINO writes it; None for another text."""
    return tuple(map(int, text.split(", "))) if _SIZES.fullmatch(text) else None
