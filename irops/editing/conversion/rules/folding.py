"""Col2Im as the transpose of a convolution, whose filters hold a single 1 each."""

from __future__ import annotations

from math import prod

import numpy as np

from irops.editing.conversion.refusal import OtherFormError, RefusedError
from irops.editing.conversion.steps import Form, step
from irops.editing.conversion.subject import Subject
from irops.editing.graph.node import Value
from irops.values.element import tagged

ROUNDS = "overlapping elements are summed in another order, and with zeros, so that infinities give NaN"


@step("Col2Im-15", "GroupConvolutionBackpropData-1", rounds=ROUNDS)
def col2im(subject: Subject) -> Form:
    if len(subject.sizes("data", "it is reshaped to the places of blocks")) != 3:
        raise OtherFormError("its data have no axis of batch items")
    return _folded(subject, subject.input("data"))


@step("Col2Im-15", "Squeeze-1", rounds=ROUNDS)
def col2im_without_batch(subject: Subject) -> Form:
    axis = np.array([0], np.int64)
    if len(subject.sizes("data", "it is reshaped to the places of blocks")) != 2:
        raise OtherFormError("its data have an axis of batch items")
    batch = subject.add("Unsqueeze-1", subject.input("data"), axis, part="batch")
    form = _folded(subject, batch)
    folded = subject.add("GroupConvolutionBackpropData-1", *form.inputs, part="folded", **form.attributes)
    return Form([folded, axis])


def _folded(subject: Subject, data: Value) -> Form:
    """The blocks, each element in a channel of its own, spread by filters of which each has one element 1."""
    purpose = "the filters and the padding follow from it"
    size, kernel = (subject.constant(name, purpose) for name in ("output_size", "kernel_size"))
    rows = subject.sizes("data", purpose)[-2]
    if not rows.known:
        raise RefusedError(f"the number of rows of data is unknown, but {purpose}")
    numbers = [subject.attributes[name] for name in ("strides", "dilations", "pads_begin", "pads_end")]
    along = [_along(*each) for each in zip(size, kernel, *numbers)]
    elements, channels = prod(kernel), int(rows) // prod(kernel)
    places = np.array([0, int(rows), *(count for count, _ in along)], np.int64)
    blocks = subject.add("Reshape-1", data, places, part="blocks", special_zero=True)
    kind = subject.element_type("data", "the filters have it")
    single = np.eye(elements).reshape(1, elements, 1, *kernel)
    filters = tagged(np.repeat(single, channels, 0).astype(kind.dtype), kind)
    attributes = {
        "strides": numbers[0],
        "dilations": numbers[1],
        "pads_begin": numbers[2],
        "pads_end": numbers[3],
        "output_padding": tuple(padding for _, padding in along),
        "auto_pad": "explicit",
    }
    return Form([blocks, filters], attributes)


def _along(size: int, kernel: int, stride: int, dilation: int, begin: int, end: int) -> tuple[int, int]:
    """Along an axis: the number of blocks, and of elements that none of them reaches."""
    reach = dilation * (kernel - 1) + 1
    count = (size + begin + end - reach) // stride + 1
    return count, size + begin + end - ((count - 1) * stride + reach)
