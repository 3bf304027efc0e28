"""A backend that computes in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from irops.backends.declined import Declined
from irops.debugging.sources.asking import asked
from irops.debugging.sources.source import Failure, SourceFailed
from irops.debugging.sources.wire import packed, packed_attributes, unpacked
from irops.debugging.sources.workers import UNBOUNDED, Workers
from irops.spec.op import Op
from irops.values.element import Array

TIMEOUT = 120.0
"""Seconds that a backend may take for one layer, compilation included."""


class RemoteBackend:
    """The backend of a name, as kernels that send their inputs to a process.

    Kernels raise SourceFailed where the process crashes or stalls, or the backend reports an error; the next
    call starts a new process.
    """

    def __init__(self, name: str, workers: Workers = UNBOUNDED) -> None:
        self.name = name
        request = "backend", name, workers.folders, workers.modules
        self._process = workers.process("irops.debugging.sources.backend_worker", request, TIMEOUT)
        self._has: dict[str, bool] = {}

    def kernel(self, op: Op) -> Callable[..., Any] | None:
        definition = op.definition
        if definition.stateful or definition.bodies or not definition.inputs:
            return None
        if op.id not in self._has:
            self._has[op.id] = bool(self._ask(("has", op.id)))
        return partial(self._compute, op) if self._has[op.id] else None

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def _compute(self, op: Op, /, *inputs: Array | None, **attributes: Any) -> Any:
        sent = [None if array is None else packed(array) for array in inputs]
        received = self._ask(("compute", op.id, sent, packed_attributes(attributes)))
        outputs = tuple(unpacked(item) for item in received)
        return outputs if len(outputs) > 1 else outputs[0]

    def _ask(self, request: tuple[Any, ...]) -> Any:
        word, content = asked(self._process, request)
        if word == "declined":
            raise Declined(content)
        if word == "refused":
            raise SourceFailed(Failure("refused", content))
        return content
