"""Embedding bags: sums of rows, and means as sums divided by counts."""

from __future__ import annotations

import numpy as np

from irops.editing.conversion.refusal import OtherFormError, RefusedError
from irops.editing.conversion.steps import Form, step
from irops.editing.conversion.subject import Subject
from irops.editing.graph.node import Value
from irops.values.element import I64, Array, ElementType

ONE = np.array([1], np.int64)


@step("EmbeddingBagOffsets-15", "EmbeddingBagOffsetsSum-3", decomposition=True)
def offsets_sum(subject: Subject) -> Form:
    _require(subject, "sum")
    return Form(subject.inputs)


@step("EmbeddingBagPacked-15", "EmbeddingBagPackedSum-3", decomposition=True)
def packed_sum(subject: Subject) -> Form:
    _require(subject, "sum")
    return Form(subject.inputs)


@step("EmbeddingBagOffsets-15", "Divide-1")
def offsets_mean(subject: Subject) -> Form:
    """The sums, divided by the differences between offsets."""
    _require(subject, "mean")
    kind = _floating(subject)
    sums = subject.add("EmbeddingBagOffsetsSum-3", *subject.inputs, part="sums")
    offsets = subject.typed(subject.input("offsets"), I64, "offsets")
    following = subject.add("Slice-8", offsets, ONE, _END, ONE, part="following")
    count = subject.add("ShapeOf-3", subject.input("indices"), part="count", output_type=I64)
    ends = subject.add("Concat-1", following, count, part="ends", axis=0)
    sizes = subject.add("Subtract-1", ends, offsets, part="sizes")
    return Form([sums, _divisors(subject, sizes, kind)])


@step("EmbeddingBagPacked-15", "Divide-1")
def packed_mean(subject: Subject) -> Form:
    """The sums, divided by the number of indices of a bag."""
    _require(subject, "mean")
    kind = _floating(subject)
    sums = subject.add("EmbeddingBagPackedSum-3", *subject.inputs, part="sums")
    shape = subject.add("ShapeOf-3", subject.input("indices"), part="shape", output_type=I64)
    size = subject.add("Gather-8", shape, ONE, np.array(0, np.int64), part="size")
    return Form([sums, _divisors(subject, size, kind)])


_END = np.array([np.iinfo(np.int64).max], np.int64)


def _require(subject: Subject, reduction: str) -> None:
    if subject.attributes["reduction"] != reduction:
        raise OtherFormError(f"its reduction is {subject.attributes['reduction']}, not {reduction}")


def _floating(subject: Subject) -> ElementType:
    kind = subject.element_type("emb_table")
    if kind.name not in ("f32", "f64"):
        raise RefusedError(f"the mean of {kind} rounds once, and a sum of {kind} that is divided twice")
    return kind


def _divisors(subject: Subject, sizes: Value, kind: ElementType) -> Value:
    """The sizes of bags, at least 1, as numbers of a type, with an axis for each of the sums."""
    rank = len(subject.sizes("emb_table", "a divisor needs as many axes"))
    counts: Array = np.array([1], np.int64)
    at_least_1 = subject.add("Maximum-1", sizes, counts, part="at_least_1")
    numbers = subject.typed(at_least_1, kind, "numbers")
    axes = np.arange(1, rank)
    return subject.add("Unsqueeze-1", numbers, axes, part="divisors") if rank > 1 else numbers
