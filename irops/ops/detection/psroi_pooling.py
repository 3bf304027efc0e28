"""PSROIPooling: pool regions, every part of a box from channels of its own."""

from __future__ import annotations

import numpy as np

from irops.ops.detection.regions import FAR, blended, check_regions, held_regions, inside, whole, widened
from irops.ops.image.coordinates import away_from_zero
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require

LEAST = np.float32(0.1)
"""The least height and width of a box."""
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
    for number, (item, *box) in enumerate(held_regions(rois, Dim.of(len(data)))):
        image, corners = maps[int(item)], np.array(box, np.float32)
        if image.size and mode == "average":
            fill_with_averages(output[number], image, corners, np.float32(spatial_scale))
        elif image.size:
            output[number] = average_of_bins(
                image, corners * np.float32(spatial_scale), (spatial_bins_y, spatial_bins_x), group_size
            )
    return output.astype(data.dtype)


def scaled(box: Array, scale: np.float32) -> Array:
    """Corners, rounded, on the feature maps: left, top, and right, bottom behind the last element."""
    rounded = away_from_zero(np.clip(box, -FAR, FAR)) + np.array([0, 0, 1, 1], np.float32)
    found: Array = (rounded * scale).astype(np.float32)
    return found


def fill_with_averages(output: Array, image: Array, box: Array, scale: np.float32) -> None:
    """Write the average of each bin of a box, from the channels of that bin; 0 stays where it lies
    outside.
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
    """Where each of count bins of a stretch begins and ends, in whole elements; only what lies within the
    size of the axis.
    """
    number, length = np.arange(count, dtype=np.float32), np.maximum(last - first, LEAST) / np.float32(count)
    edges = np.stack([np.floor(first + number * length), np.ceil(first + (number + 1) * length)], axis=1)
    found: list[list[int]] = np.clip(whole(edges), 0, size).tolist()
    return found


def average_of_bins(image: Array, box: Array, counts: tuple[int, int], size: int) -> Array:
    """Each bin of a box, as size by size points of channels of its own; the average over bins, 0 standing
    where points lie outside.
    """
    left, top, right, bottom = box
    total = np.zeros((image.shape[0] // (counts[0] * counts[1]), size, size), np.float64)
    for bin_y, y in enumerate(points_of_bins(top, bottom, counts[0], size, image.shape[1])):
        for bin_x, x in enumerate(points_of_bins(left, right, counts[1], size, image.shape[2])):
            first = (bin_y * counts[1] + bin_x) * len(total)
            planes, rows = image[first : first + len(total)], y[:, np.newaxis]
            within = inside(planes, rows, x)
            total += np.where(
                within, blended(planes, (slice(None),), np.where(within, rows, 0), np.where(within, x, 0)), 0
            )
    return total / (counts[0] * counts[1])


def points_of_bins(first: np.float32, last: np.float32, count: int, size: int, length: int) -> Array:
    """For each of count bins of a stretch, given as shares of an axis, size points from its begin to its end;
    of one, the middle.
    """
    longest, number = np.float32(length - 1), np.arange(count, dtype=np.float32)
    begins, ends = (first + n * ((last - first) / np.float32(count)) for n in (number, number + 1))
    if size == 1:
        return (HALF * (begins + ends) * longest)[:, np.newaxis]
    steps = (ends - begins) * longest / np.float32(size - 1)
    found: Array = (
        np.arange(size, dtype=np.float32) * steps[:, np.newaxis] + (begins * longest)[:, np.newaxis]
    )
    return found
