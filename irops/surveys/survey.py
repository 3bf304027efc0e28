"""irops.survey: many models, each with many tasks, in one table."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from irops.diagnostics.formats import page_of
from irops.diagnostics.printable import plural, printable
from irops.diagnostics.rules import all_rules
from irops.dialects.registry import Registry
from irops.environment import missing_libraries
from irops.files.limits import Limits
from irops.files.urls import is_url
from irops.pages.render import plain, render
from irops.surveys.identity import Identities, key_of
from irops.surveys.listing import ListedModel, Listing, listing
from irops.surveys.store import (
    IDENTITIES,
    STATUSES,
    CellChange,
    ReportFolder,
    Row,
    Rows,
    SurveyTable,
    differences,
    results_csv,
    results_json,
    rows_of_report,
    timings_csv,
)
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
from irops.work.workers import ClusterError, LocalWorkers, Workers

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


class Cells:
    """The cells of a survey in the order of the table."""

    def __init__(
        self,
        models: Iterable[ListedModel],
        tasks: Sequence[Task],
        settings: SurveySettings,
        identities: Identities,
    ) -> None:
        self._settings, self._identities = settings, identities
        self.runtimes = {task.text: runtime_of(task) for task in tasks}
        parts = {
            task: [text.encode() for text in (task.text, self.runtimes[task.text], settings.digest())]
            for task in tasks
        }
        models = tuple(models)
        identities.ask_for([model.path for model in models if is_url(model.path)], settings.limits)
        self._all: dict[tuple[str, str], Cell] = {}
        for model in models:
            identity = identities.of(model.path)
            for task, of_task in parts.items():
                cell = Cell(model, task, key_of(identity.encode(), *of_task) if identity else "")
                self._all[cell.place] = cell

    def __len__(self) -> int:
        return len(self._all)

    def to_do(self, rows: Mapping[tuple[str, str], Row], again: Sequence[str] = ()) -> list[Cell]:
        """The cells without a row that is still true. again: statuses of rows that do not count"""
        cells = [(rows.get(place), cell) for place, cell in sorted(self._all.items())]
        return [
            cell for row, cell in cells if not row or row.status in again or not self._is_current(cell, row)
        ]

    def in_order(self, rows: Mapping[tuple[str, str], Row]) -> list[Row]:
        """The rows of the cells, in the order of the table."""
        return [rows[place] for place in sorted(self._all) if place in rows]

    def row(self, cell: Cell, result: CellOutcome | Died | Failed) -> Row:
        """The row of a cell from what came of it."""
        outcome = _outcome(result, self._settings)
        lasting = not outcome.transient and self._identities.is_unchanged(cell.model.path)
        model, task = cell.place
        found = (outcome.status, outcome.seconds, outcome.bytes, outcome.detail)
        key = self._key(cell, outcome.status) if lasting else ""
        return Row(model, task, *found, key, own_version(), self.runtimes[task])

    def _is_current(self, cell: Cell, row: Row) -> bool:
        return bool(cell.key) and row.key == self._key(cell, row.status)

    def _key(self, cell: Cell, status: str) -> str:
        """The key of a result: one that exceeded a bound depends on the bound, too."""
        if not cell.key:
            return ""
        bounds = {"timeout": self._settings.seconds, "memory": self._settings.memory}
        return f"{cell.key} {status}={bounds[status]:.0f}" if status in bounds else cell.key


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


STATUS_LOOKS = {
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
CHANGE_LOOKS = {
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
    changes = {} if found is None else {kind: getattr(found, kind) for kind in CHANGE_LOOKS}
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
        statuses=STATUS_LOOKS,
        counts=counts,
        compares=found is not None,
        changes=CHANGE_LOOKS,
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


class NumberedValues:
    """Values that are stored once, with the number of each."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def __getitem__(self, value: Any) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def __contains__(self, value: Any) -> bool:
        return value in self._numbers

    def values(self) -> list[Any]:
        return list(self._numbers)


class Matrix:
    """The models of a survey and those that are gone, each with a cell for each task, up to MAX_MODELS.

    about: name and severity of each rule by code, as findings give them
    """

    def __init__(self, table: SurveyTable, changes: Mapping[str, Iterable[CellChange]]) -> None:
        self.about: dict[str, tuple[str, str]] = {}
        self._rules, self._findings, self._used = NumberedValues(), NumberedValues(), 0
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
            "statuses": [[name, symbol] for name, (symbol, _) in STATUS_LOOKS.items()],
            "changes": [[name, symbol] for name, (symbol, _) in CHANGE_LOOKS.items()],
            "tasks": self.tasks,
            "rules": [[code, self.about.get(code, ("", ""))[0]] for code in self._rules.values()],
            "findings": self._findings.values(),
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
            -1 if moved is None else list(CHANGE_LOOKS).index(moved[0]),
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
    """One survey, with the folder of its report, which may be None."""

    def __init__(self, request: Request, folder: ReportFolder | None, store: Rows) -> None:
        self._request, self._folder, self._store = request, folder, store
        self._identities = Identities(None if folder is None else folder.identities())
        self._cells = Cells(request.listing.models, request.tasks, request.settings, self._identities)

    def table(self, workers: Workers, progress: Progress | None, before: Iterable[Row] | None) -> SurveyTable:
        to_do = self._cells.to_do(self._store.rows, self._request.again)
        if self._folder is not None:
            self._folder.write_manifest(self._manifest())
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

    def _do(self, to_do: Sequence[Any], workers: Workers, progress: Progress | None) -> None:
        settings = self._request.settings
        items = [(cell.model.path, cell.task) for cell in to_do]
        workers.require_files([os.path.abspath(path) for path, _ in items if not is_url(path)])
        arguments = (settings, os.getcwd(), self._cells.runtimes)
        results = workers.run(prepare, arguments, items, seconds=settings.seconds, memory=settings.memory)
        for done, (index, result) in enumerate(results, 1):
            self._store.add(self._cells.row(to_do[index], result))
            if progress is not None:
                progress(done, len(items), to_do[index].model.name)

    def _finish(self, to_do: int, before: Iterable[Row] | None = None) -> SurveyTable:
        """Write what is done, also of a survey that is interrupted."""
        request, rows = self._request, self._cells.in_order(self._store.rows)
        found = None if before is None else differences(before, rows)
        notes = (*request.listing.notes, *self._store.notes)
        table = SurveyTable(tuple(rows), to_do, notes, request.output, found)
        if self._folder is not None:
            self._folder.write(IDENTITIES, json.dumps(self._identities.to_json()))
            self._folder.write("results.csv", results_csv(rows))
            self._folder.write("results.json", results_json(rows))
            self._folder.write("timings.csv", timings_csv(rows))
            (self._folder.path / AGAINST).unlink(missing_ok=True)
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
            "runtimes": {task: runtime for task, runtime in self._cells.runtimes.items() if runtime},
            "settings": _finite(asdict(request.settings)),
        }


def _finite(content: Any) -> Any:
    """Options as JSON has them: inf as text."""
    if isinstance(content, dict):
        return {key: _finite(value) for key, value in content.items()}
    return "inf" if content == float("inf") else content


StrPath = str | os.PathLike[str]


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
    Raises:  SurveyError (a ValueError) for what does not exist or cannot be written; ClusterError if a
        cluster has no workers
    """
    limits = limits or Limits()
    workers = LocalWorkers(processes) if client is None else ClusterWorkers(client)
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
