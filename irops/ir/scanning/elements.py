"""Reads canonical text whose elements have no fixed structure, such as rt_info and port maps."""

from __future__ import annotations

import re

from irops.ir.model import Element
from irops.ir.scanning.texts import ATTRIBUTES, NAME, NotCanonical, attributes
from irops.limits import Limits

_LINE = re.compile(f"(\t*+)<(?:/({NAME})|({NAME})({ATTRIBUTES})( /)?)>\n")
_WITH_DIMS = ("port", "dim")
"""Elements that the XML parser does not read as a tree."""


def elements(text: str, at: int, indent: int, limits: Limits) -> list[Element]:
    """The elements in a text, with their children.

    at: the byte offset of the text; indent: the number of tabs before the outermost elements
    Raises:  NotCanonical
    """
    top: list[Element] = []
    open_elements = [Element("", children=top)]
    position = 0
    while position < len(text):
        line = _LINE.match(text, position)
        if line is None:
            raise NotCanonical
        tabs, closed, tag, written, is_empty = line.groups()
        depth = indent + len(open_elements) - 1 - (closed is not None)
        if len(tabs) != depth or depth >= limits.depth or tag in _WITH_DIMS:
            raise NotCanonical
        if closed is not None:
            if open_elements.pop().tag != closed:
                raise NotCanonical
        else:
            values = attributes(written, limits.attributes) if written else {}
            element = Element(tag, values, [], "", at + position + depth)
            open_elements[-1].children.append(element)
            if not is_empty:
                open_elements.append(element)
        position = line.end()
    if len(open_elements) > 1:
        raise NotCanonical
    return top
