"""The layout of a scene: rows, the order in each row, places, and the way of each line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf

from irops.drawing.boxes import BODY, SMALL, TITLE, Box, BoxKind, Link, Scene, head, width
from irops.environment import MissingExtraError

Edges = Sequence[tuple[int, int]]


def places_by_library(count: int, edges: Edges) -> dict[int, float]:
    """A place from left to right for each of so many nodes, whose edges lead from one row to the next.

    Raises:  MissingExtraError
    """
    try:
        from fast_sugiyama import from_edges
    except ModuleNotFoundError:
        library = "fast-sugiyama, which pip install 'irops[draw]' installs"
        raise MissingExtraError(f"pictures need {library}") from None
    places: dict[int, float] = {}
    offset = 0.0
    components = (
        [dict(positions) for positions, *_ in from_edges(edges, transpose=count < 400)] if edges else []
    )
    for component in sorted(components, key=min):
        left = min(x for x, _ in component.values())
        for number, (x, _) in component.items():
            places[int(number)] = x - left + offset
        offset += max(x for x, _ in component.values()) - left + 1000  # any gap: only the order is used
    for number in range(count):
        if number not in places:
            places[number] = offset
            offset += 1000
    return places


SWEEPS = 36


@dataclass(eq=False, slots=True)
class PlacedItem:
    """A box, or a pass of a line. above, below: number of the other item, the distance at which it wants to
    be from it, and how much.
    """

    width: float
    x: float = 0.0
    above: list[tuple[int, float, float]] = field(default_factory=list)
    below: list[tuple[int, float, float]] = field(default_factory=list)


def place(items: Sequence[PlacedItem], order: Sequence[Sequence[int]], gap: float) -> None:
    """Set the centre of each item. order: the items of each row, from left to right"""
    for row in order:
        x = 0.0
        for number in row:
            items[number].x = x + items[number].width / 2
            x += items[number].width + gap
        for number in row:
            items[number].x -= x / 2
    for sweep in range(SWEEPS):
        if sweep % 2 == 0:
            for row in order[1:]:
                _place_row(items, row, gap, up=True, down=sweep >= SWEEPS - 2)
        else:
            for row in reversed(order[:-1]):
                _place_row(items, row, gap, up=sweep >= SWEEPS - 2, down=True)

    _put_in_line(items, order, gap)
    _close_gaps(items, order, gap)


def _put_in_line(items: Sequence[PlacedItem], order: Sequence[Sequence[int]], gap: float) -> None:
    """Put items that are connected with one another alone in line, where their rows have room."""
    beside: dict[int, tuple[int | None, int | None]] = {}
    for row in order:
        for place_in_row, number in enumerate(row):
            left = row[place_in_row - 1] if place_in_row else None
            beside[number] = left, row[place_in_row + 1] if place_in_row + 1 < len(row) else None
    for chain in _chains(items):
        low, high = -inf, inf
        for number, shift in chain:
            left, right = beside[number]
            half = items[number].width / 2 + gap
            if left is not None:
                low = max(low, items[left].x + items[left].width / 2 + half - shift)
            if right is not None:
                high = min(high, items[right].x - items[right].width / 2 - half - shift)
        if low <= high:
            middle = sum(items[number].x - shift for number, shift in chain) / len(chain)
            for number, shift in chain:
                items[number].x = min(max(middle, low), high) + shift


def _chains(items: Sequence[PlacedItem]) -> Iterator[list[tuple[int, float]]]:
    """Items in sequence, each with how far right of the first it is when the line is straight."""
    follows = {}
    for number, item in enumerate(items):
        if len(item.below) == 1 and len(items[item.below[0][0]].above) == 1:
            follows[number] = item.below[0][0], -item.below[0][1]
    for start in sorted(follows.keys() - {other for other, _ in follows.values()}):
        chain, number, shift = [(start, 0.0)], start, 0.0
        while number in follows:
            number, step = follows[number]
            shift += step
            chain.append((number, shift))
        yield chain


def _close_gaps(items: Sequence[PlacedItem], order: Sequence[Sequence[int]], gap: float) -> None:
    """Move parts that nothing connects next to one another."""
    parts = _parts(items)
    rows: dict[int, list[tuple[int, int]]] = {}
    for number_of_row, row in enumerate(order):
        for number in row:
            rows.setdefault(parts[number], []).append((number_of_row, number))
    edge: dict[int, float] = {}
    for part in sorted(rows, key=lambda part: min(items[n].x for _, n in rows[part])):
        left = {at: items[n].x - items[n].width / 2 for at, n in reversed(rows[part])}
        start = -min(left.values())
        shift = max((edge[at] - x for at, x in left.items() if at in edge), default=start)
        for at, number in rows[part]:
            items[number].x += shift
            edge[at] = max(edge.get(at, 0.0), items[number].x + items[number].width / 2 + 2 * gap)


def _parts(items: Sequence[PlacedItem]) -> list[int]:
    """The connected part of each item, as the number of its first item."""
    part = [-1] * len(items)
    for start in range(len(items)):
        ahead = [start] if part[start] < 0 else []
        while ahead:
            number = ahead.pop()
            if part[number] < 0:
                part[number] = start
                ahead.extend(other for other, _, _ in items[number].above + items[number].below)
    return part


def _place_row(items: Sequence[PlacedItem], row: Sequence[int], gap: float, *, up: bool, down: bool) -> None:
    wanted, weights = [], []
    for number in row:
        item = items[number]
        pulls = (item.above if up else []) + (item.below if down else [])
        weight = sum(w for _, _, w in pulls)
        if weight:
            wanted.append(sum((items[other].x + distance) * w for other, distance, w in pulls) / weight)
        else:
            wanted.append(item.x)
            weight = 0.05  # what no line pulls gives way to its neighbours
        weights.append(weight)
    for number, x in zip(row, _apart([items[n].width for n in row], wanted, weights, gap)):
        items[number].x = x


def _apart(
    widths: Sequence[float], wanted: Sequence[float], weights: Sequence[float], gap: float
) -> list[float]:
    """The centres nearest to those wanted, by weighted squares, at which nothing overlaps.

    Isotonic regression by pooling adjacent violators.
    """
    offsets = []
    offset = 0.0
    for index, size in enumerate(widths):
        if index:
            offset += (widths[index - 1] + size) / 2 + gap
        offsets.append(offset)
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for target, weight, shift in zip(wanted, weights, offsets):
        mean, total, count = target - shift, weight, 1
        while pools and pools[-1][0] > mean:
            other_mean, other_total, other_count = pools.pop()
            mean = (mean * total + other_mean * other_total) / (total + other_total)
            total += other_total
            count += other_count
        pools.append((mean, total, count))
    centres = [mean for mean, _, count in pools for _ in range(count)]
    return [centre + shift for centre, shift in zip(centres, offsets)]


PADDING, LINE_HEIGHT, TITLE_HEIGHT, PORT_HEIGHT = 9.0, 15.0, 22.0, 15.0
ROW_GAP, COLUMN_GAP, PASS_WIDTH, FRAME_MARGIN = 30.0, 22.0, 6.0, 14.0
PART_TITLE = 18.0


def arrange(scene: Scene) -> None:
    """Set the place and the size of everything in a scene, and in the scenes inside it."""
    rows = rows_of(scene)
    name_far_sources(scene, rows)
    for number, box in enumerate(scene.boxes):
        box.number = number
        for _, part in box.parts:
            arrange(part)
        _measure(box)
    order, items = _order(scene, rows)
    place(items, order, COLUMN_GAP)
    _set_places(scene, order, items)
    _route(scene, rows, items)


def _measure(box: Box) -> None:
    """The size of a box, from its texts, its ports and what is inside it."""
    if box.kind is BoxKind.EXIT:
        box.width = box.height = 4.0
        return
    title = width(box.title, TITLE)
    texts = [title, width(box.subtitle, SMALL), *(width(line, BODY) for line in box.lines)]
    box.text_height = TITLE_HEIGHT + (14 if box.subtitle else 0) + LINE_HEIGHT * len(box.lines) + 5
    if not box.subtitle and not box.lines:
        box.text_height = TITLE_HEIGHT
    for port in box.ports:
        port.width = width(port.text, SMALL) + 10 if port.text else 8.0
    inside = max(texts) + 2 * PADDING
    x = FRAME_MARGIN
    height = 0.0
    for caption, part in box.parts:
        part.x, part.y = x, box.text_height + (PART_TITLE if caption else 4)
        x += max(part.width, width(caption, BODY) + 20) + FRAME_MARGIN
        height = max(height, part.y + part.height + FRAME_MARGIN)
    ports = sum(port.width for port in box.ports) + 6 * (len(box.ports) + 1)
    box.width = max(inside, x if box.parts else 0.0, ports, 40.0)
    box.height = max(box.text_height, height)
    _place_ports(box)


def _place_ports(box: Box) -> None:
    if box.kind is BoxKind.REPEAT:
        _place_below_exits(box)
        return
    free = box.width - sum(port.width for port in box.ports)
    x = 0.0
    for port in box.ports:
        x += free / (len(box.ports) + 1)
        port.x = x + port.width / 2
        x += port.width


def _place_below_exits(frame: Box) -> None:
    """The ports of a frame are below its exits; they are moved apart where they would overlap."""
    scene = frame.parts[0][1]
    exits = [box for box in scene.boxes if box.kind is BoxKind.EXIT]
    pairs = sorted(zip(frame.ports, exits), key=lambda pair: pair[1].x)
    edge = 6.0
    for port, leaving in pairs:
        wanted = scene.x + leaving.x + leaving.width / 2
        port.x = max(edge + port.width / 2, wanted)
        edge = port.x + port.width / 2 + 6
    edge = frame.width - 6
    for port, _ in reversed(pairs):
        port.x = min(port.x, edge - port.width / 2)
        edge = port.x - port.width / 2 - 6


def _order(scene: Scene, rows: "BoxRows") -> tuple[list[list[int]], list[PlacedItem]]:
    """The items of each row from left to right: boxes by their numbers, and passes behind them."""
    items = [PlacedItem(box.width) for box in scene.boxes]
    at_row = list(rows.of)
    for chain in rows.chains.values():
        for step in chain:
            step.number = len(items)
            items.append(PlacedItem(PASS_WIDTH))
            at_row.append(step.row)
    edges: dict[tuple[int, int], None] = {}
    pulls: set[tuple[int, int, float]] = set()
    for link in scene.links:
        numbers = [link.source, *(step.number for step in line_of(rows, link)), link.target]
        for a, b in pairwise(numbers):
            edges[a, b] = None
            shift = _departure(scene, link) if a == link.source else 0.0
            shift -= _arrival(scene, link) if b == link.target else 0.0
            if (a, b, shift) not in pulls:
                pulls.add((a, b, shift))
                weight = 4.0 if b != link.target and a != link.source else 1.0  # keeps long lines straight
                items[a].below.append((b, -shift, weight))
                items[b].above.append((a, shift, weight))
    _weigh_chains(items)
    places = places_by_library(len(items), list(edges))
    order: list[list[int]] = [[] for _ in range(rows.count)]
    for number, row in enumerate(at_row):
        order[row].append(number)
    for numbers in order:
        numbers.sort(key=lambda number: (places[number], number))
        _by_ports(numbers, items)
    return order, items


def _by_ports(row: list[int], items: list[PlacedItem]) -> None:
    """Put the items of a row that hang on one box alone in the order of its ports."""
    families: dict[int, list[int]] = {}
    for place_in_row, number in enumerate(row):
        if len(items[number].above) == 1:
            families.setdefault(items[number].above[0][0], []).append(place_in_row)
    for places_in_row in families.values():
        members = sorted((row[p] for p in places_in_row), key=lambda number: items[number].above[0][1])
        for place_in_row, number in zip(places_in_row, members):
            row[place_in_row] = number


def _weigh_chains(items: list[PlacedItem]) -> None:
    """Boxes that are connected with one another alone want it most to be in line."""
    for number, item in enumerate(items):
        if len(item.below) == 1 and len(items[item.below[0][0]].above) == 1:
            other, distance, weight = item.below[0]
            item.below[0] = other, distance, 4 * weight
            items[other].above[0] = number, -distance, 4 * weight


def _departure(scene: Scene, link: Link) -> float:
    """Where a line leaves its box, from the middle of the box."""
    box = scene.boxes[link.source]
    return box.ports[link.port].x - box.width / 2 if link.port < len(box.ports) else 0.0


def _arrival(scene: Scene, link: Link) -> float:
    """Where a line arrives at a repeated block, above its entry, from the middle of the frame."""
    if link.entry is None:
        return 0.0
    frame = scene.boxes[link.target]
    inner = frame.parts[0][1]
    entry = inner.boxes[link.entry]
    return inner.x + entry.x + entry.width / 2 - frame.width / 2


def _set_places(scene: Scene, order: list[list[int]], items: list[PlacedItem]) -> None:
    left = min((item.x - item.width / 2 for item in items), default=0.0)
    right = max((item.x + item.width / 2 for item in items), default=0.0)
    for item in items:
        item.x = round(item.x - left, 1)
    y = 0.0
    for row in order:
        boxes = [scene.boxes[number] for number in row if number < len(scene.boxes)]
        tallest = 0.0
        for box in boxes:
            box.x, box.y = round(items[box.number].x - box.width / 2, 1), y
            tallest = max(tallest, box.height + (PORT_HEIGHT if box.ports else 0))
        for number in row:
            if number >= len(scene.boxes):
                items[number].above = [(0, y, tallest)]  # from here on: where the pass is
        crossing = sum(len(box.ports) for box in boxes)
        y += tallest + ROW_GAP + min(2.0 * crossing, 30)
    scene.width = round(right - left, 1)
    scene.height = round(
        max((box.y + box.height + (PORT_HEIGHT if box.ports else 0) for box in scene.boxes), default=0.0), 1
    )


def _route(scene: Scene, rows: "BoxRows", items: list[PlacedItem]) -> None:
    """The points of each line: the port, upper and lower end of each pass, the top of the target."""
    incoming: dict[int, list[tuple[float, int]]] = {}
    for index, link in enumerate(scene.links):
        source = scene.boxes[link.source]
        x, y = source.x + source.width / 2, source.y + source.height
        if link.port < len(source.ports):
            x, y = source.x + source.ports[link.port].x, y + PORT_HEIGHT
        link.points = [(x, y)]
        for step in line_of(rows, link):
            item = items[step.number]
            _, top, tall = item.above[0]
            link.points += [(item.x, top), (item.x, top + tall)]
        incoming.setdefault(link.target, []).append((link.points[-1][0], index))
    for number, ends in incoming.items():
        box = scene.boxes[number]
        for place_, (_, index) in enumerate(sorted(ends)):
            link = scene.links[index]
            offset = _arrival(scene, link)
            if link.entry is None:
                step_width = min(24.0, (box.width - 12) / len(ends))
                offset = (place_ - (len(ends) - 1) / 2) * step_width
            link.points.append((box.x + box.width / 2 + offset, box.y))
        for link in (scene.links[index] for _, index in ends):
            link.points = [(round(x, 1), round(y, 1)) for x, y in link.points]


# The rows of a scene: which box is in which row, and the places where lines pass other boxes' rows.

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
class BoxRows:
    """of: the row of each box; chains: for each output, its passes from the row below its box on."""

    of: list[int]
    chains: dict[tuple[int, int], list[Pass]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return max(self.of, default=-1) + 1


def rows_of(scene: Scene) -> BoxRows:
    """Rows from the top down; boxes without sources are in the row above their first user."""
    count = len(scene.boxes)
    row = [0] * count
    has_source = [False] * count
    users: list[list[int]] = [[] for _ in range(count)]
    for link in sorted(scene.links, key=lambda link: link.target):  # the rows of sources are then final
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
    return BoxRows(row)


def name_far_sources(scene: Scene, rows: BoxRows) -> None:
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


def _passes(scene: Scene, rows: BoxRows, span: int) -> int:
    longest: dict[tuple[int, int], int] = {}
    for link in scene.links:
        reach = rows.of[link.target] - rows.of[link.source]
        if reach <= span:
            key = link.source, link.port
            longest[key] = max(longest.get(key, 0), reach - 1)
    return sum(longest.values())


def line_of(rows: BoxRows, link: Link) -> list[Pass]:
    """The passes of one link."""
    reach = rows.of[link.target] - rows.of[link.source] - 1
    return rows.chains.get((link.source, link.port), [])[:reach]
