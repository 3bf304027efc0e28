"""irops.survey: many models, each with many tasks, in one table; its rows in a file, and its report.

A row is written to a file of JSON lines as it comes, and read by the next survey. A later line replaces an
earlier one of the same cell; a survey that is killed may leave a line cut off, whose cell is done again. When
a survey is done, its rows replace the file. One survey at a time writes to a folder.

What is in results.* depends on the models and the settings alone: neither on time, nor on machine or order.
"""

import csv
import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields
from io import StringIO
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, overload

from irops.diagnostics.formats import page_of
from irops.diagnostics.html_table import html_table
from irops.diagnostics.printable import plural, printable
from irops.diagnostics.rules import all_rules
from irops.dialects.registry import Registry
from irops.environment import missing_libraries, require_above_zero
from irops.files.limits import Limits
from irops.files.output import PendingFiles, claim, local_target
from irops.files.storage import content_of, open_regular
from irops.files.urls import Place, StrPath
from irops.pages.render import plain, render
from irops.surveys.identity import Identities, key_of
from irops.surveys.listing import ListedModel, Listing, listing
from irops.surveys.tasks import (
    MAX_TEXT,
    SECONDS,
    CellOutcome,
    Interrupted,
    SurveyError,
    SurveySettings,
    Task,
    detail_text,
    prepare,
    runtime_of,
    tasks_of,
)
from irops.work.cluster import ClusterWorkers, own_version
from irops.work.outcomes import Died, Failed
from irops.work.workers import ClusterError, Workers

STATUSES = ("pass", "warn", "unsupported", "fail", "error", "timeout", "memory", "crash", "lost")
"""The best first: pass; warn: only warnings; unsupported: a source declines the model; fail: findings that
are errors, values that differ, a release that does not read it; error: not judged; timeout, memory, crash:
how a bounded process ended; lost: the workers were lost again and again.
"""
SOUND = ("pass", "warn")
"""The statuses of models without a fault."""


@dataclass(frozen=True, slots=True)
class Row:
    """The result of one cell.

    model: its path or URL as it was given; seconds, bytes: what the cell took and read, None where that is
    not known; detail: JSON; key: a digest of all that the result depends on, "" for a result that may be
    another one the next time; irops, runtime: versions of what computed it.
    """

    model: str
    task: str
    status: str
    seconds: float | None
    bytes: int | None
    detail: str
    key: str = ""
    irops: str = ""
    runtime: str = ""

    @property
    def details(self) -> dict[str, Any]:
        """The detail as an object: findings, counts of findings by rule, ops, a message …"""
        content: dict[str, Any] = json.loads(self.detail)
        return content

    @property
    def counts(self) -> dict[str, int]:
        """The number of findings by rule, those that are not listed included."""
        counts: dict[str, int] = self.details.get("counts", {}) if '"counts":' in self.detail else {}
        return counts

    @property
    def reason(self) -> str:
        """The first finding, the first wrong layer, or the message; "" where the detail has none of these."""
        detail = self.details
        for finding in detail.get("findings", ()):
            return f"{finding['severity']} {finding['code']} {finding['message']}"
        if "first" in detail:
            first = detail["first"]
            return f"{first['layer']} ({first['op']}) is {first['verdict']}: {first['reason']}"
        return str(detail.get("message", ""))

    @property
    def is_sound(self) -> bool:
        """Whether the status is pass or warn."""
        return self.status in SOUND

    @property
    def place(self) -> tuple[str, str]:
        """The key of the cell: model and task."""
        return self.model, self.task

    def __repr__(self) -> str:
        return f"<{self.status}: {self.task} of {self.model}>"


FORMAT = "irops survey"
MANIFEST, ROWS, LOCK = "survey.json", "rows.jsonl", ".lock"


class ReportFolder:
    """A folder with a report, locked while a survey writes to it; a context manager.

    Raises:  SurveyError where the folder is something else, cannot be written, or another survey writes to it
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = -1

    def __enter__(self) -> Self:
        _require_report(self.path, may_be_new=True)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            # where the lock is a link, nothing is created outside the folder
            flags = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
            self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | flags, 0o666)
        except OSError as error:
            raise SurveyError(
                f"the report {printable(str(self.path))} cannot be written: {error.strerror}"
            ) from None
        if not claim(self._lock, without_locks=True):
            os.close(self._lock)
            raise SurveyError(f"another survey writes to {printable(str(self.path))}; wait until it ends")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._lock)

    @property
    def rows(self) -> Path:
        """The file of rows."""
        return self.path / ROWS

    def write(self, name: str, text: str) -> None:
        """Write a file of the report: whole, or not at all. Raises: OSError"""
        with PendingFiles(self.path / name) as (file,):
            file.write(text.encode("utf-8", "surrogateescape"))

    def write_manifest(self, content: Mapping[str, Any]) -> None:
        """Write what the survey was asked for. Raises: OSError"""
        manifest = {"format": FORMAT, "schema": SCHEMA, **content}
        self.write(MANIFEST, json.dumps(manifest, indent=2) + "\n")


def _require_report(path: Path, *, may_be_new: bool) -> None:
    name = printable(str(path))
    try:
        names = {entry.name for entry in os.scandir(path)}
    except FileNotFoundError:
        if may_be_new:
            return
        raise SurveyError(f"there is no report {name}") from None
    except NotADirectoryError:
        raise SurveyError(f"{name} is a file; a report is a folder") from None
    except (OSError, ValueError) as error:  # a path that no system accepts
        raise SurveyError(f"the report {name} cannot be read: {getattr(error, 'strerror', error)}") from None
    if MANIFEST in names:
        _require_manifest(path / MANIFEST)
    elif not may_be_new:
        raise SurveyError(f"{name} is not the report of a survey: it has no {MANIFEST}")
    elif any(not entry.startswith(".") for entry in names):
        raise SurveyError(f"{name} holds other files and no {MANIFEST}; choose a new folder for the report")


def _require_manifest(path: Path) -> None:
    name, hint = printable(str(path)), "choose a new folder for the report"
    try:
        content = json.loads(content_of(path))
        schema = content["schema"] if content["format"] == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        schema = None
    if schema is None:
        raise SurveyError(f"{name} is not that of a survey; {hint}")
    if schema != SCHEMA:
        found = f"{name} is of a report of schema version {printable(str(schema))}"
        raise SurveyError(f"{found}, this irops reads version {SCHEMA}; {hint}")


SCHEMA = 1
"""The version of the columns and of what they mean."""
HEAD = json.dumps({"format": FORMAT, "schema": SCHEMA, "columns": [field.name for field in fields(Row)]})
"""The first line of a file of rows."""
LINE_BYTES = 1 << 24
"""A longer line is no row; a file has as many rows as there are cells."""
_VALUES = attrgetter(*(field.name for field in fields(Row)))


class Rows:
    """The rows of a survey, by cell: in a file, each written as it comes; without a path, in memory alone.

    notes: on lines that cannot be read, whose cells are done again
    Raises:  SurveyError for a file that cannot be read
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._file: IO[str] | None = None
        rows, damaged = read_rows(path) if path is not None and path.exists() else ([], 0)
        self.rows: dict[tuple[str, str], Row] = {row.place: row for row in rows}
        self.notes: tuple[str, ...] = ()
        if damaged:
            lines = f"{plural(damaged, 'line')} of {printable(str(path))} cannot be read"
            self.notes = (f"{lines}; the cells are done again",)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def add(self, row: Row) -> None:
        """Keep a row. Raises: OSError"""
        if self._file is None and self._path is not None:
            write_rows(self.rows.values(), self._path)  # whole lines, under a head
            self._file = self._path.open("a", encoding="ascii")
        self.rows[row.place] = row
        if self._file is not None:
            self._file.write(_line(row))
            self._file.flush()

    def compact(self, rows: list[Row]) -> None:
        """Keep these rows and no others, also in the file. Raises: OSError"""
        self.rows = {row.place: row for row in rows}
        self.__exit__()
        if self._path is not None:
            write_rows(rows, self._path)


def _line(row: Row) -> str:
    return f"{json.dumps(_VALUES(row))}\n"


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Write a file of rows: whole, or not at all. Raises: OSError"""
    with PendingFiles(path) as (file,):
        for line in (f"{HEAD}\n", *map(_line, rows)):
            file.write(line.encode("ascii"))


def read_rows(path: Path) -> tuple[list[Row], int]:
    """The rows of a file, and how many lines are no rows. Raises: SurveyError"""
    try:
        with open_regular(path) as file:
            file.readline(LINE_BYTES)  # the names of the columns
            found = [_row_of(line) for line in iter(lambda: file.readline(LINE_BYTES), b"")]
    except OSError as error:
        raise SurveyError(f"{printable(str(path))} cannot be read: {error.strerror or error}") from None
    rows = [row for row in found if row is not None]
    return rows, len(found) - len(rows)


def _row_of(line: bytes) -> Row | None:
    """The row of a line; None where it has none."""
    try:
        model, task, status, seconds, size, *texts = json.loads(line)
        numbers = all(number is None or not abs(number) > MAX_NUMBER for number in (seconds, size))
        are_texts = all(isinstance(text, str) for text in (model, task, *texts))
        is_row = numbers and status in STATUSES and are_texts
        if is_row and _is_detail(json.loads(texts[0])):
            return Row(model, task, status, seconds, size, *texts)
    except (ValueError, TypeError, LookupError, RecursionError):  # the line was cut off or changed
        return None
    return None


MAX_NUMBER = 1 << 63  # of seconds and bytes
_FINDING = frozenset(("code", "name", "severity", "message", "layer", "op", "line"))
_FIRST = frozenset(("layer", "op", "verdict", "reason"))


def _is_detail(detail: Any) -> bool:
    """Whether a detail is an object, and has the parts that reports read in their types, if it has them."""
    match {"counts": {}, "findings": [], "first": dict.fromkeys(_FIRST), "message": "", **detail}:
        case {"counts": dict(counts), "findings": [*findings], "first": dict(first), "message": str()}:
            return (
                all(isinstance(count, int) for count in counts.values())
                and all(
                    isinstance(finding[part], str | int | None) for finding in findings for part in _FINDING
                )
                and first.keys() >= _FIRST
            )
    return False


def results_csv(rows: Iterable[Row]) -> str:
    """Model, task, status, bytes and detail of each row."""
    contents = ((row.model, row.task, row.status, row.bytes, row.detail) for row in rows)
    return _csv(("model", "task", "status", "bytes", "detail"), contents)


def timings_csv(rows: Iterable[Row]) -> str:
    """Model, task and seconds of each row."""
    times = ((row.model, row.task, "" if row.seconds is None else f"{row.seconds:.6f}") for row in rows)
    return _csv(("model", "task", "seconds"), times)


def results_json(rows: Iterable[Row]) -> str:
    """The rows with their details as objects, one on each line."""
    lines = ",\n".join(
        f'{{"model":{json.dumps(row.model)},"task":{json.dumps(row.task)},"status":"{row.status}",'
        f'"bytes":{json.dumps(row.bytes)},"detail":{row.detail}}}'
        for row in rows
    )
    return f'{{"schema":{SCHEMA},"rows":[\n{lines}\n]}}\n'


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    """A value as spreadsheets take it: control characters escaped, and no text taken for a formula."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


@dataclass(frozen=True, slots=True)
class CellChange:
    """A cell with its status in the other survey and in this one; None where that survey lacks the cell."""

    model: str
    task: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Differences:
    """The cells whose status differs. new: in this survey alone; gone: in the other one alone."""

    better: tuple[CellChange, ...] = ()
    worse: tuple[CellChange, ...] = ()
    new: tuple[CellChange, ...] = ()
    gone: tuple[CellChange, ...] = ()

    @property
    def is_worse(self) -> bool:
        """Whether a cell is worse, or a new one is neither pass nor warn."""
        return bool(self.worse) or any(change.after not in SOUND for change in self.new)

    def to_json(self) -> dict[str, Any]:
        """The differences for machines."""
        return {"schema": SCHEMA, "is_worse": self.is_worse, **asdict(self)}


def rows_of_report(path: Path) -> list[Row]:
    """The rows of a report. Raises: SurveyError where there is no such report"""
    _require_report(path, may_be_new=False)
    file = ReportFolder(path).rows
    rows, _ = read_rows(file) if file.exists() else ([], 0)
    return list({row.place: row for row in rows}.values())


def differences(before: Iterable[Row], after: Iterable[Row]) -> Differences:
    """The differences between the rows of another survey and those of this one."""
    old, new = ({row.place: row.status for row in rows} for rows in (before, after))
    changes: dict[str, list[CellChange]] = {"better": [], "worse": [], "new": [], "gone": []}
    for place in sorted(old.keys() | new.keys()):
        change = CellChange(*place, old.get(place), new.get(place))
        if change.before is None or change.after is None:
            changes["new" if change.before is None else "gone"].append(change)
        elif change.before != change.after:
            is_worse = STATUSES.index(change.after) > STATUSES.index(change.before)
            changes["worse" if is_worse else "better"].append(change)
    return Differences(**{kind: tuple(of_kind) for kind, of_kind in changes.items()})


@dataclass(frozen=True, slots=True, repr=False)
class SurveyTable(Sequence[Row]):
    """The rows of a survey, one for each model and task, sorted by both.

    done: how many cells this survey did; the others were unchanged since an earlier one; notes: sentences
    about what was left out; output: the folder of the report; differences: from another report.
    """

    rows: tuple[Row, ...]
    done: int = 0
    notes: tuple[str, ...] = ()
    output: Path | None = None
    differences: Differences | None = None

    @property
    def ok(self) -> bool:
        """Whether every row is pass or warn."""
        return all(row.is_sound for row in self.rows)

    @property
    def unchanged(self) -> int:
        """The number of cells that an earlier survey did."""
        return len(self.rows) - self.done

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """The number of rows of each status, the best status first, by task."""
        counts: dict[str, Counter[str]] = {}
        for row in self.rows:
            counts.setdefault(row.task, Counter())[row.status] += 1
        return {
            task: {status: found[status] for status in STATUSES if status in found}
            for task, found in sorted(counts.items())
        }

    def rules(self, count: int | None = 10) -> list[tuple[str, int, int]]:
        """The most frequent rules, all for None: code, number of models, number of findings, of which those
        that several tasks meet in a model count once.
        """
        models: dict[str, Counter[str]] = {}
        for row in self.rows:
            for code, number in row.counts.items():
                of_code = models.setdefault(code, Counter())
                of_code[row.model] = max(of_code[row.model], number)
        findings = {code: of_code.total() for code, of_code in models.items()}
        order = sorted(findings, key=lambda code: (-len(models[code]), -findings[code], code))
        return [(code, len(models[code]), findings[code]) for code in order[:count]]

    def to_csv(self, path: StrPath) -> None:
        """Write what does not depend on time to a CSV file. Raises: OSError"""
        with PendingFiles(local_target(path)) as (file,):
            file.write(results_csv(self.rows).encode("utf-8", "surrogateescape"))

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __bool__(self) -> bool:
        """True even without rows, unlike other sequences."""
        return True

    def __repr__(self) -> str:
        statuses = Counter(row.status for row in self.rows)
        counted = ", ".join(f"{statuses[status]} {status}" for status in STATUSES if status in statuses)
        models = len({row.model for row in self.rows})
        return f"<Survey of {plural(models, 'model')}: {counted or 'no rows'}>"

    def _repr_html_(self) -> str:
        """A table for notebooks: the rows, the worst first."""
        worst = sorted(self.rows, key=lambda row: -STATUSES.index(row.status))
        rows = (
            (row.model, row.task, row.status, "" if row.seconds is None else f"{row.seconds:.3f}", row.reason)
            for row in worst
        )
        return html_table(repr(self)[1:-1], ("model", "task", "status", "seconds", "reason"), rows)


EXCEEDED = {"": "crash", "seconds": "timeout", "memory": "memory"}
"""The status of a cell whose process died, by the bound that it exceeded."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A model and a task. key: a digest of all that the result depends on; "" where that is not known."""

    model: ListedModel
    task: Task
    key: str

    @property
    def place(self) -> tuple[str, str]:
        return self.model.name, self.task.text


def _outcome(result: CellOutcome | Died | Failed, settings: SurveySettings) -> CellOutcome:
    if isinstance(result, CellOutcome):
        return result
    if isinstance(result, Failed):
        return CellOutcome("error", None, None, _message(f"irops failed: {result}"), True)
    status = "lost" if result.lost else EXCEEDED[result.exceeded]
    seconds = settings.seconds if status == "timeout" else None
    return CellOutcome(status, seconds, None, _message(f"the process {result}"), status == "lost")


def _message(text: str) -> str:
    return detail_text({"message": text[:MAX_TEXT]})


STATUS_STYLES = {
    "pass": ("✓", "no findings"),
    "warn": ("▲", "warnings only"),
    "unsupported": ("–", "a source declines the model"),
    "fail": ("✕", "findings that are errors, values that differ, or a release that does not read it"),
    "error": ("?", "not judged: unreadable, denied, or without inputs"),
    "timeout": ("◔", "exceeded the limit on time"),
    "memory": ("▦", "exceeded the limit on memory"),
    "crash": ("■", "the process ended"),
    "lost": ("↺", "the workers were lost again and again"),
}
"""Symbol and meaning by status: a status has a symbol and a word besides its colour."""
CHANGE_STYLES = {
    "worse": ("↓", "a worse status than in the earlier survey"),
    "better": ("↑", "a better status than in the earlier survey"),
    "new": ("+", "only in this survey"),
    "gone": ("−", "only in the earlier survey"),
}
"""The same by how a status differs from that of an earlier survey."""
MAX_MODELS = 20_000
"""How many models the matrix has."""
MAX_TEXTS = 6 << 20
"""How many characters of findings the page has."""
FINDINGS, FINDINGS_LATER = 10, 1
"""How many findings of a cell the page has, and how many once half of MAX_TEXTS is used."""
MAX_WORSE = 50
"""How many cells that are worse are listed."""
MAX_MESSAGE, MAX_NAME = 400, 300
DEFAULTS: tuple[Any, ...] = (None, 0, [], [], -1, -1)
"""The fields that the row of a cell may lack."""


def report_page(table: SurveyTable, settings: Mapping[str, Any], cells: int) -> str:
    """index.html. settings: names and values that the page lists, without credentials; cells: of the whole
    survey, of which some are missing where it was interrupted

    Raises:  MissingExtraError
    """
    found = table.differences
    changes = {} if found is None else {kind: getattr(found, kind) for kind in CHANGE_STYLES}
    matrix = Matrix(table, changes)
    counts: dict[str, Counter[str]] = {}
    for row in table:
        counts.setdefault(row.status, Counter())[plain(row.task)] += 1
    models = len({row.model for row in table})
    return render(
        "survey.html",
        title=f"Survey of {models:,} model{'' if models == 1 else 's'}",
        summary=_summary(table, models, cells),
        tasks=matrix.tasks,
        statuses=STATUS_STYLES,
        counts=counts,
        compares=found is not None,
        changes=CHANGE_STYLES,
        changed={
            kind: Counter(plain(change.task) for change in of_kind)
            for kind, of_kind in changes.items()
            if of_kind
        },
        worse=changes.get("worse", ()),
        most_worse=MAX_WORSE,
        rules=list(_rules(table, matrix)),
        data=matrix.data(),
        left_out=matrix.left_out,
        settings={name: _setting(value) for name, value in settings.items()},
    )


def _summary(table: SurveyTable, models: int, cells: int) -> str:
    if not len(table):
        return "The survey has no results."
    faulty = len({row.model for row in table if not row.is_sound})
    if len(table) < cells:
        done = f"{len(table):,} of {plural(cells, 'cell')}"
        return f"The survey was interrupted after {done}; {plural(faulty, 'model')} so far not pass or warn."
    return f"{models - faulty:,} of {plural(models, 'model')} are pass or warn in every task."


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A rule with the number of models and findings. page: the address of its page, None without one"""

    code: str
    name: str
    severity: str
    summary: str
    page: str | None
    models: int
    findings: int


def _rules(table: SurveyTable, matrix: "Matrix") -> Iterator[RuleLine]:
    known = {rule.code: rule for rule in all_rules()}
    for code, models, findings in table.rules(None):
        rule, shown = known.get(code), plain(code, MAX_NAME)
        if rule is None:
            yield RuleLine(shown, *matrix.about.get(shown, ("", "")), "", None, models, findings)
        else:
            yield RuleLine(code, rule.name, rule.severity, rule.summary, page_of(rule), models, findings)


def _setting(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_setting(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_setting, value))
    return "" if value is None else str(value)


def _numbered() -> defaultdict[Any, int]:
    """A table that numbers the values that are looked up in it."""
    numbers: defaultdict[Any, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    return numbers


class Matrix:
    """The models of a survey and those that are gone, each with a cell for each task, up to MAX_MODELS.

    about: name and severity of each rule by code, as findings give them
    """

    def __init__(self, table: SurveyTable, changes: Mapping[str, Iterable[CellChange]]) -> None:
        self.about: dict[str, tuple[str, str]] = {}
        self._rules, self._findings, self._used = _numbered(), _numbered(), 0
        rows = {row.place: row for row in table}
        moved: dict[tuple[str, str], tuple[str, CellChange]] = {}
        for kind, of_kind in changes.items():
            moved |= {(change.model, change.task): (kind, change) for change in of_kind}
        places = rows.keys() | moved.keys()
        names, tasks = (sorted({place[part] for place in places}) for part in (0, 1))
        self.tasks = [plain(task) for task in tasks]
        self.left_out = max(0, len(names) - MAX_MODELS)
        self._models: list[list[Any]] = []
        for name in names[:MAX_MODELS]:
            cells = [self._cell(rows.get((name, task)), moved.get((name, task))) for task in tasks]
            self._models.append([plain(name, MAX_NAME), cells])

    def data(self) -> dict[str, Any]:
        """The matrix as an object of JSON, from which the script of the page makes rows."""
        return {
            "statuses": [[name, symbol] for name, (symbol, _) in STATUS_STYLES.items()],
            "changes": [[name, symbol] for name, (symbol, _) in CHANGE_STYLES.items()],
            "tasks": self.tasks,
            "rules": [[code, self.about.get(code, ("", ""))[0]] for code in self._rules],
            "findings": list(self._findings),
            "models": self._models,
        }

    def _cell(self, row: Row | None, moved: tuple[str, CellChange] | None) -> Any:
        """Status, number of findings, numbers of rules, of findings, change, earlier status; 0: no cell."""
        if row is None and moved is None:
            return 0
        counts = {} if row is None else row.counts
        cell = [
            -1 if row is None else STATUSES.index(row.status),
            sum(counts.values()),
            sorted(self._rules[plain(code, MAX_NAME)] for code in counts),
            [] if row is None else self._notes(row.details),
            -1 if moved is None else list(CHANGE_STYLES).index(moved[0]),
            -1 if moved is None or moved[1].before is None else STATUSES.index(moved[1].before),
        ]
        while len(cell) > 1 and cell[-1] == DEFAULTS[len(cell) - 1]:
            cell.pop()
        return cell

    def _notes(self, detail: Mapping[str, Any]) -> list[int]:
        """The numbers of the first findings of a cell, of its message and of its first wrong layer."""
        room = FINDINGS if self._used < MAX_TEXTS // 2 else FINDINGS_LATER
        if self._used >= MAX_TEXTS:
            return []
        first = ", ".join(f"{key} {value}" for key, value in detail.get("first", {}).items())
        texts = (detail.get("message"), first and f"first wrong layer: {first}")
        notes = [self._finding(finding) for finding in detail.get("findings", ())[:room]]
        notes += [(-1, "error", plain(text, MAX_MESSAGE), "", "", 0) for text in texts if text]
        self._used += sum(
            sum(len(str(part)) for part in note) for note in notes if note not in self._findings
        )
        return [self._findings[note] for note in notes]

    def _finding(self, stored: Mapping[str, Any]) -> tuple[Any, ...]:
        """Number of the rule, severity, message, layer, op, line."""
        code, *texts = (
            plain(stored[key] or "", MAX_NAME) for key in ("code", "name", "severity", "layer", "op")
        )
        name, severity, layer, op = texts
        self.about.setdefault(code, (name, severity))
        message = plain(stored["message"], MAX_MESSAGE)
        return self._rules[code], severity, message, layer, op, stored["line"] or 0


AGAINST, INDEX = "against.json", "index.html"
Progress = Callable[[int, int, object], None]
"""Called with the number of cells done, the number of cells to do, and the name of a model."""


@dataclass(frozen=True, slots=True)
class Request:
    """The request of a survey. again: statuses of earlier results that do not count."""

    listing: Listing
    tasks: tuple[Task, ...]
    settings: SurveySettings
    output: Path | None = None
    against: Path | None = None
    again: tuple[str, ...] = ()


def surveyed(request: Request, workers: Workers, progress: Progress | None = None) -> SurveyTable:
    """The table of a survey; its report is in request.output.

    Raises:  SurveyError; Interrupted after Ctrl-C: what is done is kept
    """
    lacking = None if request.output is None else missing_libraries("survey", "jinja2")
    if lacking is not None:
        raise SurveyError(f"the report is made by jinja2: {lacking}")
    before = None if request.against is None else _other_rows(request)
    try:
        with ExitStack() as opened:
            folder = None if request.output is None else opened.enter_context(ReportFolder(request.output))
            store = opened.enter_context(Rows(None if folder is None else folder.rows))
            table = _Survey(request, folder, store).table(workers, progress, before)
    except OSError as error:
        place = f"{printable(str(error.filename))}: " if error.filename else ""
        raise SurveyError(
            f"{place}{error.strerror or error}; the rows that are written are kept, the next survey goes on"
        ) from None
    return table


def _other_rows(request: Request) -> list[Row]:
    assert request.against is not None
    if request.output is not None and os.path.realpath(request.output) == os.path.realpath(request.against):
        raise SurveyError("the report to compare with is the one that is written; choose another output")
    return rows_of_report(request.against)


class _Survey:
    """One survey: its cells in the order of the table, and the folder of its report, which may be None."""

    def __init__(self, request: Request, folder: ReportFolder | None, store: Rows) -> None:
        self._request, self._folder, self._store = request, folder, store
        models, digest = request.listing.models, request.settings.digest()
        self._runtimes = {task.text: runtime_of(task) for task in request.tasks}
        self._identities = Identities([model.path for model in models], request.settings.limits)
        cells: dict[tuple[str, str], Cell] = {}
        for model in models:
            identity = self._identities.of(model.path)
            for task in request.tasks:
                parts = identity, task.text, self._runtimes[task.text], digest
                cell = Cell(model, task, key_of(*map(str.encode, parts)) if identity else "")
                cells[cell.place] = cell
        self._cells = dict(sorted(cells.items()))

    def table(self, workers: Workers, progress: Progress | None, before: Iterable[Row] | None) -> SurveyTable:
        to_do = [cell for cell in self._cells.values() if not self._is_done(cell)]
        if self._folder is not None:
            self._folder.write_manifest(self._manifest())  # before any row: an interrupted survey is a report
        for cell in to_do:
            self._store.rows.pop(cell.place, None)
        try:
            self._do(to_do, workers, progress)
        except (SystemExit, ClusterError):
            self._finish(len(to_do))
            raise
        except KeyboardInterrupt:
            raise Interrupted(len(self._finish(len(to_do))), len(self._cells)) from None
        table = self._finish(len(to_do), before)
        self._store.compact(list(table))
        return table

    def _is_done(self, cell: Cell) -> bool:
        """Whether there is a row that is still true."""
        row = self._store.rows.get(cell.place)
        if row is None or row.status in self._request.again or not cell.key:
            return False
        return row.key == self._key(cell, row.status)

    def _key(self, cell: Cell, status: str) -> str:
        """The key of a result: one that exceeded a bound depends on the bound, too."""
        bounds = {"timeout": self._request.settings.seconds, "memory": self._request.settings.memory}
        return f"{cell.key} {status}={bounds[status]:.0f}" if status in bounds else cell.key

    def _row(self, cell: Cell, result: CellOutcome | Died | Failed) -> Row:
        """The row of a cell from what came of it."""
        status, seconds, size, detail, transient = _outcome(result, self._request.settings)
        lasting = not transient and self._identities.is_unchanged(cell.model.path)
        key = self._key(cell, status) if lasting else ""
        runtime = self._runtimes[cell.task.text]
        return Row(*cell.place, status, seconds, size, detail, key, own_version(), runtime)

    def _do(self, to_do: Sequence[Cell], workers: Workers, progress: Progress | None) -> None:
        settings = self._request.settings
        items = [(cell.model.path, cell.task) for cell in to_do]
        workers.require_files([os.path.abspath(path) for path, _ in items if not Place.of(path).is_remote])
        arguments = (settings, os.getcwd(), self._runtimes)
        results = workers.run(prepare, arguments, items, seconds=settings.seconds, memory=settings.memory)
        for done, (index, result) in enumerate(results, 1):
            self._store.add(self._row(to_do[index], result))
            if progress is not None:
                progress(done, len(items), to_do[index].model.name)

    def _finish(self, to_do: int, before: Iterable[Row] | None = None) -> SurveyTable:
        """Write what is done, also of a survey that is interrupted."""
        request, kept = self._request, self._store.rows
        rows = [kept[place] for place in self._cells if place in kept]
        found = None if before is None else differences(before, rows)
        notes = (*request.listing.notes, *self._store.notes)
        table = SurveyTable(tuple(rows), to_do, notes, request.output, found)
        if self._folder is not None:
            self._folder.write("results.csv", results_csv(rows))
            self._folder.write("results.json", results_json(rows))
            self._folder.write("timings.csv", timings_csv(rows))
            (self._folder.path / AGAINST).unlink(missing_ok=True)  # that of the survey before
            if found is not None:
                self._folder.write(AGAINST, json.dumps(found.to_json(), indent=1) + "\n")
            self._folder.write(INDEX, report_page(table, self._manifest(), len(self._cells)))
        return table

    def _manifest(self) -> dict[str, Any]:
        request = self._request
        return {
            "irops": own_version(),
            "models": len(request.listing.models),
            "tasks": [task.text for task in request.tasks],
            "runtimes": {task: runtime for task, runtime in self._runtimes.items() if runtime},
            "settings": _finite(asdict(request.settings)),
        }


def _finite(content: Any) -> Any:
    """Options as JSON has them: inf as text."""
    if isinstance(content, dict):
        return {key: _finite(value) for key, value in content.items()}
    return "inf" if content == float("inf") else content


def survey(
    models: StrPath | Sequence[StrPath],
    tasks: str | Sequence[str] = ("check",),
    *,
    sources: str | Sequence[str] = (),
    targets: str | Sequence[str] = (),
    client: Any = None,
    processes: int | None = None,
    output: StrPath | None = None,
    against: StrPath | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
    seconds: float = SECONDS,
    memory: float | None = None,
    progress: Progress | None = None,
) -> SurveyTable:
    """A table with a row for each model and each task.

    models: files, folders, patterns (zoo/**/*.xml), URLs, @FILE for a list of these; tasks: check, infer,
    run, compare, target; sources: what run and compare compute with ("reference", "openvino:CPU"; compare
    takes the first as right); targets: releases of OpenVINO ("2023.3").
    client: a distributed.Client, whose workers do the work; processes: of this machine, if there is no
    client.
    output: a folder for the report, in which the next survey finds what is unchanged; against: the folder of
    another report, for table.differences. seconds, memory: what a model and a task may take, and the bytes
    that their process may use, before it is killed.
    progress: called with (cells done, cells to do, model)
    Raises:  SurveyError (a ValueError) for what does not exist or cannot be written; ValueError for a number
        that is not above 0; ClusterError if a cluster has no workers
    """
    require_above_zero(processes=processes or None, seconds=seconds, memory=memory)
    limits = limits or Limits()
    workers = Workers(processes) if client is None else ClusterWorkers(client)
    settings = SurveySettings(
        limits,
        seconds,
        limits.process_memory / workers.count if memory is None else memory,
        folders=() if registry is None else registry.folders,
        modules=() if registry is None else registry.modules,
    )
    request = Request(
        listing([models] if isinstance(models, (str, os.PathLike)) else models),
        tasks_of(_words(tasks), _words(sources), _words(targets)),
        settings,
        None if output is None else Path(output),
        None if against is None else Path(against),
    )
    try:
        return surveyed(request, workers, progress)
    finally:
        workers.close()


def _words(given: str | Sequence[str]) -> Sequence[str]:
    return (given,) if isinstance(given, str) else given
