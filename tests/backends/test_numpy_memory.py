"""By NumPy alone little memory is taken beside the result, whatever the input."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from irops.backends.catalogue import chain
from irops.registry import default_registry

LIMIT = 64 << 20


def taken(op: str, *inputs: np.ndarray, **attributes: Any) -> int:
    """Bytes at the peak, beside inputs and result."""
    kernel = chain(("numpy",))[0].kernel(default_registry().op(op))
    assert kernel is not None
    out = np.empty(inputs[0].shape, inputs[0].dtype)
    tracemalloc.start()
    try:
        kernel(*inputs, out=out, **attributes)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def lengths(batch: int, steps: int) -> np.ndarray:
    return np.random.default_rng(0).integers(1, steps + 1, batch)


@pytest.mark.slow("large arrays")
@pytest.mark.parametrize(
    ("shape", "batch_axis", "seq_axis"),
    [
        ((1 << 21, 4), 0, 1),
        ((4, 1 << 21), 1, 0),
        ((4, 1 << 21), 0, 1),
        ((1 << 21, 4), 1, 0),
        ((2, 4, 1 << 20), 0, 1),
        ((512, 128, 128), 2, 1),
        ((3000, 3000), 0, 1),
        ((3000, 3000), 1, 0),
        ((1, 1 << 23), 0, 1),
        ((1 << 19, 2, 8), 1, 2),
        ((1 << 19, 2, 8), 2, 1),
    ],
)
@pytest.mark.parametrize("layout", ["plain", "backwards"])
def test_reverse_sequence_takes_no_more_than_its_limit(
    shape: tuple[int, ...], batch_axis: int, seq_axis: int, layout: str
) -> None:
    data = np.zeros(shape, np.complex128)  # 128 MB, twice the limit
    data = data if layout == "plain" else data[::-1]
    assert data.nbytes > 2 * LIMIT - (1 << 20)
    assert (
        taken(
            "ReverseSequence-1",
            data,
            lengths(shape[batch_axis], shape[seq_axis]),
            batch_axis=batch_axis,
            seq_axis=seq_axis,
        )
        < LIMIT
    )


@pytest.mark.slow("large arrays")
def test_strings_take_no_more_either() -> None:
    data = np.full((1 << 20, 3, 3), "a", object)
    assert taken("ReverseSequence-1", data, lengths(1 << 20, 3), batch_axis=0, seq_axis=1) < LIMIT


def test_reverse_takes_next_to_nothing() -> None:
    assert (
        taken("Reverse-1", np.zeros((1 << 10, 1 << 13), np.complex128), np.array([0, 1]), mode="index")
        < 1 << 20
    )
