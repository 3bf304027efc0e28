"""The derivatives of convolutions, pooling and resizing: ops on windows along spatial axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import mul
from typing import Any, TypeAlias

import numpy as np

from irops.differentiation.deriving import Cotangents, Derivation, NotDerivedError, derivative, separable
from irops.ops.convolution.backprop import crop_begin
from irops.ops.pooling.windows import windows
from irops.ops.sliding import Steps, reach, same_padding
from irops.values.element import Array

# Convolution, and its transpose.


Size: TypeAlias = Any
"""The size of an axis: a number, or a Term where only a run knows it."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """How the windows of a convolution lie. wide, narrow: the sizes of the tensor that windows are cut from,
    and of the one with an element for each window; begin: how far the first window begins before it; ends:
    how far the last one ends behind it, negative where elements are left over, None if that is not known.
    """

    wide: tuple[Size, ...]
    narrow: tuple[Size, ...]
    taps: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    begin: tuple[Size, ...]
    ends: tuple[int, ...] | None

    @property
    def reaches(self) -> list[int]:
        """The elements from the first to the last of each window."""
        return [int(reach(taps, dilation)) for taps, dilation in zip(self.taps, self.dilations)]


def spatial(d: Derivation, term: Any, first: int = 2) -> tuple[Size, ...]:
    """The sizes of the spatial axes."""
    rank = d.builder.fact(term).shape.rank
    if rank is None:
        raise NotDerivedError("the rank of an input is unknown")
    return tuple(d.size(term, axis) for axis in range(first, rank))


def fixed(sizes: Sequence[Size]) -> bool:
    return all(isinstance(size, int) for size in sizes)


def geometry(d: Derivation, wide: Any, narrow: Any, *, grouped: bool) -> Geometry:
    taps = spatial(d, d.input("filters"), 3 if grouped else 2)
    attributes, sizes, counts = d.attributes, spatial(d, wide), spatial(d, narrow)
    if not fixed(taps):
        raise NotDerivedError("its gradient needs the sizes of the filters, which are not known")
    names = ("strides", "dilations", "pads_begin", "pads_end")
    steps = Steps.of(len(taps), *(attributes[name] for name in names))
    reaches = [int(reach(tap, dilation)) for tap, dilation in zip(taps, steps.dilations)]
    is_transposed, ends = "output_padding" in attributes, None
    begin: tuple[Size, ...] = steps.pads_begin if attributes["auto_pad"] == "explicit" else (0,) * len(taps)
    if is_transposed:
        extra = attributes["output_padding"] or (0,) * len(taps)
        has_shape = d.optional("output_shape") is not None
        if fixed([*counts, *sizes]):
            axes = zip(counts, taps, steps.strides, steps.dilations, steps.pads_begin, extra, sizes)
            begin = tuple(crop_begin(attributes["auto_pad"], has_shape, *axis) for axis in axes)
        elif has_shape or attributes["auto_pad"].startswith("same"):
            raise NotDerivedError("its gradient needs sizes of spatial axes that are known")
        else:
            pads_end = steps.pads_end if attributes["auto_pad"] == "explicit" else (0,) * len(taps)
            ends = tuple(end - more for end, more in zip(pads_end, extra))
    elif attributes["auto_pad"].startswith("same"):
        axes_of = zip(sizes, counts, reaches, steps.strides)
        begin = tuple(_same_begin(d, attributes["auto_pad"], *axis) for axis in axes_of)
    if fixed([*sizes, *counts, *begin]):
        each = zip(sizes, counts, reaches, steps.strides, begin)
        ends = tuple((count - 1) * stride + far - size - low for size, count, far, stride, low in each)
    return Geometry(sizes, counts, taps, steps.strides, steps.dilations, begin, ends)


def _same_begin(d: Derivation, auto_pad: str, size: Size, count: Size, far: int, stride: int) -> Size:
    if isinstance(size, int):
        return same_padding(size, far, stride, auto_pad)[0]
    total = d.add("Maximum-1", (count - 1) * stride + far - size, 0)
    return (total + (1 if auto_pad == "same_lower" else 0)) / 2


def gathered(d: Derivation, wide: Any, filters: Any, g: Geometry, *, grouped: bool) -> Any:
    """The convolution: an element for each window."""
    op = "GroupConvolution-1" if grouped else "Convolution-1"
    if g.ends is None:
        raise NotDerivedError("its gradient needs sizes of spatial axes that are known")
    found = d.add(
        op, wide, filters, strides=g.strides, dilations=g.dilations, pads_begin=g.begin,
        pads_end=[max(end, 0) for end in g.ends],
    )  # fmt: skip
    if min(g.ends) >= 0:
        return found
    return d.sized(found, dict(enumerate(g.narrow, 2))) if fixed(g.narrow) else _cut(d, found, g.narrow, 0)


def spread_out(d: Derivation, narrow: Any, filters: Any, g: Geometry, *, grouped: bool) -> Any:
    """The transposed convolution: each element multiplied into its window."""
    op = "GroupConvolutionBackpropData-1" if grouped else "ConvolutionBackpropData-1"
    if g.ends is None or not fixed(g.wide):
        # of the whole reach, and as many elements more as can be left over
        none, more = [0] * len(g.taps), [stride - 1 for stride in g.strides]
        full = d.add(
            op, narrow, filters, strides=g.strides, dilations=g.dilations, pads_begin=none, pads_end=none,
            output_padding=more,
        )  # fmt: skip
        return _cut(d, full, g.wide, g.begin)
    return d.add(
        op, narrow, filters, strides=g.strides, dilations=g.dilations, pads_begin=g.begin,
        pads_end=[max(end, 0) for end in g.ends], output_padding=[max(-end, 0) for end in g.ends],
    )  # fmt: skip


def apart(d: Derivation, filters: Any, *, grouped: bool) -> Any:
    """Filters that a graph computes anew where they may be a constant and as many maps as channels: OpenVINO
    2026.4 mistakes those of a transposed convolution for the same constant of a convolution.
    """
    shape, first = d.builder.fact(filters).shape, 1 if grouped else 0
    maps, depth = shape[first], shape[first + 1]
    if d.builder.is_exact or maps != depth or maps == 1:
        return filters
    size = d.add("Gather-8", d.add("ShapeOf-3", d.cot), d.at(0), d.at(0))
    return filters + d.typed(size, d.kind_of(filters)) * 0.0


def _cut(d: Derivation, term: Any, sizes: Sequence[Size], begin: Sequence[Size] | int) -> Any:
    """The elements of spatial axes from begin on, as many as sizes say."""
    count = len(sizes)
    starts = [begin] * count if isinstance(begin, int) else list(begin)
    stops = [start + size for start, size in zip(starts, sizes)]
    ones, axes = np.ones(count, np.int64), np.arange(2, 2 + count)
    return d.add("Slice-8", term, d.vector(starts), d.vector(stops), ones, axes)


def filters_cotangent(d: Derivation, wide: Any, narrow: Any, g: Geometry, *, grouped: bool) -> Any:
    """The products of each element with its window, summed: a convolution over the items of the batch, in
    which strides and dilations change places; in graphs a product of matrices, as OpenVINO 2026.4 takes
    computed filters in groups for others, and no unknown number of items.

    Shapes:  wide[N, G * C, ...], narrow[N, G * M, ...] -> [G, M, C, taps...]
    """
    filters = d.builder.fact(d.input("filters")).shape
    groups = int(filters[0]) if grouped else 1
    first = 1 if grouped else 0
    maps, depth = int(filters[first]), int(filters[first + 1])
    if not d.builder.is_exact:
        found = _products_with_windows(d, wide, narrow, g, groups)
        return d.in_shape(found, [groups, maps, depth, *g.taps] if grouped else [maps, depth, *g.taps])
    rank = len(g.taps)
    axes = list(range(3, 3 + rank))
    parts = d.transposed(d.in_shape(wide, [-1, groups, depth, *g.wide]), [2, 1, 0, *axes])
    kernel = d.transposed(d.in_shape(narrow, [-1, groups, maps, *g.narrow]), [1, 2, 0, *axes])
    items, ends = d.builder.fact(wide).shape[0], g.ends or ()
    merged = [depth, groups * int(items) if items.known else -1, *g.wide]
    found = d.add(
        "GroupConvolution-1", d.in_shape(parts, merged), kernel, strides=g.dilations, dilations=g.strides,
        pads_begin=g.begin, pads_end=[max(end, 0) for end in ends],
    )  # fmt: skip
    found = d.sized(found, dict(enumerate(g.taps, 2))) if min(ends) < 0 else found
    found = d.transposed(d.in_shape(found, [depth, groups, maps, *g.taps]), [1, 2, 0, *axes])
    return found if grouped else d.in_shape(found, [maps, depth, *g.taps])


def _products_with_windows(d: Derivation, wide: Any, narrow: Any, g: Geometry, groups: int) -> Any:
    """The sums of products as [G, M, C * taps]: the windows are gathered along one axis after another."""
    parts, rank = wide, len(g.taps)
    for n, axis in enumerate(range(2, 2 + 2 * rank, 2)):
        parts = _windows_along(d, parts, axis, g, n)
    order = [1, *range(2, 2 + 2 * rank, 2), 0, *range(3, 3 + 2 * rank, 2)]
    columns = d.transposed(parts, order)
    channels = d.size(wide, 1)
    if not isinstance(channels, int):
        raise NotDerivedError("its gradient needs the number of channels, which is not known")
    columns = d.in_shape(columns, [groups, channels // groups * prod(g.taps), -1])
    rows = d.in_shape(
        d.transposed(narrow, [1, 0, *range(2, 2 + rank)]), [groups, int(d.size(narrow, 1)) // groups, -1]
    )
    return d.add("MatMul-1", rows, columns, transpose_b=True)


def _windows_along(d: Derivation, term: Any, axis: int, g: Geometry, n: int) -> Any:
    """A tensor with an axis replaced by two: the elements of each window, and the windows."""
    size, count, begin = g.wide[n], g.narrow[n], g.begin[n]
    offsets = np.arange(g.taps[n])[:, None] * g.dilations[n]
    if fixed([size, count, begin]):
        places = offsets + np.arange(count) * g.strides[n] - begin
        inside: Any = (places >= 0) & (places < size)
        found = d.add("Gather-8", term, places.clip(0, max(size - 1, 0)), d.at(axis))
        if inside.all():
            return found
    else:
        index = d.value(offsets, "offsets") + d.numbers_to(count) * g.strides[n] - begin
        inside = d.add("LogicalAnd-1", d.add("GreaterEqual-1", index, 0), d.add("Less-1", index, size))
        clipped = d.add("Minimum-1", d.add("Maximum-1", index, 0), size - 1)
        found = d.add("Gather-8", term, clipped, d.at(axis))
    behind = len(d.builder.fact(found).shape) - axis - 2
    return d.where(d.in_shape(inside, d.vector([g.taps[n], count] + [1] * behind)), found, 0.0)


@derivative("Convolution-1", "GroupConvolution-1")
def convolution(d: Derivation) -> Cotangents:
    data, grouped, found = d.input("data"), d.op.id.startswith("Group"), {}
    g = geometry(d, data, d.cot, grouped=grouped)
    if d.wants("data"):
        found["data"] = spread_out(
            d, d.cot, apart(d, d.input("filters"), grouped=grouped), g, grouped=grouped
        )
    if d.wants("filters"):
        found["filters"] = filters_cotangent(d, data, d.cot, g, grouped=grouped)
    return found


@derivative("ConvolutionBackpropData-1", "GroupConvolutionBackpropData-1")
def transposed_convolution(d: Derivation) -> Cotangents:
    data, grouped, found = d.input("data"), d.op.id.startswith("Group"), {}
    g = geometry(d, d.cot, data, grouped=grouped)
    if d.wants("data"):
        found["data"] = gathered(d, d.cot, apart(d, d.input("filters"), grouped=grouped), g, grouped=grouped)
    if d.wants("filters"):
        found["filters"] = filters_cotangent(d, d.cot, data, g, grouped=grouped)
    return found


# Pooling. The gradient of a maximum goes to the first of equal elements in each window.


def picked(d: Derivation, indices: Any, cotangent: Any) -> Cotangents:
    """The cotangent of data whose elements at indices, counted over all spatial axes, were picked."""
    data = d.input("data")
    sizes = spatial(d, data)
    rows = d.size(data, 0) * d.size(data, 1)
    flat = d.vector([rows, reduce(mul, sizes, 1)]), d.vector([rows, reduce(mul, spatial(d, d.cot), 1)])
    zeros = d.in_shape(d.zeros(data), flat[0])
    places, parts = d.in_shape(indices, flat[1]), d.in_shape(cotangent, flat[1])
    summed = d.add("ScatterElementsUpdate-12", zeros, places, parts, d.at(1), reduction="sum")
    return {"data": d.as_shape(summed, data)}


@derivative("MaxPool-1", "MaxPool-8", "MaxPool-14")
def max_pool(d: Derivation) -> Cotangents:
    axes = len(d.attributes["kernel"])
    carried_names = ("kernel", "strides", "pads_begin", "pads_end", "rounding_type", "auto_pad")
    attributes = {name: d.attributes[name] for name in carried_names}
    attributes["dilations"] = d.attributes.get("dilations") or (1,) * axes
    op = "MaxPool-14" if attributes["rounding_type"] == "ceil_torch" else "MaxPool-8"
    indices = d.add(op, d.input("data"), index=1, axis=2, **attributes)
    sizes = spatial(d, d.input("data"))
    # a window on padding alone gives a number that no element has, at index 0
    if all(isinstance(size, int) for size in sizes):
        counts = [window.slide(size).counts() for window, size in zip(windows(**attributes), sizes)]
        is_on_data: Any = reduce(np.multiply.outer, counts) > 0
        if is_on_data.all():
            return picked(d, indices, d.cot)
    else:
        pooled = d.add(op, d.zeros(d.input("data")), axis=2, **attributes)
        is_on_data = d.add("GreaterEqual-1", pooled, 0)
    return picked(d, indices, d.where(is_on_data, d.cot, 0.0))


@derivative("AdaptiveMaxPool-8")
def adaptive_max_pool(d: Derivation) -> Cotangents:
    return picked(d, d.results[1], d.cot)


def spatial_units(d: Derivation, units: Any) -> Any:
    """Unit vectors along a spatial axis as the items of a batch of one channel."""
    if isinstance(units, np.ndarray):
        return units.reshape(len(units), *units.shape[2:])
    return d.add("Squeeze-1", units, np.array([1], np.int64))


def known_units(units: Any) -> Array:
    """Unit vectors that must be known."""
    if not isinstance(units, np.ndarray):
        raise NotDerivedError("its gradient needs sizes of axes that are known")
    return units


@separable("AvgPool-1", "AvgPool-14", "AvgPool-16")
def avg_pool(d: Derivation, axis: int, units: Any) -> Any:
    if axis < 2:
        return None
    neutral = {"kernel": 1, "strides": 1, "dilations": 1, "pads_begin": 0, "pads_end": 0}
    changed = {
        name: [value if n == axis - 2 else plain for n, value in enumerate(d.attributes[name])]
        for name, plain in neutral.items()
        if d.attributes.get(name)
    }
    return d.again(spatial_units(d, units), changed=changed)


@separable("AdaptiveAvgPool-8")
def adaptive_avg_pool(d: Derivation, axis: int, units: Any) -> Any:
    if axis < 2:
        return None
    rank, count = len(d.builder.fact(d.cot).shape), d.size(d.cot, axis)
    sizes = [count if n == axis else 1 for n in range(2, rank)]
    return d.again(spatial_units(d, units), d.vector(sizes))


# Resizing: each axis is resized by a matrix of its own.


def _interpolated_axes(d: Derivation, rank: int) -> list[int]:
    listed = d.constant_of("axes") if d.optional("axes") is not None else range(rank)
    return [int(axis) % rank for axis in listed]


def _resized_units(d: Derivation, axes: Sequence[int], axis: int, units: Any) -> tuple[Any, int]:
    """The unit vectors with one axis less where axis 0 stays as it is, and by how much axes move."""
    drops = axis != 0 and 0 not in axes
    return (spatial_units(d, units), 0) if drops else (units, 1)


def _changed_pads(d: Derivation, axis: int, rank: int, move: int) -> tuple[dict[str, list[int]], bool]:
    pads = {}
    for name in ("pads_begin", "pads_end"):
        full = (*d.attributes[name], *(0,) * rank)[:rank]
        pads[name] = [0] * move + [full[n] if n == axis else 0 for n in range(rank)]
    return pads, any(map(any, pads.values()))


@separable("Interpolate-4", "Interpolate-11", of="image")
def interpolate(d: Derivation, axis: int, units: Any) -> Any:
    rank = len(d.fact("image").shape)
    axes = _interpolated_axes(d, rank)
    if axis not in axes and not any((*d.attributes["pads_begin"], *d.attributes["pads_end"])):
        return None
    plain, move = _resized_units(d, axes, axis, units)
    pads, is_padded = _changed_pads(d, axis, rank, move)
    if axis not in axes and not is_padded:
        return None
    counts = [d.size(d.cot, n) for n in range(rank)]
    is_mixed = d.attributes["mode"] == "linear" and d.attributes["antialias"]
    if is_mixed:
        units = known_units(units)
        if not fixed([counts[n] for n in axes]):
            raise NotDerivedError("its gradient needs sizes of axes that are known")
        # whether an axis is smoothed depends on all axes: the others keep their sizes, too
        if is_padded:
            raise NotDerivedError("irops has no rule for resizing with antialias and padding")
        shape = d.fixed_shape(d.input("image"))
        full = [shape[n] if n in axes and n != axis else units.shape[n + 1] for n in range(rank)][1 - move :]
        plain = np.broadcast_to(plain, (len(units), *full))
    sizes = d.vector([counts[n] if n == axis or is_mixed else 1 for n in axes])
    places = np.array([n + move for n in axes], np.int64)
    by_scales = d.attributes["shape_calculation_mode"] == "scales"
    name = "scales" if d.op.id == "Interpolate-4" else "scales_or_sizes"
    scales = np.ones(len(axes), np.float32)
    for place, number in enumerate(d.constant_of(name) if by_scales else ()):
        if axes[place] == axis or is_mixed:
            scales[place] = number
    if d.op.id == "Interpolate-4":
        found = d.again(plain, sizes, scales, places, changed=pads)
    else:
        found = d.again(plain, scales if by_scales else sizes, places, changed=pads)
    others = [n + move for n in axes if n != axis] if is_mixed else []
    for n in others:
        found = d.add("Gather-8", found, np.zeros(1, np.int64), d.at(n))
    return found


@separable("Interpolate-1", of="image")
def interpolate_1(d: Derivation, axis: int, units: Any) -> Any:
    axes = sorted(d.attributes["axes"])
    if axis not in axes:
        return None
    plain, move = _resized_units(d, axes, axis, units)
    if any((*d.attributes["pads_begin"], *d.attributes["pads_end"])):
        raise NotDerivedError("irops has no rule for Interpolate-1 with padding")
    size = d.size(d.cot, axis)
    sizes = d.vector([size if n == axis else 1 for n in axes])
    return d.again(plain, sizes, changed={"axes": [n + move for n in axes]})
