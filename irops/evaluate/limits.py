"""What an evaluation may take."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """tensor_bytes: of all tensors that are held at one time; iterations: of one loop."""

    tensor_bytes: int = 8 << 30
    iterations: int = 1_000_000
