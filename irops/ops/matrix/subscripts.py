"""The equations of Einsum: which label stands for which axis of which tensor."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from irops.values.violation import require

ELLIPSIS = "..."
_SUBSCRIPT = re.compile(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*")
Labels = tuple[str, ...]


class Equation(NamedTuple):
    """The labels of each input, and those of the output."""

    inputs: tuple[Labels, ...]
    output: Labels


def equation_of(text: str) -> Equation:
    """What an equation says; without an output, the labels that are there once, in the order of the alphabet.

    Raises:  Violation(C1) where the text is none; Violation(C5) where the output has a label that no input
        has, or one twice
    """
    left, arrow, right = text.replace(" ", "").partition("->")
    inputs = tuple(_labels(subscript, text) for subscript in left.split(","))
    given = Counter(label for labels in inputs for label in labels)
    if not arrow:
        rest = tuple(sorted(label for label, count in given.items() if count == 1 and label != ELLIPSIS))
        return Equation(inputs, (ELLIPSIS,) * (ELLIPSIS in given) + rest)
    output = _labels(right, text)
    require(all(label in given or label == ELLIPSIS for label in output), "C5", repr(text))
    require(len(set(output)) == len(output), "C5", repr(text))
    return Equation(inputs, tuple(label for label in output if label in given))


def _labels(subscript: str, text: str) -> Labels:
    require(_SUBSCRIPT.fullmatch(subscript), "C1", repr(text))
    head, dots, tail = subscript.partition(ELLIPSIS)
    return (*head, *(ELLIPSIS,) * bool(dots), *tail)
