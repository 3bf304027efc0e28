"""What a worker returns for a cell."""

from __future__ import annotations

from typing import NamedTuple


class Outcome(NamedTuple):
    """The result of a cell. detail: as detail_text gives it; transient: another attempt may give another."""

    status: str
    seconds: float | None
    bytes: int | None
    detail: str
    transient: bool = False
