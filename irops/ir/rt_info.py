"""Checks runtime attributes (rt_info)."""

from __future__ import annotations

from irops.diagnostics.fix import fix
from irops.ir.edits import without_element
from irops.ir.faults import Faults
from irops.ir.model import Element
from irops.ir.runtime_values import FAULTS

PAYLOADS = {
    "fused_names": "value",
    "old_api_map_element_type": "value",
    "old_api_map_order": "value",
    "primitives_priority": "value",
    "layout": "layout",
}
"""The XML attribute that contains the value of each known runtime attribute."""


def rt_info_faults(rt_info: Element, faults: Faults) -> None:
    """Report errors in the runtime attributes of a layer or a port."""
    seen: dict[str, Element] = {}
    for child in rt_info.children:
        if child.tag != "attribute":
            continue
        name = child.attributes.get("name")
        for needed in ("name", "version"):
            if needed not in child.attributes:
                faults.add(
                    "incomplete-element",
                    f"an rt_info attribute {name!r} has no {needed}"
                    if name
                    else f"an rt_info attribute has no {needed}",
                    child.at,
                )
        payload = PAYLOADS.get(name or "")
        if payload is not None and payload not in child.attributes:
            faults.add(
                "empty-rt-info",
                f"rt_info attribute {name} has no {payload}",
                child.at,
                fix=fix(
                    f"remove the rt_info attribute {name}, which has no value",
                    [without_element(faults.source, child.at)],
                ),
            )
        _check_value(child, name or "", faults)
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


def _check_value(child: Element, name: str, faults: Faults) -> None:
    """Report a value that OpenVINO's reader cannot parse."""
    attribute, fault_in = FAULTS.get(name, (None, None))
    if attribute is not None and fault_in is not None and attribute in child.attributes:
        text = child.attributes[attribute]
        why = fault_in(text)
        if why:
            message = f"{attribute} of the rt_info attribute {name} is {text!r}, {why}"
            note = ("OpenVINO refuses the file",)
            faults.add("malformed-rt-info", message, child.at, attribute=attribute, notes=note)
