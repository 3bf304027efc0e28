"""What a run that was split reports of it."""

from __future__ import annotations

from dataclasses import dataclass

from irops.diagnostics.printable import plural


@dataclass(frozen=True, slots=True)
class Batching:
    """How a batch was divided among workers.

    sizes: the number of items of each block; distributed: the number of layers that workers computed; here:
    the names of the other layers, which this process computed for the whole batch; share: the part of the
    multiplications, as far as shapes say, that workers did; uneven: the layers that were not distributed
    because their rounding depends on the number of items.
    """

    sizes: tuple[int, ...]
    distributed: int
    here: tuple[str, ...]
    share: float
    uneven: tuple[str, ...]

    @property
    def items(self) -> int:
        """The number of items of the batch."""
        return sum(self.sizes)

    def __repr__(self) -> str:
        blocks = f"{plural(self.items, 'item')} in {plural(len(self.sizes), 'block')}"
        layers = f"{plural(self.distributed, 'layer')} on workers, {len(self.here)} here"
        return f"<Batching {blocks}, {layers}, {self.share:.0%} of the work distributed>"
