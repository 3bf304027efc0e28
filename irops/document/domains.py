"""The values of attributes and the ranks of ports, in words."""

from __future__ import annotations

from math import inf

from irops.spec.definition import Attribute, PortSpec


def domain_text(attribute: Attribute) -> str:
    """The valid values of an attribute."""
    if attribute.values:
        return ", ".join(attribute.values)
    limits = _range_text(attribute.low, attribute.high)
    if attribute.of:
        axes = f"an axis of {attribute.of}" if attribute.type == "axis" else f"axes of {attribute.of}"
        return f"{axes}, {limits}" if limits else axes
    return limits


def _range_text(low: float, high: float) -> str:
    match low == -inf, high == inf:
        case True, True:
            return ""
        case False, True:
            return f"{low:g} or more"
        case True, False:
            return f"{high:g} or less"
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def port_text(port: PortSpec) -> str:
    """The valid ranks of a port, and whether it is optional or variadic."""
    parts = []
    if port.low_rank or port.high_rank != inf:
        parts.append(f"rank {_range_text(port.low_rank, port.high_rank)}")
    if port.optional:
        parts.append("optional, but required by OpenVINO" if port.reader_requires else "optional")
    if port.variadic:
        parts.append("one or more")
    return ", ".join(parts)
