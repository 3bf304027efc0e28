"""What the ops have in common: inputs that a definition describes together, because their number varies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from irops.values.dim import ANY
from irops.values.element import BOOLEAN, DYNAMIC, I32, ElementType, element_type
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require

U8: ElementType = element_type("u8")
FLAGS = (BOOLEAN, U8, element_type("i8"))
VECTOR = Shape.of(ANY)
"""One axis, whose size follows from values: strings, bytes or tokens of a batch, one after the other."""
STRINGS = (VECTOR, VECTOR, VECTOR)
"""The begins, the ends and the bytes of strings whose number follows from values."""


def require_type(fact: Fact, allowed: Iterable[ElementType], constraint: str) -> None:
    """Require an element type of an input. Raises: Violation(constraint)"""
    require(fact.element_type is DYNAMIC or fact.element_type in allowed, constraint, fact)


def require_bytes(fact: Fact, constraint: str) -> None:
    """Require one text as UTF-8 bytes. Raises: Violation(constraint)"""
    require_type(fact, (U8,), constraint)
    require(fact.shape.rank in (None, 1), constraint, fact)


def require_strings(facts: Sequence[Fact], constraint: str) -> None:
    """Require the begins, the ends and the bytes of strings. Raises: Violation(constraint)"""
    begins, ends, chars = facts
    require_type(begins, (I32,), constraint)
    require_type(ends, (I32,), constraint)
    require_type(chars, (U8,), constraint)


def require_flags(fact: Fact, constraint: str) -> None:
    """Require one flag for each string, which says whether to skip it. Raises: Violation(constraint)"""
    require_type(fact, FLAGS, constraint)


def require_same_shape(a: Fact, b: Fact, constraint: str) -> None:
    """Raises: Violation(constraint) if the shapes certainly differ"""
    require(a.shape.can_be(b.shape), constraint, a.shape, b.shape)
