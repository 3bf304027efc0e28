"""The tasks of a survey: what is asked of each model, and what comes back; those that compute no values."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from irops.analysis.checks.releases import why_no_target
from irops.analysis.checks.run import check_as_read
from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis, infer
from irops.analysis.structure import LayerNode
from irops.diagnostics.diagnostic import (
    PATH_RULES,
    TRANSIENT,
    USAGE_RULES,
    Diagnostic,
    DiagnosticError,
    ReadError,
    Severity,
)
from irops.diagnostics.printable import abridged
from irops.diagnostics.report import Report
from irops.diagnostics.suggestions import meant_or_all
from irops.dialects.reading import load
from irops.dialects.registry import Registry
from irops.environment import no_collection
from irops.files.limits import LIMIT_OF_RULE, Limits, recursion_limit_for
from irops.files.storage import bytes_read
from irops.spec.definition import OPENVINO
from irops.spec.extension import OPS, RULES, load_installed_rules, load_rules
from irops.spec.releases import releases
from irops.surveys.identity import key_of
from irops.work.cluster import content
from irops.work.serving import Work


def detail_text(detail: Mapping[str, Any]) -> str:
    """The detail of a row as text: equal for equal content."""
    return json.dumps(detail, sort_keys=True, separators=(",", ":"))


class CellOutcome(NamedTuple):
    """The result of a cell. detail: as detail_text gives it; transient: another attempt may give another."""

    status: str
    seconds: float | None
    bytes: int | None
    detail: str
    transient: bool = False


class SurveyError(ValueError):
    """A survey cannot be carried out as it is asked for; the message gives the reason."""


class Interrupted(KeyboardInterrupt):
    """A survey was interrupted; what is done is kept. done, of: the number of cells."""

    def __init__(self, done: int, of: int) -> None:
        super().__init__(f"{done:,} of {of:,} cells are done and kept")
        self.done, self.of = done, of


KINDS = ("check", "infer", "run", "compare", "target")
DEVICE = "openvino:"
REFERENCE = "reference"
SOURCES = "irops.surveys.computing"
"""Imported where there are sources: it imports all that computes values."""
DEFAULT_SOURCES = {"run": (REFERENCE,), "compare": (REFERENCE, "openvino:CPU")}


@dataclass(frozen=True, slots=True)
class Task:
    """A question about a model. variant: the source of run, the two of compare, the release of target."""

    kind: str
    variant: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As the table has it: check, run:reference, compare:reference,openvino:CPU, target:2023.3."""
        return ":".join((self.kind, ",".join(self.variant))) if self.variant else self.kind


def tasks_of(kinds: Sequence[str], sources: Sequence[str], targets: Sequence[str]) -> tuple[Task, ...]:
    """The tasks of some kinds, for each source and each release, without duplicates.

    Raises:  SurveyError for a kind, a source or a release that does not exist, or that nothing uses
    """
    for kind in kinds:
        if kind not in KINDS:
            raise SurveyError(f"unknown task {kind!r}; {meant_or_all(kind, KINDS)}")
    if not kinds:
        raise SurveyError(f"no tasks; expected some of {', '.join(KINDS)}")
    if sources and not {"run", "compare"} & set(kinds):
        raise SurveyError("sources are for the tasks run and compare; neither is among the tasks")
    if targets and "target" not in kinds:
        raise SurveyError("targets are for the task target, which is not among the tasks")
    tasks = [task for kind in KINDS if kind in kinds for task in _of_kind(kind, sources, targets)]
    used = dict.fromkeys(source for task in tasks if task.kind in DEFAULT_SOURCES for source in task.variant)
    if used:
        import_module(SOURCES).require_sources(used)
    return tuple(dict.fromkeys(tasks))


def _of_kind(kind: str, sources: Sequence[str], targets: Sequence[str]) -> Iterator[Task]:
    match kind:
        case "run":
            yield from (Task(kind, (source,)) for source in sources or DEFAULT_SOURCES[kind])
        case "compare":
            first, *others = sources or DEFAULT_SOURCES[kind]
            if not others:
                raise SurveyError(
                    f"the task compare needs two sources; there is only {first}: reference,openvino:CPU"
                )
            yield from (Task(kind, (first, other)) for other in others)
        case "target":
            if not targets:
                raise SurveyError("the task target needs releases as targets, such as 2023.3")
            yield from (Task(kind, (_release(target),)) for target in targets)
        case _:
            yield Task(kind)


def _release(text: str) -> str:
    try:
        return releases().named(text)
    except ValueError as error:
        raise SurveyError(f"target {error}") from None


SECONDS = 900.0
"""How long a cell may take, unless the caller says."""
_SUFFIXES = (".py", ".xml", ".rng")


@dataclass(frozen=True, slots=True)
class SurveySettings:
    """How models are examined.

    seconds, memory: bounds of each cell, in seconds and bytes; select, ignore: rules, as in check; rules:
    modules of custom rules; folders, modules: of custom ops, as in Registry; seed: of random inputs.
    """

    limits: Limits = field(default_factory=Limits)
    seconds: float = SECONDS
    memory: float = inf
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    seed: int = 0

    def digest(self) -> str:
        """A digest of all that results depend on: options, code and definitions, custom ones included.

        The bounds are left out: a result within them is the same for others.
        """
        options = asdict(self)
        del options["seconds"], options["memory"]
        custom = [Path(folder) for folder in self.folders]
        custom += [path for name in (*self.rules, *self.modules) if (path := _module_file(name))]
        return key_of(
            json.dumps(options, sort_keys=True).encode(),
            content().encode(),
            *(part for place in custom for part in _files(place)),
            *map(str.encode, _plugins()),
        )


def runtime_of(task: Task) -> str:
    """The versions of the libraries that compute the values of a task; "" where nothing is computed."""
    if task.kind not in DEFAULT_SOURCES:
        return ""
    return ", ".join(dict.fromkeys(map(_runtime, task.variant)))


def _runtime(source: str) -> str:
    name = source.partition(":")[0]
    if name == REFERENCE:
        name = "numpy"
    for entry in entry_points(group="irops.backends", name=name):
        if entry.dist is not None:
            return f"{name} {entry.dist.version}"
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return name


def _files(place: Path) -> Iterator[bytes]:
    """The names and digests of the files of custom code and definitions at a place, wherever that is."""
    files = sorted(place.rglob("*")) if place.is_dir() else [place]
    for file in files:
        if file.suffix in _SUFFIXES and file.is_file():
            name = file.relative_to(place).as_posix() if place.is_dir() else file.name
            yield name.encode("utf-8", "surrogateescape")
            yield blake2b(file.read_bytes(), digest_size=32).digest()


def _module_file(name: str) -> Path | None:
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):  # reported when it is imported
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin)


def _plugins() -> list[str]:
    """The packages that add ops or rules, with their versions."""
    entries = (entry for group in (OPS, RULES) for entry in entry_points(group=group))
    return sorted(
        f"{entry.value} {entry.dist.name} {entry.dist.version}" for entry in entries if entry.dist is not None
    )


MAX_FINDINGS = 50
"""How many findings of a cell are listed; all are counted."""
MAX_TEXT, MAX_NAME = 500, 200
MAX_OPS, MAX_OUTPUTS = 1000, 64

Detail = dict[str, Any]


def findings_detail(findings: Sequence[Diagnostic], analysis: ModelAnalysis | None = None) -> Detail:
    """The findings of a cell, the errors first, and the number of findings of each rule.

    analysis: for the ops of the layers
    """
    if not findings:
        return {}
    worst_first = sorted(findings, key=lambda finding: finding.severity is not Severity.ERROR)
    return {
        "counts": dict(Counter(finding.code for finding in findings)),
        "findings": [_finding(finding, analysis) for finding in worst_first[:MAX_FINDINGS]],
    }


def status_of(findings: Iterable[Diagnostic]) -> str:
    """The status of a model with some findings."""
    severities = set()
    for finding in findings:
        if finding.name in PATH_RULES:
            return "error"
        severities.add(finding.severity)
    if Severity.ERROR in severities:
        return "fail"
    return "warn" if severities else "pass"


def refusal_status(findings: Sequence[Diagnostic]) -> str:
    """The status of a model that cannot be computed for some reasons."""
    names = {finding.name for finding in findings}
    if names & (PATH_RULES | USAGE_RULES | LIMIT_OF_RULE.keys()):
        return "error"
    return "unsupported" if "unsupported-op" in names else "fail"


def op_counts(analysis: ModelAnalysis) -> dict[str, int]:
    """The number of layers of each op, those of bodies included; the most frequent ones if there are many."""
    counts: Counter[str] = Counter()
    for graph in analysis.graphs:
        for node in graph.layers.values():
            counts[_op_name(node)] += 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_OPS])


def outputs_detail(analysis: ModelAnalysis, inferred: Inferred) -> dict[str, str]:
    """Type and shape of the results of a model, by name."""
    facts = {port.name: inferred.of(port.layer.id).inputs for port in analysis.signature.results}
    shown = {name: found[0].spelled for name, found in facts.items() if found and found[0] is not None}
    return {
        abridged(name, MAX_NAME): abridged(fact, MAX_NAME) for name, fact in list(shown.items())[:MAX_OUTPUTS]
    }


def _finding(finding: Diagnostic, analysis: ModelAnalysis | None) -> Detail:
    where = finding.location
    excerpt = {} if where.excerpt is None else {"excerpt": list(where.excerpt)}
    return {
        **excerpt,
        "code": finding.code,
        "name": finding.name,
        "severity": str(finding.severity),
        "message": abridged(finding.message, MAX_TEXT),
        "line": where.line,
        "column": where.column,
        "layer": None if where.shown_name is None else "/".join((*where.shown_path, where.shown_name)),
        "op": _op_of(finding, analysis),
    }


def _op_of(finding: Diagnostic, analysis: ModelAnalysis | None) -> str | None:
    if finding.constraint is not None:
        return finding.constraint.rpartition(":")[0] or None
    where = finding.location
    graph = None if analysis is None else analysis.by_path.get(where.path)
    node = None if graph is None or where.layer_id is None else graph.layers.get(where.layer_id)
    return None if node is None else _op_name(node)


def _op_name(node: LayerNode) -> str:
    """The op version of a layer, named as ids are, whether it is defined or not."""
    if node.op is not None:
        return node.op.id
    dialect, colon, number = node.layer.version.removeprefix("opset").rpartition(":")
    return abridged(f"{dialect}{colon}{node.layer.type}-{number}", MAX_NAME)


Examined = tuple[str, Detail, bool]
"""A status, a detail, and whether it may be another one the next time."""


class Examining:
    """The common part of tasks that read a model. registry: None for that of irops"""

    def __init__(self, settings: SurveySettings, registry: Registry | None) -> None:
        self.settings, self.registry = settings, registry

    def analysed(self, path: str) -> ModelAnalysis:
        """The analysis of a model, with what reading it reports. Raises: ReadError"""
        limits = self.settings.limits
        with no_collection(), recursion_limit_for(limits.depth):
            model, read_findings = load(path, limits=limits)
            return ModelAnalysis(model, self.registry, limits, read_findings)


class Checking(Examining):
    """All findings, as irops check reports them; with a release of OpenVINO as target, as with --target."""

    def __call__(self, path: str, target: str | None = None) -> Examined:
        """Raises: ReadError"""
        with no_collection(), recursion_limit_for(self.settings.limits.depth):
            return self._checked(path, target)

    def _checked(self, path: str, target: str | None) -> Examined:
        # in a function of its own, so that the model is freed before the collector could traverse it
        limits = self.settings.limits
        model, read_findings = load(path, limits=limits)
        analysis = ModelAnalysis(model, self.registry, limits, read_findings)
        if target is not None and analysis.dialect.name != OPENVINO:
            return "unsupported", {"message": why_no_target(analysis, target)}, False
        report = check_as_read(analysis, read_findings, target)
        return examined(report.diagnostics, self.settings, analysis, with_ops=target is None)


class Inferring(Examining):
    """The findings of inference, and the type and shape of each result."""

    def __call__(self, path: str) -> Examined:
        """Raises: ReadError"""
        analysis = self.analysed(path)
        facts = infer(analysis)
        status, detail, transient = examined(facts.diagnostics, self.settings, analysis, with_ops=True)
        return status, {**detail, "outputs": outputs_detail(analysis, facts)}, transient


def examined(
    findings: Sequence[Diagnostic],
    settings: SurveySettings,
    analysis: ModelAnalysis | None = None,
    *,
    with_ops: bool = False,
) -> Examined:
    """The result of a model with some findings, of which the settings may select some."""
    selected = Report(tuple(findings)).narrowed(settings.select, settings.ignore).diagnostics
    detail: dict[str, Any] = findings_detail(selected, analysis)
    if analysis is not None and with_ops:
        detail["ops"] = op_counts(analysis)
    transient = any(finding.name in TRANSIENT for finding in findings)
    return status_of(selected), detail, transient


Item = tuple[str, Task]
"""A cell, as it is sent: the path of the model, and the task."""
EXAMINING: dict[str, Callable[..., Callable[..., Examined]]] = {
    "check": Checking,
    "infer": Inferring,
    "target": Checking,
}
"""The class that carries out the tasks of a kind; those that compute values are in SOURCES."""


class Examiner:
    """Carries out tasks, one model after the other."""

    def __init__(self, settings: SurveySettings, runtimes: Mapping[str, str]) -> None:
        load_installed_rules()
        for source in settings.rules:
            load_rules(source)
        self._settings, self._runtimes = settings, runtimes
        custom = settings.folders or settings.modules
        self._registry = Registry(settings.folders, settings.modules) if custom else None
        self._kinds: dict[str, Callable[..., Examined]] = {}
        self._versions: dict[Task, str] = {}

    def __call__(self, item: Item) -> CellOutcome:
        path, task = item
        start, read = perf_counter(), bytes_read()
        status, detail, transient = self._guarded(path, task)
        seconds = perf_counter() - start
        return CellOutcome(status, seconds, bytes_read() - read, detail_text(detail), transient)

    def _guarded(self, path: str, task: Task) -> Examined:
        other = self._other_version(task)
        if other:
            return "error", {"message": other}, True
        try:
            return self._kind(task.kind)(path, *task.variant)
        except ReadError as error:
            return examined(error.diagnostics, self._settings)
        except DiagnosticError as error:
            transient = any(finding.name in TRANSIENT for finding in error.diagnostics)
            return refusal_status(error.diagnostics), findings_detail(error.diagnostics), transient
        except MemoryError:
            return "memory", {"message": "not enough memory"}, True

    def _kind(self, kind: str) -> Callable[..., Examined]:
        if kind not in self._kinds:
            examining = EXAMINING.get(kind) or import_module(SOURCES).COMPUTING[kind]
            self._kinds[kind] = examining(self._settings, self._registry)
        return self._kinds[kind]

    def _other_version(self, task: Task) -> str:
        """Why this process cannot stand for the one that planned the survey; "" where it can."""
        if task not in self._versions:
            self._versions[task] = runtime_of(task)
        here, planned = self._versions[task], self._runtimes.get(task.text, "")
        return "" if here == planned else f"the worker has {here}, the survey was started with {planned}"


def prepare(settings: SurveySettings, folder: str, runtimes: Mapping[str, str]) -> Work:
    """The work on cells: a function of the path of a model and a Task. Called once in each process.

    folder: where relative paths begin; runtimes: the versions that the survey was planned for, by task
    """
    os.dup2(2, 1)  # what libraries print must not mix with the output of the command
    with suppress(OSError):  # another machine may lack it; each model is then reported as absent
        os.chdir(folder)
    return Examiner(settings, runtimes)
