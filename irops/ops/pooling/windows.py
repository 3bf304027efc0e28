"""Where pooling windows stand: positions, padding and rounding along the spatial axes."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from irops.ops.sliding import Slide, reach, same_padding
from irops.values.dim import Dim, slack
from irops.values.shape import Shape
from irops.values.violation import require

Numbers = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """A pooling window along one axis, as the attributes describe it."""

    taps: int
    stride: int
    dilation: int
    before: int
    after: int
    rounding: str
    auto_pad: str

    @property
    def reach(self) -> int:
        """How many elements lie from its first tap to its last."""
        return int(reach(self.taps, self.dilation))

    def padding(self, size: int) -> tuple[int, int]:
        """Padding before and after an axis of that size."""
        if self.auto_pad.startswith("same"):
            return same_padding(size, self.reach, self.stride, self.auto_pad)
        return (0, 0) if self.auto_pad == "valid" else (self.before, self.after)

    def count(self, size: int) -> int:
        """How many windows stand in an axis of that size, on which at least one fits."""
        before, after = self.padding(size)
        free = size + before + after - self.reach
        steps = free // self.stride if self.rounding == "floor" else -(-free // self.stride)
        if self.rounding == "ceil_torch" and 0 < size + before <= steps * self.stride:
            return steps  # the last one would begin behind the elements
        return steps + 1

    def slide(self, size: int) -> Slide:
        """The windows of an axis of that size."""
        return Slide(size, self.taps, self.stride, self.dilation, self.padding(size)[0], self.count(size))


def windows(
    kernel: Numbers,
    strides: Numbers,
    dilations: Numbers,
    pads_begin: Numbers,
    pads_end: Numbers,
    rounding_type: str,
    auto_pad: str,
) -> list[Window]:
    """The windows along all spatial axes.

    Raises:  Violation(C1) where the attributes are not of one length
    """
    dilations = dilations or (1,) * len(kernel)
    given = (strides, dilations, pads_begin, pads_end)
    require(
        all(len(numbers) == len(kernel) for numbers in given),
        "C1",
        f"{', '.join(str(len(numbers)) for numbers in given)} values for {len(kernel)} of kernel",
    )
    return [Window(*axis, rounding_type, auto_pad) for axis in zip(kernel, *given)]


def pooled_shape(data: Shape, along: list[Window]) -> Shape:
    """The shape that pooling gives, held to C2 (as many spatial axes as windows), C3 (a window fits), C4 (no
    axis is empty).
    """
    batch, channels, *sizes = data.of_rank(len(along) + 2, "C2")
    require(batch > 0 and channels > 0, "C4", data)
    return Shape.of(batch, channels, *(_positions(window, size) for window, size in zip(along, sizes)))


def _positions(window: Window, size: Dim) -> Dim:
    """How many windows stand in an axis of a size that may not be known.

    Raises:  Violation(C3) if surely none fits
    """
    same = window.auto_pad.startswith("same")
    padding = 0 if same else sum(window.padding(0))
    free = slack(size + padding, 1 if same else window.reach, "C3")
    if window.rounding == "floor":
        return size.at_least(1).ceil_div(window.stride) if same else free // window.stride + 1
    if window.rounding == "ceil" and not same:
        return free.ceil_div(window.stride) + 1
    least = 1 if same else window.reach - padding
    low, high = int(max(size.low, least, 0)), size.high
    counts = [
        window.count(low),
        window.count(int(min(low + 1, high))),
    ]  # ceil_torch may find more on no element than on one
    return Dim(min(counts), inf if high == inf else max(*counts, window.count(int(high))))
