"""Where the lines of a long expression may break: before relations, in long ones before sums and products."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from irops.document.formulas.tree import Atom, Large, Node, Row, walk

MAX_UNBROKEN = 24
"""Characters of an expression that is not broken."""
_LEVELS = (frozenset(["=", "≠", "≤", "≥", "<", ">", "=="]), frozenset(["+", "−", "@"]), frozenset("⋅"))
_SIGNS = frozenset().union(*_LEVELS)


def segments(node: Node) -> list[Node]:
    """The parts of an expression between which a line may break."""
    return [row[0] if len(row) == 1 else Row(row) for row in _broken(tuple(_flat(node)), 0)]


def _broken(row: tuple[Node, ...], level: int) -> Iterator[tuple[Node, ...]]:
    if level == len(_LEVELS) or sum(map(_width, row)) <= MAX_UNBROKEN:
        yield row
        return
    begin = 0
    for k in range(1, len(row)):
        if _sign(row[k]) in _LEVELS[level] and not _sign(row[k - 1]):
            yield from _broken(row[begin:k], level + 1)
            begin = k
    yield from _broken(row[begin:], level + 1)


def _sign(node: Node) -> str:
    return node.text if isinstance(node, Atom) and node.tag == "mo" and node.text in _SIGNS else ""


def _width(node: Node) -> int:
    return sum(len(part.text) for part in walk(node) if isinstance(part, Atom))


def _flat(node: Node) -> Iterator[Node]:
    match node:
        case Row(parts):
            yield from _flat_all(parts)
        case Large(sign, over, Row((first, *more))):
            yield Large(sign, over, first)
            yield from _flat_all(more)
        case _:
            yield node


def _flat_all(parts: Sequence[Node]) -> Iterator[Node]:
    for part in parts:
        yield from _flat(part)
