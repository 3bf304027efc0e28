"""The backend protocol, and how backends fall back to one another.

A backend is an object with a name and kernel(op) -> callable or None; the callable takes arrays by position
and attributes by keyword, like the reference kernel of the op. If it would not compute what the definition
specifies, it raises Declined, and the next backend of the chain computes. irops.backends.catalogue lists the
available backends.

A kernel may have two attributes that are true: takes_out, if it fills the array passed as out= and returns
it; checks_values, if it validates its inputs against all constraints on values, so that the caller need not.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.dialects.registry import default_registry
from irops.spec.binding import Functions
from irops.spec.op import Op
from irops.spec.sharing import shared
from irops.values.element import Array


class Declined(Exception):
    """Raised by a kernel that would narrow, corrupt or crash on these inputs.

    reason: a text that follows "declines Reverse-1:", the same for similar inputs; detail: for example the
    value that causes it.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail

    def __str__(self) -> str:
        return f"{self.reason}; {self.detail}" if self.detail else self.reason


Kernel = Callable[..., Any]
K = TypeVar("K", bound=Kernel)
PROMISES = ("takes_out", "checks_values")
WITH_EQUAL_CONSTRAINTS = ("Reverse-1", "ReverseSequence-1")
"""OpenVINO ops whose constraints hold for the ops of other dialects that are the same: a kernel refuses what
it must for all of them.
"""


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


def filling(kernel: K) -> K:
    """Mark a kernel that takes out= and checks values like the reference."""
    for promise in PROMISES:
        setattr(kernel, promise, True)
    return kernel


def kernel_of_base(op: Op, kernel: Callable[[Op], Kernel | None]) -> Kernel | None:
    """The kernel of the OpenVINO op that an op of another dialect is the same as, with inputs and attributes
    converted; None if there is no such op or kernel. kernel: gives those of OpenVINO's ops.
    """
    if op.definition.same_as not in WITH_EQUAL_CONSTRAINTS:
        return None
    base = default_registry().op(op.definition.same_as)
    base_kernel = kernel(base)
    if base_kernel is None:
        return None
    keywords_only = Functions(
        kernel=_unchanged, keyword_params={"kernel": base.functions.keyword_params["kernel"]}
    )
    arguments = shared(op.definition, base.definition, keywords_only).kernel
    assert arguments is not None

    def compute(*inputs: Any, out: Array | None = None, **attributes: Any) -> Any:
        base_inputs, base_attributes = arguments(*inputs, **attributes)
        return fill(base_kernel, base_inputs, base_attributes, out)

    return _with_promises_of(base_kernel, compute)


def _unchanged(*inputs: Any, **attributes: Any) -> tuple[Any, Any]:
    return inputs, attributes


def _with_promises_of(kernel: Kernel, compute: Kernel) -> Kernel:
    for promise in PROMISES:
        setattr(compute, promise, getattr(kernel, promise, False))
    return compute


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

    return _with_promises_of(kernel, compute)


class Dependent(Protocol):
    """A backend that needs optional libraries."""

    @property
    def name(self) -> str: ...

    def missing(self) -> str | None: ...


def require_installed(backend: Dependent) -> None:
    """Check that the libraries of a backend are installed.

    Raises:  DiagnosticError (IR613) that names the extra to install
    """
    reason = backend.missing()
    if reason:
        message, place = f"backend {backend.name} is not available: {reason}", Location("<backends>")
        raise DiagnosticError([Diagnostic(rule("unavailable-backend"), message, place)])
