"""What backends that move elements have in common: lengths that are settled, and the array that is filled."""

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
    """Mark a kernel that takes out=, and checks values as the reference does (irops.backends.backend)."""
    kernel.takes_out = kernel.checks_values = True  # type: ignore[attr-defined]
    return kernel


def kernel_for(op: Op, kernels: Mapping[str, Callable[..., Any]]) -> Callable[..., Any] | None:
    """The kernel of an op out of those by id; or that of the op of OpenVINO that it is by another name, put
    as that one takes it.
    """
    same = op.definition.same_as or ""
    if op.id in kernels or same not in kernels:
        return kernels.get(op.id)
    base, kernel = default_registry().op(same), kernels[same]
    asked = Functions(kernel=_as_given, keyword_params={"kernel": base.functions.keyword_params["kernel"]})
    arguments = shared(op.definition, base.definition, asked).kernel
    assert arguments is not None

    def compute(*inputs: Any, out: Array | None = None, **attributes: Any) -> Any:
        given, said = arguments(*inputs, **attributes)
        return kernel(*given, out=out, **said)

    return filling(compute)


def _as_given(*inputs: Any, **attributes: Any) -> tuple[Any, Any]:
    return inputs, attributes


class Lengths(NamedTuple):
    """How many steps of each sequence are reversed, and the least and the greatest of these numbers (0 where
    there are none).
    """

    each: npt.NDArray[np.int64]
    least: int
    most: int


def settled(data: Array, seq_lengths: Array, batch_axis: int, seq_axis: int) -> Lengths:
    """Lengths that are held to the definition of ReverseSequence, as the reference holds them.

    Raises:  Violation
    """
    require(batch_axis != seq_axis, "C2", f"{batch_axis} for both")
    steps = data.shape[seq_axis]
    if seq_lengths.shape != (data.shape[batch_axis],):
        unify(data.shape[batch_axis], seq_lengths.shape[0], "C1")
    if not seq_lengths.size:
        return Lengths(np.empty(0, np.int64), 0, 0)
    if seq_lengths.dtype.kind in "iu":
        least, most = int(seq_lengths.min()), int(seq_lengths.max())
        if least >= 1 and most <= steps:
            return Lengths(np.ascontiguousarray(seq_lengths, np.int64), least, most)
    check_lengths(seq_lengths, Dim.of(steps))
    each = np.ascontiguousarray(seq_lengths, np.int64)
    return Lengths(each, int(each.min()), int(each.max()))


def room(like: Array, out: Array | None) -> Array:
    """The array to fill, of the type and shape of like, in C's order: out, if it can be; what like holds is
    not written over.

    Raises:  ValueError where out has another type or shape, or cannot be written
    """
    if out is None:
        return np.empty(like.shape, like.dtype)
    if out.dtype != like.dtype or out.shape != like.shape or not out.flags.writeable:
        kind = "" if out.flags.writeable else "read-only "
        raise ValueError(
            f"out is {kind}{out.dtype}{list(out.shape)}, must be {like.dtype}{list(like.shape)}, and"
            " writeable"
        )
    free = out.flags.c_contiguous and not np.may_share_memory(out, like)
    return out if free else np.empty(like.shape, like.dtype)


def delivered(filled: Array, out: Array | None) -> Array:
    """What was filled, where the caller wants it."""
    if out is None or out is filled:
        return filled
    np.copyto(out, filled)
    return out
