"""Why a survey cannot be carried out."""

from __future__ import annotations


class SurveyError(ValueError):
    """A survey cannot be carried out as it is asked for; the message gives the reason."""


class Interrupted(KeyboardInterrupt):
    """A survey was interrupted; what is done is kept. done, of: the number of cells."""

    def __init__(self, done: int, of: int) -> None:
        super().__init__(f"{done:,} of {of:,} cells are done and kept")
        self.done, self.of = done, of
