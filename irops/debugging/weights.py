"""The constants of a model: statistics, storage, quantisation, and what lower precision would lose."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from math import inf, prod, sqrt

import ml_dtypes
import numpy as np
import numpy.typing as npt

from irops.analysis.structure import GraphNode, ModelStructure
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.files.storage import Weights
from irops.ir.model import Layer
from irops.ir.weights import Region, checked_region, constant_faults
from irops.values.element import Array, ElementType
from irops.values.packing import packed_size, unpack

ELEMENTS = 1 << 19
"""The number of elements of a block: a multiple of the elements that share bytes in any type."""


def blocks(
    weights: Weights, region: Region, left_out: Collection[int] = ()
) -> Iterator[tuple[memoryview, int]]:
    """The bytes of a region block by block, and the number of elements of each block.

    left_out: the numbers of blocks that are not read
    Raises:  ValueError where the file was changed or cut off meanwhile
    """
    for number, start in enumerate(range(0, region.elements, ELEMENTS)):
        if number in left_out:
            continue
        count = min(ELEMENTS, region.elements - start)
        offset = region.offset + packed_size(region.element, start)
        yield weights.read(offset, packed_size(region.element, count)), count


def elements(raw: memoryview, region: Region, count: int) -> Array:
    """The elements of a block, flat."""
    return unpack(raw, region.element, (count,))


def is_zero(raw: memoryview) -> bool:
    """Whether all bytes of a block are 0, as in the holes of a sparse file."""
    words = len(raw) // 8
    return not np.frombuffer(raw, np.uint64, words).any() and not any(raw[8 * words :])


CODES = 127
"""The largest code of a symmetric int8 quantisation."""

Numbers = npt.NDArray[np.float64]


@dataclass(slots=True)
class Loss:
    """The errors of finite elements. max_relative: of elements other than 0; overflows: finite elements that
    become infinite; underflows: elements other than 0 that become 0.
    """

    max_absolute: float = 0.0
    max_relative: float = 0.0
    overflows: int = 0
    underflows: int = 0
    squared_error: float = 0.0
    squares: float = 0.0

    @property
    def relative(self) -> float:
        """The root of the squared errors, divided by that of the squared elements."""
        return sqrt(self.squared_error / self.squares) if self.squares > 0 else 0.0

    def add(self, exact: Numbers, stored: Numbers) -> None:
        """Add finite elements and what is stored for them."""
        infinite = ~np.isfinite(stored)
        self.overflows += int(infinite.sum())
        error = np.abs(np.where(infinite, 0.0, exact - stored))
        self.underflows += int(((stored == 0) & (exact != 0)).sum())
        self.max_absolute = max(self.max_absolute, float(error.max(initial=0.0)))
        relative = np.divide(error, np.abs(exact), out=np.zeros_like(error), where=exact != 0)
        self.max_relative = max(self.max_relative, float(relative.max(initial=0.0)))
        self.squared_error += float(np.dot(error, error))
        self.squares += float(np.dot(exact, exact))


def as_f16(numbers: Numbers) -> Numbers:
    with np.errstate(over="ignore"):
        return numbers.astype(np.float16).astype(np.float64)


def as_int8(numbers: Numbers, magnitude: float) -> Numbers:
    """The numbers as codes from -127 to 127 times magnitude / 127. magnitude: of the largest element"""
    scale = magnitude / CODES
    return np.rint(numbers / scale) * scale if scale > 0 else numbers


@dataclass(slots=True)
class Statistics:
    """Statistics of the elements of a constant. low, high, mean: of finite elements, None where there is
    none.

    saturated: codes that are the smallest or the largest of an integer type; equal_rows: rows along the first
    axis that equal an earlier one, None where rows are not compared; f16, int8: what floating-point elements
    would lose; digest: of the bytes, if it is asked for.
    """

    elements: int = 0
    zeros: int = 0
    denormals: int = 0
    nans: int = 0
    infinities: int = 0
    saturated: int = 0
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    equal_rows: int | None = None
    f16: Loss | None = None
    int8: Loss | None = None
    digest: bytes | None = None

    @property
    def magnitude(self) -> float:
        """The largest absolute value."""
        return max(abs(self.low or 0.0), abs(self.high or 0.0))


def has_numbers(element: ElementType) -> bool:
    """Whether elements are numbers that have statistics: neither strings nor codes of a table."""
    return element.bits > 0 and (element.floating or element.integral or element.kind == "boolean")


def statistics_of(weights: Weights, region: Region, *, digest: bool) -> Statistics:
    """The statistics of a constant. digest: whether the digest of its bytes is wanted

    Raises:  ValueError where the file was changed or cut off meanwhile
    """
    found = Statistics(elements=region.elements)
    hasher = blake2b(digest_size=16) if digest else None
    rows = WeightRows.of(region)
    sums = _Sums()
    if region.element.bits == 0:
        return found
    holes: set[int] = set()
    for number, (raw, count) in enumerate(blocks(weights, region)):
        if hasher is not None:
            hasher.update(raw)
        if rows is not None:
            rows.add(raw)
        if has_numbers(region.element) and not _add(found, sums, raw, region, count):
            holes.add(number)
    found.mean = sums.total / sums.count if sums.count else None
    found.digest = None if hasher is None else hasher.digest()
    found.equal_rows = None if rows is None else rows.equal
    if found.f16 is not None and 0 < found.magnitude < inf:
        found.int8 = _int8_loss(weights, region, found.magnitude, holes)
    return found


@dataclass(slots=True)
class _Sums:
    count: int = 0
    total: float = 0.0


def _add(found: Statistics, sums: _Sums, raw: memoryview, region: Region, count: int) -> bool:
    """Add a block; return whether it has an element other than 0."""
    element = region.element
    if element.floating and found.f16 is None:
        found.f16 = Loss()
    if is_zero(raw) and element.name != "f8e8m0":
        found.zeros += count
        _extend(found, 0.0, 0.0)
        found.saturated += count if element.kind == "unsigned" else 0
        sums.count += count
        return False
    array = elements(raw, region, count)
    with np.errstate(all="ignore"):
        numbers = array.astype(np.float64)
        if element.floating:
            _add_special(found, numbers, array)
            numbers = numbers[np.isfinite(numbers)]
            assert found.f16 is not None
            found.f16.add(numbers, as_f16(numbers))
    found.zeros += int((numbers == 0).sum())
    if element.integral:
        low, high = element.extent
        found.saturated += int(((array == low) | (array == high)).sum())
    if numbers.size:
        _extend(found, float(numbers.min()), float(numbers.max()))
        sums.count += numbers.size
        sums.total += float(numbers.sum())
    return True


def _add_special(found: Statistics, numbers: Array, array: Array) -> None:
    """Count NaN, infinities and denormals."""
    found.nans += int(np.isnan(numbers).sum())
    found.infinities += int(np.isinf(numbers).sum())
    smallest = float(ml_dtypes.finfo(array.dtype).smallest_normal)  # type: ignore[no-untyped-call]
    found.denormals += int(((np.abs(numbers) < smallest) & (numbers != 0)).sum())


def _extend(found: Statistics, low: float, high: float) -> None:
    found.low = low if found.low is None else min(found.low, low)
    found.high = high if found.high is None else max(found.high, high)


def _int8_loss(weights: Weights, region: Region, magnitude: float, holes: set[int]) -> Loss:
    """The loss as int8. holes: the numbers of blocks of zeros, which are not read again"""
    loss = Loss()
    for raw, count in blocks(weights, region, holes):
        with np.errstate(all="ignore"):
            numbers = elements(raw, region, count).astype(np.float64)
            numbers = numbers[np.isfinite(numbers)]
            loss.add(numbers, as_int8(numbers, magnitude))
    return loss


# Rows of a constant that equal an earlier row, found by their digests.

MAX_ROWS = 200_000
"""Constants of more rows are not examined, so that the digests take little memory."""
MIN_ELEMENTS = 4
"""Shorter rows are often equal by chance, and are not examined."""
DIGEST = 16


@dataclass(slots=True)
class WeightRows:
    """Collects the rows along the first axis. width: the bytes of a row; equal: how many were seen before."""

    width: int
    equal: int = 0
    _seen: set[bytes] = field(default_factory=set)
    _row: blake2b = field(default_factory=lambda: blake2b(digest_size=DIGEST))
    _filled: int = 0

    @classmethod
    def of(cls, region: Region) -> WeightRows | None:
        """The rows of a constant; None where it has too many, or where they share bytes."""
        if len(region.shape) < 2 or not 2 <= region.shape[0] <= MAX_ROWS or not region.element.bits:
            return None
        elements, bits = prod(region.shape[1:]), region.element.bits
        whole_bytes = (elements * bits) % 8 == 0 and bits >= 4 and bits != 6
        return cls(elements * bits // 8) if elements >= MIN_ELEMENTS and whole_bytes else None

    def add(self, raw: memoryview) -> None:
        """Add the next bytes; rows may begin and end anywhere in them."""
        at = 0
        while at < len(raw):
            part = raw[at : at + self.width - self._filled]
            self._row.update(part)
            self._filled += len(part)
            at += len(part)
            if self._filled == self.width:
                self._finish()

    def _finish(self) -> None:
        digest = self._row.digest()
        self.equal += digest in self._seen
        self._seen.add(digest)
        self._row, self._filled = blake2b(digest_size=DIGEST), 0


MAX_ALIGNMENT = 4096
MAX_LISTED = 1000
"""The greatest number of gaps and of overlaps that are listed."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The weights of a model. file: its path, None for bytes in memory; used: bytes of at least one constant.

    gaps: offset and size of the first MAX_LISTED parts that no constant uses; overlaps: pairs of constants,
    by position, of which one begins within the other and is not the same region.
    """

    file: str | None
    bytes: int
    used: int
    gaps: tuple[tuple[int, int], ...]
    overlaps: tuple[tuple[int, int], ...]

    @property
    def unused(self) -> int:
        return self.bytes - self.used


def alignment(offset: int) -> int:
    """The largest power of two, up to 4096, that divides an offset."""
    return min(offset & -offset, MAX_ALIGNMENT) if offset else MAX_ALIGNMENT


def storage_of(file: str | None, size: int, regions: Sequence[Region]) -> Storage:
    """The storage of constants. size: of the file, in bytes"""
    order = sorted((r.offset, r.end, position) for position, r in enumerate(regions) if r.size)
    gaps: list[tuple[int, int]] = []
    overlaps: list[tuple[int, int]] = []
    used = end = 0
    longest = -1  # the constant that reaches farthest so far
    for offset, region_end, position in order:
        if offset > end:
            gaps.append((end, offset - end))
        elif longest >= 0 and offset < end and (offset, region_end) != (regions[longest].offset, end):
            overlaps.append((longest, position))
        used += max(0, min(region_end, size) - max(offset, end))
        if region_end > end:
            end, longest = region_end, position
    if end < size:
        gaps.append((end, size - end))
    return Storage(file, size, used, tuple(gaps[:MAX_LISTED]), tuple(overlaps[:MAX_LISTED]))


def groups_of_equal(keys: Iterable[object]) -> dict[object, list[int]]:
    """The positions of keys that occur more than once; None counts as no key."""
    positions: dict[object, list[int]] = defaultdict(list)
    for position, key in enumerate(keys):
        if key is not None:
            positions[key].append(position)
    return {key: found for key, found in positions.items() if len(found) > 1}


MAX_NAMES = 10
"""The greatest number of other constants that are listed for one."""
Progress = Callable[[int, int, str], None]
"""Called with the number of constants done, the number of constants in all, and the constant's name."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant. path: the layers and bodies down to its graph; shares: other constants of the same bytes of
    the file; equals: constants with the same content elsewhere in the file; both by name, at most MAX_NAMES.
    """

    name: str
    path: tuple[str, ...]
    location: Location
    region: Region
    statistics: Statistics
    quantisation: Quantisation | None
    shares: tuple[str, ...] = ()
    equals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelWeights:
    """The constants of a model in the order of the file, how they are stored, and those that are faulty.

    duplicate_bytes: the bytes that the file would save if equal contents were stored once.
    """

    constants: tuple[Constant, ...]
    storage: Storage
    faults: tuple[Diagnostic, ...]
    duplicate_bytes: int

    def __repr__(self) -> str:
        return f"<ModelWeights {len(self.constants)} constants, {self.storage.used:,} bytes>"


@dataclass(frozen=True, slots=True)
class _Place:
    graph: GraphNode
    layer: Layer
    region: Region


def weights_of(structure: ModelStructure, progress: Progress | None = None) -> ModelWeights:
    """All constants of a model. Constants whose bytes are missing or malformed are faults, and left out."""
    weights = structure.model.weights or Weights.of_bytes(b"")
    faults = list(constant_faults(structure.model))
    places = list(_places(structure))
    contents = Counter({(place.region.offset, place.region.size) for place in places})
    sizes = Counter(size for _, size in contents)
    found: list[tuple[_Place, Statistics]] = []
    known: dict[tuple[int, int, str], Statistics] = {}
    for number, place in enumerate(places):
        region = place.region
        key = (region.offset, region.size, f"{region}")
        if key not in known:
            try:
                known[key] = statistics_of(weights, region, digest=sizes[region.size] > 1)
            except ValueError as error:
                faults.append(_changed(structure, place, error))
                continue
        found.append((place, known[key]))
        if progress is not None:
            progress(number + 1, len(places), place.layer.name)
    storage = storage_of(weights.path, weights.size, [place.region for place, _ in found])
    return _assembled(structure, found, storage, tuple(faults))


def _places(structure: ModelStructure) -> Iterator[_Place]:
    """The constants whose bytes are there. The others are faults, which constant_faults reports."""
    for graph in structure.graphs:
        for node in graph.layers.values():
            if node.layer.is_constant:
                try:
                    region = checked_region(structure.model, node.layer)
                except DiagnosticError:
                    continue
                yield _Place(graph, node.layer, region)


def _changed(structure: ModelStructure, place: _Place, error: ValueError) -> Diagnostic:
    where = structure.location(place.layer, place.graph.path)
    return Diagnostic(rule("changed-weights"), f"{place.layer}: {error}", where)


def _assembled(
    structure: ModelStructure,
    found: list[tuple[_Place, Statistics]],
    storage: Storage,
    faults: tuple[Diagnostic, ...],
) -> ModelWeights:
    names = [place.layer.name for place, _ in found]
    regions = [(place.region.offset, place.region.size) for place, _ in found]
    shared = _others(groups_of_equal(region if region[1] else None for region in regions))
    sizes = [(statistics.digest, place.region.size) for place, statistics in found]
    groups = groups_of_equal((digest, size) if digest and size else None for digest, size in sizes)
    equal = _others(groups)
    duplicate_bytes = 0
    for positions in groups.values():
        duplicate_bytes += (len({regions[one] for one in positions}) - 1) * regions[positions[0]][1]
    constants = tuple(
        Constant(
            names[position],
            place.graph.path,
            structure.location(place.layer, place.graph.path),
            place.region,
            statistics,
            quantisation_of(place.graph, place.layer, place.region.elements),
            tuple(names[other] for other in shared.get(position, ())),
            tuple(names[o] for o in equal.get(position, ()) if regions[o] != regions[position]),
        )
        for position, (place, statistics) in enumerate(found)
    )
    return ModelWeights(constants, storage, faults, duplicate_bytes)


def _others(groups: dict[object, list[int]]) -> dict[int, list[int]]:
    """For each member of a group, the first MAX_NAMES other members."""
    members = ((one, group[: MAX_NAMES + 1]) for group in groups.values() for one in group)
    return {one: [other for other in first if other != one][:MAX_NAMES] for one, first in members}


# Constants that are stored as codes: a Convert, a zero point that is subtracted, a scale that multiplies.

PASSING = ("Convert", "Reshape")
"""Ops between a constant and its use that change no number."""


@dataclass(frozen=True, slots=True)
class Quantisation:
    """How the codes of a constant become numbers: (code - zero point) * scale.

    scale, zero_point: the constants, None where there is none; group: the elements that one scale belongs to.
    """

    scale: Layer
    zero_point: Layer | None
    group: int


def quantisation_of(graph: GraphNode, layer: Layer, elements: int) -> Quantisation | None:
    """How a constant is dequantised; None where it is not converted and multiplied by a constant."""
    zero_point: Layer | None = None
    for user, index in _users(graph, layer):
        if user.type == "Subtract" and index == 0:
            zero_point = _constant_input(graph, user, 1)
            users = list(_users(graph, user))
        else:
            users = [(user, index)]
        for scaled, scaled_index in users:
            scale = _constant_input(graph, scaled, 1 - scaled_index) if scaled.type == "Multiply" else None
            if scale is not None:
                return Quantisation(scale, zero_point, _group(elements, scale))
    return None


def _users(graph: GraphNode, layer: Layer) -> Iterator[tuple[Layer, int]]:
    """The layers that use the first output, and by which input; behind those that change no number."""
    for user, index in graph.wiring.consumers.get((layer.id, 0), ()):
        if user.type in PASSING and index == 0:
            yield from graph.wiring.consumers.get((user.id, 0), ())
        else:
            yield user, index


def _constant_input(graph: GraphNode, layer: Layer, index: int) -> Layer | None:
    """The constant that an input comes from, also through layers that change no number."""
    sources = graph.wiring.inputs[layer.id]
    source = sources[index] if 0 <= index < len(sources) else None
    steps = 0
    while source is not None and source[0].type in PASSING and steps < len(PASSING):
        source = graph.wiring.inputs[source[0].id][0]
        steps += 1
    return source[0] if source is not None and source[0].is_constant else None


def _group(elements: int, scale: Layer) -> int:
    count = 1
    for part in scale.data.get("shape", "").split(","):
        count *= int(part) if part.strip().isdecimal() else 1
    return elements // count if count else 0
