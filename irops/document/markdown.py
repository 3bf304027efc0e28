"""Text of definitions and rules as Markdown that shows it as it is."""

from __future__ import annotations

import re

from irops.diagnostics.printable import printable, printable_lines

_CODE = re.compile(r"(`[^`\n]+`)")
_SPECIAL = re.compile(r"[\\*<>\[\]{}~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=[#\w]+;)|`")
_AT_START = re.compile(r"^(\s*)([#+>-]|\d+[.)])(?=\s)", re.MULTILINE)


def lines(text: str) -> str:
    """The lines of a block of code, without control characters."""
    return printable_lines(f"{text}\n").removesuffix("\n")


def prose(text: str) -> str:
    """Paragraphs; only words between backticks have a meaning: they are code."""
    parts = _CODE.split(lines(text))
    escaped = "".join(part if k % 2 else _SPECIAL.sub(r"\\\g<0>", part) for k, part in enumerate(parts))
    return _AT_START.sub(_escaped_start, escaped)


def cell(text: object) -> str:
    """The text of a cell of a table: on one line."""
    return " ".join(prose(str(text)).split()).replace("|", "\\|")


def code(text: object) -> str:
    """Code within a line: between as many backticks as it needs."""
    shown = printable(str(text))
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    inner = shown.replace("|", "\\|")
    return f"{fence} {inner} {fence}" if "`" in inner else f"{fence}{inner}{fence}"


def _escaped_start(match: re.Match[str]) -> str:
    mark = match[2]
    return f"{match[1]}{mark[:-1]}\\{mark[-1]}"
