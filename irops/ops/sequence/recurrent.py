"""Shape inference, activation functions and step order that all recurrent sequences share."""

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
    """The shape of Y, and the shape of the last value of each state.

    weights: W, R and B; gates: the number of gates in each of them; bias_gates: the number of gates in B, if
        it differs.
    """
    W, R, B = (fact.shape for fact in weights)  # noqa: N806
    batch = unify_all("C1")(X.shape[0], *(state.shape[0] for state in states), sequence_lengths.shape[0])
    directions = unify_all("C2")(
        2 if direction == "bidirectional" else 1, *(state.shape[1] for state in states), W[0], R[0], B[0]
    )
    sizes = [gate_size(W[1], gates), gate_size(R[1], gates), gate_size(B[1], bias_gates or gates)]
    size = unify_all("C3")(*(state.shape[2] for state in states), R[2], *sizes)
    warn_unless(X.shape[2].can_be(W[2]), "C4", X, weights[0])
    warn_unless(size.can_be(hidden_size), "C5", hidden_size, size)
    size = unify(size, hidden_size, "C5") if size.can_be(hidden_size) else size
    if sequence_lengths.value is not None:
        check_lengths(sequence_lengths.value, X.shape[1])
    return Shape.of(batch, directions, X.shape[1], size), *(Shape.of(batch, directions, size) for _ in states)


def unify_all(constraint: str) -> Callable[..., Dim]:
    """A function that unifies any number of sizes; it raises Violation(constraint) if they differ."""
    return lambda *dims: Dim.of(reduce(lambda a, b: unify(a, b, constraint), dims))


def gate_size(dim: Dim, gates: int) -> Dim:
    """The size of one gate, given the size of an axis along which all gates are concatenated."""
    low, high = dim.ceil_div(gates).low, (dim // gates).high
    require(low <= high, "C3", f"{dim} for {gates} gates")
    return Dim(low, high)


def check_lengths(lengths: Array, steps: Dim) -> None:
    """Require that every length lies in [0, steps]."""
    wrong = np.flatnonzero((lengths < 0) | (as_i64(lengths) > steps.high))
    if wrong.size:
        require(False, "C9", f"{lengths.flat[wrong[0]]} for batch item {wrong[0]} of {steps} steps")


FUNCTIONS: dict[str, Function] = {
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
}


def functions_of(activations: Sequence[str], count: int) -> list[Function]:
    """The activation functions of a cell that has count of them, by their names."""
    names = [name.lower() for name in activations[:count]]
    known = len(names) == count and all(name in FUNCTIONS for name in names)
    require(known, "C6", ", ".join(activations) or "none")
    warn_unless(len(activations) == count, "C7", ", ".join(activations))
    return [FUNCTIONS[name] for name in names]


def check_clip(clip: float) -> None:
    """Warn about a negative clip."""
    warn_unless(clip >= 0, "C8", clip)


def clipped(gates: Array, clip: float) -> Array:
    """The sums of the gates, clamped to [-clip, clip] if clip is positive."""
    return np.clip(gates, -clip, clip) if clip > 0 else gates


def directions_of(direction: str) -> tuple[bool, ...]:
    """For each direction, whether it processes the steps in reverse."""
    return {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}[direction]


def step_order(lengths: Array, steps: int, backward: bool) -> Array:
    """The step of each sequence that is processed at each time. The permutation is its own inverse."""
    time = np.broadcast_to(np.arange(steps), (len(lengths), steps))
    ends = lengths[:, np.newaxis]
    return np.where(time < ends, ends - 1 - time, time) if backward else time


def reordered(sequences: Array, order: Array) -> Array:
    """Sequences [batch, steps, ...] with their steps in the given order."""
    return sequences[np.arange(len(sequences))[:, np.newaxis], order]
