"""The backend protocol, and how backends fall back to one another.

A backend is an object with a name and kernel(op) -> callable or None; the callable takes arrays by position
and attributes by keyword, like the reference kernel of the op. If it would not compute what the definition
specifies, it raises Declined, and the next backend of the chain computes. irops.backends.catalogue lists the
available backends.

A kernel may have two attributes that are true: takes_out, if it fills the array passed as out= and returns
it; checks_values, if it validates its inputs against all constraints on values, so that the caller need not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np

from irops.backends.declined import Declined
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.spec.op import Op
from irops.values.element import Array

Kernel = Callable[..., Any]


@runtime_checkable
class Backend(Protocol):
    """Anything with a name and a kernel for some ops."""

    @property
    def name(self) -> str: ...

    def kernel(self, op: Op) -> Kernel | None:
        """The function that computes op, or None if this backend does not implement it."""


class Dependent(Protocol):
    """A backend that needs optional libraries."""

    @property
    def name(self) -> str: ...

    def missing(self) -> str | None: ...


class Reference:
    """The reference kernels of irops.ops, the end of every chain."""

    name = "reference"

    def kernel(self, op: Op) -> Kernel | None:
        return op.functions.kernel


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
    takes_out = getattr(kernel, "takes_out", False)

    def compute(*inputs: Any, out: Array | None = None, **attributes: Any) -> Any:
        try:
            if takes_out:
                return kernel(*inputs, out=out, **attributes)
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


def require_installed(backend: Dependent) -> None:
    """Check that the libraries of a backend are installed.

    Raises:  DiagnosticError (IR613) that names the extra to install
    """
    reason = backend.missing()
    if reason:
        raise DiagnosticError(
            [
                Diagnostic(
                    rule("unavailable-backend"),
                    f"backend {backend.name} is not available: {reason}",
                    Location("<backends>"),
                )
            ]
        )
