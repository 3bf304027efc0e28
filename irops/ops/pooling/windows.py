"""Pooling windows: output size, padding and rounding along the spatial axes."""

from dataclasses import dataclass
from math import inf

from irops.ops.sliding import Numbers, Slide, Steps, reach, same_padding, warn_of_empty
from irops.values.dim import UNKNOWN, Dim, minimum, slack
from irops.values.shape import Shape
from irops.values.violation import require


@dataclass(frozen=True, slots=True)
class Window:
    """A pooling window along one axis, as given by the attributes."""

    taps: int
    stride: int
    dilation: int
    before: int
    after: int
    rounding: str
    auto_pad: str

    @property
    def reach(self) -> int:
        """The size of the dilated window."""
        return int(reach(self.taps, self.dilation))

    def padding(self, size: int) -> tuple[int, int]:
        """The padding before and after an axis of that size."""
        if self.auto_pad.startswith("same"):
            return same_padding(size, self.reach, self.stride, self.auto_pad)
        return (0, 0) if self.auto_pad == "valid" else (self.before, self.after)

    def count(self, size: int) -> int:
        """The number of windows on an axis of that size, into which at least one fits."""
        before, after = self.padding(size)
        free = size + before + after - self.reach
        steps = free // self.stride if self.rounding == "floor" else -(-free // self.stride)
        if self.rounding == "ceil_torch" and 0 < size + before <= steps * self.stride:
            return steps  # the last window would begin after the last element
        return steps + 1

    def slide(self, size: int) -> Slide:
        """The windows on an axis of that size."""
        return Slide(size, self.taps, self.stride, self.dilation, self.padding(size)[0], self.count(size))


def windows(
    *,
    kernel: Numbers,
    strides: Numbers,
    pads_begin: Numbers,
    pads_end: Numbers,
    rounding_type: str,
    auto_pad: str,
    dilations: Numbers = (),
) -> list[Window]:
    """The windows along all spatial axes.

    Empty dilations are 1 for each axis, and empty paddings 0.
    Raises:  Violation(C1) if the attributes have different lengths
    """
    warn_of_empty(auto_pad, pads_begin, pads_end)
    steps = Steps.of(len(kernel), strides, dilations, pads_begin, pads_end)
    lists = (strides, steps.dilations, steps.pads_begin, steps.pads_end)
    lengths, count = [len(numbers) for numbers in lists], len(kernel)
    shown = ", ".join(map(str, lengths))
    require(set(lengths) == {count}, "C1", f"{shown} values for {count} of kernel")
    return [Window(*axis, rounding_type, auto_pad) for axis in zip(kernel, *lists)]


def pooled_shape(data: Shape, along: list[Window]) -> Shape:
    """The output shape of pooling.

    Raises:  Violation of C2 (one window for each spatial axis), C3 (the window fits), or C4 (batch size and
        number of channels are at least 1)
    """
    batch, channels, *sizes = data.of_rank(len(along) + 2, "C2")
    require(batch > 0 and channels > 0, "C4", data)
    return Shape.of(batch, channels, *(_positions(window, size) for window, size in zip(along, sizes)))


def _positions(window: Window, size: Dim) -> Dim:
    """The number of windows on an axis whose size may be an interval.

    Raises:  Violation(C3) if no size of the interval is large enough
    """
    same = window.auto_pad.startswith("same")
    padding = 0 if same else sum(window.padding(0))
    free = slack(size + padding, 1 if same else window.reach, "C3")
    if window.rounding == "floor":
        return size.at_least(1).ceil_div(window.stride) if same else free // window.stride + 1
    if window.rounding == "ceil" and not same:
        return free.ceil_div(window.stride) + 1
    smallest = 1 if same else window.reach - padding
    low, high = int(max(size.low, smallest, 0)), size.high
    # with ceil_torch, size 0 may have more windows than size 1
    counts = [window.count(low), window.count(int(min(low + 1, high)))]
    count = Dim(min(counts), inf if high == inf else max(*counts, window.count(int(high))))
    return count.named(None if same else _torch_count(window, size + padding, size).symbol)


def _torch_count(window: Window, padded: Dim, size: Dim) -> Dim:
    """The number of windows by the formula of ceil_torch, where that holds for all sizes of an interval."""
    ahead = size + window.padding(0)[0]
    if ahead.low <= 0 or window.padding(0)[1] > window.reach:
        return UNKNOWN
    return minimum((padded - window.reach).ceil_div(window.stride) + 1, ahead.ceil_div(window.stride))
