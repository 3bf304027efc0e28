"""What the sequences of recurrent cells share: how their tensors fit, and in what order a direction takes the
steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from irops.values.dim import Dim, unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless

Function = Callable[[Array], Array]


def sequence_shapes(
    X: Fact,
    states: Sequence[Fact],
    sequence_lengths: Fact,
    weights: tuple[Fact, Fact, Fact],
    gates: int,
    hidden_size: int,
    direction: str,
    bias_gates: int | None = None,
) -> tuple[Shape, ...]:
    """The shapes of all steps' outputs and of the last state of each kind.

    weights: W, R and B; gates: how many there are in each, or in B bias_gates.
    """
    W, R, B = (fact.shape for fact in weights)  # noqa: N806
    hold = every("C1")
    batch = hold(X.shape[0], *(state.shape[0] for state in states), sequence_lengths.shape[0])
    directions = every("C2")(
        2 if direction == "bidirectional" else 1, *(state.shape[1] for state in states), W[0], R[0], B[0]
    )
    size = every("C3")(
        *(state.shape[2] for state in states),
        R[2],
        gate(W[1], gates),
        gate(R[1], gates),
        gate(B[1], bias_gates or gates),
    )
    warn_unless(X.shape[2].can_be(W[2]), "C4", X, weights[0])
    warn_unless(size.can_be(hidden_size), "C5", hidden_size, size)
    size = unify(size, hidden_size, "C5") if size.can_be(hidden_size) else size
    if sequence_lengths.value is not None:
        hold_lengths(sequence_lengths.value, X.shape[1])
    return Shape.of(batch, directions, X.shape[1], size), *(Shape.of(batch, directions, size) for _ in states)


def every(constraint: str) -> Callable[..., Dim]:
    return lambda *dims: Dim.of(reduce(lambda a, b: unify(a, b, constraint), dims))


def gate(dim: Dim, gates: int) -> Dim:
    """The size of one gate, of several that lie behind each other."""
    least, most = dim.ceil_div(gates).low, (dim // gates).high
    require(least <= most, "C3", f"{dim} for {gates} gates")
    return Dim(least, most)


def hold_lengths(lengths: Array, steps: Dim) -> None:
    """Hold the lengths of sequences to the number of steps there are."""
    wrong = np.flatnonzero((lengths < 0) | (as_i64(lengths) > steps.high))
    if wrong.size:
        require(False, "C9", f"{lengths.flat[wrong[0]]} for batch item {wrong[0]} of {steps} steps")


FUNCTIONS: dict[str, Function] = {
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
}


def functions_of(activations: Sequence[str], count: int) -> list[Function]:
    """The functions that names mean, as many as the cell has."""
    names = [name.lower() for name in activations[:count]]
    require(
        len(names) == count and all(name in FUNCTIONS for name in names),
        "C6",
        ", ".join(activations) or "none",
    )
    warn_unless(len(activations) == count, "C7", ", ".join(activations))
    return [FUNCTIONS[name] for name in names]


def hold_clip(clip: float) -> None:
    """Remark on a clip that is no bound."""
    warn_unless(clip >= 0, "C8", clip)


def clipped(gates: Array, clip: float) -> Array:
    """Gates before their functions, bounded by clip where it is more than 0."""
    return np.clip(gates, -clip, clip) if clip > 0 else gates


def directions_of(direction: str) -> tuple[bool, ...]:
    """For each direction, whether it takes the steps backwards."""
    return {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}[direction]


def step_order(lengths: Array, steps: int, backward: bool) -> Array:
    """Which step of each sequence comes at which time. Taken twice, it is the order of the steps again."""
    time = np.broadcast_to(np.arange(steps), (len(lengths), steps))
    ends = lengths[:, np.newaxis]
    return np.where(time < ends, ends - 1 - time, time) if backward else time


def reordered(sequences: Array, order: Array) -> Array:
    """Sequences [batch, steps, ...] with their steps in another order."""
    return sequences[np.arange(len(sequences))[:, np.newaxis], order]
