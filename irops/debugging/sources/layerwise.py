"""Backends as a source: layer by layer, the reference for what they do not implement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from irops.backends.backend import Backend, Reference, kernel_of
from irops.backends.declined import Declined
from irops.debugging.sources.source import (
    Answer,
    Context,
    Failure,
    LayerCall,
    LayerValue,
    Source,
    SourceFailed,
    Values,
)
from irops.debugging.sources.workers import RemoteBackend
from irops.diagnostics.diagnostic import EvaluationError
from irops.invocation import OpFault
from irops.ir.model import LayerKind
from irops.runtime.evaluator import Evaluator
from irops.runtime.plan import Step
from irops.runtime.precision import rounded
from irops.runtime.run import run_model, walk_model
from irops.runtime.variables import Variables
from irops.spec.op import Op
from irops.values.fact import Fact
from irops.values.tensors import result_array
from irops.values.violation import LimitExceeded, Violation

PASSING_KINDS = (LayerKind.PARAMETER, LayerKind.CONSTANT, LayerKind.RESULT, LayerKind.SINK)
"""Layers that no backend computes."""


class Layerwise(Source):
    """A backend that computes one layer after the other.

    backend: an object; a RemoteBackend computes in a process of its own; has_reference: the reference counts
    as a part of it, so that no layer is declined, as in a Session
    """

    computes_layers = True

    def __init__(self, backend: Backend, *, has_reference: bool = False) -> None:
        self.name, self.backend = backend.name, backend
        self._has_reference = has_reference or self.is_reference

    @property
    def is_reference(self) -> bool:
        return isinstance(self.backend, Reference)

    def walk(self, context: Context) -> Iterator[LayerValue]:
        watched, before = _Watched(self.backend), 0
        for computed in walk_model(_evaluator(context, watched), context.inputs, Variables()):
            number, failure = computed.step.layer.id, watched.failure
            if failure is not None:
                watched.failure = None
                yield LayerValue(number, (), failure)
                continue
            facts = computed.step.facts.outputs
            outputs = tuple(rounded(array, fact) for array, fact in zip(computed.outputs, facts))
            declined = watched.computed == before and self._may_decline(computed.step)
            before = watched.computed
            reason = f"{self.name} does not compute {computed.step.op.id}"
            failure = Failure("declined", reason) if declined else None
            yield LayerValue(number, outputs, failure, inputs=tuple(computed.inputs))

    def results(self, context: Context) -> Values | Failure:
        watched = _Watched(self.backend)
        try:
            values = run_model(_evaluator(context, watched), context.inputs, (), Variables())
        except EvaluationError as error:
            return Failure("refused", str(error))
        if watched.failure is not None:
            return watched.failure
        if not watched.computed and not self._has_reference:
            return Failure("declined", f"{self.name} computes no layer of the model")
        signature = context.analysis.signature
        return {port.name: values[port.layer.id, 0] for port in signature.results}

    def _may_decline(self, step: Step) -> bool:
        return not self._has_reference and not step.constant and step.layer.kind not in PASSING_KINDS

    def compute(self, calls: Sequence[LayerCall]) -> list[Answer]:
        return [self._computed(call) for call in calls]

    def _computed(self, call: LayerCall) -> Answer:
        try:
            chosen = kernel_of(call.op, (self.backend,))
            if chosen is None:
                return Failure("declined", f"{self.name} does not implement {call.op.id}")
            keywords = call.invocation.keywords("kernel", call.inputs)
            results = call.invocation.compute(call.inputs, kernel=chosen[1], keywords=keywords)
        except Declined as declined:
            return Failure("declined", str(declined))
        except SourceFailed as failed:
            return failed.failure
        except (Violation, OpFault, LimitExceeded) as error:
            return Failure("refused", str(error))
        except Exception as error:  # the code of a backend may raise anything, and that is the finding
            return Failure("refused", f"{type(error).__name__}: {error}")
        return [_array(result, call, index) for index, result in enumerate(results)]

    def close(self) -> None:
        if isinstance(self.backend, RemoteBackend):
            self.backend.close()


class _Watched:
    """A backend whose failures are recorded; the next backend of the chain then computes the layer.

    computed: how many calls the backend has computed
    """

    def __init__(self, backend: Backend) -> None:
        self.name, self._backend = backend.name, backend
        self.failure: Failure | None = None
        self.computed = 0

    def kernel(self, op: Op) -> Callable[..., Any] | None:
        try:
            kernel = self._backend.kernel(op)
        except SourceFailed as failed:
            self.failure = failed.failure
            return None
        return None if kernel is None else partial(self._compute, kernel)

    def _compute(self, kernel: Callable[..., Any], /, *inputs: Any, **attributes: Any) -> Any:
        try:
            result = kernel(*inputs, **attributes)
        except SourceFailed as failed:
            self.failure = failed.failure
            raise Declined(str(failed)) from None
        self.computed += 1
        return result


def _evaluator(context: Context, backend: _Watched) -> Evaluator:
    """What computes the model: a backend, and the reference for what it declines."""
    return Evaluator(context.analysis, (backend, Reference()))


def _array(result: Any, call: LayerCall, index: int) -> Any:
    kind = call.types[index] if index < len(call.types) else None
    return np.asarray(result) if kind is None else result_array(result, Fact(kind))
