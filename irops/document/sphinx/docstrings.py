"""Docstrings of irops as reStructuredText: their entries ("inputs: arrays by name") become a list.

A docstring is prose, followed by entries of parameters and by "Returns:" and "Raises:". An entry begins a
line or follows a semicolon; the next entry, or an empty line, ends it.
"""

import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

_ENTRY = re.compile(r"(?P<names>\**\w+(?:, \**\w+)*):\s+(?P<text>\S.*)")
_BETWEEN = re.compile(r";\s+(?=\w+(?:, \w+)*: )")
_SECTIONS = ("Returns", "Raises")
_SPECIAL = re.compile(r"[\\*|]|_(?!\w)|(?<!\w)_")


def convert(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Replace the lines of a docstring."""
    # the parameters of a function or of a class, and the fields of a class
    names = set(getattr(value, "__annotations__", {}))
    with suppress(TypeError, ValueError):  # a property, or a class of C
        names |= set(inspect.signature(value).parameters)
    lines[:] = list(converted("\n".join(lines), frozenset(names)))


def converted(text: str, parameters: frozenset[str]) -> Iterator[str]:
    """The lines in reStructuredText. parameters: the names that entries may have, beside the sections."""
    known = {*parameters, *_SECTIONS}
    for part in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        prose: list[str] = []
        entries: list[tuple[str, list[str]]] = []
        for line in part.splitlines():
            match = _ENTRY.fullmatch(line)
            names = [] if match is None else [one.strip("* ") for one in match["names"].split(",")]
            if match is not None and known.issuperset(names):
                entries.append((match["names"], [match["text"]]))
            elif entries:
                entries[-1][1].append(line.strip())
            else:
                prose.append(line.strip())
        if prose:
            yield escaped(" ".join(prose))
            yield ""
        for names_text, text_lines in entries:
            yield from _items(names_text, " ".join(text_lines).rstrip(";"), known)
        if entries:
            yield ""


def _items(names: str, text: str, known: set[str]) -> Iterator[str]:
    first, *more = [text] if names in _SECTIONS else _BETWEEN.split(text)
    yield f"* **{escaped(names)}**: {escaped(first)}"
    for part in more:
        inner, _, rest = part.partition(": ")
        if known.issuperset(inner.split(", ")):
            yield f"* **{escaped(inner)}**: {escaped(rest)}"
        else:
            yield f"  {escaped(part)}"


def escaped(text: str) -> str:
    """Text without markup; words between backticks become code."""
    parts = re.split(r"(`+[^`]+`+)", text)
    return "".join(
        f"``{part.strip('`')}``" if k % 2 else _SPECIAL.sub(r"\\\g<0>", part) for k, part in enumerate(parts)
    )


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", convert)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
