"""The processes of sources: what they may use, their custom ops; and models without copies of weights."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from irops.analysis.declaring import has_undeclared_ports
from irops.backends.backend import Backend, Declined, Reference
from irops.backends.catalogue import missing
from irops.backends.isolated import TIMEOUT, IsolatedBackend
from irops.debugging.sources.source import Failure, SourceFailed
from irops.diagnostics.diagnostic import DiagnosticError
from irops.dialects import dialect_of
from irops.dialects.registry import Registry, default_registry
from irops.files.limits import MAX_DEPTH, Limits, recursion_limit_for
from irops.files.storage import WeightsChanged
from irops.ir.model import Model
from irops.ir.weights import changed_weights
from irops.ir.write import document
from irops.spec.definition import OPENVINO
from irops.spec.op import Op
from irops.values.element import Array
from irops.work.serving import Answer
from irops.work.worker import Process, ProcessDied, Refused, pickled

KINDS = {"seconds": "stalled", "memory": "oversized", "": "crashed"}
"""The kind of a failure by what a process exceeded."""


@dataclass(frozen=True, slots=True)
class SourceWorkers:
    """seconds: for each answer, None for what the source needs; memory: bytes that a process may use, mapped
    files apart; folders, modules: of custom ops, as in Registry.
    """

    seconds: float | None = None
    memory: float = inf
    folders: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, registry: Registry | None, limits: Limits | None, seconds: float | None = None
    ) -> "SourceWorkers":
        """Processes within limits, with the custom ops of a registry."""
        memory = (limits or Limits()).process_memory
        if registry is None:
            return cls(seconds, memory)
        return cls(seconds, memory, registry.folders, registry.modules)

    def process(self, prepare: Callable[..., Answer], *arguments: Any, seconds: float) -> Process:
        """A process that is started when it is first asked. seconds: for each answer, by default"""
        return Process(prepare, arguments, seconds if self.seconds is None else self.seconds, self.memory)

    def backend(self, name: str, content: bytes) -> IsolatedBackend:
        """A backend in a process of its own. content: as for IsolatedBackend"""
        seconds = TIMEOUT if self.seconds is None else self.seconds
        return IsolatedBackend(name, self.folders, self.modules, seconds, self.memory, content)


UNBOUNDED = SourceWorkers()
"""Processes without a limit on memory."""


def asked(ask: Callable[..., Any], *request: Any) -> Any:
    """The answer of a process. Raises: SourceFailed; other exceptions that are the answer"""
    try:
        return ask(*request)
    except ProcessDied as died:
        raise SourceFailed(Failure(KINDS[died.exceeded], str(died))) from None
    except (Refused, DiagnosticError) as error:
        raise SourceFailed(Failure("refused", str(error))) from None


class RemoteBackend:
    """The backend of a name, or an object that is pickled, as kernels that send their inputs to a process.

    Kernels raise SourceFailed where the process crashes or stalls, or the backend reports an error; the next
    call starts a new process.
    """

    def __init__(self, name: str, workers: SourceWorkers = UNBOUNDED, content: bytes = b"") -> None:
        self.name, self._isolated = name, workers.backend(name, content)
        self._has: dict[str, bool] = {}

    def kernel(self, op: Op) -> Callable[..., Any] | None:
        definition = op.definition
        if definition.stateful or definition.bodies or not definition.inputs:
            return None
        if op.id not in self._has:
            self._has[op.id] = asked(self._isolated.ask, _has_kernel, op)
        return partial(self._compute, op) if self._has[op.id] else None

    def close(self) -> None:
        """End the process."""
        self._isolated.close()

    def _compute(self, op: Op, /, *inputs: Array | None, **attributes: Any) -> Any:
        outputs = asked(self._isolated.ask, _computed, op, inputs, attributes)
        return outputs if len(outputs) > 1 else outputs[0]


def apart(backend: Backend, workers: SourceWorkers) -> Backend:
    """An object in a process of its own, or itself where it cannot be sent to one: its class is in a notebook
    or a function, or it holds a file, say.
    """
    if isinstance(backend, Reference) or type(backend).__module__ == "__main__":  # another one is there
        return backend
    try:
        content = pickled(backend)
    except Exception:  # pickling calls methods of the object
        return backend
    remote = RemoteBackend(backend.name, workers, content)
    try:
        with suppress(SourceFailed):  # it is there, and fails
            remote.kernel(default_registry().op("ReLU-1"))  # any op will do
    except Exception:  # of its module, which is imported there
        remote.close()
        return backend
    return remote


def _has_kernel(backend: Backend, op: Op) -> bool | Exception:
    lacking = missing(backend)
    if lacking is not None:
        return Refused(lacking)
    try:
        return backend.kernel(op) is not None
    except Exception as error:
        return _refusal(error)


def _computed(
    backend: Backend, op: Op, inputs: tuple[Array | None, ...], attributes: dict[str, Any]
) -> tuple[Array, ...] | Exception:
    try:
        kernel = backend.kernel(op)
        assert kernel is not None
        with np.errstate(all="ignore"):
            result = kernel(*inputs, **attributes)
    except Exception as error:
        return _refusal(error)
    return tuple(np.asarray(output) for output in (result if isinstance(result, tuple) else (result,)))


def _refusal(error: Exception) -> Exception:
    """The error of a backend, as it is sent."""
    if isinstance(error, Declined):
        return Declined(str(error))
    return Refused(str(error) if isinstance(error, DiagnosticError) else f"{type(error).__name__}: {error}")


def weights_file(model: Model) -> str | None:
    """The file that a model's constants refer to; None where the weights must be written with the model.

    A remote file is fetched to a temporary one.
    Raises:  DiagnosticError if that is not possible
    """
    stored = model.weights
    if stored is None or dialect_of(model).name != OPENVINO or has_undeclared_ports(model):
        return None
    try:
        path = stored.local_path()
    except WeightsChanged as error:
        raise changed_weights(model, error) from None
    return path if path is not None and os.path.exists(path) else None


def write_text(model: Model, path: Path) -> None:
    """Write the .xml file alone; its offsets are those of the file of weights."""
    with recursion_limit_for(MAX_DEPTH):
        text = "".join(document(replace(model, legacy=[]), lambda layer: layer.data))
    path.write_text(text, "utf-8")
