"""The parts of a formula."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Atom:
    """tag: mi (a name), mn (a number), mo (a sign) or mtext (words)."""

    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """Parts beside each other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Fenced:
    """Parts between two signs."""

    opening: str
    inner: Node
    closing: str


@dataclass(frozen=True, slots=True)
class Fraction:
    top: Node
    bottom: Node


@dataclass(frozen=True, slots=True)
class Power:
    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Root:
    inner: Node


@dataclass(frozen=True, slots=True)
class Indexed:
    """base[index]"""

    base: Node
    index: Node


@dataclass(frozen=True, slots=True)
class Large:
    """An operator over a range, such as a sum. sign: an Atom; over: the range below the sign."""

    sign: Atom
    over: Node
    term: Node


@dataclass(frozen=True, slots=True)
class Cases:
    """Values and their conditions."""

    rows: tuple[tuple[Node, Node], ...]


Node = Atom | Row | Fenced | Fraction | Power | Root | Indexed | Large | Cases


def children(node: Node) -> tuple[Node, ...]:
    """The parts that a part consists of."""
    match node:
        case Row(parts):
            return parts
        case Fenced(_, inner, _) | Root(inner):
            return (inner,)
        case Fraction(one, two) | Power(one, two) | Indexed(one, two) | Large(_, one, two):
            return (one, two)
        case Cases(rows):
            return tuple(part for row in rows for part in row)
    return ()


def walk(node: Node) -> Iterator[Node]:
    """The part and all parts within it."""
    yield node
    for child in children(node):
        yield from walk(child)
