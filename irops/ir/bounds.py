"""Checks the size of a file against the limits while it is parsed."""

from __future__ import annotations

from xml.parsers import expat

from irops.ir.faults import Faults
from irops.limits import Clock

CLOCK_MASK = 4095
"""The clock is checked once per 4096 elements: where the element count has none of these bits."""


class Bounds:
    """Counts the elements of one file."""

    __slots__ = ("_clock", "_elements", "_faults", "_layers", "_limits", "_parser")

    def __init__(self, faults: Faults, parser: expat.XMLParserType, clock: Clock) -> None:
        self._faults, self._parser, self._limits = faults, parser, faults.limits
        self._elements = self._layers = 0
        self._clock = clock

    def element(self, tag: str, depth: int, attributes: int) -> None:
        """Count an element at its start tag.

        Raises:  ReadError if it exceeds a limit on number, depth or attributes
        """
        limits = self._limits
        self._elements += 1
        if tag == "layer":
            self._layers += 1
        if depth > limits.depth:
            raise self._refusal("nesting-too-deep", f"<{tag}> is nested {depth} elements deep")
        if attributes > limits.attributes:
            raise self._refusal("too-many-attributes", f"<{tag}> has {attributes:,} attributes")
        if self._layers > limits.layers:
            raise self._refusal("too-many-layers", f"there are more than {limits.layers:,} layers")
        if self._elements > limits.elements:
            raise self._refusal("too-many-elements", f"there are more than {limits.elements:,} elements")
        if not self._elements & CLOCK_MASK and self._clock.expired:
            raise self._refusal(
                "checking-time-limit", f"the time limit was reached after reading {self._elements:,} elements"
            )

    def dims(self, at: int, count: int) -> None:
        """Check the number of dims that a port has so far. Raises: ReadError if there are too many"""
        if count > self._limits.dims:
            raise self._faults.refuse(
                "too-many-dimensions", f"a port has more than {self._limits.dims:,} dimensions", at
            )

    def _refusal(self, rule: str, what: str) -> Exception:
        return self._faults.refuse(rule, what, self._parser.CurrentByteIndex)
