"""STFT as a Fourier transform of gathered frames."""

from __future__ import annotations

import numpy as np

from irops.editing.conversion.refusal import OtherFormError
from irops.editing.conversion.steps import Form, step
from irops.editing.conversion.subject import Subject
from irops.editing.graph.node import Value
from irops.values.element import I64, Array

ZERO = np.array(0, np.int64)


@step("STFT-15", "RDFT-9", rounds="frames are multiplied with the window in the precision of the signal")
def stft_by_frames(subject: Subject) -> Form:
    if subject.attributes["transpose_frames"]:
        raise OtherFormError("its frames are transposed")
    return Form([_frames(subject), np.array([-1], np.int64)])


@step("STFT-15", "Transpose-1", rounds="frames are multiplied with the window in the precision of the signal")
def stft_by_bins(subject: Subject) -> Form:
    if not subject.attributes["transpose_frames"]:
        raise OtherFormError("its frames are not transposed")
    spectra = subject.add("RDFT-9", _frames(subject), np.array([-1], np.int64), part="spectra")
    rank = len(subject.sizes("signal", "a Transpose lists all axes"))
    order = np.array([*range(rank - 1), rank, rank - 1, rank + 1], np.int64)
    return Form([spectra, order])


def _frames(subject: Subject) -> Value:
    """The frames of the signal as rows, multiplied with the window, which lies in the middle of a frame."""
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


def _starts(subject: Subject, size: int, hop: int) -> Value | Array:
    """The positions at which frames begin."""
    length = subject.sizes("signal", "frames lie along its last axis")[-1]
    if length.known:
        name = subject.graph.unique(f"{subject.node.name}/starts")
        return subject.graph.constant(np.arange(0, int(length) - size + 1, hop), name)
    shape = subject.add("ShapeOf-3", subject.input("signal"), part="shape", output_type=I64)
    total = subject.add("Gather-8", shape, np.array(-1, np.int64), ZERO, part="length")
    end = subject.add("Subtract-1", total, np.array(size - 1, np.int64), part="end")
    return subject.add("Range-4", ZERO, end, np.array(hop, np.int64), part="starts", output_type=I64)
