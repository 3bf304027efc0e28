"""Makes a file that shows a fault smaller, as long as it shows the fault."""

import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
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
    end, before = monotonic() + seconds, len(text) + 1
    while len(text) < before and monotonic() < end:
        before = len(text)
        try:
            text = _with_fewer_elements(
                ET.fromstring(text), text, lambda fewer: monotonic() < end and shows(fewer, weights)
            )
        except (ET.ParseError, ValueError, LookupError):
            text = _with_fewer_bytes(text, lambda fewer: monotonic() < end and shows(fewer, weights))
    return text, next((less for less in (b"", weights[:64], weights[:1024]) if shows(text, less)), weights)


def _with_fewer_elements(root: ET.Element, text: bytes, shows: Callable[[bytes], bool]) -> bytes:
    """The text without what can be left out; each element once, the last ones first, whole before its
    parts.
    """
    for parent in list(root.iter()):
        for child in reversed(list(parent)):
            place = list(parent).index(child)
            parent.remove(child)
            fewer = ET.tostring(root, "utf-8")
            if shows(fewer):
                text = fewer
            else:
                parent.insert(place, child)
    for element in root.iter():
        for name, value in list(element.attrib.items()):
            del element.attrib[name]
            fewer = ET.tostring(root, "utf-8")
            if shows(fewer):
                text = fewer
            else:
                element.attrib[name] = value
    return text


def _with_fewer_bytes(text: bytes, shows: Callable[[bytes], bool]) -> bytes:
    size = len(text) // 2
    while size:
        start = 0
        while start < len(text):
            fewer = text[:start] + text[start + size :]
            if shows(fewer):
                text = fewer
            else:
                start += size
        size //= 2
    return text
