"""What an oracle is: a function that says whether a case still fails, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from irops.debugging.reduce.case import Case
from irops.debugging.reduce.reproduction import Target
from irops.ir.model import Model
from irops.values.element import Array

Oracle = Callable[[Model, Mapping[str, Array]], object]
"""A function of a model and its inputs: true, or a text that names the reason, if the fault shows. With
texts, a smaller model counts only if its reason is that of the whole model.
"""


class InvalidQuestion(ValueError):
    """What a reduction shall preserve is not given, given twice, or cannot be preserved."""


class Judge(Protocol):
    """Judges cases.

    needs_values: whether cases have values for all inputs, so that they can be run; allowed: codes of errors
    that irops.check may find in a case; description: the same for equal judges; absence: what is the case if
    the fault does not show; target: what a program that shows the fault runs, None for the runtime of the
    model's dialect; compares_results: whether wrong results are the fault
    """

    needs_values: bool
    allowed: frozenset[str]
    description: str
    absence: str
    target: Target | None
    compares_results: bool

    def reason(self, case: Case) -> str | None:
        """Why a case fails; None if it does not."""

    def close(self) -> None:
        """End processes."""


class FunctionJudge:
    """A function of a model and its inputs; it runs in this process."""

    needs_values = True
    absence = "the oracle returns a false value"
    allowed: frozenset[str] = frozenset()
    target: Target | None = None
    compares_results = False

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self.description = f"function {getattr(oracle, '__qualname__', type(oracle).__name__)}"

    def reason(self, case: Case) -> str | None:
        answer = self._oracle(case.model, dict(case.inputs))
        if isinstance(answer, str):
            return answer or None
        return "the oracle shows a fault" if answer else None

    def close(self) -> None:
        """Nothing runs."""
