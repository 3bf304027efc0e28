"""Read the configuration: irops.toml or [tool.irops] in pyproject.toml, in the current folder or the nearest
parent folder that has one, within a repository and the user's home; or the file that --config names.

Settings that are found come with files of others: they are data, and modules that they name are not loaded.
"""

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from irops.cli.display import print_diagnostics
from irops.cli.options import limit
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location, in_document_order
from irops.diagnostics.rules import rule, rules_of
from irops.diagnostics.suggestions import meant_or_all
from irops.files.limits import Limits
from irops.files.storage import NotRegular, content_of
from irops.files.urls import Place
from irops.spec.extension import load_installed_rules, load_rules
from irops.spec.releases import releases

OWN, SHARED = "irops.toml", "pyproject.toml"
ENTRIES = ("rules", "reason", "files", "layer")
"""The values of an entry of suppress."""
MAX_BYTES = 1 << 24
"""The greatest size of a settings file."""


@dataclass(frozen=True, slots=True)
class Suppression:
    """Findings that are accepted for a reason: of rules, in files and at layers whose names match patterns.

    codes: of the rules; files: a pattern of paths relative to the folder; at: the entry in the settings
    """

    codes: frozenset[str]
    reason: str
    files: str
    layer: str
    folder: Path
    at: Location

    def is_for(self, path: str) -> bool:
        """Whether it is for a model file."""
        return _matches(relative_path(path, self.folder), self.files)

    def covers(self, finding: Diagnostic, path: str) -> bool:
        """Whether a finding in a model file is accepted."""
        return (
            finding.code in self.codes
            and _matches(finding.location.layer_name or "", self.layer)
            and self.is_for(path)
        )


def _matches(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)


def relative_path(path: str, folder: Path) -> str:
    """The path of a model file relative to a folder of settings or of a baseline; a URL as it is."""
    if Place.of(path).is_remote:
        return path
    absolute = os.path.abspath(path)
    try:
        return Path(os.path.relpath(absolute, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(absolute).as_posix()


@dataclass(frozen=True, slots=True)
class Settings:
    """The values set in a file. limits: by name; select, ignore: rules; strict: whether warnings fail;
    baseline: the file of accepted findings; rules: modules of custom rules, which are loaded; target: a
    release of OpenVINO; suppress: findings that are accepted; left_out: modules of custom rules that are not
    loaded; path: of the file.
    """

    limits: Mapping[str, float] = field(default_factory=dict)
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    strict: bool = False
    baseline: Path | None = None
    rules: tuple[str, ...] = ()
    target: str | None = None
    suppress: tuple[Suppression, ...] = ()
    left_out: tuple[str, ...] = ()
    path: Path | None = field(default=None, compare=False)


def settings(named: str | None = None) -> Settings:
    """The settings of a file that a person names, or else those found from the current folder upwards.

    Modules of custom rules are loaded if the file was named. Warnings go to standard error.

    Raises:  DiagnosticError if the file is not TOML, or has unknown settings or invalid values
    """
    load_installed_rules()
    if named is not None:
        path = Path(named)
        return _Reader(path, *(_irops_table(path) or ("", {})), named=True).settings()
    for path in _files():
        if (text_and_table := _irops_table(path)) is None:
            continue
        if (owner := _foreign_owner(path)) is not None:
            _warn(_foreign(path, owner))
            break
        reader = _Reader(path, *text_and_table, named=False)
        found = reader.settings()
        _warn(*reader.warnings)
        return found
    return Settings()


def _files() -> Iterator[Path]:
    """The files that may hold settings, the nearest first: up to the user's home, the root of a repository,
    or a folder of another user, whose files are not read.
    """
    try:
        start = Path.cwd().resolve()
    except OSError:  # the current folder was deleted
        return
    home = os.path.realpath(os.path.expanduser("~"))
    for parent in (start, *start.parents):
        files = [path for name in (OWN, SHARED) if (path := parent / name).is_file()]
        if (owner := _foreign_owner(parent)) is not None:
            _warn(*(_foreign(path, owner) for path in files[:1]))
            return
        yield from files
        if str(parent) == home or os.path.lexists(parent / ".git"):
            return


def _foreign_owner(path: Path) -> int | None:
    """The user to whom a file or folder belongs, or the link that leads to it, if that is neither this user
    nor root; None otherwise, and on Windows. With sudo, its caller counts as this user, as in git.
    """
    if os.name == "nt":
        return None
    own = {0, os.geteuid()}
    caller = os.environ.get("SUDO_UID", "")
    if os.geteuid() == 0 and caller.isascii() and caller.isdigit():
        own.add(int(caller))
    return next((link.st_uid for link in (os.lstat(path), os.stat(path)) if link.st_uid not in own), None)


def _foreign(path: Path, owner: int) -> Diagnostic:
    message = f"settings are not read: {path} belongs to user {owner}, and you are user {os.geteuid()}"
    return _diagnostic("foreign-settings", message, path)


def _warn(*warnings: Diagnostic) -> None:
    if warnings:
        print_diagnostics(warnings, sys.stderr)


_MAY_NAME_IROPS = re.compile(
    rb"tool.*irops|\[\s*[\"']?tool[\"']?\s*\]|^\s*[\"']?tool[\"']?\s*=|\\", re.MULTILINE
)
"""A text that pyproject.toml contains if it has a table of irops. Most have none, and TOML is slow to parse.
"""


def _irops_table(path: Path) -> tuple[str, Mapping[str, Any]] | None:
    """The text of a file and its table of irops; None without such a table."""
    try:
        content = content_of(path, MAX_BYTES)
    except NotRegular as error:
        raise _error("malformed-settings", f"{path} {error}, must be a file", path) from None
    except OSError as error:
        raise _error("malformed-settings", f"{path} cannot be read: {error.strerror}", path) from None
    if path.name == SHARED and not _MAY_NAME_IROPS.search(content):
        return None
    import tomllib

    try:
        text = content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        document = tomllib.loads(text)
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8: {error.reason} at byte {error.start}"
        raise _error("malformed-settings", message, path) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        match = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line, column = (int(match[1]), int(match[2])) if match else (None, None)
        message = f"not TOML: {str(error).partition(' (at ')[0]}"
        raise _error("malformed-settings", message, path, line, column) from None
    if path.name != SHARED:
        return text, document
    tool = document.get("tool", {})
    table = tool.get("irops") if isinstance(tool, dict) else None
    return None if table is None else (text, table if isinstance(table, dict) else {"irops": table})


class _Reader:
    """Reads one table and collects all its errors."""

    def __init__(self, path: Path, text: str, table: Mapping[str, Any], *, named: bool) -> None:
        self.path, self.text, self.table, self.named = path, text, table, named
        self.diagnostics: list[Diagnostic] = []
        self.warnings: list[Diagnostic] = []
        self.left_out: tuple[str, ...] = ()

    def settings(self) -> Settings:
        """Raises: DiagnosticError"""
        readers: dict[str, Callable[[Any], Any]] = {
            "rules": self._modules,  # first: the others may name their rules
            "limits": self._limits,
            "select": self._rules,
            "ignore": self._rules,
            "strict": _flag,
            "baseline": self._path,
            "target": _release,
            "suppress": self._suppressions,
        }
        values: dict[str, Any] = {}
        for name in (name for name in self.table if name not in readers):
            self._unknown(name, list(readers))
        for name in (name for name in readers if name in self.table):
            try:
                values[name] = readers[name](self.table[name])
            except ValueError as error:
                self._invalid(name, str(error))
        if self.diagnostics:
            raise DiagnosticError(in_document_order(self.diagnostics))
        return Settings(**values, left_out=self.left_out, path=self.path)

    def _limits(self, table: Any) -> Mapping[str, float]:
        if not isinstance(table, dict):
            raise ValueError(f"is {_shown(table)}, must be a table of limits")
        limits: dict[str, float] = {}
        for name, value in table.items():
            if name not in Limits.described():
                self._unknown(name, list(Limits.described()))
                continue
            try:
                limits |= limit(name, value)
            except ValueError as error:
                self._invalid(name, str(error))
        return limits

    def _rules(self, words: Any) -> tuple[str, ...]:
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ValueError(f"is {_shown(words)}, must be a list of rules in quotes")
        return tuple(word for word in words if self._is_rule(word))

    def _is_rule(self, word: str) -> bool:
        """Raises: ValueError for a word that names no rule, unless it may be one of the rules left out"""
        try:
            rules_of([word])
        except ValueError:
            if not self.left_out:
                raise
            return False
        return True

    def _suppressions(self, entries: Any) -> tuple[Suppression, ...]:
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise ValueError(f"is {_shown(entries)}, must be tables [[suppress]]")
        places = list(self._positions("suppress"))
        return tuple(
            self._suppression(entry, *(places[k] if k < len(places) else (None, None)))
            for k, entry in enumerate(entries)
        )

    def _suppression(self, entry: Mapping[str, Any], line: int | None, column: int | None) -> Suppression:
        unknown = next((name for name in entry if name not in ENTRIES), None)
        if unknown is not None:
            raise ValueError(f"has {unknown!r}; {meant_or_all(unknown, ENTRIES)}")
        rules = self._rules(entry.get("rules"))
        texts = {"files": "*", "layer": "*"} | {name: text for name, text in entry.items() if name != "rules"}
        for name in ENTRIES[1:]:
            if not isinstance(text := texts.get(name), str) or not text.strip():
                raise ValueError(f"has the {name} {_shown(text)}, must have a text in quotes")
        place = Location(str(self.path), line, column)
        return Suppression(rules_of(rules), **texts, folder=self.path.absolute().parent, at=place)

    def _modules(self, sources: Any) -> tuple[str, ...]:
        """The modules of custom rules, or .py files, relative to the folder of the settings. They are loaded
        if a person named the file.
        """
        if not isinstance(sources, list) or not all(isinstance(source, str) for source in sources):
            raise ValueError(f"is {_shown(sources)}, must be a list of modules or .py files in quotes")
        found = tuple(str(self.path.parent / s) if s.endswith(".py") else s for s in sources)
        if not self.named:
            self.left_out = found
            self.warnings += [self._not_loaded(sources)] if found else []
            return ()
        for source in found:
            load_rules(source)
        return found

    def _not_loaded(self, sources: list[str]) -> Diagnostic:
        message = (
            f"the custom rules of {', '.join(sources)} are not loaded, because {self.path.name} was found and"
            f" not named; --config {shlex.quote(os.path.relpath(self.path))} loads them"
        )
        place = next(self._positions("rules"), (None, None))
        return _diagnostic("untrusted-settings", message, self.path, *place)

    def _path(self, text: Any) -> Path:
        if not isinstance(text, str) or not text:
            raise ValueError(f"is {_shown(text)}, must be a path in quotes")
        return self.path.parent / text

    def _unknown(self, name: str, settable: list[str]) -> None:
        hint = meant_or_all(name, settable)
        self._report("unknown-setting", f"unknown setting {name!r}; {hint}", name)

    def _invalid(self, name: str, why: str) -> None:
        self._report("invalid-setting", f"{name}: {why}", name)

    def _report(self, about: str, message: str, name: str) -> None:
        self.diagnostics.append(
            _diagnostic(about, message, self.path, *next(self._positions(name), (None, None)))
        )

    def _positions(self, name: str) -> Iterator[tuple[int, int]]:
        """The positions of a key at the start of a line or of a table's name; tomllib does not give them."""
        key = re.compile(
            rf"""^\s*(?:\[+\s*(?:tool\s*\.\s*irops\s*\.\s*)?)?["']?({re.escape(name)})["']?\s*[\]=.]"""
        )
        lines = self.text.splitlines()
        tables = (k for k, line in enumerate(lines) if "tool" in line and "irops" in line)
        start = next(tables, 0) if self.path.name == SHARED else 0
        for number, line in enumerate(lines[start:], start + 1):
            if match := key.match(line):
                yield number, match.start(1) + 1


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"is {_shown(value)}, must be true or false")
    return value


def _release(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"is {_shown(value)}, must be a release in quotes")
    return releases().named(value)


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
