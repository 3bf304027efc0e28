"""What a backend is, and which there are.

A backend is an object with a name and kernel(op) -> callable or None; the callable takes arrays by position and attributes by
keyword, as the reference kernel of the op does. Where it would not give what the definition says it raises Declined, and the next
backend of the chain is asked. Packages offer theirs under the entry point group irops.backends.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from irops.backends.declined import Declined
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.registry import Op

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


OWN = {"openvino": ("irops.backends.openvino", "OpenVINO"), "onnxruntime": ("irops.backends.onnxruntime", "ONNXRuntime")}
"""irops' own backends beside the reference: name to module and class, imported when asked for; kept, with what they have compiled."""


def backend_names() -> tuple[str, ...]:
    """The names of all backends that can be asked for."""
    from importlib.metadata import entry_points
    return (Reference.name, *OWN, *sorted(e.name for e in entry_points(group=ENTRY_POINTS)))


def chain(backends: Iterable[str | Backend]) -> tuple[Backend, ...]:
    """Backends by name or as they are; the first that has a kernel for an op computes it.

    Raises:  DiagnosticError (IR610) where a name is no backend's
    """
    return tuple(_backend(b) if isinstance(b, str) else b for b in backends)


def _backend(name: str) -> Backend:
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
    raise DiagnosticError([Diagnostic(rule("unknown-backend"),
                                      f"no backend is called {name!r}; there are {', '.join(backend_names())}", Location())])


@cache
def _own(name: str) -> Backend:
    module, kind = OWN[name]
    backend: Backend = getattr(import_module(module), kind)()
    return backend


def kernel_of(op: Op, backends: Iterable[Backend]) -> tuple[Backend, Kernel] | None:
    """The first backend that can compute an op, and a kernel: its own, and for inputs that it declines that of the next which has one.

    The kernel raises Declined, naming every backend that was asked and its reason, where none is left.
    """
    asked = tuple(backends)
    for place, backend in enumerate(asked):
        kernel = backend.kernel(op)
        if kernel is not None:
            return backend, kernel if isinstance(backend, Reference) else _or_else(op, backend.name, kernel, asked[place + 1:])
    return None


def _or_else(op: Op, name: str, kernel: Kernel, others: tuple[Backend, ...]) -> Kernel:
    def compute(*inputs: Any, **attributes: Any) -> Any:
        try:
            return kernel(*inputs, **attributes)
        except Declined as declined:
            reason = f"{name} declines {op.id}: {declined}"
        found = kernel_of(op, others)
        if found is None:
            raise Declined(reason)
        try:
            return found[1](*inputs, **attributes)
        except Declined as declined:
            raise Declined(f"{reason}; {declined}") from None
    return compute
