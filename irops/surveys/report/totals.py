"""Totals of a survey: cells by task and status, findings by rule and by op, the slowest cells."""

from __future__ import annotations

from collections import Counter
from heapq import nlargest
from math import floor, log10

from irops.surveys.report.cells import Cell, ModelCells

SLOWEST = 20
"""How many of the slowest cells are listed."""
MAX_WORSE = 50
"""How many cells that are worse are listed."""
BINS_PER_DECADE = 2
"""How many bars of a histogram of times stand for a factor of ten."""
MIN_SECONDS = 0.001
"""All shorter times have one bar."""


class Totals:
    """Counts over all models that are added, and the names of the slowest ones."""

    def __init__(self) -> None:
        self.models = self.cells = self.sound_models = self.findings = 0
        self.statuses: Counter[tuple[str, str]] = Counter()
        """Cells by task and status."""
        self.changes: Counter[tuple[str, str]] = Counter()
        """Cells by task and change."""
        self.worse: list[tuple[str, Cell]] = []
        """The first cells that are worse, with their models."""
        self.times: dict[str, Counter[int]] = {}
        """Cells by task and bin; see bin_of."""
        self.seconds: dict[str, float] = {}
        self.slowest: list[tuple[float, str, str]] = []
        """Seconds, model and task, the slowest first."""

    def add(self, model: ModelCells) -> None:
        present = [cell for cell in model.cells if cell.status is not None]
        self.models += bool(present)
        self.cells += len(present)
        self.sound_models += bool(present) and all(cell.is_sound for cell in present)
        for cell in model.cells:
            self.statuses[cell.task, cell.status or ""] += 1
            self.findings += cell.detail.total
            if cell.change:
                self.changes[cell.task, cell.change] += 1
            if cell.change == "worse" and len(self.worse) < MAX_WORSE:
                self.worse.append((model.name, cell))
            if cell.seconds is not None:
                self._add_time(model.name, cell, cell.seconds)

    def _add_time(self, name: str, cell: Cell, seconds: float) -> None:
        self.times.setdefault(cell.task, Counter())[bin_of(seconds)] += 1
        self.seconds[cell.task] = self.seconds.get(cell.task, 0.0) + seconds
        if len(self.slowest) < SLOWEST or seconds > self.slowest[-1][0]:
            self.slowest = nlargest(SLOWEST, [*self.slowest, (seconds, name, cell.task)])

    @property
    def tasks(self) -> tuple[str, ...]:
        """All tasks, those of the earlier survey included."""
        return tuple(sorted({task for task, _ in self.statuses}))

    @staticmethod
    def of(name: str, counts: Counter[tuple[str, str]]) -> int:
        """The number of cells of a status or a change, over all tasks. counts: statuses or changes"""
        return sum(count for (_, one), count in counts.items() if one == name)


class Occurrences:
    """How often something is reported, over all models that are added."""

    def __init__(self) -> None:
        self.findings: Counter[str] = Counter()
        self.cells: Counter[str] = Counter()
        self.models: Counter[str] = Counter()

    def add(self, by_cell: list[Counter[str]]) -> None:
        """by_cell: the number of findings of each cell of a model"""
        for counts in by_cell:
            self.findings.update(counts)
            self.cells.update(counts.keys())
        self.models.update({name for counts in by_cell for name in counts})

    def sorted(self) -> list[str]:
        """Those of the most models first."""
        return sorted(self.models, key=lambda name: (-self.models[name], -self.findings[name], name))


class Reported:
    """What findings are about: rules, and ops."""

    def __init__(self) -> None:
        self.rules, self.ops = Occurrences(), Occurrences()
        self.about: dict[str, tuple[str, str]] = {}
        """Name and severity of each code, as findings give them."""

    def add(self, model: ModelCells) -> None:
        for finding in (finding for cell in model.cells for finding in cell.detail.findings):
            self.about.setdefault(finding.code, (finding.name, finding.severity))
        self.rules.add([Counter(dict(cell.detail.counts)) for cell in model.cells])
        self.ops.add([Counter(f.op for f in cell.detail.findings if f.op) for cell in model.cells])


def bin_of(seconds: float) -> int:
    """The bar of a histogram that a time belongs to."""
    return floor(log10(max(seconds, MIN_SECONDS)) * BINS_PER_DECADE)


def start_of(number: int) -> float:
    """The shortest time of a bar, in seconds."""
    return float(10 ** (number / BINS_PER_DECADE))
