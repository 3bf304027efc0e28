"""The texts of definitions: paragraphs, formulas and the names of modules."""

from __future__ import annotations

import re
from typing import Any


def prose(element: Any) -> str:
    """The text of an element with line breaks and indentation folded; blank lines between paragraphs stay."""
    if element is None or element.text is None:
        return ""
    paragraphs = ("\n".join(line.strip() for line in element.text.splitlines())).split("\n\n")
    return "\n\n".join(" ".join(p.split()) for p in paragraphs if p.strip())


def lines(element: Any) -> str:
    """The text of an element with its line breaks, without common indentation."""
    from inspect import cleandoc  # slow to import

    return "" if element is None else cleandoc(element.text or "")


def snake_case(name: str) -> str:
    """reverse_sequence of ReverseSequence, nv12_to_rgb of NV12toRGB, lstm_cell of LSTMCell."""
    name = re.sub(r"([a-z0-9])(to)([A-Z])", r"\1_to_\3", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()
