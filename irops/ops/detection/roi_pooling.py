"""ROIPooling: pool regions of feature maps to one size."""

from __future__ import annotations

import numpy as np

from irops.ops.detection.regions import FAR, blended, check_regions, held_regions, inside
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
    """The height and the width of the output: what is said last, in the order in which OpenVINO reads."""
    for sizes in (output_size, output_roi):
        require(sizes is None or len(sizes) == 2, "C5", sizes)
    both = output_roi or output_size or (0, 0)
    height, width = pooled_h or both[0], pooled_w or both[1]
    require(
        height and width,
        "C6",
        "neither" if not height and not width else "pooled_h alone" if height else "pooled_w alone",
    )
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
    for number, (item, *box) in enumerate(held_regions(rois, Dim.of(len(data)))):
        image, corners = data[int(item)], np.array(box, np.float32)
        if image.size and method == "max":
            fill_with_greatest(output[number], image, corners * np.float32(spatial_scale))
        elif image.size:
            output[number] = spread(image, corners, height, width)
    return output


def fill_with_greatest(output: Array, image: Array, box: Array) -> None:
    """Write the greatest element of each bin of a box; 0 stays where a bin lies outside."""
    left, top, right, bottom = away_from_zero(np.clip(box, -FAR, FAR)).astype(np.int64).tolist()
    rows, columns = (
        bins(top, bottom, output.shape[1], image.shape[1]),
        bins(left, right, output.shape[2], image.shape[2]),
    )
    for y, (above, below) in enumerate(rows):
        for x, (before, behind) in enumerate(columns):
            if above < below and before < behind:
                output[:, y, x] = image[:, above:below, before:behind].max(axis=(1, 2))


def bins(first: int, last: int, count: int, size: int) -> list[list[int]]:
    """Where each of count bins from the first to the last element begins and ends; only what lies within the
    size of the axis.
    """
    length, number = max(last - first + 1, 1), np.arange(count)
    begins, ends = first + number * length // count, first - (-(number + 1) * length // count)
    found: list[list[int]] = np.clip(np.stack([begins, ends], axis=1), 0, size).tolist()
    return found


def spread(image: Array, box: Array, height: int, width: int) -> Array:
    """The image at points that are spread evenly over a box from corner to corner; 0 where they lie
    outside.
    """
    left, top, right, bottom = box
    y = points(top, bottom, height, image.shape[1])[:, np.newaxis]
    x = points(left, right, width, image.shape[2])
    within = inside(image, y, x)
    y, x = np.where(within, y, 0), np.where(within, x, 0)
    return np.where(within, blended(image, (slice(None),), y, x), np.zeros((), image.dtype))


def points(first: np.float32, last: np.float32, count: int, size: int) -> Array:
    """count points from a share of an axis to another, both included; of one, the middle."""
    longest = np.float32(size - 1)
    if count == 1:
        return np.array([np.float32(0.5) * (first + last) * longest], np.float32)
    found = (
        np.arange(count, dtype=np.float32) * ((last - first) * longest / np.float32(count - 1))
        + first * longest
    )
    found[-1] = last * longest  # exactly, or rounding may lead outside
    return found
