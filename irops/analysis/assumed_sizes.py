"""Sizes for the axes of inputs whose size is not known, with which a model can be computed.

With a size of 1, a SoftMax along the wrong axis is right, a loop runs once, and nothing is broadcast. So
sizes are distinct and above 1, as far as inference finds no error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Key, Port
from irops.diagnostics.rule import Severity
from irops.values.dim import Dim
from irops.values.shape import Shape

Axis = tuple[int, int] | str
"""An axis of an input, by the positions of both; or the name that the model gives to all axes of one size."""
Findings = tuple[int, int]
"""How many errors and warnings inference has."""
BATCH = 2
SMALL = (2, 3, 5, 7, 4, 6, 9, 8, 10, 11, 12, 13)
"""The sizes that axes get first, each for one axis."""
LARGER = (16, 32, 64, 128, 224, 256, 512, 768, 1024, 4096)
"""The sizes that are tried next, for strides and windows; and for all axes alike."""
MAX_OF_WEIGHTS = 12
"""How many sizes of constants are tried, the most common ones."""
MAX_LAYERS = 300_000
MIN_TRIES, MAX_TRIES = 30, 300
"""Inference runs once for each try; the more layers, the fewer tries."""


def assumed_shapes(
    analysis: ModelAnalysis, known: Mapping[int, tuple[int, ...]] | None = None
) -> dict[int, Shape]:
    """Static shapes for the inputs, by position, with which inference finds no error and no warning that it
    does not find without them.

    Axes get distinct sizes above 1; those that must be equal, or that the model gives one name, get one size,
    and so do the first axes of inputs where that is possible, because most models have their batch there. If
    inference refuses these, all axes get one size; an axis has 1 if inference refuses the others. known:
    shapes of inputs that have a value. Inputs whose shape is static or known, or whose rank is not known, are
    left out.
    """
    search = _Search(analysis, known or {})
    return search.found() if search.ports else {}


@dataclass
class _Search:
    """Sizes that are chosen so far, by axis, and the tries that are left."""

    analysis: ModelAnalysis
    known: Mapping[int, tuple[int, ...]]
    sizes: dict[Axis, int] = field(default_factory=dict)
    tries: int = 0
    allowed: Findings = (0, 0)
    """What inference finds without any size."""

    def __post_init__(self) -> None:
        layers = sum(len(graph.layers) for graph in self.analysis.graphs)
        self.tries = min(max(MAX_LAYERS // max(layers, 1), MIN_TRIES), MAX_TRIES)

    @property
    def ports(self) -> list[Port]:
        """The inputs that get a shape."""
        return [
            port
            for port in self.analysis.signature.inputs
            if port.position not in self.known and port.fact.shape.dims and not port.fact.shape.static
        ]

    def found(self) -> dict[int, Shape]:
        self.allowed = self._findings()
        axes = self._axes()
        for axis in axes:
            self._choose(axis, axes[axis])
        if self._findings() > self.allowed:
            self._choose_alike(axes)
        return self._shapes()

    def _choose(self, axis: Axis, dim: Dim) -> None:
        """The first size of an axis with which inference finds no further error, while others are open."""
        found: dict[int, Findings] = {}
        for size in self._candidates(axis, dim):
            self.sizes[axis] = size
            if self.tries <= 0:
                break
            found[size] = self._findings()
            if found[size] <= self.allowed:
                break
        self.sizes[axis] = min(found, key=lambda size: found[size], default=self.sizes[axis])

    def _choose_alike(self, axes: Mapping[Axis, Dim]) -> None:
        """One size for all axes, or else for all but the first ones, where that has fewer findings."""
        best, fewest = self.sizes, self._findings()
        self.tries = max(self.tries, MIN_TRIES)
        for first in (0, BATCH, 1):
            for size in (*SMALL[:4], *LARGER, 1):
                wanted = {axis: first if first and _is_first(axis) else size for axis in axes}
                self.sizes = {axis: _within(dim, wanted[axis]) for axis, dim in axes.items()}
                findings = self._findings()
                if findings < fewest:
                    best, fewest = self.sizes, findings
                if findings <= self.allowed or self.tries <= 0:
                    break
            if fewest <= self.allowed or self.tries <= 0:
                break
        self.sizes = best

    def _candidates(self, axis: Axis, dim: Dim) -> Iterator[int]:
        """Sizes in the order in which they are tried, each once; at least one."""
        used = list(dict.fromkeys(self.sizes.values()))
        batch = [self.sizes[other] for other in self.sizes if _is_first(axis) and _is_first(other)]
        static = {int(d.low) for port in self.ports for d in port.fact.shape.dims or () if d.known}
        fresh = [size for size in SMALL if size not in used and size not in static]
        sums = [a + b for a, b in combinations_with_replacement(used, 2)]
        equal = (*used, *sorted(static), *sums, *self._of_weights)
        wanted = (*batch, *fresh[:2], *equal, *fresh, *LARGER, *SMALL, _within(dim, 2), 1)
        yield from dict.fromkeys(size for size in wanted if size and dim.low <= size <= dim.high)

    @cached_property
    def _of_weights(self) -> list[int]:
        """The most common sizes of constants, which inputs often meet."""
        counts: Counter[int] = Counter()
        declared = self.analysis.declared
        for node in self.analysis.root.layers.values():
            if node.layer.is_constant:
                for fact in declared.of(node.layer.id).outputs:
                    counts.update(int(d.low) for d in fact.shape.dims or () if d.known and d.low > 1)
        return [size for size, _ in counts.most_common(MAX_OF_WEIGHTS)]

    def _axes(self) -> dict[Axis, Dim]:
        """The axes without a size, and what is declared of them."""
        found: dict[Axis, Dim] = {}
        for port in self.ports:
            for index, dim in enumerate(port.fact.shape.dims or ()):
                if not dim.known:
                    found.setdefault(_axis(port, index, dim), dim)
        return found

    def _shapes(self) -> dict[int, Shape]:
        return {
            port.position: Shape(
                Dim.of(_within(dim, size)) if (size := self.sizes.get(_axis(port, index, dim))) else dim
                for index, dim in enumerate(port.fact.shape.dims or ())
            )
            for port in self.ports
        }

    def _findings(self) -> Findings:
        """What inference finds with the sizes so far."""
        self.tries -= 1
        shapes: dict[Key, Shape] = {position: Shape.of(*sizes) for position, sizes in self.known.items()}
        shapes.update(self._shapes().items())
        found = Counter(d.severity for d in self.analysis.infer(shapes).diagnostics)
        return found[Severity.ERROR], found[Severity.WARNING]


def _axis(port: Port, index: int, dim: Dim) -> Axis:
    name = "" if dim.symbol is None else dim.spelled
    return name or (port.position, index)


def _is_first(axis: Axis) -> bool:
    return isinstance(axis, tuple) and axis[1] == 0


def _within(dim: Dim, size: int) -> int:
    """The size that a Dim admits and that is nearest to a size."""
    return int(min(max(dim.low, size), dim.high))
