"""Blocks of layers, for graphs of too many layers to draw each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from irops.analysis.structure import GraphNode

MAX_BLOCKS = 300
"""A graph is divided into at most about so many blocks."""
_PARTS = re.compile(r"[^/.]+")


@dataclass(frozen=True, slots=True)
class Block:
    """Layers that follow one another in a sequence. ops: the most frequent types with their counts"""

    start: int
    end: int
    name: str
    ops: tuple[tuple[str, int], ...]


def blocks(graph: GraphNode, order: Sequence[int]) -> list[Block]:
    """Blocks of all layers: each is a run of layers whose names begin alike, as far as that gives few enough;
    else equal shares.

    Runs of a topological order have no cycles among them.
    """
    names = [_PARTS.findall(graph.layers[number].layer.name) for number in order]
    starts = _equal_shares(len(order))
    for depth in range(1, 12):
        at_depth = [k for k in range(len(names)) if k == 0 or names[k][:depth] != names[k - 1][:depth]]
        if len(at_depth) > MAX_BLOCKS:
            break
        if len(at_depth) > len(order) // 200:
            starts = at_depth
    return [_block(graph, order, names, start, end) for start, end in zip(starts, [*starts[1:], len(order)])]


def _equal_shares(count: int) -> list[int]:
    size = -(-count // (MAX_BLOCKS // 2))
    return list(range(0, count, size))


def _block(graph: GraphNode, order: Sequence[int], names: list[list[str]], start: int, end: int) -> Block:
    common = names[start]
    for other in names[start + 1 : end]:
        same = 0
        while same < min(len(common), len(other)) and common[same] == other[same]:
            same += 1
        common = common[:same]
    types = Counter(graph.layers[number].layer.type for number in order[start:end])
    top = sorted(types.items(), key=lambda item: (-item[1], item[0]))[:3]
    return Block(start, end, "/".join(common), tuple(top))
