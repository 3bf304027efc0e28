"""Position-sensitive pooling in regions of interest: PSROIPooling and DeformablePSROIPooling."""

import numpy as np

from irops.ops.detection import roi_pooling
from irops.ops.image.interpolate import away_from_zero
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless

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
    channels = data.shape[1]
    require(channels.can_be(output_dim * parts), "C5", channels, f"{output_dim} * {parts} in mode {mode}")
    roi_pooling.check_regions(rois, data)
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
    maps = roi_pooling.widened(data)
    output = np.zeros((len(rois), output_dim, group_size, group_size), maps.dtype)
    for number, (item, *box) in enumerate(roi_pooling.valid_regions(rois, Dim.of(len(data)))):
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
    rounded = away_from_zero(np.clip(box, -roi_pooling.FAR, roi_pooling.FAR)) + np.array(
        [0, 0, 1, 1], np.float32
    )
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
    ranges: list[list[int]] = np.clip(roi_pooling.whole(edges), 0, size).tolist()
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
            within = roi_pooling.inside(planes, rows, x)
            y_inside, x_inside = np.where(within, rows, 0), np.where(within, x, 0)
            total += np.where(within, roi_pooling.interpolated(planes, (slice(None),), y_inside, x_inside), 0)
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


@shape("DeformablePSROIPooling-1")
def deformable_psroi_pooling_shape(
    data: Fact, rois: Fact, offsets: Fact | None, *, output_dim: int, group_size: int, part_size: int
) -> Shape:
    wanted = output_dim * group_size * group_size
    warn_unless(data.shape[1] >= wanted, "C5", data.shape[1], f"{output_dim} * {group_size} * {group_size}")
    warn_unless(data.shape[1] <= wanted, "C6", data.shape[1], wanted)
    roi_pooling.check_regions(rois, data)
    if offsets is not None:
        warn_unless(offsets.shape[0].can_be(rois.shape[0]), "C7", offsets.shape[0], rois.shape[0])
        warn_unless(
            class_counts_fit(offsets.shape[1], output_dim), "C8", offsets.shape[1], f"output_dim {output_dim}"
        )
        fits = offsets.shape[2].can_be(part_size) and offsets.shape[3].can_be(part_size)
        warn_unless(fits, "C9", offsets.shape, f"part_size {part_size}")
    return Shape.of(rois.shape[0], output_dim, group_size, group_size)


def class_counts_fit(channels: Dim, output_dim: int) -> bool:
    """Whether the channels of offsets form pairs, and their number, that of classes, divides output_dim."""
    return not channels.known or (
        channels > 0 and int(channels) % 2 == 0 and output_dim % (int(channels) // 2) == 0
    )


@kernel("DeformablePSROIPooling-1")
def deformable_psroi_pooling(
    data: Array,
    rois: Array,
    offsets: Array | None,
    *,
    output_dim: int,
    spatial_scale: float,
    group_size: int,
    spatial_bins_x: int,
    spatial_bins_y: int,
    trans_std: float,
    part_size: int,
) -> Array:
    check_offsets(data, rois, offsets, output_dim, group_size, part_size)
    maps = roi_pooling.widened(data)[:, : output_dim * group_size * group_size]
    output = np.zeros((len(rois), output_dim, group_size, group_size), maps.dtype)
    for number, (item, *box) in enumerate(roi_pooling.valid_regions(rois, Dim.of(len(data)))):
        shift = np.zeros((2, 1, 1, 1), np.float32)
        if offsets is not None:
            shift = shifts_of_bins(offsets[number], output_dim, group_size, part_size) * np.float32(trans_std)
        planes = maps[int(item)].reshape(output_dim, group_size, group_size, *maps.shape[2:])
        if planes.size:
            left, top, right, bottom = scaled(np.array(box, np.float32), np.float32(spatial_scale)) - HALF
            begins = np.arange(group_size, dtype=np.float32)
            width, height = np.maximum(right - left, MIN_SIZE), np.maximum(bottom - top, MIN_SIZE)
            x = begins * (width / np.float32(group_size)) + left + shift[0] * width
            y = (begins * (height / np.float32(group_size)))[:, np.newaxis] + top + shift[1] * height
            cells = height / np.float32(group_size), width / np.float32(group_size)
            steps = cells[0] / np.float32(spatial_bins_y), cells[1] / np.float32(spatial_bins_x)
            output[number] = average_from(planes, y, x, steps, (spatial_bins_y, spatial_bins_x))
    return output.astype(data.dtype)


def check_offsets(
    data: Array, rois: Array, offsets: Array | None, output_dim: int, group_size: int, part_size: int
) -> None:
    enough = data.shape[1] >= output_dim * group_size * group_size
    require(enough, "C5", data.shape[1], f"{output_dim} * {group_size} * {group_size}")
    if offsets is not None:
        require(len(offsets) == len(rois), "C7", len(offsets), len(rois))
        fits = class_counts_fit(Dim.of(offsets.shape[1]), output_dim)
        require(fits, "C8", offsets.shape[1], f"output_dim {output_dim}")
        require(
            offsets.shape[2:] == (part_size, part_size), "C9", Shape(offsets.shape), f"part_size {part_size}"
        )


def shifts_of_bins(offsets: Array, output_dim: int, group_size: int, part_size: int) -> Array:
    """The shifts of the bins of one region as fractions of the box: [x and y, output_dim, rows, columns]."""
    part = np.arange(group_size) * part_size // group_size
    classes = np.arange(output_dim) // (output_dim // (len(offsets) // 2))
    pairs = offsets.astype(np.float32).reshape(-1, 2, part_size, part_size)
    shifts: Array = pairs[classes].swapaxes(0, 1)[:, :, part][..., part]
    return shifts


def average_from(
    planes: Array, y: Array, x: Array, steps: tuple[np.float32, np.float32], counts: tuple[int, int]
) -> Array:
    """The average of planes at points that start at y and x and are steps apart, without points outside; 0 if
    all points are outside.
    """
    shape = planes.shape[:3]
    which: tuple[Array, ...] = np.indices(shape, sparse=True)
    total, used = np.zeros(shape, np.float64), np.zeros(shape, np.float64)
    edge = np.array(planes.shape[3:], np.float32) - HALF
    for down in range(counts[0]):
        rows = np.broadcast_to(y + np.float32(down) * steps[0], shape)
        for across in range(counts[1]):
            columns = np.broadcast_to(x + np.float32(across) * steps[1], shape)
            within = (rows >= -HALF) & (rows <= edge[0]) & (columns >= -HALF) & (columns <= edge[1])
            down_to = np.where(within, np.clip(rows, 0, edge[0] - HALF), 0)
            across_to = np.where(within, np.clip(columns, 0, edge[1] - HALF), 0)
            total += np.where(within, roi_pooling.interpolated(planes, which, down_to, across_to), 0)
            used += within
    return total / np.maximum(used, 1)
