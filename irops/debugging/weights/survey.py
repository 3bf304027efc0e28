"""The constants of a model with their statistics, one after the other, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from irops.analysis.structure import GraphNode, ModelStructure
from irops.debugging.weights.statistics import Statistics, statistics_of
from irops.debugging.weights.storage import Storage, groups_of_equal, storage_of
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.ir.model import Layer
from irops.ir.storage import Weights
from irops.ir.weights import Region, checked_region, constant_faults

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
