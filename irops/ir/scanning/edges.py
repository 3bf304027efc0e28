"""Reads canonical edges."""

from __future__ import annotations

import re
from functools import cache

from irops.ir.model import Edge
from irops.ir.scanning.texts import NUMBER, NotCanonical, Numbers

_EDGE = '<edge from-layer="{0}" from-port="{0}" to-layer="{0}" to-port="{0}" />\n'


def edges_of(text: str, at: int, indent: int, numbers: Numbers) -> list[Edge]:
    """The edges that make up a text. at: its byte offset; indent: the tabs before each edge.

    Raises:  NotCanonical
    """
    tabs = "\t" * indent
    fixed = len(tabs) + len(_EDGE.format(""))
    at += len(tabs)
    end = at + len(text)
    edges = []
    for a, b, c, d in _edge().findall(text):
        edges.append(Edge(numbers[a], numbers[b], numbers[c], numbers[d], {}, at))
        at += fixed + len(a) + len(b) + len(c) + len(d)
    starts = f"\n{text}".count(f"\n{tabs}<edge ")
    if at != end or starts != len(edges):  # there is something between the edges
        raise NotCanonical
    return edges


@cache
def _edge() -> re.Pattern[str]:
    return re.compile(_EDGE.format(f"({NUMBER})"))
