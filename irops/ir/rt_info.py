"""Checks runtime attributes (rt_info) of layers and ports."""

from __future__ import annotations

from collections.abc import Iterator

from irops.diagnostics.fix import fix
from irops.diagnostics.printable import shortened
from irops.diagnostics.rule import Severity
from irops.ir.edits import without_element
from irops.ir.faults import Faults
from irops.ir.layouts import parse_layout
from irops.ir.model import Element, Layer, Model
from irops.values.element import element_type

PAYLOADS = {
    "fused_names": "value",
    "old_api_map_element_type": "value",
    "old_api_map_order": "value",
    "primitives_priority": "value",
    "layout": "layout",
}
"""The XML attribute that contains the value of each known runtime attribute."""


def runtime_attribute_faults(model: Model, faults: Faults) -> None:
    """Report errors in the runtime attributes of layers and ports, which OpenVINO reads from IR 11 on."""
    if model.version == 10:
        return
    for path, layer in model.walk():
        for rt_info in _rt_infos(layer):
            faults.layer, faults.path = layer, path
            _rt_info_faults(rt_info, faults)
    faults.layer, faults.path = None, ()


def _rt_infos(layer: Layer) -> Iterator[Element]:
    if layer.rt_info is not None:
        yield layer.rt_info
    for port in (*layer.inputs, *layer.outputs):
        if port.rt_info is not None:
            yield port.rt_info


def _rt_info_faults(rt_info: Element, faults: Faults) -> None:
    seen: dict[str, Element] = {}
    for child in rt_info.children:
        if child.tag != "attribute":
            continue
        name = child.attributes.get("name")
        _content_faults(name, child, faults)
        if name in seen:
            removal = fix(
                f"remove the second rt_info attribute {name}", [without_element(faults.source, child.at)]
            )
            faults.add(
                "duplicate-rt-info",
                f"rt_info attribute {name} is repeated",
                child.at,
                fix=removal if child == seen[name] else None,
            )
        elif name is not None:
            seen[name] = child


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
        faults.add(
            "empty-rt-info",
            f"rt_info attribute {name} has no {payload}",
            element.at,
            fix=fix(
                f"remove the rt_info attribute {name}, which has no value",
                [without_element(faults.source, element.at)],
            ),
        )
        return
    text = element.attributes.get(payload or "", "")
    try:
        _parse(name, text)
    except ValueError as error:
        message = f"rt_info attribute {name} is {shortened(text)!r}: {error}"
        faults.add("malformed-rt-info", message, element.at, attribute=payload)


def _parse(name: str | None, text: str) -> None:
    """Raises:  ValueError for a value that OpenVINO refuses"""
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
