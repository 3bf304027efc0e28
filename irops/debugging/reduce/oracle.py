"""What an oracle is: a function that says whether a case still fails, and why."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Protocol

from irops.debugging.reduce.case import Case
from irops.debugging.reduce.reproduction import Target
from irops.ir.model import Model
from irops.values.element import Array

Oracle = Callable[[Model, Mapping[str, Array]], object]
"""A function of a model and its inputs: true, or a text that names the reason, if the fault shows. With
texts, a smaller model counts only if its reason is that of the whole model.
"""


@dataclass(frozen=True, slots=True)
class Symptom:
    """How a case fails.

    reason: why, in words that are the same in a smaller model; excess: how many times the difference exceeds
    what rounding explains, inf where the fault has no size; general: the reason in the words of a model of
    which less is known, if these are others; has_results: whether there are results, which differ
    """

    reason: str
    excess: float = inf
    general: str = ""
    has_results: bool = False


class Unjudged(Exception):
    """A case cannot be judged, since its process exceeds a limit; the message says which."""


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
    """Whether a smaller model with the same fault may fail for another reason: NaN may follow from it."""
    compares_results = False
    """Whether wrong results are the fault."""
    waits = False
    """Whether it mostly waits for other processes, so that several judges can judge at the same time."""
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
    def symptom(self, case: Case) -> Symptom | None:
        """How a case fails; None if it does not.

        Raises:  Unjudged
        """

    def prepared(self, case: Case) -> Case:
        """The whole model as a case that the judge can judge. Raises: InvalidQuestion"""
        return case

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

    def symptom(self, case: Case) -> Symptom | None:
        answer = self._oracle(case.model, dict(case.inputs))
        if not answer:
            return None
        return Symptom(answer if isinstance(answer, str) else "the oracle shows a fault")
