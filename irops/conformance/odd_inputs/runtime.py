"""A runtime that can be asked what it does with an odd input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from irops.backends.extras import lacks
from irops.conformance.odd_inputs.odd import Question, Reply


@dataclass(frozen=True, slots=True)
class Runtime:
    """Something that can be asked.

    name: as columns name it; label: as readers see it; libraries: what must be installed, and extra brings,
        the last of them the one
    whose version counts.
    """

    name: str
    label: str
    extra: str
    libraries: tuple[str, ...]
    reply: Callable[[Question], Reply]

    @property
    def missing(self) -> str | None:
        """What is not installed, in words; None where all is there."""
        return lacks(self.extra, *self.libraries) if self.extra else None

    @property
    def version(self) -> str:
        try:
            return version(self.libraries[-1])
        except PackageNotFoundError:
            return ""
