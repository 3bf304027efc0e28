"""Makes a file that shows a fault smaller, as long as it shows the fault."""
from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from time import monotonic

from mutations import Change, Seed, Stock, changed

Shows = Callable[[bytes, bytes], bool]


def fewer_changes(seed: Seed, changes: Sequence[Change], stock: Stock, shows: Shows) -> list[Change]:
    """The changes without those that the fault does not need."""
    kept = list(changes)
    for change in changes:
        fewer = [one for one in kept if one is not change]
        if shows(*changed(seed, fewer, stock)):
            kept = fewer
    return kept


def minimised(text: bytes, weights: bytes, shows: Shows, seconds: float = 60) -> tuple[bytes, bytes]:
    """Text and weights without elements, attributes and bytes that the fault does not need."""
    end, smaller = monotonic() + seconds, True
    while smaller and monotonic() < end:
        smaller = False
        for fewer in _smaller(text):
            if monotonic() > end:
                break
            if len(fewer) < len(text) and shows(fewer, weights):
                text, smaller = fewer, True
                break
    for less in (b"", weights[:64], weights[:1024]):
        if len(less) < len(weights) and shows(text, less):
            return text, less
    return text, weights


def _smaller(text: bytes) -> Iterator[bytes]:
    try:
        root = ET.fromstring(text)
    except (ET.ParseError, ValueError, LookupError):
        yield from _without_pieces(text)
        return
    yield ET.tostring(root, "utf-8")
    for parent in list(root.iter()):
        for child in reversed(list(parent)):
            place = list(parent).index(child)
            parent.remove(child)
            yield ET.tostring(root, "utf-8")
            parent.insert(place, child)
    for element in root.iter():
        for name, value in list(element.attrib.items()):
            del element.attrib[name]
            yield ET.tostring(root, "utf-8")
            element.attrib[name] = value


def _without_pieces(text: bytes) -> Iterator[bytes]:
    size = len(text) // 2
    while size:
        for start in range(0, len(text), size):
            yield text[:start] + text[start + size:]
        size //= 2
