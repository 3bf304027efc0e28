"""What a backend is, and which there are.

A backend is an object with a name and kernel(op) -> callable or None; the callable takes arrays by position
and attributes by keyword, as the reference kernel of the op does. Where it would not give what the definition
says it raises
Declined, and the next backend of the chain is asked. Packages offer theirs under the entry point group
irops.backends.

A kernel may say of itself, by an attribute that is true: takes_out, that it fills the array that it is given
    as out= and gives it
back; checks_values, that it holds its inputs to all that the definition says of values, so that nobody need
do it before. A backend may say by missing() what it lacks, or None where it can compute.
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
        """The function that computes op, or None where this backend has none."""


class Reference:
    """The kernels of irops.ops: the truth, and the end of every chain."""

    name = "reference"

    def kernel(self, op: Op) -> Kernel | None:
        return op.functions.kernel


OWN = {
    "numba": ("irops.backends.numba", "Numba"),
    "numpy": ("irops.backends.numpy", "NumPy"),
    "openvino": ("irops.backends.openvino", "OpenVINO"),
    "onnxruntime": ("irops.backends.onnxruntime", "ONNXRuntime"),
}
"""irops' own backends beside the reference: name to module and class, imported when asked for; kept, with
what they have compiled.
"""


def backend_names() -> tuple[str, ...]:
    """The names of all backends that can be asked for."""
    from importlib.metadata import entry_points

    return (Reference.name, *OWN, *sorted(e.name for e in entry_points(group=ENTRY_POINTS)))


def chain(backends: Iterable[str | Backend] | None) -> tuple[Backend, ...]:
    """Backends by name or as they are; the first that has a kernel for an op computes it. None: the fastest
    that can, then the reference.

    Raises:  DiagnosticError (IR610) where a name is no backend's
    """
    return (
        _fastest()
        if backends is None
        else tuple(backend_of(b) if isinstance(b, str) else b for b in backends)
    )


@cache
def _fastest() -> tuple[Backend, ...]:
    """What computes where nobody says what shall: backends that give what the reference does, bit for bit."""
    from irops.backends.numba import WORTH_LOADING, Numba
    from irops.backends.numpy import NumPy

    fast: tuple[Backend, ...] = (Numba(WORTH_LOADING), NumPy())
    return (*(backend for backend in fast if missing(backend) is None), Reference())


def missing(backend: Backend) -> str | None:
    """What a backend lacks, in its own words; None where it can compute, or does not say."""
    tell: Callable[[], str | None] | None = getattr(backend, "missing", None)
    return None if tell is None else tell()


def backend_of(name: str) -> Backend:
    """The backend of a name.

    Raises:  DiagnosticError (IR610) where there is none
    """
    if name == Reference.name:
        return Reference()
    if name in OWN:
        return _own(name)
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENTRY_POINTS):
        if entry.name == name:
            loaded = entry.load()
            backend: Backend = loaded() if isinstance(loaded, type) else loaded
            return backend
    raise DiagnosticError(
        [
            Diagnostic(
                rule("unknown-backend"),
                f"no backend is called {name!r}; there are {', '.join(backend_names())}",
                Location(),
            )
        ]
    )


@cache
def _own(name: str) -> Backend:
    module, kind = OWN[name]
    backend: Backend = getattr(import_module(module), kind)()
    return backend


def kernel_of(op: Op, backends: Iterable[Backend]) -> tuple[Backend, Kernel] | None:
    """The first backend that can compute an op, and a kernel: its own, and for inputs that it declines that
    of the next which has one.

    The kernel raises Declined, naming every backend that was asked and its reason, where none is left.
    """
    asked = tuple(backends)
    for place, backend in enumerate(asked):
        kernel = backend.kernel(op)
        if kernel is not None:
            return backend, (
                kernel
                if isinstance(backend, Reference)
                else _or_else(op, backend.name, kernel, asked[place + 1 :])
            )
    return None


def fill(kernel: Kernel, inputs: Iterable[Any], attributes: Mapping[str, Any], out: Array | None) -> Any:
    """What a kernel gives, in the array out, if there is one."""
    if out is None or getattr(kernel, "takes_out", False):
        return kernel(*inputs, **attributes) if out is None else kernel(*inputs, out=out, **attributes)
    np.copyto(out, kernel(*inputs, **attributes))
    return out


def _or_else(op: Op, name: str, kernel: Kernel, others: tuple[Backend, ...]) -> Kernel:
    """A kernel, and instead of it, for what it declines, those of others."""

    def compute(*inputs: Any, out: Array | None = None, **attributes: Any) -> Any:
        try:
            return fill(kernel, inputs, attributes, out)
        except Declined as declined:
            reason = f"{name} declines {op.id}: {declined}"
        found = kernel_of(op, others)
        if found is None:
            raise Declined(reason)
        try:
            return fill(found[1], inputs, attributes, out)
        except Declined as declined:
            raise Declined(f"{reason}; {declined}") from None

    for mark in ("takes_out", "checks_values"):
        setattr(compute, mark, getattr(kernel, mark, False))
    return compute
