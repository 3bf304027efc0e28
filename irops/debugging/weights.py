"""The constants of a model: statistics, storage, and what f16 would lose."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import sqrt

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


def blocks(weights: Weights, region: Region) -> Iterator[tuple[memoryview, int]]:
    """The bytes of a region block by block, and the number of elements of each block.

    Raises:  ValueError where the file was changed or cut off meanwhile
    """
    for start in range(0, region.elements, ELEMENTS):
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


@dataclass(slots=True)
class Statistics:
    """Statistics of the elements of a constant. low, high, mean: of finite elements, None where there is
    none.

    f16: what floating-point elements would lose; digest: of the bytes, if it is asked for.
    """

    elements: int = 0
    zeros: int = 0
    denormals: int = 0
    nans: int = 0
    infinities: int = 0
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    f16: Loss | None = None
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
    sums = _Sums()
    if region.element.bits == 0:
        return found
    for raw, count in blocks(weights, region):
        if hasher is not None:
            hasher.update(raw)
        if has_numbers(region.element):
            _add(found, sums, raw, region, count)
    found.mean = sums.total / sums.count if sums.count else None
    found.digest = None if hasher is None else hasher.digest()
    return found


@dataclass(slots=True)
class _Sums:
    count: int = 0
    total: float = 0.0


def _add(found: Statistics, sums: _Sums, raw: memoryview, region: Region, count: int) -> None:
    """Add a block."""
    element = region.element
    if element.floating and found.f16 is None:
        found.f16 = Loss()
    if is_zero(raw) and element.name != "f8e8m0":
        found.zeros += count
        _extend(found, 0.0, 0.0)
        sums.count += count
        return
    array = elements(raw, region, count)
    with np.errstate(all="ignore"):
        numbers = array.astype(np.float64)
        if element.floating:
            _add_special(found, numbers, array)
            numbers = numbers[np.isfinite(numbers)]
            assert found.f16 is not None
            found.f16.add(numbers, as_f16(numbers))
    found.zeros += int((numbers == 0).sum())
    if numbers.size:
        _extend(found, float(numbers.min()), float(numbers.max()))
        sums.count += numbers.size
        sums.total += float(numbers.sum())


def _add_special(found: Statistics, numbers: Array, array: Array) -> None:
    """Count NaN, infinities and denormals."""
    found.nans += int(np.isnan(numbers).sum())
    found.infinities += int(np.isinf(numbers).sum())
    smallest = float(ml_dtypes.finfo(array.dtype).smallest_normal)  # type: ignore[no-untyped-call]
    found.denormals += int(((np.abs(numbers) < smallest) & (numbers != 0)).sum())


def _extend(found: Statistics, low: float, high: float) -> None:
    found.low = low if found.low is None else min(found.low, low)
    found.high = high if found.high is None else max(found.high, high)


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
