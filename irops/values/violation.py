"""Violated constraints, raised by shape functions and kernels."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_offset: ContextVar[int] = ContextVar("offset", default=-1)


@contextmanager
def violations_at(at: int) -> Iterator[None]:
    """Locate violations in the block at a byte offset of the file, such as that of an entry of a port map."""
    token = _offset.set(at)
    try:
        yield
    finally:
        _offset.reset(token)


class Violation(Exception):
    """A constraint of an op is violated.

    constraint: its number in the op's definition, such as "C1"; detail: the values that violate it; at: the
    byte offset in the file of the cause, or -1 if that is the layer as a whole (see violations_at).
    Raised, not collected: an op reports the first constraint that is violated.
    """

    def __init__(self, constraint: str, detail: str = "") -> None:
        super().__init__(constraint, detail)
        self.constraint, self.detail, self.at = constraint, detail, _offset.get()

    def __str__(self) -> str:
        return f"{self.constraint}: {self.detail}" if self.detail else self.constraint


class LimitExceeded(Exception):
    """A computation would exceed a limit. rule: the name of the diagnostic rule."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


def require(condition: object, constraint: str, *values: object) -> None:
    """Check a constraint.

    Raises:  Violation(constraint), with values as its detail, if condition is false
    """
    if not condition:
        raise Violation(constraint, _detail(values))


_collected: ContextVar[list[Violation] | None] = ContextVar("warnings", default=None)


def warn_unless(condition: object, constraint: str, *values: object) -> None:
    """Add a warning if condition is false: for constraints whose violation does not affect shapes.

    See collect_warnings.
    """
    collected = _collected.get()
    if not condition and collected is not None:
        collected.append(Violation(constraint, _detail(values)))


@contextmanager
def collect_warnings() -> Iterator[list[Violation]]:
    """Collect the violations that warn_unless reports during the block."""
    collected: list[Violation] = []
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)


def _detail(values: tuple[object, ...]) -> str:
    return f"got {' and '.join(map(str, values))}" if values else ""
