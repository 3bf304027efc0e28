"""Reads the attributes of elements, and reports missing, malformed, unknown and repeated ones."""

import re
from collections.abc import Mapping

from irops.diagnostics.printable import abridged
from irops.ir.model import COMMENT, SHOWN, Element
from irops.ir.parse import SECTIONS, SEPARATOR, Faults

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
_CANONICAL = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NONCANONICAL = re.compile(r"[ \t\r\n]*([+-]?[0-9]+)[ \t\r\n]*")
_DIGITS = 25  # more than any 64-bit number has, and few enough for int()


def integer(text: str) -> tuple[int | None, bool]:
    """The integer that the whole text is, and whether it is in canonical form.

    Canonical: no whitespace, no plus sign, no leading zeros. None if the text is not an integer, or has far
    too many digits.
    """
    if _CANONICAL.fullmatch(text) and len(text) < _DIGITS and text != "-0":
        return int(text), True
    match = _NONCANONICAL.fullmatch(text)
    return (int(match[1]) if match and len(match[1]) < _DIGITS else None), False


def prefix_note(text: str) -> tuple[str, ...]:
    """A note with the number that OpenVINO reads from a prefix of the text; empty if OpenVINO refuses it."""
    match = re.match(r"[ \t\r\n]*([+-]?[0-9]+)", text)
    if (
        match is None
        or len(match[1]) >= _DIGITS
        or not INT64_MIN <= int(match[1]) <= INT64_MAX
        or not text[match.end() :].strip()
    ):
        return ()
    return (f"OpenVINO silently reads it as {int(match[1])}",)


_IGNORED = ("OpenVINO silently ignores it",)


class Attributes:
    """Reads the elements of one file.

    numbers: a cache of parsed texts, for numbers of 0 or greater; has_rt_info: whether a layer or a port that
    was read has runtime attributes
    """

    __slots__ = ("faults", "has_rt_info", "numbers", "prefixes")

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.numbers: dict[str, int] = {}
        self.prefixes = {"xml", "xmlns"}
        self.has_rt_info = False

    def number(self, element: Element, name: str, owner: str, otherwise: int, low: int = 0) -> int:
        """Remove and return a required 64-bit integer attribute, low or greater.

        Reports a missing or malformed one and returns otherwise.
        """
        text = element.attributes.pop(name, None)
        if text is None:
            self.faults.add("incomplete-element", f"{owner} has no {name}", element.at)
            return otherwise
        cached = self.numbers.get(text)
        if cached is not None and cached >= low:
            return cached
        return self._new_number(element, name, owner, text, otherwise, low)

    def _new_number(
        self, element: Element, name: str, owner: str, text: str, otherwise: int, low: int
    ) -> int:
        value, plain = integer(text)
        if value is None or not low <= value <= INT64_MAX:
            what = "is not an integer" if value is None else "is out of range"
            lowest = "-2^63" if low == INT64_MIN else low
            message = f"{name} {text!r} of {owner} {what}, must be a decimal integer from {lowest} to 2^63-1"
            refused = ("OpenVINO refuses the file",)
            self.faults.add("malformed-number", message, element.at, attribute=name, notes=refused)
            return otherwise
        if not plain:
            message = f"{name} {text!r} of {owner} is not in canonical form, must be {value}"
            self.faults.add("noncanonical-number", message, element.at, attribute=name)
        elif value >= 0:
            self.numbers[text] = value
        return value

    def required(self, element: Element, attributes: Mapping[str, str | None], owner: str) -> None:
        """Report which of the attributes are missing or empty; a name may be empty."""
        for name, text in attributes.items():
            if text is None:
                self.faults.add("incomplete-element", f"{owner} has no {name}", element.at)
            elif not text and name != "name":
                self.faults.add("empty-attribute", f"{owner} has an empty {name}", element.at, attribute=name)

    def rest(self, element: Element) -> dict[str, str]:
        """The remaining attributes, each reported as unknown."""
        for name in element.attributes:
            prefix, colon, _ = name.partition(":")
            if colon and prefix not in self.prefixes and f"xmlns:{prefix}" not in element.attributes:
                owner = abridged(element.tag, SHOWN)
                message = f"the prefix of attribute {name!r} of <{owner}> is not bound to a namespace"
                self.faults.add("unbound-prefix", message, element.at, attribute=name, notes=_IGNORED)
            elif prefix != "xmlns":
                message = f"<{abridged(element.tag, SHOWN)}> has an unknown attribute {name!r}"
                self.faults.add("stray-attribute", message, element.at, attribute=name, notes=_IGNORED)
        return element.attributes

    def unknown(self, element: Element, parent: Element) -> Element:
        """An element that is not allowed in its parent, reported and preserved; comments are allowed."""
        if element.tag == COMMENT:
            return element
        name = element.attributes.get("name")
        shown = f"<{element.tag}>" if name is None else f'<{element.tag}> "{name}"'
        message = f"{shown} is not allowed in <{abridged(parent.tag, SHOWN)}>"
        self.faults.add("unknown-element", message, element.at, notes=_IGNORED)
        return self.preserved(element)

    def duplicate(self, element: Element, parent: Element) -> Element:
        """A repeated element of which its parent may have one, reported and preserved."""
        self.faults.add(
            "duplicate-section",
            f"<{abridged(parent.tag, SHOWN)}> has a second <{element.tag}>, must have one",
            element.at,
            notes=("OpenVINO reads the first and silently ignores this one",),
        )
        return self.preserved(element)

    def unknown_children(self, element: Element) -> list[Element]:
        """The children of an element that may have none, each reported.

        Those that the element's parent could interpret are dropped, the others are returned.
        """
        children = [self.unknown(child, element) for child in element.children]
        return [child for child in children if child.tag not in SECTIONS]

    def preserved(self, element: Element) -> Element:
        """The element as it is in the file: dims packed into the text of a port become elements again."""
        if SEPARATOR in element.text:
            element.children[:0] = [Element("dim", text=text) for text in element.text.split(SEPARATOR)[:-1]]
            element.text = ""
        for child in element.children:
            self.preserved(child)
        return element
