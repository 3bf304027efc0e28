"""What irops.toml, or [tool.irops] in pyproject.toml, sets: the nearest of them from the current folder
upwards.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from irops.cli.bounded import limit
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.diagnostics.selection import rules_of
from irops.limits import Limits

OWN, SHARED = "irops.toml", "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a file sets. limits: by name; select, ignore: rules; strict: whether warnings fail; baseline: the
    file of known findings.
    """

    limits: Mapping[str, float] = field(default_factory=dict)
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    strict: bool = False
    baseline: Path | None = None


def settings(folder: Path | None = None) -> Settings:
    """The settings that hold in a folder, the current one if not given.

    Raises:  DiagnosticError where the file that holds them is no TOML, or sets what cannot be set
    """
    for above in ((folder or Path.cwd()).absolute(), *(folder or Path.cwd()).absolute().parents):
        for path in (above / OWN, above / SHARED):
            found = _table(path) if path.is_file() else None
            if found is not None:
                return _Reader(path, *found).settings()
    return Settings()


def _table(path: Path) -> tuple[str, Mapping[str, Any]] | None:
    """The text of a file and the table in it that is about irops; None where there is none."""
    try:
        text = path.read_text("utf-8")
        whole = tomllib.loads(text)
    except OSError as error:
        raise _error("malformed-settings", f"{path} cannot be read: {error.strerror}", path) from None
    except UnicodeDecodeError as error:
        raise _error(
            "malformed-settings", f"{path} is not UTF-8: {error.reason} at byte {error.start}", path
        ) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line, column = (int(place[1]), int(place[2])) if place else (None, None)
        raise _error(
            "malformed-settings", f"not TOML: {str(error).partition(' (at ')[0]}", path, line, column
        ) from None
    if path.name == OWN:
        return text, whole
    tool = whole.get("tool", {})
    table = tool.get("irops") if isinstance(tool, dict) else None
    return None if table is None else (text, table if isinstance(table, dict) else {"irops": table})


class _Reader:
    """Reads one table; gathers all that is wrong with it."""

    def __init__(self, path: Path, text: str, table: Mapping[str, Any]) -> None:
        self.path, self.text, self.table = path, text, table
        self.found: list[Diagnostic] = []

    def settings(self) -> Settings:
        """Raises: DiagnosticError"""
        takers: dict[str, Callable[[Any], Any]] = {
            "limits": self._limits,
            "select": self._rules,
            "ignore": self._rules,
            "strict": _flag,
            "baseline": self._path,
        }
        values: dict[str, Any] = {}
        for name, value in self.table.items():
            if name not in takers:
                self._unknown(name, list(takers))
                continue
            try:
                values[name] = takers[name](value)
            except ValueError as error:
                self._unfit(name, str(error))
        if self.found:
            raise DiagnosticError(self.found)
        return Settings(**values)

    def _limits(self, table: Any) -> Mapping[str, float]:
        if not isinstance(table, dict):
            raise ValueError(f"is {_shown(table)}, must be a table of limits")
        found: dict[str, float] = {}
        for name, value in table.items():
            if name not in Limits.described():
                self._unknown(name, list(Limits.described()))
                continue
            try:
                found |= limit(name, value)
            except ValueError as error:
                self._unfit(name, str(error))
        return found

    def _rules(self, words: Any) -> tuple[str, ...]:
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ValueError(f"is {_shown(words)}, must be a list of rules in quotes")
        rules_of(words)
        return tuple(words)

    def _path(self, text: Any) -> Path:
        if not isinstance(text, str) or not text:
            raise ValueError(f"is {_shown(text)}, must be a path in quotes")
        return self.path.parent / text

    def _unknown(self, name: str, known: list[str]) -> None:
        from difflib import get_close_matches

        near = get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
        self._tell("unknown-setting", f"{name!r} is nothing that can be set{hint}", name)

    def _unfit(self, name: str, why: str) -> None:
        self._tell("invalid-setting", f"{name}: {why}", name)

    def _tell(self, about: str, message: str, name: str) -> None:
        self.found.append(_diagnostic(about, message, self.path, *next(self._places(name), (None, None))))

    def _places(self, name: str) -> Iterator[tuple[int, int]]:
        """Where a name stands at the start of a line or of a table's name: tomllib does not tell."""
        key = re.compile(
            rf"""^\s*(?:\[+\s*(?:tool\s*\.\s*irops\s*\.\s*)?)?["']?({re.escape(name)})["']?\s*[\]=.]"""
        )
        lines = self.text.splitlines()
        start = (
            0
            if self.path.name == OWN
            else next((k for k, line in enumerate(lines) if "tool" in line and "irops" in line), 0)
        )
        for number, line in enumerate(lines[start:], start + 1):
            if found := key.match(line):
                yield number, found.start(1) + 1


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"is {_shown(value)}, must be true or false")
    return value


def _shown(value: Any) -> str:
    return repr(value)[:60]


def _diagnostic(
    about: str, message: str, path: Path, line: int | None = None, column: int | None = None
) -> Diagnostic:
    return Diagnostic(rule(about), message, Location(str(path), line, column))


def _error(
    about: str, message: str, path: Path, line: int | None = None, column: int | None = None
) -> DiagnosticError:
    return DiagnosticError([_diagnostic(about, message, path, line, column)])
