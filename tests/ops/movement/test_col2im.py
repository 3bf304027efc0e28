"""Col2Im: the transpose of cutting an image into blocks."""

from itertools import product

import numpy as np
import pytest

import irops


def blocks_of(image, kernel, stride, dilation, begin, end):
    """The blocks of an image, cut one by one."""
    padded = np.pad(image, [(0, 0), (0, 0), (begin, end), (begin, end)])
    reach = [dilation * (size - 1) + 1 for size in kernel]
    starts = product(*(range(0, size - far + 1, stride) for size, far in zip(padded.shape[2:], reach)))
    cut = [
        padded[:, :, y : y + reach[0] : dilation, x : x + reach[1] : dilation].reshape(len(image), -1)
        for y, x in starts
    ]
    return np.stack(cut, axis=-1)


@pytest.mark.parametrize(
    ("stride", "dilation", "begin", "end"), [(1, 1, 0, 0), (2, 1, 1, 0), (1, 2, 0, 1), (3, 2, 2, 2)]
)
def test_blocks_and_images_meet(stride, dilation, begin, end):
    """<blocks of x, y> = <x, image of y> for all x and y."""
    random = np.random.default_rng(0)
    image = random.integers(-9, 9, (2, 3, 6, 7))
    blocks = blocks_of(image, (2, 3), stride, dilation, begin, end)
    others = random.integers(-9, 9, blocks.shape)
    steps = {"strides": [stride] * 2, "dilations": [dilation] * 2}
    pads = {"pads_begin": [begin] * 2, "pads_end": [end] * 2}
    put_back = irops.call("Col2Im-15", others, np.array([6, 7]), np.array([2, 3]), **steps, **pads)
    assert (blocks * others).sum() == (image * put_back).sum()
