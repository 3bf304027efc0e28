"""A runtime or library function to compare with irops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from irops.backends.extras import missing_libraries
from irops.conformance.odd_inputs.odd_input import Reply, Request


@dataclass(frozen=True, slots=True)
class Runtime:
    """A runtime or library function to compare with.

    name: identifies it in columns; label: its name on pages; extra: the extra of irops that installs it;
    libraries: the required libraries, the last of which gives the version.
    """

    name: str
    label: str
    extra: str
    libraries: tuple[str, ...]
    reply: Callable[[Request], Reply]

    @property
    def missing(self) -> str | None:
        """A message about libraries that are not installed, or None."""
        return missing_libraries(self.extra, *self.libraries) if self.extra else None

    @property
    def version(self) -> str:
        try:
            return version(self.libraries[-1])
        except PackageNotFoundError:
            return ""
