"""Rows of a constant that equal an earlier row, found by their digests."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from math import prod

from irops.ir.weights import Region

MAX_ROWS = 200_000
"""Constants of more rows are not examined, so that the digests take little memory."""
MIN_ELEMENTS = 4
"""Shorter rows are often equal by chance, and are not examined."""
DIGEST = 16


@dataclass(slots=True)
class Rows:
    """Collects the rows along the first axis. width: the bytes of a row; equal: how many were seen before."""

    width: int
    equal: int = 0
    _seen: set[bytes] = field(default_factory=set)
    _row: blake2b = field(default_factory=lambda: blake2b(digest_size=DIGEST))
    _filled: int = 0

    @classmethod
    def of(cls, region: Region) -> Rows | None:
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
