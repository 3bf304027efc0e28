"""Validates the values of the runtime attributes that OpenVINO's reader parses."""

from __future__ import annotations

import re
from collections.abc import Callable

from irops.values.element import element_type

_NAME = re.compile(r"[A-Za-z0-9_]+|\?")
_NUMBER = re.compile(r"\s*\+?[0-9]+")
REST = "..."


def fault_in_layout(text: str) -> str:
    """Why a text is no layout such as NCHW, N...C or [batch,...,channels]; '' if it is one."""
    text = text.strip()
    if text in ("", "**SCALAR**"):
        return ""
    if text.startswith("[") and text.endswith("]"):
        names = [name.strip() for name in text[1:-1].split(",")]
    else:
        names = re.findall(r"\.\.\.|.", text)
    named = [name.upper() for name in names if name not in (REST, "?")]
    if names.count(REST) > 1:
        return "has more than one ..."
    for name in names:
        if name != REST and not _NAME.fullmatch(name):
            return f"has the dimension {name!r}, which must be letters, digits and _, or ?"
    repeated = next((name for name in named if named.count(name) > 1), None)
    return "" if repeated is None else f"names the dimension {repeated} twice"


def fault_in_element_type(text: str) -> str:
    """Why a text is no element type; '' if it is one."""
    if text.lower() in ("dynamic", "undefined"):
        return ""
    try:
        element_type(text.lower())
    except ValueError:
        return "must be an element type such as f32 or i64"
    return ""


def fault_in_order(text: str) -> str:
    """Why a text is no list of axes; '' if it is one. OpenVINO ignores what follows the digits."""
    parts = text.split(",")
    if not parts[-1].strip():
        parts.pop()
    for part in parts:
        digits = _NUMBER.match(part)
        if digits is None or int(digits[0]) >= 1 << 64:
            return "must be a list of axes separated by commas"
    return ""


FAULTS: dict[str, tuple[str, Callable[[str], str]]] = {
    "layout": ("layout", fault_in_layout),
    "old_api_map_element_type": ("value", fault_in_element_type),
    "old_api_map_order": ("value", fault_in_order),
}
"""The XML attribute and the check of each runtime attribute whose value OpenVINO parses."""
