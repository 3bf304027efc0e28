"""How constants lie in the .bin file: bytes that several share, overlaps, and bytes that none uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from irops.ir.weights import Region

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
        elif longest >= 0 and offset < end and not _same(regions[longest], regions[position]):
            overlaps.append((longest, position))
        used += max(0, min(region_end, size) - max(offset, end))
        if region_end > end:
            end, longest = region_end, position
    if end < size:
        gaps.append((end, size - end))
    return Storage(file, size, used, tuple(gaps[:MAX_LISTED]), tuple(overlaps[:MAX_LISTED]))


def _same(a: Region, b: Region) -> bool:
    return (a.offset, a.end) == (b.offset, b.end)


def groups_of_equal(keys: Iterable[object]) -> dict[object, list[int]]:
    """The positions of keys that occur more than once; None counts as no key."""
    positions: dict[object, list[int]] = defaultdict(list)
    for position, key in enumerate(keys):
        if key is not None:
            positions[key].append(position)
    return {key: found for key, found in positions.items() if len(found) > 1}
