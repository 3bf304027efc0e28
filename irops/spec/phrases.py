"""Attributes and ports of definitions in a few words, for pages and hovers."""

from __future__ import annotations

from math import inf

from irops.spec.definition import Attribute, PortSpec


def attribute_phrase(attribute: Attribute) -> str:
    """The type, the domain and the default of an attribute: "int, at least 0, default 1"."""
    words = [attribute.type if not attribute.values else " | ".join(attribute.values)]
    if attribute.of:
        words[0] += f" of {attribute.of}"
    if attribute.low != -inf or attribute.high != inf:
        words.append(
            f"{attribute.low:g} to {attribute.high:g}"
            if attribute.high != inf
            else f"at least {attribute.low:g}"
        )
    if attribute.switch:
        words.append(f"where {attribute.switch} is on")
    if attribute.builder:
        words.append("not an attribute of the node")
    words.append("required" if attribute.required else f"default {attribute.default or 'none'}")
    if attribute.reader_default not in (None, attribute.default):
        words.append(f"{attribute.reader_default} in OpenVINO's reader")
    if attribute.reader_requires:
        place = "" if attribute.reader_requires == "yes" else f" where {attribute.reader_requires}"
        words.append(f"required by OpenVINO{place}")
    return ", ".join(words)


def port_phrase(port: PortSpec) -> str:
    """The element type and the rank of an input or output: "T, rank 1, optional"."""
    words = [port.type]
    if (port.low_rank, port.high_rank) != (0, inf):
        words.append(_rank(port.low_rank, port.high_rank))
    words.extend(
        word
        for word, applies in (
            ("optional", port.optional),
            ("required by OpenVINO", port.reader_requires),
            ("any number", port.variadic),
        )
        if applies
    )
    return ", ".join(words)


def _rank(low: float, high: float) -> str:
    if low == high:
        return f"rank {low:g}"
    return f"rank {low:g} or more" if high == inf else f"rank {low:g} to {high:g}"
