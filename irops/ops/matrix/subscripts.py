"""The equations of Einsum: the labels of the axes of each tensor."""

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
    """Parse an equation. Without an arrow, the output has the labels that occur once, in ASCII order.

    Raises:  Violation(C1) if the syntax is wrong; Violation(C5) if the output has a label that no input has,
        or a label twice
    """
    left, arrow, right = text.replace(" ", "").partition("->")
    inputs = tuple(_labels(subscript, text) for subscript in left.split(","))
    counts = Counter(label for labels in inputs for label in labels)
    if not arrow:
        single = tuple(sorted(label for label, count in counts.items() if count == 1 and label != ELLIPSIS))
        return Equation(inputs, (ELLIPSIS,) * (ELLIPSIS in counts) + single)
    output = _labels(right, text)
    require(all(label in counts or label == ELLIPSIS for label in output), "C5", repr(text))
    require(len(set(output)) == len(output), "C5", repr(text))
    return Equation(inputs, tuple(label for label in output if label in counts))


def _labels(subscript: str, text: str) -> Labels:
    require(_SUBSCRIPT.fullmatch(subscript), "C1", repr(text))
    head, dots, tail = subscript.partition(ELLIPSIS)
    return (*head, *(ELLIPSIS,) * bool(dots), *tail)
