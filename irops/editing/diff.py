"""irops.diff: what differs between two models, layer by layer: which is which, what is inferred, how much
weights differ.
"""

import os
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import AnyModel, ModelAnalysis, analyse
from irops.analysis.signature import ModelPort
from irops.analysis.structure import GraphNode
from irops.diagnostics.diagnostic import DiagnosticError
from irops.diagnostics.html_table import html_table
from irops.diagnostics.printable import plural, printable
from irops.diagnostics.suggestions import did_you_mean
from irops.dialects.registry import Registry
from irops.editing.extraction import Scope, Value, extract
from irops.editing.translation.translate import translated
from irops.files.limits import Limits
from irops.ir.model import Layer, LayerKind, Model
from irops.ir.weights import constant
from irops.pages.render import render
from irops.runtime.session import run
from irops.spec.attributes import format_value
from irops.spec.definition import OPENVINO
from irops.values.element import Array
from irops.values.fact import Fact

SCHEMA_VERSION = 1
"""Of the JSON form."""


@dataclass(frozen=True, slots=True)
class LayerChange:
    """A layer that is in one model alone, or that is another in the two.

    what: added, removed, changed, rewired, renamed or moved; name: in the second model, in the first for one
    that was removed; op: its id; details: what differs, one phrase each; line: in the file of the model;
    follows: for a rewired layer, the name of the added or removed one from which this follows
    """

    what: str
    path: tuple[str, ...]
    name: str
    op: str
    details: tuple[str, ...] = ()
    line: int | None = None
    follows: str = ""

    def __str__(self) -> str:
        place = "/".join((*self.path, self.name))
        details = f": {'; '.join(self.details)}" if self.details else ""
        return printable(f"{self.what} {place} ({self.op}){details}")


@dataclass(frozen=True, slots=True)
class WeightChange:
    """A weight that differs. name: of the layer that uses it; input: of that layer

    kind: changed; stored, where its elements are stored otherwise, in another type or with scales; or
    not compared; greatest, relative: the greatest difference, as it is and divided by the greatest element;
    share: of the elements that differ, from 0 to 1
    """

    kind: str
    path: tuple[str, ...]
    name: str
    input: int
    details: str
    greatest: float | None = None
    relative: float | None = None
    share: float | None = None

    @property
    def equal(self) -> bool:
        """Whether the elements are equal, and only stored otherwise."""
        return self.share == 0

    def __str__(self) -> str:
        place = "/".join((*self.path, self.name))
        return f"weights of {printable(place)}, input {self.input}: {printable(self.details)}"


Item: TypeAlias = LayerChange | WeightChange | str
FOLLOWING = "following"
"""The kind of rewired layers that are listed under an added or removed one."""
FOLDED = {
    "stored": "weights stored otherwise with equal elements",
    "renamed": "renamed layers",
    "moved": "moved layers",
    "metadata": "differences of metadata",
}
"""Kinds of differences that do not affect what is computed, of which a report shows few unless asked."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The differences between two models. str() is the report.

    added, removed, changed, rewired: LayerChanges; weights: WeightChanges; interface: inputs and outputs of
    the model, in words; renamed, moved, metadata: what does not affect what is computed
    """

    a: str
    b: str
    added: tuple[LayerChange, ...] = ()
    removed: tuple[LayerChange, ...] = ()
    changed: tuple[LayerChange, ...] = ()
    rewired: tuple[LayerChange, ...] = ()
    weights: tuple[WeightChange, ...] = ()
    interface: tuple[str, ...] = ()
    renamed: tuple[LayerChange, ...] = ()
    moved: tuple[LayerChange, ...] = ()
    metadata: tuple[str, ...] = ()
    layers: tuple[int, int] = field(default=(0, 0))

    @property
    def same(self) -> bool:
        """Whether both models compute the same from inputs of the same names: names, order and metadata of
        layers apart.
        """
        return not (
            self.added or self.removed or self.changed or self.rewired or self.weights or self.interface
        )

    def __bool__(self) -> bool:
        """Whether there is a difference that same counts."""
        return not self.same

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return f"<Difference of {self.a} and {self.b}: {self.summary}>"

    @property
    def summary(self) -> str:
        """The counts, on one line."""
        counts = self._counts("added", "removed", "changed", "rewired")
        stored = sum(weight.equal for weight in self.weights)
        if differing := len(self.weights) - stored:
            counts.append(plural(differing, "weight") + " differ" + "s" * (differing == 1))
        if self.interface:
            counts.append(plural(len(self.interface), "difference") + " of inputs and outputs")
        if stored:
            counts.append(plural(stored, "weight") + " stored otherwise with equal elements")
        counts += self._counts("renamed", "moved")
        if self.metadata:
            counts.append(plural(len(self.metadata), "difference") + " of metadata")
        return ", ".join(counts) or "no difference"

    def _counts(self, *kinds: str) -> list[str]:
        return [f"{len(changes)} {kind}" for kind in kinds if (changes := getattr(self, kind))]

    def _lines(self) -> Iterator[str]:
        yield f"--- {printable(self.a)}: {plural(self.layers[0], 'layer')}"
        yield f"+++ {printable(self.b)}: {plural(self.layers[1], 'layer')}"
        for kind, items in self.by_importance():
            most = FEW if kind in FOLDED else len(items)
            for item in items[:most]:
                yield f"{'  ' * (kind == FOLLOWING)}{item}"
            if len(items) > most:
                yield f"more {FOLDED[kind]}: {len(items) - most}; JSON and HTML list all"
        yield self.summary

    def by_importance(self) -> Iterator[tuple[str, Sequence[Item]]]:
        """The differences by kind: those that change what is computed first. What follows from a layer that
        was added or removed is right behind it.
        """
        yield "interface", [printable(text) for text in self.interface]
        yield "changed", self.changed
        yield "weights", [weight for weight in self.weights if not weight.equal]
        following: dict[tuple[tuple[str, ...], str | None], list[LayerChange]] = defaultdict(list)
        for change in self.rewired:
            following[change.path, change.follows or None].append(change)
        for change in (*self.removed, *self.added):
            yield change.what, [change]
            yield FOLLOWING, following.pop((change.path, change.name), ())
        yield "rewired", [change for changes in following.values() for change in changes]
        yield "stored", [weight for weight in self.weights if weight.equal]
        yield "renamed", self.renamed
        yield "moved", self.moved
        yield "metadata", [printable(text) for text in self.metadata]

    def to_json(self) -> dict[str, Any]:
        """The differences as JSON values, with the version of their schema."""
        return {"schema": SCHEMA_VERSION, "same": self.same, "summary": self.summary, **asdict(self)}

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        rows = (row for _, group in _groups(self) for row in group)
        return html_table(self.summary, ("", "layer", "op", ""), rows)


def page(difference: Difference) -> str:
    """The differences as a page of its own. Raises: MissingExtraError"""
    title = f"{difference.a} and {difference.b}"
    return render("diff.html", title=title, summary=difference.summary, groups=list(_groups(difference)))


def _groups(difference: Difference) -> Iterator[tuple[str, list[tuple[str, str, str, str]]]]:
    """Rows of a table, with a title where they are folded."""
    for kind, items in difference.by_importance():
        if items:
            yield FOLDED.get(kind, ""), [_row(kind, item) for item in items]


def _row(kind: str, item: Item) -> tuple[str, str, str, str]:
    """The kind of a difference, its place, op and details."""
    match item:
        case LayerChange():
            line = () if item.line is None else (f"line {item.line}",)
            follows = (f"follows from {item.follows}",) if item.follows else ()
            details = "; ".join((*line, *item.details, *follows))
            return item.what, "/".join((*item.path, item.name)), item.op, details
        case WeightChange():
            place = f"{'/'.join((*item.path, item.name))}, input {item.input}"
            return kind, place, "", f"{item.kind}: {item.details}".removeprefix("stored: ")
    return kind, "", "", item


FEW = 8
"""Constants of so few elements are axes and factors, which many layers have in common; shown whole."""
SIZES = ("i32", "i64")
"""Types of the constants that hold sizes and axes, which say nothing of how elements are stored."""


class Side(Scope):
    """One graph of a model. weights: the layers that follow from constants alone"""

    def __init__(self, analysis: ModelAnalysis, graph: GraphNode, inferred: Inferred | None) -> None:
        super().__init__(analysis, graph, inferred)
        self.weights = graph.constants

    @cached_property
    def layers(self) -> dict[int, Layer]:
        """The layers that compute from inputs or state, by id, in the order of the file."""
        return {
            layer.id: layer for layer in self.graph.wiring.layers.values() if layer.id not in self.weights
        }

    def sources(self, number: int) -> list[Value | None]:
        """The values that the inputs of a layer use."""
        return [None if s is None else (s[0].id, s[1]) for s in self.graph.wiring.inputs[number]]

    def computes(self, value: Value | None) -> bool:
        """Whether a value is there, and is no weight."""
        return value is not None and value[0] not in self.weights

    def users(self, number: int) -> list[tuple[int, int, int]]:
        """The layers that use the outputs of a layer: output, layer and input."""
        return [
            (output, layer.id, index)
            for output in range(len(self.graph.layers[number].layer.outputs))
            for layer, index in self.graph.wiring.consumers.get((number, output), ())
        ]

    def digest(self, layer: Layer) -> bytes | None:
        """A digest of the op of a layer and of the constants that it uses; None where it uses none."""
        from hashlib import blake2b  # slow to import

        used = [self.graph.layers[s[0]].layer for s in self.sources(layer.id) if s is not None]
        constants = [source for source in used if source.is_constant]
        total = blake2b(layer.type.lower().encode())
        size = 0
        for source in constants:
            try:
                array = constant(self.analysis.model, source)
            except DiagnosticError:  # the weights are missing, which is reported where they are compared
                return None
            size += array.size
            total.update(repr((array.dtype, array.shape)).encode())
            total.update(array.tobytes() if array.dtype != object else repr(array.tolist()).encode())
        return total.digest() if size > FEW else None

    def small(self, value: Value) -> tuple[str, bytes]:
        """The type and shape of a weight, and elements, where they are few; integers are so of any type."""
        fact, layer = self.fact(value), self.graph.layers[value[0]].layer
        few = layer.is_constant and fact.shape.size.high <= FEW
        form = str(fact.shape) if few and fact.element_type.integral else str(fact)
        try:
            array = constant(self.analysis.model, layer) if few else None
        except DiagnosticError:  # the weights are missing, which is reported where they are compared
            array = None
        if array is None:
            return form, b""
        return form, (array.astype(np.int64) if fact.element_type.integral else array).tobytes()

    def name(self, value: Value | None) -> str:
        """How a report calls a value."""
        return "nothing" if value is None else self.label(value)

    def stored(self, value: Value) -> str:
        """How a weight is stored: the element types of the constants behind it, f32 or u4 * f16."""
        seen: set[int] = set()
        kinds: list[str] = []
        ahead = [value[0]]
        while ahead:
            number = ahead.pop()
            if number in seen:
                continue
            seen.add(number)
            layer = self.graph.layers[number].layer
            if layer.is_constant:
                kinds.append(layer.data.get("element_type", "?"))
            ahead += [s[0] for s in reversed(self.sources(number)) if s is not None]  # popped in order
        numbers = [kind for kind in kinds if kind not in SIZES] or kinds
        return " * ".join(dict.fromkeys(numbers))

    def array(self, value: Value) -> Array:
        """The elements of a weight. Raises: DiagnosticError where they cannot be computed"""
        layer = self.graph.layers[value[0]].layer
        if layer.is_constant:
            return constant(self.analysis.model, layer)
        part = extract(self.analysis, inputs=(), outputs=[value], path=self.graph.path)
        return next(iter(run(part, {}, limits=self.analysis.limits).values()))


_STEP = 1 << 20
"""Elements that are compared at a time, so that large weights are not copied."""


@dataclass(frozen=True, slots=True)
class Elements:
    """The greatest difference, as it is and divided by the greatest element, and the share that differs.

    count: of all elements; elements: of both, where they are few
    """

    greatest: float
    relative: float
    share: float
    count: int
    elements: str = ""

    def __str__(self) -> str:
        if self.elements:
            return self.elements
        return (
            f"greatest difference {self.greatest:.3g} ({self.relative:.3g} of the greatest element),"
            f" {self._how_many()}"
        )

    def _how_many(self) -> str:
        different = round(self.share * self.count)
        if different == self.count:
            return f"all {self.count:,} elements"
        share = f"{self.share:.1%}" if self.share >= 0.001 else f"{different:,}"
        return f"{share} of {self.count:,} elements"


def compared(a: Array, b: Array) -> Elements | None:
    """The difference between the elements of two arrays of one shape and type; None if they are equal."""
    if a.dtype == object:
        different = int(np.sum(a != b))
        nan = float("nan")
        return Elements(nan, nan, different / a.size, a.size, _few(a, b)) if different else None
    one, other = a.reshape(-1), b.reshape(-1)
    different, greatest, scale = 0, 0.0, 0.0
    for start in range(0, one.size, _STEP):
        x, y = one[start : start + _STEP], other[start : start + _STEP]
        with np.errstate(all="ignore"):
            wide = x.astype(np.float64), y.astype(np.float64)
            scale = max(scale, float(np.nanmax(np.abs(wide[0]), initial=0)))
            if x.dtype == y.dtype and x.tobytes() == y.tobytes():
                continue
            exact = (x, y) if {x.dtype.kind, y.dtype.kind} <= {"i", "u"} else wide  # 2**53 + 1 in i64
            unequal = (exact[0] != exact[1]) & ~(np.isnan(wide[0]) & np.isnan(wide[1]))
            distance = np.abs(wide[0] - wide[1])[unequal]
        different += int(unequal.sum())
        greatest = max(greatest, float(np.max(np.nan_to_num(distance, nan=np.inf), initial=0)))
    if not different:
        return None
    relative = greatest / scale if scale else float("inf")
    return Elements(greatest, relative, different / one.size, one.size, _few(a, b))


def _few(a: Array, b: Array) -> str:
    """The elements of both on one line, where they are few."""
    return " ".join(f"{a} -> {b}".split()) if a.size <= FEW else ""


ROUNDS = 4
"""How many edges away the surroundings of a layer are looked at."""


class Matching:
    """Pairs of layers: to has the id in b of each id in a, back the inverse."""

    def __init__(self, a: Side, b: Side, given: Iterable[tuple[int, int]] = ()) -> None:
        """given: pairs that are certain"""
        self.a, self.b = a, b
        self.to: dict[int, int] = {}
        self.back: dict[int, int] = {}
        for pair in given:
            self._pair(*pair)
        # the surest signs first: no pair is taken back, and later ones only see what is left
        self._match_positions(LayerKind.PARAMETER, LayerKind.RESULT)
        self._match_unique(lambda _, layer: (layer.name, layer.type.lower()))
        self._match_unique(lambda _, layer: layer.name)
        self._match_cones()
        for rounds in range(ROUNDS, -1, -1):  # the widest surroundings first: few layers share them
            self._match_surroundings(rounds)
        self._match_unique(lambda side, layer: side.digest(layer) or id(layer))  # weights
        self._match_neighbours()
        self._match_replaced()

    def add(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Take further pairs, and then those that follow from them."""
        for pair in pairs:
            self._pair(*pair)
        self._match_neighbours()
        self._match_replaced()

    def value(self, value: tuple[int, int] | None) -> tuple[int, int] | None:
        """The value of b that a value of a is; None where there is none."""
        if value is None or value[0] not in self.to:
            return None
        return self.to[value[0]], value[1]

    def _pair(self, a: int, b: int) -> None:
        self.to[a], self.back[b] = b, a

    def _left(self) -> tuple[list[Layer], list[Layer]]:
        """The layers of both sides that have no partner."""
        return (
            [layer for number, layer in self.a.layers.items() if number not in self.to],
            [layer for number, layer in self.b.layers.items() if number not in self.back],
        )

    def _match_unique(self, key: Callable[[Side, Layer], Hashable]) -> None:
        """Pair layers whose key no other layer of their side has."""
        left, other = self._left()
        found = _unique(left, {layer.id: key(self.a, layer) for layer in left})
        others = _unique(other, {layer.id: key(self.b, layer) for layer in other})
        for shared in found.keys() & others.keys():
            self._pair(found[shared], others[shared])

    def _match_positions(self, *kinds: LayerKind) -> None:
        """Pair inputs and results that no name pairs, where both graphs have as many."""
        self._match_unique(lambda _, layer: (layer.kind, layer.name) if layer.kind in kinds else id(layer))
        for kind in kinds:
            a, b = ([layer for layer in layers if layer.kind is kind] for layers in self._left())
            if len(a) == len(b):
                for one, other in zip(a, b):
                    self._pair(one.id, other.id)

    def _match_cones(self) -> None:
        """Pair layers that compute the same from the same values, large weights apart."""
        hashes = {side: _cones(side, pairs) for side, pairs in self._paired()}
        self._match_unique(lambda side, layer: hashes[side][layer.id])

    def _match_surroundings(self, rounds: int) -> None:
        """Pair layers that have the same op, the same surroundings, and partners at the same places."""
        hashes = {side: _surroundings(side, pairs, rounds) for side, pairs in self._paired()}
        is_alone = not rounds  # an op without what is around it says little
        self._match_unique(
            lambda side, layer: (hashes[side][layer.id], self._form(side, layer.id) if is_alone else None)
        )

    def _paired(self) -> tuple[tuple[Side, dict[int, int]], tuple[Side, dict[int, int]]]:
        """Both sides, each with the layers that have a partner, and the id in b of the pair."""
        return (self.a, self.to), (self.b, {number: number for number in self.back})

    @staticmethod
    def _form(side: Side, number: int) -> tuple[object, bool]:
        """Of the first output the rank, or the shape of a list of integers, and whether it has floats."""
        fact = side.fact((number, 0))
        floating, rank = fact.element_type.floating, fact.shape.rank
        return (rank if floating or rank != 1 else str(fact.shape)), floating

    def _match_neighbours(self) -> None:
        """Pair layers of one type that have more neighbours in common than either has with any other.

        After each round of pairs only layers are asked again whose votes, or whose rivals, these changed: the
        cost of a chain of equal layers is linear.
        """
        order = {number: place for place, number in enumerate(self.a.layers)}
        votes: dict[int, dict[int, int]] = {}
        voters: dict[int, set[int]] = defaultdict(set)
        changed = {layer.id for layer in self._left()[0]}
        while changed:
            asked = set(changed)
            for number in changed:
                before = votes.pop(number, {})
                now = {} if number in self.to else self._votes(self.a.layers[number])
                if now:
                    votes[number] = now
                for candidate in before.keys() | now.keys():
                    voters[candidate].discard(number)
                    asked |= voters[candidate]
                for candidate in now:
                    voters[candidate].add(number)
            changed = set()
            for number in sorted(asked & votes.keys(), key=order.__getitem__):
                best = _winner(votes[number])
                if best is None or best in self.back:
                    continue
                if _winner({rival: votes[rival][best] for rival in voters[best]}) == number:
                    self._pair(number, best)
                    changed |= {number, *self._neighbours(number), *voters[best]}

    def _match_replaced(self) -> None:
        """Pair layers of two types of which one stands in place of the other: the same layers use it, and it
        uses the same values, weights apart.
        """
        for layer in self._left()[0]:
            users = {(output, self.to.get(user), index) for output, user, index in self.a.users(layer.id)}
            used = {self.value(source) for source in self.a.sources(layer.id) if self.a.computes(source)}
            _, user, index = next(iter(users), (0, None, 0))
            sources = [] if user is None else self.b.sources(user)
            other = sources[index] if index < len(sources) else None
            if other is None or other[0] in self.back or other[0] not in self.b.layers or None in used:
                continue
            theirs = {source for source in self.b.sources(other[0]) if self.b.computes(source)}
            if used == theirs and users == set(self.b.users(other[0])):
                self._pair(layer.id, other[0])

    def _neighbours(self, number: int) -> set[int]:
        """The layers of a that a layer uses, or that use it, without weights."""
        used = (source[0] for source in self.a.sources(number) if source is not None)
        users = (user for _, user, _ in self.a.users(number))
        return self.a.layers.keys() & {*used, *users}

    def _votes(self, layer: Layer) -> dict[int, int]:
        """For a layer of a without a partner, the layers of b without one that have partners as neighbours at
        the same places, and how many.
        """
        counts: Counter[int] = Counter()
        for index, source in enumerate(self.a.sources(layer.id)):
            if source is not None and source[0] in self.to:
                users = self.b.users(self.to[source[0]])
                counts.update(user for output, user, at in users if (output, at) == (source[1], index))
        for output, user, index in self.a.users(layer.id):
            if user in self.to:
                sources = self.b.sources(self.to[user])
                found = sources[index] if index < len(sources) else None
                if found is not None and found[1] == output:
                    counts[found[0]] += 1
        return {
            n: votes for n, votes in counts.items() if n not in self.back and self._alike(layer, n, votes)
        }

    def _alike(self, layer: Layer, number: int, votes: int) -> bool:
        """Whether a layer of b is of the type of one of a and, where one vote pairs them, of its form."""
        other = self.b.layers.get(number)
        if other is None or other.type.lower() != layer.type.lower():
            return False
        return votes > 1 or self._form(self.a, layer.id) == self._form(self.b, number)


def _winner(counts: Mapping[int, int]) -> int | None:
    """The key with the greatest count; None where two have it."""
    best = max(counts.values())
    found = [key for key, count in counts.items() if count == best]
    return found[0] if len(found) == 1 else None


def _unique(layers: Iterable[Layer], keys: Mapping[int, Hashable]) -> dict[Hashable, int]:
    """The layers whose key no other has, by their key."""
    counts = Counter(keys.values())
    return {keys[layer.id]: layer.id for layer in layers if counts[keys[layer.id]] == 1}


def _own(side: Side, pairs: Mapping[int, int]) -> dict[int, int]:
    """A hash of the op and attributes of each layer; of those that have a partner, their id in b."""
    hashes: dict[int, int] = {}
    for number, layer in side.layers.items():
        if number in pairs:
            hashes[number] = hash(("pair", pairs[number]))
        else:
            node = side.graph.layers[number]
            kind = node.op.id if node.op is not None else (layer.type, layer.version)
            hashes[number] = hash((kind, tuple(sorted(layer.data.items())), len(layer.inputs)))
    return hashes


def _cones(side: Side, pairs: Mapping[int, int]) -> dict[int, int]:
    """A hash of each layer and of all that it is computed from; of small constants, of their elements."""
    hashes = _own(side, pairs)
    for layer in side.graph.wiring.order:
        number = layer.id
        if number in hashes and number not in pairs:
            used = (_of_source(side, source, hashes) for source in side.sources(number))
            hashes[number] = hash((hashes[number], *used))
    return hashes


def _of_source(side: Side, source: Value | None, hashes: Mapping[int, int]) -> Hashable:
    """The part of a value in the hash of a layer that uses it."""
    if source is None or source[0] not in hashes:
        return None if source is None else side.small(source)
    return hashes[source[0]], source[1]


def _surroundings(side: Side, pairs: Mapping[int, int], rounds: int) -> dict[int, int]:
    """A hash of each layer: of its op and attributes, and of those around it, as far as some edges lead."""
    own = hashes = _own(side, pairs)
    for _ in range(rounds):
        hashes = {number: _around(side, number, own, hashes, pairs) for number in hashes}
    return hashes


def _around(
    side: Side, number: int, own: Mapping[int, int], hashes: Mapping[int, int], pairs: Mapping[int, int]
) -> int:
    if number in pairs:
        return own[number]
    inputs = [
        None if s is None else (hashes.get(s[0], "weight"), s[1] if s[0] in hashes else 0)
        for s in side.sources(number)
    ]
    users = sorted((output, hashes.get(user, 0), index) for output, user, index in side.users(number))
    return hash((own[number], tuple(inputs), tuple(users)))


class GraphComparison:
    """The differences of two graphs, and of the bodies of layers that are in both.

    ignore: names, rt_info, ids, weights; given: pairs of layers that are certain
    """

    def __init__(
        self, a: Side, b: Side, ignore: Collection[str] = (), given: Iterable[tuple[int, int]] = ()
    ) -> None:
        self.a, self.b, self.ignore = a, b, ignore
        self.matching = Matching(a, b, given)
        self.changes: list[LayerChange] = []
        self.weights: list[WeightChange] = []
        self.metadata: list[str] = []
        self._weights_seen: set[tuple[Value, Value]] = set()

    def of_layer(self, number: int) -> list[str]:
        """The differences of a layer of a and its partner, bodies included, and the layers right before these
        that have no partners.
        """
        partner = self.matching.to[number]
        pair = self.a.layers[number], self.b.layers[partner]
        self.changes, self.weights, self._weights_seen = [], [], set()
        wiring = list(self._wiring(*pair, with_forms=False)) or list(self._wiring(*pair))
        found = [*self._attributes(*pair), *wiring]
        for name in pair[0].bodies.keys() & pair[1].bodies.keys():
            self._bodies(*pair, name)
        found += [f"weights of input {weight.input}: {weight.details}" for weight in self.weights]
        found += map(str, self.changes)
        this, other = (self.a, number, self.matching.to), (self.b, partner, self.matching.back)
        for which, (side, start, pairs) in (("this", this), ("the other", other)):
            layers = [side.graph.layers[key].layer for key in _without_partner(side, start, pairs)]
            names = ", ".join(f"{layer.name} ({self._op(side, layer)})" for layer in layers[:FEW])
            if layers:
                found.append(f"{which} model alone has {plural(len(layers), 'layer')} before it: {names}")
        return found

    def of_definition(self, number: int) -> tuple[list[tuple[str, Any, Any]], list[WeightChange]]:
        """By what a layer of a computes something else than its partner: attributes, with both values, and
        weights.
        None where other layers are before it, since what these compute may make up for it.
        """
        pair = self.a.layers[number], self.b.layers[self.matching.to[number]]
        self.changes, self.weights, self._weights_seen = [], [], set()
        if pair[0].type != pair[1].type or any(self._wiring(*pair, with_forms=False)):
            return [], []
        return list(self._other_values(*pair)), self.weights

    def all(self) -> "GraphComparison":
        """Collect the differences of all layers."""
        to = self.matching.to
        for number, layer in self.a.layers.items():
            if number not in to:
                self._add("removed", self.a, layer)
        for number, layer in self.b.layers.items():
            if number not in self.matching.back:
                self._add("added", self.b, layer, self._inputs(number))
        for number, layer in self.a.layers.items():
            if number in to:
                self._pair(layer, self.b.graph.layers[to[number]].layer)
        if "ids" not in self.ignore:
            self._moves()
        return self

    def _pair(self, a: Layer, b: Layer) -> None:
        details = [*self._attributes(a, b)]
        rewired = [*self._wiring(a, b)]
        if not details and not rewired:
            details = [*self._facts(a, b)]
        if details:
            self._add("changed", self.b, b, tuple(details))
        if rewired:
            self._add("rewired", self.b, b, tuple(rewired), self._explaining(a, b))
        if "names" not in self.ignore and a.name != b.name:
            self._add("renamed", self.b, b, (f"was {a.name}",))
        if "rt_info" not in self.ignore and a.rt_info != b.rt_info:
            self.metadata.append(f"rt_info of {'/'.join((*self.b.graph.path, b.name))} differs")
        for name in a.bodies.keys() & b.bodies.keys():
            self._bodies(a, b, name)

    def _bodies(self, a: Layer, b: Layer, name: str) -> None:
        sides = []
        for side, layer in ((self.a, a), (self.b, b)):
            inner = None if side.inferred is None else side.inferred.of(layer.id).bodies.get(name)
            sides.append(Side(side.analysis, side.graph.layers[layer.id].bodies[name].graph, inner))
        comparison = GraphComparison(sides[0], sides[1], self.ignore).all()
        self.changes += comparison.changes
        self.weights += comparison.weights
        self.metadata += comparison.metadata

    def _attributes(self, a: Layer, b: Layer) -> Iterator[str]:
        """The differences in the op and its attributes."""
        ids = [self._op(self.a, a), self._op(self.b, b)]
        if ids[0] != ids[1]:
            yield f"op {ids[0]} -> {ids[1]}"
        for name, old, new in self._other_values(a, b):
            yield f"{name} {_spelled(old)} -> {_spelled(new)}"
        if not a.is_constant and a.bodies.keys() != b.bodies.keys():
            yield f"bodies {', '.join(a.bodies)} -> {', '.join(b.bodies)}"

    def _other_values(self, a: Layer, b: Layer) -> Iterator[tuple[str, Any, Any]]:
        """The attributes that have other values, with both."""
        before, after = self.a.graph.layers[a.id], self.b.graph.layers[b.id]
        if before.invocation is not None and after.invocation is not None:
            values: list[dict[str, Any]] = [
                dict(n.invocation.attributes) for n in (before, after) if n.invocation
            ]
        else:
            values = [dict(a.data), dict(b.data)]
        if a.is_constant:
            return
        for name in dict.fromkeys((*values[0], *values[1])):
            old, new = (side.get(name) for side in values)
            other_op = a.type != b.type and None in (old, new)  # which has other attributes anyway
            if old != new and (name in a.data or name in b.data) and not other_op:
                yield name, old, new

    def _facts(self, a: Layer, b: Layer) -> Iterator[str]:
        """The differences in the outputs, where nothing that the layer depends on does."""
        for old, new in zip(self.a.sources(a.id), self.b.sources(b.id)):
            if old is not None and new is not None and not _same_fact(self.a.fact(old), self.b.fact(new)):
                return
        for index in range(min(len(a.outputs), len(b.outputs))):
            old_fact, new_fact = self.a.fact((a.id, index)), self.b.fact((b.id, index))
            if not _same_fact(old_fact, new_fact):
                yield f"output {index} {old_fact} -> {new_fact}"
        if len(a.outputs) != len(b.outputs):
            yield f"{len(a.outputs)} -> {len(b.outputs)} outputs"

    def _wiring(self, a: Layer, b: Layer, *, with_forms: bool = True) -> Iterator[str]:
        """Inputs that use another value than before; weights are compared on the way. with_forms: also inputs
        that have the same elements in another shape
        """
        before, after = self.a.sources(a.id), self.b.sources(b.id)
        for index in range(max(len(before), len(after))):
            old = before[index] if index < len(before) else None
            new = after[index] if index < len(after) else None
            constant = [
                value is not None and value[0] in s.weights for value, s in ((old, self.a), (new, self.b))
            ]
            if all(constant):
                assert old is not None
                assert new is not None
                self._weight(b, index, old, new)
            elif any(constant) or self.matching.value(old) != new:
                before_forms = _before_forms(self.a, old, self.matching.to)
                same = self.matching.value(before_forms) == _before_forms(self.b, new, self.matching.back)
                if same and before_forms is not None and not with_forms:
                    continue
                yield f"input {index} {self.a.name(old)} -> {self.b.name(new)}"

    def _weight(self, user: Layer, index: int, old: Value, new: Value) -> None:
        if "weights" in self.ignore or (old, new) in self._weights_seen:
            return
        self._weights_seen.add((old, new))
        stored = [self.a.stored(old), self.b.stored(new)]
        way = f"stored as {stored[0]} -> {stored[1]}" if stored[0] != stored[1] else ""
        facts = self.a.fact(old), self.b.fact(new)
        place = self.b.graph.path, user.name, index
        if not _same_fact(*facts) and not _same_integers(*facts):
            what = f"{facts[0]} -> {facts[1]}"
            self.weights.append(WeightChange("changed", *place, f"{what}, {way}" if way else what))
            return
        try:
            result = compared(self.a.array(old), self.b.array(new))
        except DiagnosticError as error:
            self.weights.append(WeightChange("not compared", *place, error.diagnostics[0].message))
            return
        if result is None:
            if way:
                self.weights.append(WeightChange("stored", *place, f"{way}, equal elements", 0, 0, 0))
            return
        kind = "stored" if way else "changed"
        details = f"{way}, {result}" if way else str(result)
        measures = (result.greatest, result.relative, result.share)
        self.weights.append(WeightChange(kind, *place, details, *measures))

    def _inputs(self, number: int) -> tuple[str, ...]:
        names = [self.b.name(value) for value in self.b.sources(number)]
        return (f"uses {', '.join(names)}",) if names else ()

    def _moves(self) -> None:
        """The fewest layers whose moving explains the other order."""
        places = {number: place for place, number in enumerate(self.b.layers)}
        order = [number for number in self.a.layers if number in self.matching.to]
        kept = _longest_increasing([places[self.matching.to[number]] for number in order])
        for position, number in enumerate(order):
            if position not in kept:
                layer = self.b.graph.layers[self.matching.to[number]].layer
                if layer.kind is LayerKind.OPERATION:
                    self._add("moved", self.b, layer)

    def _explaining(self, a: Layer, b: Layer) -> str:
        """The first added or removed layer that explains all other inputs of a layer; "" where none does."""
        to, back, found = self.matching.to, self.matching.back, list[str]()
        for old, new in zip(self.a.sources(a.id), self.b.sources(b.id)):
            if old is None or new is None or self.matching.value(old) == new:
                continue
            if old[0] in self.a.weights and new[0] in self.b.weights:  # compared by their elements
                continue
            before = {self.matching.value(value) for value in _matched(self.a, old, to)}
            if before.isdisjoint(_matched(self.b, new, back)):
                return ""
            for side, (number, _), pairs in ((self.b, new, back), (self.a, old, to)):
                if number not in pairs:
                    found.append(side.graph.layers[number].layer.name)
        return found[0] if found and len(a.inputs) == len(b.inputs) else ""

    def _add(
        self, what: str, side: Side, layer: Layer, details: tuple[str, ...] = (), follows: str = ""
    ) -> None:
        line = side.analysis.location(layer, side.graph.path).line
        place = (side.graph.path, layer.name, self._op(side, layer))
        self.changes.append(LayerChange(what, *place, details, line, follows))

    @staticmethod
    def _op(side: Side, layer: Layer) -> str:
        op = side.graph.layers[layer.id].op
        return op.id if op is not None else f"{layer.type}, {layer.version}"


def _without_partner(side: Side, number: int, pairs: Mapping[int, int]) -> list[int]:
    """The layers without a partner between a layer and those before it that have one."""
    found: dict[int, None] = {}
    ahead = [number]
    while ahead:
        sources = [source[0] for source in side.sources(ahead.pop()) if source is not None]
        fresh = [key for key in sources if key in side.layers and key not in pairs and key not in found]
        found.update(dict.fromkeys(fresh))
        ahead += fresh
    return list(found)


def _matched(side: Side, value: Value, pairs: Mapping[int, int]) -> set[Value]:
    """The values of layers with a partner that a value is computed from, by layers without one."""
    if value[0] in pairs or value[0] not in side.layers:
        return {value}
    layers = [*_without_partner(side, value[0], pairs), value[0]]
    sources = (source for key in layers for source in side.sources(key))
    return {source for source in sources if source is not None and source[0] in pairs}


FORMS = ("Reshape", "Squeeze", "Unsqueeze")
"""Types of layers that give the elements of an input in another shape."""


def _before_forms(side: Side, value: Value | None, pairs: Mapping[int, int]) -> Value | None:
    """The value from which layers without a partner make other shapes."""
    while value is not None and value[0] not in pairs and side.graph.layers[value[0]].layer.type in FORMS:
        value = next(iter(side.sources(value[0])), None)
    return value


def _same_fact(a: Fact, b: Fact) -> bool:
    return a.element_type is b.element_type and a.shape == b.shape


def _same_integers(a: Fact, b: Fact) -> bool:
    """Whether both are integers of one shape: axes and sizes are so in i32 and in i64."""
    return a.element_type.integral and b.element_type.integral and a.shape == b.shape


def _spelled(value: Any) -> str:
    return "none" if value is None else format_value(value)


def _longest_increasing(places: list[int]) -> set[int]:
    """The positions of a longest increasing subsequence."""
    ends: list[int] = []
    positions: list[int] = []
    before: list[int] = []
    for position, place in enumerate(places):
        index = bisect_left(ends, place)
        before.append(positions[index - 1] if index else -1)
        if index == len(ends):
            ends.append(place)
            positions.append(position)
        else:
            ends[index], positions[index] = place, position
    found: set[int] = set()
    position = positions[-1] if positions else -1
    while position >= 0:
        found.add(position)
        position = before[position]
    return found


# The comparison of whole models, as a reviewer wants to read it.


IGNORABLE = ("names", "rt_info", "ids", "weights")
"""The parts that a comparison can leave out."""


def diff(
    a: AnyModel,
    b: AnyModel,
    *,
    ignore: Collection[str] = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Difference:
    """The differences between two models: layers added, removed, changed, rewired, renamed or moved; weights;
    inputs and outputs.

    Layers are matched by name, then by their op, attributes and surroundings, so that models of which one is
    the other renumbered, renamed and reordered are the same. What follows from constants alone is compared
    as a weight: by its elements, however it is stored. A model of another dialect is translated first.
    ignore: names, rt_info, ids (and with them the order of layers), weights
    Raises:  ReadError, DiagnosticError where a model cannot be read or translated; ValueError for another
        word to ignore
    """
    for word in ignore:
        if word not in IGNORABLE:
            meant = did_you_mean(word, IGNORABLE)
            raise ValueError(f"ignore has {word!r}, must be of {', '.join(IGNORABLE)}{meant}")
    analyses = [analyse(a, registry, limits), analyse(b, registry, limits)]
    labels = [_label(a, analyses[0].model, "a"), _label(b, analyses[1].model, "b")]
    if analyses[0].dialect is not analyses[1].dialect:
        analyses = [
            one if one.dialect.name == OPENVINO else translated(one, OPENVINO, None) for one in analyses
        ]
    sides = [Side(analysis, analysis.root, analysis.infer()) for analysis in analyses]
    comparison = GraphComparison(sides[0], sides[1], ignore).all()
    found: dict[str, list[Any]] = {}
    for change in comparison.changes:
        found.setdefault(change.what, []).append(change)
    metadata = list(comparison.metadata)
    if "rt_info" not in ignore and analyses[0].model.rt_info != analyses[1].model.rt_info:
        metadata.append("rt_info of the model differs")
    return Difference(
        labels[0],
        labels[1],
        weights=tuple(comparison.weights),
        interface=tuple(_interface(analyses[0], analyses[1], ignore)),
        metadata=tuple(metadata),
        layers=(len(analyses[0].model.layers), len(analyses[1].model.layers)),
        **{what: tuple(changes) for what, changes in found.items()},
    )


def _label(given: AnyModel, model: Model, default: str) -> str:
    if isinstance(given, str | os.PathLike):
        return os.fspath(given)
    path = model.source.path if model.source is not None else None
    return path or model.name or default


def _interface(a: ModelAnalysis, b: ModelAnalysis, ignore: Collection[str]) -> Iterator[str]:
    """The differences of inputs and results."""
    for what, before, after in (
        ("input", a.signature.inputs, b.signature.inputs),
        ("result", a.signature.results, b.signature.results),
    ):
        if len(before) != len(after):
            listed = " -> ".join(_listed(one, ports) for one, ports in ((a, before), (b, after)))
            yield f"{len(before)} -> {len(after)} {what}s: {listed}"
            continue
        for old, new in zip(before, after):
            facts = _fact(a, old), _fact(b, new)
            if not _same_fact(*facts):
                yield f"{what} {new.position} ({new.layer.name}): {facts[0]} -> {facts[1]}"
            names = old.names[1:], new.names[1:]  # of the tensors; those of the layers are compared as such
            if "names" not in ignore and any(names) and not {*names[0]} & {*names[1]}:
                spelled = [", ".join(dict.fromkeys(some)) or "none" for some in names]
                yield f"{what} {new.position}: the tensor name {spelled[0]} -> {spelled[1]}"


def _listed(analysis: ModelAnalysis, ports: tuple[ModelPort, ...]) -> str:
    return ", ".join(f"{port.layer.name} {_fact(analysis, port)}" for port in ports) or "none"


def _fact(analysis: ModelAnalysis, port: ModelPort) -> Fact:
    """The declared tensor of an input, or the inferred one of a result."""
    inputs = analysis.infer().of(port.layer.id).inputs
    return (inputs[0] if inputs else None) or port.fact
