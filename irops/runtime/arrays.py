"""The memory that arrays take, before they are made."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from irops.files.limits import Limits
from irops.ops.invocation import OpFault
from irops.spec.op import Op
from irops.values.element import DYNAMIC
from irops.values.fact import Fact
from irops.values.shape import MAX_AXES, MAX_DIM
from irops.values.violation import LimitExceeded


def check_possible(op: Op, outputs: Iterable[Fact]) -> None:
    """Require that arrays can have the shapes of an op's outputs. Raises: OpFault"""
    for fact in outputs:
        dims = fact.shape.dims or ()
        if len(dims) > MAX_AXES:
            raise OpFault(
                "unsupported-array",
                f"{op.id} gives a tensor of {len(dims)} axes; arrays have {MAX_AXES} at most",
            )
        if (
            fact.element_type is not DYNAMIC
            and prod(max(dim.low, 1) for dim in dims) * fact.element_type.dtype.itemsize > MAX_DIM
        ):
            raise OpFault("unsupported-array", f"{op.id} gives {fact}; no array has such sizes")


def require_room(in_use: float, wanted: float, limits: Limits) -> None:
    """Require that further bytes are within the limit on tensors. Raises: LimitExceeded"""
    if in_use + wanted > limits.tensor_bytes:
        message = f"would hold {in_use + wanted:,.0f} bytes, {limits.message('tensor_bytes')}"
        raise LimitExceeded("memory-limit", message)


def size_in_bytes(facts: Iterable[Fact]) -> float:
    """How many bytes tensors of these facts take in memory, where their sizes are known."""
    return sum(
        fact.shape.size.low * max(fact.element_type.dtype.itemsize, 1)
        for fact in facts
        if fact.element_type is not DYNAMIC
    )
