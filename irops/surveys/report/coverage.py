"""Coverage of op versions over all models: which are used, which lack something, what to support next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from irops.backends.backend import Reference
from irops.diagnostics.diagnostic import DefinitionError
from irops.diagnostics.rule import Severity
from irops.registry import Registry, default_registry
from irops.surveys.report.cells import ModelCells, ReportedCell

EVALUATED, NOT_EVALUATED, UNDEFINED = "evaluated", "not evaluated", "undefined"
"""What irops does with an op version."""
UNDEFINED_OP = "undefined-op"
"""The rule that warns of an op that exists and that irops does not define."""
COMPUTING = ("run:", "compare:")
"""How the tasks begin that need kernels."""


@dataclass(frozen=True, slots=True)
class OpCoverage:
    """An op version. layers, models: in which it occurs; state: what irops does with it; errors: models with
    errors at it; declined: models that a source declines because of it; would_be_clean: models that have no
    other fault
    """

    op: str
    state: str
    models: int
    layers: int
    errors: int
    declined: int
    would_be_clean: int

    @property
    def is_lacking(self) -> bool:
        """Whether irops or a source lacks something."""
        return self.state != EVALUATED or bool(self.declined)

    @property
    def has_gap(self) -> bool:
        """Whether it is lacking, or has errors, whose cause may be a model."""
        return self.is_lacking or bool(self.errors)


class Coverage:
    """Counts over all models that are added. registry: of the ops of the survey, custom ones included"""

    def __init__(self, registry: Registry | None = None) -> None:
        self._registry = registry or default_registry()
        self._states: dict[str, str] = {}
        self.models: Counter[str] = Counter()
        self.layers: Counter[str] = Counter()
        self._errors: Counter[str] = Counter()
        self._declined: Counter[str] = Counter()
        self._would_be_clean: Counter[str] = Counter()

    def add(self, model: ModelCells) -> None:
        ops = model.ops
        self.models.update(ops.keys())
        self.layers.update(ops)
        errors, declined, undefined = set[str](), set[str](), set[str]()
        explained = True
        layers = {f.layer: f.op for cell in model.cells for f in cell.detail.findings if f.op}
        for cell in model.cells:
            undefined.update(f.op for f in cell.detail.findings if f.name == UNDEFINED_OP and f.op)
            if cell.status is None or cell.is_sound:
                continue
            causes, is_explained = self._causes(cell, ops, layers)
            explained &= is_explained
            (declined if cell.status == "unsupported" else errors).update(causes)
        self._errors.update(errors)
        self._declined.update(declined)
        lacking = errors | declined | undefined
        if explained and len(lacking) == 1:
            self._would_be_clean.update(lacking)

    def _causes(
        self, cell: ReportedCell, ops: dict[str, int], layers: dict[str, str]
    ) -> tuple[set[str], bool]:
        """The ops that errors of a cell are at, and whether all of them are at these ops.

        layers: the ops of layers, as findings of all tasks name them
        """
        detail = cell.detail
        errors = [f.op or layers.get(f.layer, "") for f in detail.findings if f.severity == Severity.ERROR]
        wrong = [value for key, value in detail.first if key == "op"]
        causes = {op for op in (*errors, *wrong) if op}
        if causes:
            return causes, "" not in errors and detail.total == len(detail.findings)
        if cell.status == "unsupported" and cell.task.startswith(COMPUTING):
            causes = {op for op in ops if self.state(op) != EVALUATED}
        return causes, bool(causes)

    def state(self, op: str) -> str:
        """What irops does with an op version: evaluated, not evaluated, or undefined."""
        if op not in self._states:
            self._states[op] = self._state(op)
        return self._states[op]

    def _state(self, id: str) -> str:
        try:
            op = self._registry.op(id)
        except (KeyError, DefinitionError):
            return UNDEFINED
        has_kernel = Reference().kernel(op) is not None or bool(op.definition.bodies)
        return EVALUATED if has_kernel else NOT_EVALUATED

    def all(self) -> Iterator[OpCoverage]:
        """All op versions, those whose support makes the most models clean first."""
        names = {*self.models, *self._errors, *self._declined}
        entries = [
            OpCoverage(
                op,
                self.state(op),
                self.models[op],
                self.layers[op],
                self._errors[op],
                self._declined[op],
                self._would_be_clean[op],
            )
            for op in names
        ]
        yield from sorted(
            entries,
            key=lambda e: (-e.would_be_clean, not e.is_lacking, -(e.errors + e.declined), -e.models, e.op),
        )
