"""The two tiers of the tests: the first runs by default, the second with `pytest -m slow`."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable
from typing import Any

import pytest


def counts(name: str, first: int, second: int, *, indirect: bool = False) -> pytest.MarkDecorator:
    """A parameter of a test or, if indirect, of a fixture: a number for each tier."""
    return pytest.mark.parametrize(name, [first, slow(second)], indirect=indirect)


def some_first(cases: Iterable[Any], of: Callable[[Any], Hashable], count: int = 1) -> list[Any]:
    """Parameters of a test: the first cases of each kind are in the first tier, the others in the second.

    of: the kind of a case, which may be a pytest.param.
    """
    seen: dict[Hashable, int] = {}
    found = []
    for case in cases:
        kind = of(case)
        seen[kind] = seen.get(kind, 0) + 1
        found.append(case if seen[kind] <= count else slow(case))
    return found


def slow(case: Any, *, id: str | None = None) -> Any:
    """A parameter of a test that is in the second tier."""
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, marks=(*case.marks, pytest.mark.slow), id=id or case.id)
    return pytest.param(*(case if isinstance(case, tuple) else [case]), marks=pytest.mark.slow, id=id)


def slow_but(cases: Iterable[Any], kept: Container[Any]) -> list[Any]:
    """Parameters of a test, of which those that are not kept are in the second tier."""
    return [case if case in kept else slow(case) for case in cases]
