"""Outcomes of items that have no result. Both are values: they are returned, not raised."""


class Died(Exception):
    """The process ended before it returned a result; the message says how.

    exceeded: the bound that it exceeded, "seconds" or "memory", or "" if it ended by itself;
    lost: whether the machines that worked on the item were lost, one after the other
    """

    def __init__(self, description: str, exceeded: str = "", *, lost: bool = False) -> None:
        super().__init__(description)
        self.exceeded, self.lost = exceeded, lost


class Failed(Exception):
    """The work raised an unexpected exception; the message gives it."""

    @classmethod
    def by(cls, error: Exception) -> "Failed":
        return cls(f"{type(error).__name__}: {error}")
