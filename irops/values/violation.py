"""A broken constraint, raised where it is found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_blamed: ContextVar[int] = ContextVar("blamed", default=-1)


@contextmanager
def blaming(at: int) -> Iterator[None]:
    """What breaks a constraint within the block is at a byte offset of the file: an entry of a port
    map, say.
    """
    token = _blamed.set(at)
    try:
        yield
    finally:
        _blamed.reset(token)


class Violation(Exception):
    """An op's requirement does not hold.

    constraint: its number in the op's definition, such as "C1"; detail: the values that broke it; at: the
        byte offset in the file of
    what broke it, or -1 where that is the layer as a whole (see blaming).
    Raised, not collected: an op reports the first constraint that is broken.
    """

    def __init__(self, constraint: str, detail: str = "") -> None:
        super().__init__(constraint, detail)
        self.constraint, self.detail, self.at = constraint, detail, _blamed.get()

    def __str__(self) -> str:
        return f"{self.constraint}: {self.detail}" if self.detail else self.constraint


class LimitExceeded(Exception):
    """A computation would need more than a limit allows. rule: the name of the diagnostic rule."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


def require(condition: object, constraint: str, *culprits: object) -> None:
    """Demand that condition holds.

    Raises:  Violation(constraint), with the culprits as its detail, if it does not
    """
    if not condition:
        raise Violation(constraint, _detail(culprits))


_collected: ContextVar[list[Violation] | None] = ContextVar("warnings", default=None)


def warn_unless(condition: object, constraint: str, *culprits: object) -> None:
    """Remark that a constraint does not hold, and go on: a warning, or an error that leaves the shapes clear.
    See collect_warnings.
    """
    collected = _collected.get()
    if not condition and collected is not None:
        collected.append(Violation(constraint, _detail(culprits)))


@contextmanager
def collect_warnings() -> Iterator[list[Violation]]:
    """A list that gathers what is advised while the block runs."""
    collected: list[Violation] = []
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)


def _detail(culprits: tuple[object, ...]) -> str:
    return f"got {' and '.join(map(str, culprits))}" if culprits else ""
