"""Reads canonical edges."""

from __future__ import annotations

import re
from functools import lru_cache

from irops.ir.model import Edge
from irops.ir.scanning.texts import NUMBER, NotCanonical, Numbers

_EDGE = '<edge from-layer="{0}" from-port="{0}" to-layer="{0}" to-port="{0}" />\n'


def edges_of(text: str, at: int, indent: int, numbers: Numbers) -> list[Edge]:
    """The edges that make up a text. at: its byte offset; indent: the tabs before each edge.

    Raises:  NotCanonical
    """
    end = at + len(text)
    fixed = indent + len(_EDGE.format(""))
    edges = []
    at += indent
    for a, b, c, d in _edge_at(indent).findall(text):
        edges.append(Edge(numbers[a], numbers[b], numbers[c], numbers[d], {}, at))
        at += fixed + len(a) + len(b) + len(c) + len(d)
    if at != end + indent:  # there is something between the edges
        raise NotCanonical
    return edges


@lru_cache
def _edge_at(indent: int) -> re.Pattern[str]:
    """Finds edges with an indent of that many tabs."""
    return re.compile("\t" * indent + _EDGE.format(f"({NUMBER})"))
