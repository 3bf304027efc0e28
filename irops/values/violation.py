"""A broken constraint, raised where it is found."""
from __future__ import annotations


class Violation(Exception):
    """An op's requirement does not hold.

    constraint: its number in the op's definition, such as "C1"; detail: the values that broke it.
    Raised, not collected: an op reports the first constraint that is broken.
    """

    def __init__(self, constraint: str, detail: str = "") -> None:
        super().__init__(constraint, detail)
        self.constraint, self.detail = constraint, detail

    def __str__(self) -> str:
        return f"{self.constraint}: {self.detail}" if self.detail else self.constraint


class LimitExceeded(Exception):
    """A computation would need more than the stated limit allows; the message says which limit."""


def require(condition: object, constraint: str, *culprits: object) -> None:
    """Demand that condition holds.

    Raises:  Violation(constraint), with the culprits as its detail, if it does not
    """
    if not condition:
        raise Violation(constraint, f"got {' and '.join(map(str, culprits))}" if culprits else "")
