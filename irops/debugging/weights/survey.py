"""The constants of a model with their statistics, one after the other, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from irops.analysis.structure import GraphNode, ModelStructure
from irops.debugging.weights.quantisation import Quantisation, quantisation_of
from irops.debugging.weights.statistics import Statistics, statistics_of
from irops.debugging.weights.storage import Storage, groups_of_equal, storage_of
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.ir.model import Layer
from irops.ir.weights import Region, Weights, checked_region, constant_faults

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
    digests = [
        None if statistics.digest is None or not place.region.size else (statistics.digest, place.region.size)
        for place, statistics in found
    ]
    groups = groups_of_equal(digests)
    equal = _others(groups)
    duplicate_bytes = sum(
        (len({regions[position] for position in positions}) - 1) * regions[positions[0]][1]
        for positions in groups.values()
    )
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
    return {
        one: [other for other in group[: MAX_NAMES + 1] if other != one][:MAX_NAMES]
        for group in groups.values()
        for one in group
    }
