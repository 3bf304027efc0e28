"""Trials of Reverse-1 and ReverseSequence-1 that are larger than any cache, where kernels change strategy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irops.conformance.strategies.tensors import filled
from irops.conformance.trial import Trial, TrialInput
from irops.spec.op import Op
from irops.values.element import element_type

REVERSED: tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...] = (
    *(
        ("f32", (8, 3, 600, 720), axes)
        for axes in ((0,), (1,), (2,), (3,), (1, 3), (2, 3), (0, 2), (0, 1, 2, 3))
    ),
    ("u8", (40_000_003,), (0,)),
    ("f16", (20_000_003,), (0,)),
    ("i64", (5_000_003,), (0,)),
    ("u8", (13, 3_000_017), (1,)),
    ("i8", (5_000_011, 7), (1,)),
    ("u16", (3_000_017, 5), (0, 1)),
)
"""Element type, shape and axes."""
SEQUENCES: tuple[tuple[str, tuple[int, ...], int, int], ...] = (
    ("f32", (65_536, 160), 0, 1),
    ("f32", (160, 65_536), 1, 0),
    ("f32", (160, 65_536), 0, 1),
    ("f32", (512, 64, 320), 1, 0),
    ("f32", (65_536, 16, 10), 0, 1),
    ("f32", (4, 10, 500, 520), 0, 2),
    ("u8", (40, 1_000_003), 0, 1),
    ("i8", (300_007, 130), 0, 1),
    ("f16", (70_001, 257), 0, 1),
    ("i64", (1000, 5003), 0, 1),
    ("f64", (300, 7, 5, 500), 0, 1),
    ("u8", (3_000_017, 3, 4), 0, 1),
    ("f32", (33, 20, 500, 30), 2, 1),
    ("i16", (70, 5, 60_000), 2, 0),
)
"""Element type, shape, batch_axis and seq_axis."""


def large_reverse_trials(op: Op) -> Iterator[Trial]:
    for kind, shape, axes in REVERSED:
        yield Trial(
            op,
            (TrialInput(filled(element_type(kind), shape, "bits")), TrialInput(np.array(axes))),
            {"mode": "index"},
        )


def large_reverse_sequence_trials(op: Op) -> Iterator[Trial]:
    for kind, shape, batch, seq in SEQUENCES:
        lengths = np.random.default_rng(len(shape)).integers(0, shape[seq] + 1, shape[batch])
        data = TrialInput(filled(element_type(kind), shape, "bits"))
        yield Trial(op, (data, TrialInput(lengths)), {"batch_axis": str(batch), "seq_axis": str(seq)})
