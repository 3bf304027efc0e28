"""ROIPooling: regions of feature maps pooled to a fixed size."""

from __future__ import annotations

import numpy as np

from irops.ops.detection.regions import FAR, check_regions, inside, interpolated, valid_regions
from irops.ops.image.coordinates import away_from_zero
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require

Sizes = tuple[int, ...] | None


@shape("ROIPooling-2")
def roi_pooling_shape(
    data: Fact,
    rois: Fact,
    *,
    pooled_h: int | None,
    pooled_w: int | None,
    output_roi: Sizes,
    output_size: Sizes,
) -> Shape:
    sizes = pooled_sizes(pooled_h, pooled_w, output_roi, output_size)
    check_regions(rois, data)
    return Shape.of(rois.shape[0], data.shape[1], *sizes)


def pooled_sizes(
    pooled_h: int | None, pooled_w: int | None, output_roi: Sizes, output_size: Sizes
) -> tuple[int, int]:
    """The height and the width of the output, from the attributes that OpenVINO prefers."""
    for sizes in (output_size, output_roi):
        require(sizes is None or len(sizes) == 2, "C5", sizes)
    both = output_roi or output_size or (0, 0)
    height, width = pooled_h or both[0], pooled_w or both[1]
    one = "pooled_h alone" if height else "pooled_w alone"
    require(height and width, "C6", one if height or width else "neither")
    return height, width


@kernel("ROIPooling-2", widen=True)
def roi_pooling(
    data: Array,
    rois: Array,
    *,
    pooled_h: int | None,
    pooled_w: int | None,
    output_roi: Sizes,
    output_size: Sizes,
    spatial_scale: float,
    method: str,
) -> Array:
    height, width = pooled_sizes(pooled_h, pooled_w, output_roi, output_size)
    output = np.zeros((len(rois), data.shape[1], height, width), data.dtype)
    for number, (item, *box) in enumerate(valid_regions(rois, Dim.of(len(data)))):
        image, corners = data[int(item)], np.array(box, np.float32)
        if image.size and method == "max":
            fill_with_maxima(output[number], image, corners * np.float32(spatial_scale))
        elif image.size:
            output[number] = sampled(image, corners, height, width)
    return output


def fill_with_maxima(output: Array, image: Array, box: Array) -> None:
    """Write the maximum of each bin of a box. A bin outside of the image is left unchanged, 0."""
    left, top, right, bottom = away_from_zero(np.clip(box, -FAR, FAR)).astype(np.int64).tolist()
    rows, columns = (
        bins(top, bottom, output.shape[1], image.shape[1]),
        bins(left, right, output.shape[2], image.shape[2]),
    )
    strips = np.stack([_maxima(image, 1, *of) for of in rows], axis=1)
    maxima = np.stack([_maxima(strips, 2, *of) for of in columns], axis=2)
    filled = np.array([[top < end and left < stop for left, stop in columns] for top, end in rows])
    output[:, filled] = maxima[:, filled]


def _maxima(data: Array, axis: int, first: int, last: int) -> Array:
    """The maximum from the first to the exclusive last element along an axis; any number if there is none."""
    maxima: Array = data[(slice(None),) * axis + (slice(first, last),)].max(axis=axis, initial=-np.inf)
    return maxima


def bins(first: int, last: int, count: int, size: int) -> list[list[int]]:
    """The first and the exclusive last element of each of `count` bins from first to last, clipped to the
    axis.
    """
    length, number = max(last - first + 1, 1), np.arange(count)
    begins, ends = first + number * length // count, first - (-(number + 1) * length // count)
    ranges: list[list[int]] = np.clip(np.stack([begins, ends], axis=1), 0, size).tolist()
    return ranges


def sampled(image: Array, box: Array, height: int, width: int) -> Array:
    """The image at points that are spaced evenly over a box from corner to corner; 0 at points outside."""
    left, top, right, bottom = box
    y = points(top, bottom, height, image.shape[1])[:, np.newaxis]
    x = points(left, right, width, image.shape[2])
    within = inside(image, y, x)
    y, x = np.where(within, y, 0), np.where(within, x, 0)
    return np.where(within, interpolated(image, (slice(None),), y, x), np.zeros((), image.dtype))


def points(first: np.float32, last: np.float32, count: int, size: int) -> Array:
    """`count` coordinates between two fractions of an axis, both included; if count is 1, the middle."""
    longest = np.float32(size - 1)
    if count == 1:
        return np.array([np.float32(0.5) * (first + last) * longest], np.float32)
    coordinates = (
        np.arange(count, dtype=np.float32) * ((last - first) * longest / np.float32(count - 1))
        + first * longest
    )
    coordinates[-1] = last * longest  # exact, because a rounded sum might lie outside
    return coordinates
