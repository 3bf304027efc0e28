"""Recurrent cells and sequences, attention, and spectra of frames."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt
from typing import Any

import numpy as np

from irops.expansion.expanding import Expanding, OtherFormError, Outputs, RefusedError, ReplacingOp, expansion
from irops.ops.sequence.recurrent import GRU, LSTM, RNN, directions_of
from irops.values.element import BOOLEAN, I64, ElementType

ZERO = np.array(0, np.int64)
SUMS = "sums are rounded in another order, and narrow types round after each op"
FUNCTIONS = {"relu": "ReLU-1", "sigmoid": "Sigmoid-1", "tanh": "Tanh-1"}

# Cells: one step


def _functions(subject: Expanding, usual: tuple[str, ...]) -> list[str]:
    """The ops of the activation functions."""
    names = [name.lower() for name in subject.attributes["activations"] or usual][: len(usual)]
    for name in names:
        if name not in FUNCTIONS:
            raise RefusedError(f"its activation function {name} is none of {', '.join(FUNCTIONS)}")
    return [FUNCTIONS[name] for name in names]


def _clipped(subject: Expanding, sums: Any) -> Any:
    clip = subject.attributes["clip"]
    return subject.Clamp(sums, min=-clip, max=clip) if clip > 0 else sums


def _sums(subject: Expanding, state: Any) -> Any:
    """X W^T + H R^T + B."""
    left = subject.MatMul(subject.input("X"), subject.input("W"), transpose_b=True)
    sums = subject.Add(left, subject.MatMul(state, subject.input("R"), transpose_b=True))
    bias = subject.optional("B")
    return sums if bias is None else subject.Add(sums, bias)


@expansion("RNNCell-1", "Tanh-1", rounds=SUMS)
def rnn_cell(subject: Expanding) -> Outputs:
    subject.real_type("X")
    (function,) = _functions(subject, RNN)
    return Outputs(
        [subject.add(function, _clipped(subject, _sums(subject, subject.input("initial_hidden_state"))))]
    )


@expansion("LSTMCell-4", "Multiply-1", rounds=SUMS)
def lstm_cell(subject: Expanding) -> Outputs:
    """Of four gates: forget, input, candidate, output."""
    subject.real_type("X")
    f, g, h = _functions(subject, LSTM)
    sums = _clipped(subject, _sums(subject, subject.input("initial_hidden_state")))
    forget, into, candidate, out = subject.all_of("Split-1", sums, 1, num_splits=4)
    kept = subject.Multiply(subject.add(f, forget), subject.input("initial_cell_state"), part="kept")
    added = subject.Multiply(subject.add(f, into), subject.add(g, candidate), part="added")
    cell = subject.Add(kept, added)
    return Outputs([subject.Multiply(subject.add(f, out), subject.add(h, cell)), cell])


@expansion("GRUCell-3", "Add-1", rounds=SUMS)
def gru_cell(subject: Expanding) -> Outputs:
    """(1 - update) * candidate + update * state."""
    subject.real_type("X")
    f, g = _functions(subject, GRU)
    state = subject.input("initial_hidden_state")
    left = subject.MatMul(subject.input("X"), subject.input("W"), transpose_b=True)
    projected = subject.all_of("Split-1", left, 1, num_splits=3)
    weights = subject.all_of("Split-1", subject.input("R"), 0, num_splits=3)
    linear, bias = subject.attributes["linear_before_reset"], subject.optional("B")
    parts: Sequence[Any] = [None] * 4
    if bias is not None:
        parts = subject.all_of("Split-1", bias, 0, num_splits=4 if linear else 3)

    def gate(number: int) -> Any:
        sums = subject.Add(projected[number], subject.MatMul(state, weights[number], transpose_b=True))
        return subject.add(f, _clipped(subject, _plus(subject, sums, parts[number])))

    update, reset = gate(0), gate(1)
    if linear:
        moved = _plus(subject, subject.MatMul(state, weights[2], transpose_b=True), parts[3])
        inner = _plus(subject, subject.Multiply(reset, moved), parts[2])
    else:
        moved = subject.MatMul(subject.Multiply(reset, state), weights[2], transpose_b=True)
        inner = _plus(subject, moved, parts[2])
    candidate = subject.add(g, _clipped(subject, subject.Add(projected[2], inner)))
    rest = subject.Multiply(subject.Subtract(1.0, update), candidate)
    return Outputs([subject.Add(rest, subject.Multiply(update, state))])


def _plus(subject: Expanding, sums: Any, bias: Any) -> Any:
    return sums if bias is None else subject.Add(sums, bias)


# Sequences: a cell for each step

MOST_STEPS = 256
"""The most steps for which cells are added."""


@expansion("RNNSequence-5", "Concat-1", rounds=SUMS)
def rnn_sequence(subject: Expanding) -> Outputs:
    return _unrolled(subject, "RNNCell-1", ["initial_hidden_state"])


@expansion("GRUSequence-5", "Concat-1", rounds=SUMS)
def gru_sequence(subject: Expanding) -> Outputs:
    return _unrolled(subject, "GRUCell-3", ["initial_hidden_state"])


@expansion("LSTMSequence-5", "Concat-1", rounds=SUMS)
def lstm_sequence(subject: Expanding) -> Outputs:
    return _unrolled(subject, "LSTMCell-4", ["initial_hidden_state", "initial_cell_state"])


def _unrolled(subject: Expanding, cell: str, names: list[str]) -> Outputs:
    """The outputs of all steps, and the last states, for each direction."""
    subject.real_type("X")
    steps = subject.sizes("X", "a cell is added for each step")[1]
    if not steps.known or not 0 < int(steps) <= MOST_STEPS:
        raise RefusedError(f"it has {steps} steps; a cell is added for each of 1 to {MOST_STEPS}")
    lengths = subject.typed(subject.input("sequence_lengths"), I64, "lengths")
    directions = [
        _direction(subject, cell, names, (number, is_backward), lengths, int(steps))
        for number, is_backward in enumerate(directions_of(subject.attributes["direction"]))
    ]
    return Outputs(
        [
            values[0] if len(values) == 1 else subject.add("Concat-1", *values, axis=1)
            for values in zip(*directions)
        ]
    )


def _direction(
    subject: Expanding, cell: str, names: list[str], direction: tuple[int, bool], lengths: Any, steps: int
) -> list[Any]:
    """Y and the last states of a direction, with an axis for it."""
    number, is_backward = direction
    data = subject.input("X")
    if is_backward:
        data = subject.add("ReverseSequence-1", data, lengths, batch_axis=0, seq_axis=1)
    states = [subject.add("Gather-8", subject.input(name), number, 1) for name in names]
    weights = [subject.add("Gather-8", subject.input(name), number, 0) for name in ("W", "R", "B")]
    settings = ("hidden_size", "activations", "clip", "linear_before_reset")
    attributes = {name: subject.attributes[name] for name in settings if name in subject.attributes}
    column, rows = subject.Unsqueeze(lengths, [1]), []
    for step in range(steps):
        item = subject.add("Gather-8", data, step, 1, part=f"step_{step}")
        following = subject.all_of(cell, item, *states, *weights, **attributes)
        is_valid = subject.Greater(column, step)
        rows.append(subject.Unsqueeze(subject.Select(is_valid, following[0], 0.0), [1]))
        states = [subject.Select(is_valid, new, old) for new, old in zip(following, states)]
    outputs = subject.add("Concat-1", *rows, axis=1)
    if is_backward:
        outputs = subject.add("ReverseSequence-1", outputs, lengths, batch_axis=0, seq_axis=1)
    is_any = subject.Greater(column, 0)
    last = [subject.Select(is_any, state, 0.0) for state in states]
    return [subject.Unsqueeze(value, [1]) for value in (outputs, *last)]


# ScaledDotProductAttention in products and a SoftMax, as OpenVINO itself decomposes it.

LAST = np.array([-1], np.int64)


@expansion(
    "ScaledDotProductAttention-13",
    "MatMul-1",
    rounds="the weights are divided by their sum before they are multiplied with the values, not after",
)
def attention(subject: Expanding) -> ReplacingOp:
    query, key = subject.input("query"), subject.input("key")
    kind = subject.element_type("query")
    scaled = subject.add("Multiply-1", query, _scale(subject, kind), part="scaled")
    scores = subject.add("MatMul-1", scaled, key, part="scores", transpose_b=True)
    bias = _bias(subject, kind)
    if bias is not None:
        scores = subject.add("Add-1", scores, bias, part="masked")
    return ReplacingOp([_weights(subject, scores), subject.input("value")])


def _weights(subject: Expanding, scores: Any) -> Any:
    """The softmax of the scores; a sink takes part in it, and is dropped."""
    sink = subject.optional("sink")
    if sink is None:
        return subject.add("SoftMax-8", scores, part="weights", axis=-1)
    zero, one = np.array([0], np.int64), np.array([1], np.int64)
    column = subject.add("Slice-8", scores, zero, one, one, LAST, part="column")
    shape = subject.add("ShapeOf-3", column, part="column_shape", output_type=I64)
    whole = subject.add("Broadcast-3", sink, shape, part="sink", mode="bidirectional")
    both = subject.add("Concat-1", scores, whole, part="with_sink", axis=-1)
    weights = subject.add("SoftMax-8", both, part="weights_with_sink", axis=-1)
    return subject.add("Slice-8", weights, zero, LAST, one, LAST, part="weights")


def _scale(subject: Expanding, kind: ElementType) -> Any:
    """The factor of the scores: 1 / sqrt(E), unless it is an input."""
    scale = subject.optional("scale")
    if scale is not None:
        return scale
    dims = subject.fact("query").shape.dims
    if dims and dims[-1].known:
        width = int(dims[-1])
        return subject.like(1 / sqrt(width) if width else inf, kind)
    shape = subject.add("ShapeOf-3", subject.input("query"), part="query_shape", output_type=I64)
    size = _size(subject, shape, -1, "width")
    number = subject.typed(size, kind, "width_number")
    return subject.add("Power-1", number, subject.like(-0.5, kind), part="scale")


def _bias(subject: Expanding, kind: ElementType) -> Any:
    """What is added to the scores: the mask, where booleans give 0 and -inf."""
    mask = subject.optional("attention_mask")
    if subject.attributes["causal"]:
        return _masked(subject, _causal(subject), kind)
    if mask is None:
        return None
    return _masked(subject, mask, kind) if subject.element_type("attention_mask") is BOOLEAN else mask


def _masked(subject: Expanding, allowed: Any, kind: ElementType) -> Any:
    zero, never = subject.like(0, kind), subject.like(-inf, kind)
    return subject.add("Select-1", allowed, zero, never, part="bias")


def _causal(subject: Expanding) -> Any:
    """Whether a key is not later than a query."""
    rows = _positions(subject, "query")
    column = subject.add("Unsqueeze-1", rows, np.array([1], np.int64), part="query_column")
    return subject.add("LessEqual-1", _positions(subject, "key"), column, part="is_allowed")


def _positions(subject: Expanding, name: str) -> Any:
    dims = subject.fact(name).shape.dims
    if dims and dims[-2].known:
        return subject.value(np.arange(int(dims[-2])), f"{name}_positions")
    shape = subject.add("ShapeOf-3", subject.input(name), part=f"{name}_sizes", output_type=I64)
    count = _size(subject, shape, -2, f"{name}_count")
    zero, one = np.array(0, np.int64), np.array(1, np.int64)
    return subject.add("Range-4", zero, count, one, part=f"{name}_positions", output_type=I64)


def _size(subject: Expanding, shape: Any, axis: int, part: str) -> Any:
    return subject.add("Gather-8", shape, np.array(axis, np.int64), np.array(0, np.int64), part=part)


# STFT as a Fourier transform of gathered frames.


@expansion("STFT-15", "RDFT-9", rounds="frames are multiplied with the window in the precision of the signal")
def stft_by_frames(subject: Expanding) -> ReplacingOp:
    if subject.attributes["transpose_frames"]:
        raise OtherFormError("its frames are transposed")
    return ReplacingOp([_frames(subject), np.array([-1], np.int64)])


@expansion(
    "STFT-15", "Transpose-1", rounds="frames are multiplied with the window in the precision of the signal"
)
def stft_by_bins(subject: Expanding) -> ReplacingOp:
    if not subject.attributes["transpose_frames"]:
        raise OtherFormError("its frames are not transposed")
    spectra = subject.add("RDFT-9", _frames(subject), np.array([-1], np.int64), part="spectra")
    rank = len(subject.sizes("signal", "a Transpose lists all axes"))
    order = np.array([*range(rank - 1), rank, rank - 1, rank + 1], np.int64)
    return ReplacingOp([spectra, order])


def _frames(subject: Expanding) -> Any:
    """The frames of the signal as rows, multiplied with the window, which lies in the middle of a frame."""
    if subject.element_type("signal", "RDFT takes some types").name == "f64":
        raise RefusedError("its signal is f64, which RDFT does not take")
    (size,) = subject.constant("frame_size", "the elements of a frame are numbered")
    (hop,) = subject.constant("frame_step", "the beginnings of frames are numbered")
    window = subject.static_sizes("window", "it is padded to a frame")[0]
    signal = subject.input("signal")
    starts = _starts(subject, size, hop)
    column = subject.add("Unsqueeze-1", starts, np.array([1], np.int64), part="column")
    positions = subject.add("Add-1", column, np.arange(size), part="positions")
    frames = subject.add("Gather-8", signal, positions, np.array(-1, np.int64), part="frames")
    before = (size - window) // 2
    weights = subject.add(
        "Pad-1",
        subject.input("window"),
        np.array([before], np.int64),
        np.array([size - window - before], np.int64),
        part="window",
        pad_mode="constant",
    )
    return subject.add("Multiply-1", frames, weights, part="weighted")


def _starts(subject: Expanding, size: int, hop: int) -> Any:
    """The positions at which frames begin."""
    length = subject.sizes("signal", "frames lie along its last axis")[-1]
    if length.known:
        return subject.value(np.arange(0, int(length) - size + 1, hop), "starts")
    shape = subject.add("ShapeOf-3", subject.input("signal"), part="shape", output_type=I64)
    total = subject.add("Gather-8", shape, np.array(-1, np.int64), ZERO, part="length")
    end = subject.add("Subtract-1", total, np.array(size - 1, np.int64), part="end")
    return subject.add("Range-4", ZERO, end, np.array(hop, np.int64), part="starts", output_type=I64)
