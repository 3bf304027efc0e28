"""The rows of a scene: which box is in which row, and the places where lines pass other boxes' rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from irops.drawing.scene import BoxKind, Link, Scene
from irops.drawing.text import head

MAX_SPAN = 24
"""A line that would pass more rows is not drawn; the box names its source instead."""
MAX_PASSES = 5000
"""More passes are avoided by drawing fewer long lines."""


@dataclass(eq=False, slots=True)
class Pass:
    """Where the lines of one output pass a row."""

    row: int
    number: int = -1


@dataclass(eq=False, slots=True)
class Rows:
    """of: the row of each box; chains: for each output, its passes from the row below its box on."""

    of: list[int]
    chains: dict[tuple[int, int], list[Pass]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return max(self.of, default=-1) + 1


def rows_of(scene: Scene) -> Rows:
    """Rows from the top down; boxes without sources are in the row above their first user."""
    count = len(scene.boxes)
    row = [0] * count
    has_source = [False] * count
    users: list[list[int]] = [[] for _ in range(count)]
    for link in sorted(scene.links, key=lambda link: link.target):
        row[link.target] = max(row[link.target], row[link.source] + 1)
        has_source[link.target] = True
        users[link.source].append(link.target)
    for number in reversed(range(count)):
        if not has_source[number] and users[number] and scene.boxes[number].kind is not BoxKind.ENTRY:
            row[number] = min(row[user] for user in users[number]) - 1
    last = max(row, default=0)
    for number, box in enumerate(scene.boxes):
        if box.kind is BoxKind.EXIT:
            row[number] = last
    return Rows(row)


def name_far_sources(scene: Scene, rows: Rows) -> None:
    """Replace lines that would be very long by a text in the box that they lead to."""
    span = MAX_SPAN
    while span > 1 and _passes(scene, rows, span) > MAX_PASSES:
        span //= 2
    kept = []
    for link in scene.links:
        if (
            rows.of[link.target] - rows.of[link.source] <= span
            or scene.boxes[link.target].kind is BoxKind.EXIT
        ):
            kept.append(link)
            continue
        source = scene.boxes[link.source]
        text = source.ports[link.port].text if link.port < len(source.ports) else ""
        name = source.subtitle or source.title
        scene.boxes[link.target].lines.append(head(f"← {name} {text}", 48))
    scene.links[:] = kept
    for link in scene.links:
        chain = rows.chains.setdefault((link.source, link.port), [])
        for at in range(rows.of[link.source] + 1 + len(chain), rows.of[link.target]):
            chain.append(Pass(at))


def _passes(scene: Scene, rows: Rows, span: int) -> int:
    longest: dict[tuple[int, int], int] = {}
    for link in scene.links:
        reach = rows.of[link.target] - rows.of[link.source]
        if reach <= span:
            key = link.source, link.port
            longest[key] = max(longest.get(key, 0), reach - 1)
    return sum(longest.values())


def line_of(rows: Rows, link: Link) -> list[Pass]:
    """The passes of one link."""
    reach = rows.of[link.target] - rows.of[link.source] - 1
    return rows.chains.get((link.source, link.port), [])[:reach]
