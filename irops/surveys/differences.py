"""What differs between two surveys of the same models, or of some of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from irops.diagnostics.printable import printable
from irops.surveys.faults import SurveyError
from irops.surveys.folder import existing_report
from irops.surveys.row import SOUND, Row, rank
from irops.surveys.store import SCHEMA, RowStore


@dataclass(frozen=True, slots=True)
class Change:
    """A cell with its statuses in the other survey and in this one; None where it is not in it."""

    model: str
    task: str
    before: str | None
    after: str | None

    def to_json(self) -> dict[str, Any]:
        return {"model": self.model, "task": self.task, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class Differences:
    """The cells whose status differs. new: in this survey alone; gone: in the other one alone."""

    better: tuple[Change, ...] = ()
    worse: tuple[Change, ...] = ()
    new: tuple[Change, ...] = ()
    gone: tuple[Change, ...] = ()

    @property
    def is_worse(self) -> bool:
        """Whether a cell is worse, or a new one is neither pass nor warn."""
        return bool(self.worse) or any(change.after not in SOUND for change in self.new)

    def to_json(self) -> dict[str, Any]:
        """The differences for machines."""
        kinds = {"better": self.better, "worse": self.worse, "new": self.new, "gone": self.gone}
        changes = {kind: [change.to_json() for change in found] for kind, found in kinds.items()}
        return {"schema": SCHEMA, "is_worse": self.is_worse, **changes}


def rows_of_report(path: Path) -> list[Row]:
    """The rows of a report. Raises: SurveyError where there is no such report, or rows of it are lost"""
    try:
        store = RowStore(existing_report(path).results)
    except OSError as error:
        raise SurveyError(f"{printable(str(error.filename))} cannot be read: {error.strerror}") from None
    for fault in store.faults.values():
        raise SurveyError(f"{fault}; survey into {printable(str(path))} again, which does its cells again")
    return list(store.rows.values())


def differences(before: Iterable[Row], after: Iterable[Row]) -> Differences:
    """What differs between the rows of another survey and those of this one."""
    old, new = ({row.place: row.status for row in rows} for rows in (before, after))
    changes = [Change(*place, old.get(place), new.get(place)) for place in sorted(old.keys() | new.keys())]
    both = [change for change in changes if change.before is not None and change.after is not None]
    return Differences(
        better=tuple(change for change in both if _moved(change) < 0),
        worse=tuple(change for change in both if _moved(change) > 0),
        new=tuple(change for change in changes if change.before is None),
        gone=tuple(change for change in changes if change.after is None),
    )


def _moved(change: Change) -> int:
    """By how many places the status is worse."""
    assert change.before is not None
    assert change.after is not None
    return rank(change.after) - rank(change.before)
