"""The bytes of the weights that a Const declares."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from irops.values.element import ElementType


class Region(NamedTuple):
    """What a Const declares: an element type, a shape, and bytes of the weights."""

    element: ElementType
    shape: tuple[int, ...]
    offset: int
    size: int

    @property
    def end(self) -> int:
        return self.offset + self.size

    @property
    def elements(self) -> int:
        return prod(self.shape)

    @property
    def data(self) -> dict[str, str]:
        """The attributes of the Const, in the order and layout of OpenVINO."""
        return {
            "element_type": self.element.name,
            "shape": ", ".join(map(str, self.shape)),
            "offset": str(self.offset),
            "size": str(self.size),
        }

    def __str__(self) -> str:
        return f"{self.element}{list(self.shape)}".replace(" ", "")
