"""PSROIPooling: position-sensitive RoI pooling, in which each bin reads separate channels."""

from __future__ import annotations

import numpy as np

from irops.ops.detection.regions import (
    FAR,
    check_regions,
    inside,
    interpolated,
    valid_regions,
    whole,
    widened,
)
from irops.ops.image.coordinates import away_from_zero
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require

MIN_SIZE = np.float32(0.1)
"""The minimum height and width of a box."""
HALF = np.float32(0.5)


@shape("PSROIPooling-1")
def psroi_pooling_shape(
    data: Fact,
    rois: Fact,
    *,
    output_dim: int,
    group_size: int,
    mode: str,
    spatial_bins_x: int,
    spatial_bins_y: int,
) -> Shape:
    parts = group_size * group_size if mode == "average" else spatial_bins_x * spatial_bins_y
    require(
        data.shape[1].can_be(output_dim * parts),
        "C5",
        data.shape[1],
        f"{output_dim} * {parts} in mode {mode}",
    )
    check_regions(rois, data)
    return Shape.of(rois.shape[0], output_dim, group_size, group_size)


@kernel("PSROIPooling-1")
def psroi_pooling(
    data: Array,
    rois: Array,
    *,
    output_dim: int,
    group_size: int,
    spatial_scale: float,
    mode: str,
    spatial_bins_x: int,
    spatial_bins_y: int,
) -> Array:
    maps = widened(data)
    output = np.zeros((len(rois), output_dim, group_size, group_size), maps.dtype)
    for number, (item, *box) in enumerate(valid_regions(rois, Dim.of(len(data)))):
        image, corners = maps[int(item)], np.array(box, np.float32)
        if image.size and mode == "average":
            fill_with_averages(output[number], image, corners, np.float32(spatial_scale))
        elif image.size:
            output[number] = average_of_bins(
                image, corners * np.float32(spatial_scale), (spatial_bins_y, spatial_bins_x), group_size
            )
    return output.astype(data.dtype)


def scaled(box: Array, scale: np.float32) -> Array:
    """The rounded corners, scaled to the feature maps: left, top, and the exclusive ends right, bottom."""
    rounded = away_from_zero(np.clip(box, -FAR, FAR)) + np.array([0, 0, 1, 1], np.float32)
    corners: Array = (rounded * scale).astype(np.float32)
    return corners


def fill_with_averages(output: Array, image: Array, box: Array, scale: np.float32) -> None:
    """Write the average of each bin of a box, from the channels of that bin. A bin outside of the image is
    left unchanged, 0.
    """
    maps, size, _ = output.shape
    planes = image.reshape(maps, size, size, *image.shape[1:])
    left, top, right, bottom = scaled(box, scale)
    rows, columns = bins(top, bottom, size, image.shape[1]), bins(left, right, size, image.shape[2])
    for y, (above, below) in enumerate(rows):
        for x, (before, behind) in enumerate(columns):
            if above < below and before < behind:
                output[:, y, x] = planes[:, y, x, above:below, before:behind].mean(
                    axis=(1, 2), dtype=np.float64
                )


def bins(first: np.float32, last: np.float32, count: int, size: int) -> list[list[int]]:
    """The first and the exclusive last element of each of `count` bins from first to last, clipped to the
    axis.
    """
    number = np.arange(count, dtype=np.float32)
    length = np.maximum(last - first, MIN_SIZE) / np.float32(count)
    edges = np.stack([np.floor(first + number * length), np.ceil(first + (number + 1) * length)], axis=1)
    ranges: list[list[int]] = np.clip(whole(edges), 0, size).tolist()
    return ranges


def average_of_bins(image: Array, box: Array, counts: tuple[int, int], size: int) -> Array:
    """The average over the bins of a box, each sampled at size x size points of its channels; points outside
    count as 0.
    """
    left, top, right, bottom = box
    total = np.zeros((image.shape[0] // (counts[0] * counts[1]), size, size), np.float64)
    for bin_y, y in enumerate(points_of_bins(top, bottom, counts[0], size, image.shape[1])):
        for bin_x, x in enumerate(points_of_bins(left, right, counts[1], size, image.shape[2])):
            first = (bin_y * counts[1] + bin_x) * len(total)
            planes, rows = image[first : first + len(total)], y[:, np.newaxis]
            within = inside(planes, rows, x)
            y_inside, x_inside = np.where(within, rows, 0), np.where(within, x, 0)
            total += np.where(within, interpolated(planes, (slice(None),), y_inside, x_inside), 0)
    return total / (counts[0] * counts[1])


def points_of_bins(first: np.float32, last: np.float32, count: int, size: int, length: int) -> Array:
    """`size` coordinates from the begin to the end of each of `count` bins between first and last, which are
    fractions of an axis; if size is 1, the middle.
    """
    longest, number = np.float32(length - 1), np.arange(count, dtype=np.float32)
    begins, ends = (first + n * ((last - first) / np.float32(count)) for n in (number, number + 1))
    if size == 1:
        return (HALF * (begins + ends) * longest)[:, np.newaxis]
    steps = (ends - begins) * longest / np.float32(size - 1)
    coordinates: Array = (
        np.arange(size, dtype=np.float32) * steps[:, np.newaxis] + (begins * longest)[:, np.newaxis]
    )
    return coordinates
