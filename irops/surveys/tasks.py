"""The tasks of a survey: what is asked of each model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module

from irops.diagnostics.suggestions import meant_or_all
from irops.spec.releases import releases
from irops.surveys.faults import SurveyError

KINDS = ("check", "infer", "run", "compare", "target")
DEVICE = "openvino:"
REFERENCE = "reference"
SOURCES = "irops.surveys.sources"
"""Imported where there are sources: it imports all that computes values."""
DEFAULT_SOURCES = {"run": (REFERENCE,), "compare": (REFERENCE, "openvino:CPU")}


@dataclass(frozen=True, slots=True)
class SurveyTask:
    """What is asked of a model. variant: the source of run, the two of compare, the release of target."""

    kind: str
    variant: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As the table has it: check, run:reference, compare:reference,openvino:CPU, target:2023.3."""
        return ":".join((self.kind, ",".join(self.variant))) if self.variant else self.kind


def tasks_of(kinds: Sequence[str], sources: Sequence[str], targets: Sequence[str]) -> tuple[SurveyTask, ...]:
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


def _of_kind(kind: str, sources: Sequence[str], targets: Sequence[str]) -> Iterator[SurveyTask]:
    match kind:
        case "run":
            yield from (SurveyTask(kind, (source,)) for source in sources or DEFAULT_SOURCES[kind])
        case "compare":
            first, *others = sources or DEFAULT_SOURCES[kind]
            if not others:
                raise SurveyError(
                    f"the task compare needs two sources; there is only {first}: reference,openvino:CPU"
                )
            yield from (SurveyTask(kind, (first, other)) for other in others)
        case "target":
            if not targets:
                raise SurveyError("the task target needs releases as targets, such as 2023.3")
            yield from (SurveyTask(kind, (_release(target),)) for target in targets)
        case _:
            yield SurveyTask(kind)


def _release(text: str) -> str:
    try:
        return releases().named(text)
    except ValueError as error:
        raise SurveyError(f"target {error}") from None


def parted_sources(text: str) -> list[str]:
    """The sources of a text, separated by commas; a comma before PROPERTY=VALUE belongs to the source."""
    sources: list[str] = []
    for part in text.split(","):
        if sources and "=" in part:
            sources[-1] = f"{sources[-1]},{part.strip()}"
        elif part.strip():
            sources.append(part.strip())
    return sources
