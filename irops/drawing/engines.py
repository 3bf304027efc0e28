"""The libraries that order the boxes of each row so that few lines cross: fast-sugiyama, or Graphviz."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence

from irops.files.extras import MissingExtraError, remedy
from irops.work.processes.python import program

Edges = Sequence[tuple[int, int]]
Engine = Callable[[int, Edges], dict[int, float]]
"""Gives a place from left to right to each of so many nodes, whose edges lead from one row to the next."""
DOT_SECONDS = 60
"""Graphviz is stopped after this time."""


def engine() -> Engine:
    """The installed library. Raises: MissingExtraError"""
    try:
        import fast_sugiyama  # noqa: F401
    except ModuleNotFoundError:
        if program("dot") is None:
            installs = remedy("draw", "").rstrip()
            raise MissingExtraError(
                f"pictures need fast-sugiyama, which {installs}, or the program dot of Graphviz"
            ) from None
        return by_dot
    return by_fast_sugiyama


def by_fast_sugiyama(count: int, edges: Edges) -> dict[int, float]:
    from fast_sugiyama import from_edges

    places: dict[int, float] = {}
    offset = 0.0
    components = (
        [dict(positions) for positions, *_ in from_edges(edges, transpose=count < 400)] if edges else []
    )
    for component in sorted(components, key=min):
        left = min(x for x, _ in component.values())
        for number, (x, _) in component.items():
            places[int(number)] = x - left + offset
        offset += max(x for x, _ in component.values()) - left + 1000
    for number in range(count):
        if number not in places:
            places[number] = offset
            offset += 1000
    return places


def by_dot(count: int, edges: Edges) -> dict[int, float]:
    lines = [f"{a}->{b};" for a, b in edges]
    text = "\n".join(
        ['digraph {node [shape=point width=1 label=""];', *(f"{n};" for n in range(count)), *lines, "}"]
    )
    command = [program("dot") or "dot", "-Tplain"]
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, check=True, timeout=DOT_SECONDS
        )
    except subprocess.TimeoutExpired:
        return {number: float(number) for number in range(count)}  # in the order of the file, lines may cross
    rows = (line.split() for line in done.stdout.splitlines())
    return {int(row[1]): float(row[2]) for row in rows if row[0] == "node"}
