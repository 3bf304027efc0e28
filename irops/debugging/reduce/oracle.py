"""What an oracle is: a function that says whether a case still fails, and why."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from irops.debugging.reduce.case import Case
from irops.debugging.reduce.reproduction import Target
from irops.ir.model import Model
from irops.values.element import Array

Oracle = Callable[[Model, Mapping[str, Array]], object]
"""A function of a model and its inputs: true, or a text that names the reason, if the fault shows. With
texts, a smaller model counts only if its reason is that of the whole model.
"""


class Unjudged(Exception):
    """A case cannot be judged: a process exceeds a limit, or a source declines it; the message says which."""


class InvalidQuestion(ValueError):
    """What a reduction shall preserve is not given, given twice, or cannot be preserved."""


class Closeable(Protocol):
    """What holds a process."""

    def close(self) -> None: ...


class Judge(ABC):
    """Judges cases.

    description: the same for equal judges; absence: what is the case if the fault does not show
    """

    needs_values = True
    """Whether cases have values for all inputs, so that they can be run."""
    has_symptoms = False
    """Whether a reason is a symptom, such as NaN, which a smaller model with the same fault may not have."""
    compares_results = False
    """Whether wrong results are the fault."""
    target: Target | None = None
    """What a program that shows the fault runs; None for the runtime of the model's dialect."""
    allowed: frozenset[str] = frozenset()
    """Codes of errors that irops.check may find in a case."""
    opened: Sequence[Closeable] = ()
    """What is closed with the judge."""
    suspected: Collection[int] = ()
    """The ids of layers that are known to be suspicious in the whole model."""
    description: str
    absence: str

    @abstractmethod
    def reason(self, case: Case) -> str | None:
        """Why a case fails; None if it does not.

        Raises:  Unjudged
        """

    def suspects(self, case: Case) -> Sequence[int]:
        """The ids of layers that are likely to fail alone, bodies apart; they are tried first."""
        return [layer.id for layer in case.model.layers if layer.id in self.suspected]

    def close(self) -> None:
        """End what was opened."""
        for source in self.opened:
            source.close()


class FunctionJudge(Judge):
    """A function of a model and its inputs; it runs in this process."""

    absence = "the oracle returns a false value"

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self.description = f"function {getattr(oracle, '__qualname__', type(oracle).__name__)}"

    def reason(self, case: Case) -> str | None:
        answer = self._oracle(case.model, dict(case.inputs))
        if isinstance(answer, str):
            return answer or None
        return "the oracle shows a fault" if answer else None
