"""Reads the attributes of elements, and tells what is missing, malformed, unknown or given twice."""

from __future__ import annotations

from collections.abc import Mapping

from irops.ir.faults import Faults
from irops.ir.model import COMMENT, Element
from irops.ir.numbers import INT64_MAX, INT64_MIN, integer
from irops.ir.parse import SECTIONS, SEPARATOR

_IGNORED = ("OpenVINO silently ignores it",)


class Attributes:
    """Reads elements of one file. numbers: the texts of numbers that were read before, all 0 or more."""

    __slots__ = ("faults", "numbers", "prefixes")

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.numbers: dict[str, int] = {}
        self.prefixes = {"xml", "xmlns"}

    def number(self, element: Element, name: str, owner: str, otherwise: int, low: int = 0) -> int:
        """Take an attribute that must be there and be an integer of 64 bits, low or more; otherwise, and a
        finding, if it is not.
        """
        text = element.attributes.pop(name, None)
        if text is None:
            self.faults.add("incomplete-element", f"{owner} has no {name}", element.at)
            return otherwise
        known = self.numbers.get(text)
        return (
            self._new_number(element, name, owner, text, otherwise, low)
            if known is None or known < low
            else known
        )

    def _new_number(
        self, element: Element, name: str, owner: str, text: str, otherwise: int, low: int
    ) -> int:
        value, plain = integer(text)
        if value is None or not low <= value <= INT64_MAX:
            what = "is not an integer" if value is None else "is out of range"
            lowest = "-2^63" if low == INT64_MIN else low
            self.faults.add(
                "malformed-number",
                f"{name} {text!r} of {owner} {what}; it must be a decimal integer from {lowest} to 2^63-1",
                element.at,
                attribute=name,
                notes=("OpenVINO refuses the file",),
            )
            return otherwise
        if not plain:
            self.faults.add(
                "noncanonical-number",
                f"{name} {text!r} of {owner} is not written plainly; it is read as {value}",
                element.at,
                attribute=name,
            )
        elif value >= 0:
            self.numbers[text] = value
        return value

    def required(self, element: Element, attributes: Mapping[str, str | None], owner: str) -> None:
        """Tell which of the attributes are missing or empty; a name may be empty."""
        for name, text in attributes.items():
            if text is None:
                self.faults.add("incomplete-element", f"{owner} has no {name}", element.at)
            elif not text and name != "name":
                self.faults.add("empty-attribute", f"{owner} has an empty {name}", element.at, attribute=name)

    def rest(self, element: Element) -> dict[str, str]:
        """The attributes that are left, none of which is known."""
        for name in element.attributes:
            prefix, colon, _ = name.partition(":")
            if colon and prefix not in self.prefixes and f"xmlns:{prefix}" not in element.attributes:
                self.faults.add(
                    "unbound-prefix",
                    f"attribute {name!r} of <{element.tag}> has a prefix that is bound to no namespace",
                    element.at,
                    attribute=name,
                    notes=_IGNORED,
                )
            elif prefix != "xmlns":
                self.faults.add(
                    "stray-attribute",
                    f"attribute {name!r} of <{element.tag}> is not known",
                    element.at,
                    attribute=name,
                    notes=_IGNORED,
                )
        return element.attributes

    def unknown(self, element: Element, parent: Element) -> Element:
        """An element that may not be where it is, or a comment; kept."""
        if element.tag == COMMENT:
            return element
        name = element.attributes.get("name")
        shown = f"<{element.tag}>" if name is None else f'<{element.tag}> "{name}"'
        self.faults.add(
            "unknown-element", f"{shown} may not be in <{parent.tag}>", element.at, notes=_IGNORED
        )
        return self.kept(element)

    def duplicate(self, element: Element, parent: Element) -> Element:
        """An element that its parent has already; kept."""
        self.faults.add(
            "duplicate-section",
            f"a second <{element.tag}> in <{parent.tag}>; there may be one",
            element.at,
            notes=("OpenVINO reads the first and silently ignores this one",),
        )
        return self.kept(element)

    def unknown_children(self, element: Element) -> list[Element]:
        """The children of an element that may have none, kept where they mean nothing in the place of the
        element itself.
        """
        found = [self.unknown(child, element) for child in element.children]
        return [child for child in found if child.tag not in SECTIONS]

    def kept(self, element: Element) -> Element:
        """The element as it is in the file: dims that were packed into the text of a port are
        elements again.
        """
        if SEPARATOR in element.text:
            element.children[:0] = [Element("dim", text=text) for text in element.text.split(SEPARATOR)[:-1]]
            element.text = ""
        for child in element.children:
            self.kept(child)
        return element
