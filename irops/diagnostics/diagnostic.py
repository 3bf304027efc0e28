"""A finding: its rule, its location, its message, and the fix where there is exactly one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from irops.diagnostics.printable import MAX_NAME, abridged, paragraphs, shortened


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


CustomCheck: TypeAlias = Callable[[Any, Any], Iterable[tuple[Any, str]]]
"""Takes an irops.Model and what irops.infer gives for it; gives pairs of a layer (None: the model) and a
message.
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of error that irops reports.

    code: never reused; name: states the error, not the remedy; summary: one line, lower case; explanation:
    what the error means, why it matters, how to fix it, and what OpenVINO does; one line per paragraph,
    with blank lines between paragraphs; check: finds the errors of a custom rule, see docs/diagnostics.md.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    explanation: str
    check: CustomCheck | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "explanation", "\n\n".join(paragraphs(self.explanation)))

    def __repr__(self) -> str:
        return f"<Rule {self.code} {self.name} ({self.severity})>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the check: findings are sent between processes, and functions of files cannot be."""
        return Rule, (self.code, self.name, self.severity, self.summary, self.explanation)

    @property
    def band(self) -> str:
        """The first three characters of the code, IR2 of IR203: the group of the rule; see rules/."""
        return self.code[:3]


BANDS = {
    "IR0": "text",
    "IR1": "structure",
    "IR2": "graph",
    "IR3": "definitions",
    "IR4": "types and shapes",
    "IR5": "weights",
    "IR6": "evaluation",
    "IR7": "settings",
    "IR8": "building graphs",
    "IR9": "other formats, translation, releases",
    "OD1": "errors in definitions and custom rules",
}
"""The groups of rules, by the first letters of their codes."""


MAX_DESCRIPTION = 300
"""The greatest number of characters of a description."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces the bytes of the file from start to end with text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """what: a description for people ("write precision FP32"); edits: non-overlapping replacements."""

    what: str
    edits: tuple[Edit, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "what", abridged(self.what, MAX_DESCRIPTION))


def fix(what: str, edits: Iterable[Edit | None]) -> Fix | None:
    """A fix made of edits; None if one of them could not be located or there are none."""
    all_edits = tuple(edits)
    located = tuple(edit for edit in all_edits if edit is not None)
    return Fix(what, located) if located and len(located) == len(all_edits) else None


def applied(data: bytes, fixes: Iterable[Fix]) -> tuple[bytes, list[Fix]]:
    """The bytes with fixes applied, and the fixes that were applied: the first of those that overlap."""
    done: list[Fix] = []
    edits: list[Edit] = []
    for candidate in fixes:
        if not any(_overlap(edit, other) for edit in candidate.edits for other in edits):
            done.append(candidate)
            edits.extend(candidate.edits)
    for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):  # offsets before stay
        data = data[: edit.start] + edit.text.encode() + data[edit.end :]
    return data, done


def _overlap(one: Edit, other: Edit) -> bool:
    """Whether two edits overlap or touch; the order of two insertions at one offset would be ambiguous."""
    return one.start <= other.end and other.start <= one.end


_OF_USAGE = (
    "invalid-input-shape unknown-input unknown-backend unavailable-backend unfillable-input"
    " malformed-settings unknown-setting invalid-setting"
)
USAGE_RULES = frozenset(_OF_USAGE.split())
"""Rules about the arguments of the command, not about the model."""
PATH_RULES = frozenset(
    ("file-not-found", "not-a-file", "unreadable-file", "unwritten-fixes", "unchecked-file", "out-of-memory")
)
"""Rules about files that could not be read, written or checked."""
TRANSIENT = PATH_RULES | {"checking-time-limit", "changed-weights"}
"""Rules about something that may be different the next time, although no file changes."""


MAX_MESSAGE, MAX_NOTE = 2000, 1000
"""The greatest number of characters of a message or of facts, and of a note."""
MAX_PATH = 16
"""The greatest number of names of a path that an output format prints."""


@dataclass(frozen=True, slots=True)
class Location:
    """The location of a finding: file, line and column (both from 1), layer, and enclosing sub-graphs.

    path names the layers and bodies from the model down to the graph of the layer: ("loop_node", "body").
    excerpt: what the line has before the column and from it on, cut off where it is long.
    """

    file: str | None = None
    line: int | None = None
    column: int | None = None
    layer_id: int | None = None
    layer_name: str | None = None
    path: tuple[str, ...] = ()
    excerpt: tuple[str, str] | None = field(default=None, compare=False, repr=False)

    @property
    def shown_name(self) -> str | None:
        """The layer's name as output formats print it: names in files may be of any length."""
        return None if self.layer_name is None else abridged(self.layer_name, MAX_NAME)

    @property
    def shown_path(self) -> tuple[str, ...]:
        """The path as output formats print it. Of a very long one, the outermost and innermost names."""
        path, end = self.path, MAX_PATH // 2
        if len(path) > MAX_PATH:
            path = (*path[:end], *("…", "…"), *path[-end:])
        return tuple(abridged(name, MAX_NAME) for name in path)

    def __str__(self) -> str:
        return ":".join(
            str(part) for part in (self.file or "<model>", self.line, self.column) if part is not None
        )


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. The message is self-contained: the actual value, then the expected one.

    constraint: the op and the number of the violated constraint ("ReverseSequence-1:C1"); facts: the inputs
    and attributes of the layer on one line; notes: additional help, such as the behaviour of OpenVINO; level:
    a severity that replaces that of the rule; fix: the edits that fix it, if there is exactly one solution.
    Long texts are abridged, so that the size of a report is bounded as the number of its findings is.
    """

    rule: Rule
    message: str
    location: Location
    constraint: str | None = None
    facts: str | None = None
    notes: tuple[str, ...] = ()
    level: Severity | None = None
    fix: Fix | None = None

    def __post_init__(self) -> None:
        if len(self.message) > MAX_MESSAGE:
            object.__setattr__(self, "message", abridged(self.message, MAX_MESSAGE))
        if self.facts is not None and len(self.facts) > MAX_MESSAGE:
            object.__setattr__(self, "facts", abridged(self.facts, MAX_MESSAGE))
        if any(len(note) > MAX_NOTE for note in self.notes):
            object.__setattr__(self, "notes", tuple(abridged(note, MAX_NOTE) for note in self.notes))

    @property
    def code(self) -> str:
        return self.rule.code

    @property
    def name(self) -> str:
        return self.rule.name

    @property
    def severity(self) -> Severity:
        return self.level or self.rule.severity

    def __str__(self) -> str:
        return f"{self.location}: {self.severity} {self.code} {self.message}"

    def __repr__(self) -> str:
        place = shortened(str(self.location), 80)
        return f"<Diagnostic {self.severity} {self.code} at {place}: {shortened(self.message, 100)}>"


def errors_of(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(d for d in diagnostics if d.severity is Severity.ERROR)


def in_document_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The findings without duplicates, sorted by location; those at one location keep their order."""
    return tuple(
        sorted(dict.fromkeys(diagnostics), key=lambda d: (d.location.line or 0, d.location.column or 0))
    )


class DiagnosticError(ValueError):
    """An error with diagnostics. Its text is the first diagnostic and the number of the others."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        more = len(self.diagnostics) - 1
        super().__init__(f"{self.diagnostics[0]}{f' (and {more} more)' if more else ''}")

    def __reduce__(self) -> "tuple[type[DiagnosticError], tuple[tuple[Diagnostic, ...]]]":
        return type(self), (self.diagnostics,)


class ReadError(DiagnosticError):
    """A model cannot be read."""


class DefinitionError(DiagnosticError):
    """A definition, or a function bound to it, is invalid (OD1xx)."""


class EvaluationError(DiagnosticError):
    """A model cannot be evaluated on these inputs."""
