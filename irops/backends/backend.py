"""The backend protocol, the available backends, and chains of backends.

A backend is an object with a name and kernel(op) -> callable or None; the callable takes arrays by position
and attributes by keyword, like the reference kernel of the op. If it would not compute what the definition
specifies, it raises Declined, and the next backend of the chain computes. Packages register backends in the
entry point group irops.backends.

A kernel may have two attributes that are true: takes_out, if it fills the array passed as out= and returns
it; checks_values, if it validates its inputs against all constraints on values, so that the caller need not.
A backend may have a method missing() that returns what it lacks, or None if it is available.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np

from irops.backends.declined import Declined
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.spec.op import Op
from irops.values.element import Array

ENTRY_POINTS = "irops.backends"
Kernel = Callable[..., Any]


@runtime_checkable
class Backend(Protocol):
    """Anything with a name and a kernel for some ops."""

    @property
    def name(self) -> str: ...

    def kernel(self, op: Op) -> Kernel | None:
        """The function that computes op, or None if this backend does not implement it."""


class Reference:
    """The reference kernels of irops.ops, the end of every chain."""

    name = "reference"

    def kernel(self, op: Op) -> Kernel | None:
        return op.functions.kernel


BUILT_IN = {
    "numba": ("irops.backends.numba", "Numba"),
    "numpy": ("irops.backends.numpy", "NumPy"),
    "openvino": ("irops.backends.openvino", "OpenVINO"),
    "onnxruntime": ("irops.backends.onnxruntime", "ONNXRuntime"),
}
"""The built-in backends besides the reference: name to module and class. They are imported on first use, and
kept together with the code that they compiled.
"""


def backend_names() -> tuple[str, ...]:
    """The names of all backends."""
    from importlib.metadata import entry_points

    return (Reference.name, *BUILT_IN, *sorted(e.name for e in entry_points(group=ENTRY_POINTS)))


def chain(backends: Iterable[str | Backend] | None) -> tuple[Backend, ...]:
    """Resolve backends given by name or as objects. The first one with a kernel for an op computes it. None
    is
    the default: the fastest available backends, then the reference.

    Raises:  DiagnosticError (IR610) for an unknown name
    """
    return (
        _default_chain()
        if backends is None
        else tuple(backend_of(b) if isinstance(b, str) else b for b in backends)
    )


@cache
def _default_chain() -> tuple[Backend, ...]:
    """The default backends, whose results are bit-identical to those of the reference."""
    from irops.backends.numba import WORTH_LOADING, Numba
    from irops.backends.numpy import NumPy

    fast: tuple[Backend, ...] = (Numba(WORTH_LOADING), NumPy())
    return (*(backend for backend in fast if missing(backend) is None), Reference())


def missing(backend: Backend) -> str | None:
    """Why a backend is unavailable; None if it is available or has no method `missing`."""
    missing_of: Callable[[], str | None] | None = getattr(backend, "missing", None)
    return None if missing_of is None else missing_of()


def backend_of(name: str) -> Backend:
    """The backend with a name.

    Raises:  DiagnosticError (IR610) if there is none
    """
    if name == Reference.name:
        return Reference()
    if name in BUILT_IN:
        return _built_in(name)
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENTRY_POINTS):
        if entry.name == name:
            loaded_entry = entry.load()
            backend: Backend = loaded_entry() if isinstance(loaded_entry, type) else loaded_entry
            return backend
    raise DiagnosticError(
        [
            Diagnostic(
                rule("unknown-backend"),
                f"unknown backend {name!r}; expected one of {', '.join(backend_names())}",
                Location(),
            )
        ]
    )


@cache
def _built_in(name: str) -> Backend:
    module, kind = BUILT_IN[name]
    backend: Backend = getattr(import_module(module), kind)()
    return backend


def kernel_of(op: Op, backends: Iterable[Backend]) -> tuple[Backend, Kernel] | None:
    """The first backend that implements an op, with a kernel that falls back to the following backends for
    inputs that it declines.

    If all of them decline, the kernel raises Declined with the reason of each one.
    """
    candidates = tuple(backends)
    for index, backend in enumerate(candidates):
        kernel = backend.kernel(op)
        if kernel is not None:
            return backend, (
                kernel
                if isinstance(backend, Reference)
                else _with_fallback(op, backend.name, kernel, candidates[index + 1 :])
            )
    return None


def fill(kernel: Kernel, inputs: Iterable[Any], attributes: Mapping[str, Any], out: Array | None) -> Any:
    """Run a kernel; write the result to the array out, if there is one."""
    if out is None or getattr(kernel, "takes_out", False):
        return kernel(*inputs, **attributes) if out is None else kernel(*inputs, out=out, **attributes)
    np.copyto(out, kernel(*inputs, **attributes))
    return out


def _with_fallback(op: Op, name: str, kernel: Kernel, others: tuple[Backend, ...]) -> Kernel:
    """A kernel that falls back to other backends for inputs that it declines."""

    def compute(*inputs: Any, out: Array | None = None, **attributes: Any) -> Any:
        try:
            return fill(kernel, inputs, attributes, out)
        except Declined as declined:
            reason = f"{name} declines {op.id}: {declined}"
        fallback = kernel_of(op, others)
        if fallback is None:
            raise Declined(reason)
        try:
            return fill(fallback[1], inputs, attributes, out)
        except Declined as declined:
            raise Declined(f"{reason}; {declined}") from None

    for attribute in ("takes_out", "checks_values"):
        setattr(compute, attribute, getattr(kernel, attribute, False))
    return compute
