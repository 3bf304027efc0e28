"""Shared by backends that move elements: validated sequence lengths, and the array to fill."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from irops.ops.movement.reverse_sequence import check_lengths
from irops.registry import default_registry
from irops.spec.binding import Functions
from irops.spec.op import Op
from irops.spec.sharing import shared
from irops.values.dim import Dim, unify
from irops.values.element import Array
from irops.values.violation import require

K = TypeVar("K", bound=Callable[..., Any])


def filling(kernel: K) -> K:
    """Mark a kernel that accepts out= and checks values like the reference (see irops.backends.backend)."""
    kernel.takes_out = kernel.checks_values = True  # type: ignore[attr-defined]
    return kernel


def kernel_for(op: Op, kernels: Mapping[str, Callable[..., Any]]) -> Callable[..., Any] | None:
    """The kernel of an op from a table by id, or the kernel of the OpenVINO op that it is equivalent to, with
    inputs and attributes converted.
    """
    base_id = op.definition.same_as or ""
    if op.id in kernels or base_id not in kernels:
        return kernels.get(op.id)
    base, kernel = default_registry().op(base_id), kernels[base_id]
    arguments_only = Functions(
        kernel=_unchanged, keyword_params={"kernel": base.functions.keyword_params["kernel"]}
    )
    arguments = shared(op.definition, base.definition, arguments_only).kernel
    assert arguments is not None

    def compute(*inputs: Any, out: Array | None = None, **attributes: Any) -> Any:
        base_inputs, base_attributes = arguments(*inputs, **attributes)
        return kernel(*base_inputs, out=out, **base_attributes)

    return filling(compute)


def _unchanged(*inputs: Any, **attributes: Any) -> list[Any]:
    return [inputs, attributes]


class Lengths(NamedTuple):
    """The number of steps to reverse in each sequence, with the minimum and maximum (0 without sequences)."""

    values: npt.NDArray[np.int64]
    minimum: int
    maximum: int


def checked_lengths(data: Array, seq_lengths: Array, batch_axis: int, seq_axis: int) -> Lengths:
    """Validate lengths by the definition of ReverseSequence, like the reference.

    Raises:  Violation
    """
    require(batch_axis != seq_axis, "C2", f"{batch_axis} for both")
    steps = data.shape[seq_axis]
    if seq_lengths.shape != (data.shape[batch_axis],):
        unify(data.shape[batch_axis], seq_lengths.shape[0], "C1")
    if not seq_lengths.size:
        return Lengths(np.empty(0, np.int64), 0, 0)
    if seq_lengths.dtype.kind in "iu":
        minimum, maximum = int(seq_lengths.min()), int(seq_lengths.max())
        if minimum >= 1 and maximum <= steps:
            return Lengths(np.ascontiguousarray(seq_lengths, np.int64), minimum, maximum)
    check_lengths(seq_lengths, Dim.of(steps))
    values = np.ascontiguousarray(seq_lengths, np.int64)
    return Lengths(values, int(values.min()), int(values.max()))


def output_array(data: Array, out: Array | None) -> Array:
    """The array to fill, with the type and shape of data, in C order: `out` if it is contiguous and does not
    overlap data, else a new one.

    Raises:  ValueError if out has another type or shape, or is read-only
    """
    if out is None:
        return np.empty(data.shape, data.dtype)
    if out.dtype != data.dtype or out.shape != data.shape or not out.flags.writeable:
        kind = "" if out.flags.writeable else "read-only "
        raise ValueError(
            f"out is {kind}{out.dtype}{list(out.shape)}, must be a writeable {data.dtype}{list(data.shape)}"
        )
    usable = out.flags.c_contiguous and not np.may_share_memory(out, data)
    return out if usable else np.empty(data.shape, data.dtype)


def deliver(result: Array, out: Array | None) -> Array:
    """Return the result, copied to `out` if it is another array."""
    if out is None or out is result:
        return result
    np.copyto(out, result)
    return out
