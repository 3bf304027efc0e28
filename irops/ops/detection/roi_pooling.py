"""Pooling in regions of interest: ROIPooling, ROIAlign, PSROIPooling; the feature extractor of Detectron."""

from functools import reduce
from math import ceil, isfinite
from typing import Any

import numpy as np

from irops.ops.image.interpolate import away_from_zero
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim, DimLike, unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, require, warn_unless

FAR = 2.0**40
"""Coordinates are limited to this distance, so that they fit into an integer."""


def check_regions(rois: Fact, data: Fact) -> None:
    """Check that regions have five numbers and, if they are known, that these are valid."""
    warn_unless(rois.shape[1].can_be(5), "C1", rois)
    if rois.value is not None and rois.shape[1] == 5:
        valid_regions(rois.value, data.shape[0])


def valid_regions(rois: Array, items: Dim) -> Array:
    """The regions in f32, up to the first with batch index -1, which ends the list.

    Raises:  Violation if one of them is invalid
    """
    require(rois.shape[1] == 5, "C1", f"{rois.shape[1]} numbers")
    regions = rois.astype(np.float32)
    ends = np.flatnonzero(np.trunc(regions[:, 0]) == -1)
    warn_unless(not ends.size, "C4", f"-1 for region {ends[:1]}")
    regions = regions[: ends[0]] if ends.size else regions
    item = np.trunc(regions[:, 0])
    outside = (item < 0) | (item >= items.high)
    require(not outside.any(), "C2", _first(outside, regions), f"{items} items")
    with_nan = np.asarray(np.isnan(regions).any(axis=1))
    require(not with_nan.any(), "C3", _first(with_nan, regions))
    return regions


def _first(invalid: Array, regions: Array) -> str:
    """The first invalid region, as text."""
    indices = np.flatnonzero(invalid)
    return f"{regions[indices[0]].tolist()} as region {indices[0]}" if indices.size else "none"


def widened(data: Array) -> Array:
    """Elements in f32; f64 stays f64."""
    return data if data.dtype == np.float64 else data.astype(np.float32, copy=False)


def whole(numbers: Array) -> Array:
    """Numbers truncated to integers and limited to FAR."""
    integers: Array = np.clip(numbers, -FAR, FAR).astype(np.int64)
    return integers


def inside(planes: Array, y: Array, x: Array) -> Array:
    """Which points lie between the first and the last element of planes, both included."""
    height, width = planes.shape[-2:]
    mask: Array = (y >= 0) & (y <= height - 1) & (x >= 0) & (x <= width - 1)
    return mask


def interpolated(planes: Array, which: tuple[Any, ...], within: Array, y: Array, x: Array) -> Array:
    """Planes at the points that lie within them, interpolated bilinearly; 0 at the others.

    which: the indices before the row and the column; with y and x, they follow the indexing rules of NumPy.
    """
    y, x = np.where(within, y, 0), np.where(within, x, 0)
    top, left, bottom, right = (
        edge.astype(np.int64) for edge in (np.floor(y), np.floor(x), np.ceil(y), np.ceil(x))
    )
    down, across = (y - top).astype(planes.dtype), (x - left).astype(planes.dtype)
    above, above_right = planes[(*which, top, left)], planes[(*which, top, right)]
    below, below_right = planes[(*which, bottom, left)], planes[(*which, bottom, right)]
    upper = above + (above_right - above) * across
    inner = upper + (below + (below_right - below) * across - upper) * down
    return np.where(within, inner, np.zeros((), planes.dtype))


MAX_SAMPLES = 1 << 27
"""The maximum number of values sampled at a time."""


def bilinear(maps: Array, y: Array, x: Array) -> Array:
    """Maps [C, H, W] at points, interpolated bilinearly for every channel; 0 at points more than one element
    outside.
    """
    height, width = maps.shape[1:]
    shape = np.broadcast_shapes(y.shape, x.shape)
    if not maps.size:
        return np.zeros((len(maps), *shape), maps.dtype)
    check_sample_count(len(maps) * int(np.prod(shape, dtype=object)))
    outside = (y < -1) | (y > height) | (x < -1) | (x > width)
    top, bottom, down = _neighbours(y, height)
    left, right, across = _neighbours(x, width)
    upper = maps[:, top, left] * (1 - across) + maps[:, top, right] * across
    lower = maps[:, bottom, left] * (1 - across) + maps[:, bottom, right] * across
    samples: Array = np.where(outside, maps.dtype.type(0), upper * (1 - down) + lower * down)
    return samples


def _neighbours(coordinate: Array, size: int) -> tuple[Array, Array, Array]:
    """The indices of the elements on either side of each coordinate, and its distance from the first."""
    inside = np.clip(coordinate, 0, size - 1)
    low = np.floor(np.nan_to_num(inside)).astype(np.int64)
    return low, np.minimum(low + 1, size - 1), inside - low.astype(coordinate.dtype)


def sample_points(extent: Array, bins: int, ratio: int, constraint: str) -> Array:
    """The sample points of an extent relative to its start: [bins, points per bin]. A bin has `ratio` points,
    or, with 0, one per element.

    Raises:  Violation(constraint) if their number depends on an extent that is not finite
    """
    kind = extent.dtype
    each = extent / kind.type(bins)
    if ratio == 0:
        require(isfinite(each), constraint, extent)
    count = ratio or max(ceil(each), 0)
    check_sample_count(bins * count)
    steps = (np.arange(count, dtype=kind) + kind.type(0.5)) * (each / kind.type(max(count, 1)))
    points: Array = np.arange(bins, dtype=kind)[:, np.newaxis] * each + steps
    return points


def check_sample_count(count: int) -> None:
    """Raises LimitExceeded if the samples would need too much memory beside the tensors."""
    if count > MAX_SAMPLES:
        raise LimitExceeded(
            "memory-limit", f"a region is sampled at {count:,} points; the limit is {MAX_SAMPLES:,}"
        )


def pooled(samples: Array, mode: str) -> Array:
    """One value per bin from samples [C, bin rows, points, bin columns, points]; 0 if there are no points."""
    if mode == "max":
        maxima: Array = samples.max(axis=(2, 4), initial=0)
        return maxima
    count = samples.shape[2] * samples.shape[4]
    average: Array = samples.sum(axis=(2, 4)) / samples.dtype.type(max(count, 1))
    return average


def check_batches(batches: Array, count: DimLike, constraint: str) -> None:
    """Require that the batch indices of regions are valid for `count` batch items."""
    indices = np.asarray(batches).astype(object).ravel()
    end = Dim.of(count).high
    invalid = [region for region, index in enumerate(indices) if not 0 <= index < end]
    first = (f"{indices[region]} for region {region} and {count} batch items" for region in invalid[:1])
    require(not invalid, constraint, *first)


Sizes = tuple[int, ...] | None


@shape("ROIPooling-2")
def roi_pooling_shape(data: Fact, rois: Fact, **attributes: Any) -> Shape:
    sizes = pooled_sizes(**attributes)
    check_regions(rois, data)
    return Shape.of(rois.shape[0], data.shape[1], *sizes)


def pooled_sizes(
    pooled_h: int | None, pooled_w: int | None, output_roi: Sizes, output_size: Sizes, **_: Any
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
def roi_pooling(data: Array, rois: Array, *, spatial_scale: float, method: str, **sizes: Any) -> Array:
    height, width = pooled_sizes(**sizes)
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
    rows = bins(top, bottom, output.shape[1], image.shape[1])
    columns = bins(left, right, output.shape[2], image.shape[2])
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
    return interpolated(image, (slice(None),), inside(image, y, x), y, x)


def points(first: np.float32, last: np.float32, count: int, size: int) -> Array:
    """`count` coordinates between two fractions of an axis, both included; if count is 1, the middle."""
    longest = np.float32(size - 1)
    if count == 1:
        return np.array([np.float32(0.5) * (first + last) * longest], np.float32)
    step = (last - first) * longest / np.float32(count - 1)
    coordinates = np.arange(count, dtype=np.float32) * step + first * longest
    coordinates[-1] = last * longest  # exact, because a rounded sum might lie outside
    return coordinates


SHIFTS = {"asymmetric": (0.0, 0.0), "half_pixel_for_nn": (0.0, -0.5), "half_pixel": (0.5, -0.5)}
"""The numbers added to coordinates before and after they are scaled, for each aligned_mode."""


def aligned(*ops: str, numbers: int) -> None:
    """Declare the shape function of ops. numbers: the numbers that describe a region."""

    @shape(*ops)
    def aligned_shape(
        data: Fact, rois: Fact, batch_indices: Fact, *, pooled_h: int, pooled_w: int, spatial_scale: float
    ) -> Shape:
        unify(rois.shape[1], numbers, "C1")
        count = unify(rois.shape[0], batch_indices.shape[0], "C2")
        warn_unless(spatial_scale > 0, "C4", f"{spatial_scale:g}")
        if batch_indices.value is not None:
            check_batches(batch_indices.value, data.shape[0], "C3")
        return Shape.of(count, data.shape[1], pooled_h, pooled_w)


aligned("ROIAlign-3", "ROIAlign-9", numbers=4)
aligned("ROIAlignRotated-15", numbers=5)


@kernel("ROIAlign-3", "ROIAlign-9", widen=True)
def roi_align(
    data: Array,
    rois: Array,
    batch_indices: Array,
    *,
    pooled_h: int,
    pooled_w: int,
    sampling_ratio: int,
    spatial_scale: float,
    mode: str,
    aligned_mode: str = "asymmetric",
) -> Array:
    check_batches(batch_indices, len(data), "C3")
    before, after = SHIFTS[aligned_mode]
    output = np.zeros((len(rois), data.shape[1], pooled_h, pooled_w), data.dtype)
    corners = (rois + rois.dtype.type(before)) * rois.dtype.type(spatial_scale) + rois.dtype.type(after)
    for region, (x1, y1, x2, y2) in enumerate(corners):
        width, height = x2 - x1, y2 - y1
        if aligned_mode == "asymmetric":
            width, height = np.maximum(width, 1), np.maximum(height, 1)
        y = y1 + sample_points(height, pooled_h, sampling_ratio, "C5")
        x = x1 + sample_points(width, pooled_w, sampling_ratio, "C5")
        output[region] = pooled(
            bilinear(data[int(batch_indices[region])], y[:, :, np.newaxis, np.newaxis], x), mode
        )
    return output


@kernel("ROIAlignRotated-15", widen=True)
def roi_align_rotated(
    data: Array,
    rois: Array,
    batch_indices: Array,
    *,
    pooled_h: int,
    pooled_w: int,
    sampling_ratio: int,
    spatial_scale: float,
    clockwise_mode: bool,
) -> Array:
    check_batches(batch_indices, len(data), "C3")
    output = np.zeros((len(rois), data.shape[1], pooled_h, pooled_w), data.dtype)
    scaled = rois[:, :4] * rois.dtype.type(spatial_scale)
    for region, (middle_x, middle_y, width, height) in enumerate(scaled):
        angle = -rois[region, 4] if clockwise_mode else rois[region, 4]
        cos, sin = np.cos(angle), np.sin(angle)
        v = sample_points(height, pooled_h, sampling_ratio, "C5")[:, :, np.newaxis, np.newaxis] - height / 2
        u = sample_points(width, pooled_w, sampling_ratio, "C5") - width / 2
        y, x = v * cos - u * sin + middle_y, v * sin + u * cos + middle_x  # rotated about the centre
        half = rois.dtype.type(0.5)
        output[region] = pooled(bilinear(data[int(batch_indices[region])], y - half, x - half), "avg")
    return output


CANONICAL_SIZE = np.float32(224)
"""The size of regions that are read from level 2."""


@shape("ExperimentalDetectronROIFeatureExtractor-6")
def roi_features_shape(
    rois: Fact, *pyramid: Fact, output_size: int, pyramid_scales: tuple[int, ...]
) -> tuple[Shape, ...]:
    numbers = unify(rois.shape[1], 4, "C1")
    for level in pyramid:
        unify(level.shape[0], 1, "C2")
    channels = reduce(lambda channels, level: unify(channels, level.shape[1], "C3"), pyramid, ANY)
    warn_unless(len(pyramid_scales) >= len(pyramid), "C4", f"{len(pyramid_scales)} for {len(pyramid)} levels")
    return Shape.of(rois.shape[0], channels, output_size, output_size), Shape.of(rois.shape[0], numbers)


@kernel("ExperimentalDetectronROIFeatureExtractor-6", widen=True)
def roi_features(
    rois: Array,
    *pyramid: Array,
    output_size: int,
    sampling_ratio: int,
    pyramid_scales: tuple[int, ...],
    aligned: bool,
) -> tuple[Array, Array]:
    require(len(pyramid_scales) >= len(pyramid), "C4", f"{len(pyramid_scales)} for {len(pyramid)} levels")
    features = np.zeros((len(rois), pyramid[0].shape[1], output_size, output_size), rois.dtype)
    sizes = rois[:, 2:] - rois[:, :2]
    for region in np.flatnonzero(sizes.prod(axis=1) > 0):
        level = level_of(sizes[region], len(pyramid))
        offset = rois.dtype.type(0.5 if aligned else 0)
        x1, y1, x2, y2 = rois[region] * rois.dtype.type(1 / pyramid_scales[level]) - offset
        y = y1 + sample_points(np.maximum(y2 - y1, 1), output_size, sampling_ratio, "C5")
        x = x1 + sample_points(np.maximum(x2 - x1, 1), output_size, sampling_ratio, "C5")
        features[region] = pooled(bilinear(pyramid[level][0], y[:, :, np.newaxis, np.newaxis], x), "avg")
    return features, rois


def level_of(size: Array, levels: int) -> int:
    """The level from which a region of a width and height is read: 2 for the canonical size, 3 for twice that
    size.
    """
    level = np.floor(np.log2(np.sqrt(size.prod()) / CANONICAL_SIZE + np.float32(1e-6)) + 2)
    return int(np.clip(np.nan_to_num(level), 0, levels - 1))


# Position-sensitive pooling in regions of interest: PSROIPooling and DeformablePSROIPooling.


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
    rows, columns = real_bins(top, bottom, size, image.shape[1]), real_bins(left, right, size, image.shape[2])
    for y, (above, below) in enumerate(rows):
        for x, (before, behind) in enumerate(columns):
            if above < below and before < behind:
                output[:, y, x] = planes[:, y, x, above:below, before:behind].mean(
                    axis=(1, 2), dtype=np.float64
                )


def real_bins(first: np.float32, last: np.float32, count: int, size: int) -> list[list[int]]:
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
            total += interpolated(planes, (slice(None),), inside(planes, rows, x), rows, x)
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
    check_regions(rois, data)
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
    maps = widened(data)[:, : output_dim * group_size * group_size]
    output = np.zeros((len(rois), output_dim, group_size, group_size), maps.dtype)
    for number, (item, *box) in enumerate(valid_regions(rois, Dim.of(len(data)))):
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
            down_to = np.clip(rows, 0, edge[0] - HALF)
            across_to = np.clip(columns, 0, edge[1] - HALF)
            total += interpolated(planes, which, within, down_to, across_to)
            used += within
    return total / np.maximum(used, 1)
