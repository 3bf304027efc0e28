"""Compare the graphs of two models layer by layer."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.diff.differences import LayerChange, WeightChange
from irops.editing.diff.matching import Matching
from irops.editing.diff.side import Side, Value, changed_attributes
from irops.ir.model import Element, Layer, LayerKind
from irops.values.element import DYNAMIC, Array
from irops.values.fact import Fact

# How much the elements of two weights differ.

_FEW = 8
"""Up to so many elements are shown, and up to so many that differ are counted instead of given in percent."""
_STEP = 1 << 20
"""Elements that are compared at a time, so that large weights are not copied."""


@dataclass(frozen=True, slots=True)
class Elements:
    """The greatest difference, as it is and divided by the greatest element, and how many elements differ.

    different: that differ; size: all; elements: of both, where they are few
    """

    greatest: float
    relative: float
    different: int
    size: int
    elements: str = ""

    @property
    def share(self) -> float:
        """The share of the elements that differ, from 0 to 1."""
        return self.different / self.size

    @property
    def portion(self) -> str:
        """How many elements differ: all 64 elements, 7.2 % of 1,024 elements."""
        if self.different == self.size:
            return f"all {self.size:,} elements"
        if self.different <= _FEW:
            return f"{self.different} of {self.size:,} elements"
        percent = 100 * self.share
        text = f"{percent:.2g}" if percent < 10 else f"{percent:.1f}"
        return f"{'more than 99.9' if text == '100.0' else text} % of {self.size:,} elements"

    def __str__(self) -> str:
        if self.elements:
            return self.elements
        if np.isnan(self.greatest):  # of strings
            return f"{self.portion} differ"
        return (
            f"greatest difference {self.greatest:.3g} ({self.relative:.3g} of the greatest element),"
            f" {self.portion}"
        )


def compared(a: Array, b: Array) -> Elements | None:
    """What differs between the elements of two arrays of one shape and type; None if they are equal."""
    few = f"{_spelled(a)} -> {_spelled(b)}" if a.size <= _FEW else ""
    if a.dtype == object:
        different = int(np.sum(a != b))
        return Elements(float("nan"), float("nan"), different, a.size, few) if different else None
    one, other = a.reshape(-1), b.reshape(-1)
    different, greatest, scale = 0, 0.0, 0.0
    for start in range(0, one.size, _STEP):
        x, y = one[start : start + _STEP], other[start : start + _STEP]
        with np.errstate(all="ignore"):
            wide = x.astype(np.float64), y.astype(np.float64)
            scale = max(scale, float(np.nanmax(np.abs(wide[0]), initial=0)))
            if x.tobytes() == y.tobytes():
                continue
            unequal = ~((wide[0] == wide[1]) | (np.isnan(wide[0]) & np.isnan(wide[1])))
            distance = np.abs(wide[0] - wide[1])[unequal]
        different += int(unequal.sum())
        greatest = max(greatest, float(np.max(np.nan_to_num(distance, nan=np.inf), initial=0)))
    if not different:
        return None
    return Elements(greatest, greatest / scale if scale else float("inf"), different, one.size, few)


def _spelled(array: Array) -> str:
    return str(array.tolist()).replace(" ", "")


@dataclass(slots=True)
class Entry:
    """A change that is listed, and what follows from it in other layers, in words.

    change: None for a weight that turns out to be equal
    """

    change: LayerChange | WeightChange | None
    follows: list[str] = field(default_factory=list)

    @property
    def changes_shapes(self) -> bool:
        """Whether other types and shapes follow from it rather than from those of the inputs."""
        if isinstance(self.change, WeightChange):
            return self.change.greatest is None
        return self.change is not None and self.change.what == "changed"

    def listed(self) -> LayerChange | WeightChange | None:
        """The change, with what follows from it."""
        return None if self.change is None else replace(self.change, follows=tuple(self.follows))


class Comparison:
    """The differences of two graphs, and of the bodies of layers that are in both.

    ignore: names, rt_info, ids, weights; entries: the changes; metadata: what else differs, in words
    causes: of each layer of b, the change from which other outputs than those of its partner follow
    """

    def __init__(self, a: Side, b: Side, ignore: Collection[str]) -> None:
        self.a, self.b, self.ignore = a, b, ignore
        self.matching = Matching(a, b)
        self.entries: list[Entry] = []
        self.metadata: list[str] = []
        self.causes: dict[int, Entry] = {}
        self._inner: dict[int, list[Comparison]] = {}
        self._own: dict[int, list[Entry]] = {}
        self._weights: dict[tuple[Value, Value], Entry] = {}
        self._unequal: list[tuple[Entry, WeightChange, Value, Value]] = []
        self._find()
        self._compare_weights()

    def _find(self) -> None:
        """List the changes of layers, and the weights to compare."""
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

    def _pair(self, a: Layer, b: Layer) -> None:
        details = [*self._attributes(a, b)]
        rewired = [*self._wiring(a, b)]
        if details:
            self._add("changed", self.b, b, tuple(details))
        if rewired:
            self._add("rewired", self.b, b, tuple(rewired))
        if "names" not in self.ignore and a.name != b.name:
            self._add("renamed", self.b, b, (f"was {a.name}",))
        if "rt_info" not in self.ignore and not _same_element(a.rt_info, b.rt_info):
            self.metadata.append(f"rt_info of {self._place(b)} differs")
        for name in a.bodies.keys() & b.bodies.keys():
            self._bodies(a, b, name)

    def _bodies(self, a: Layer, b: Layer, name: str) -> None:
        sides = []
        for side, layer in ((self.a, a), (self.b, b)):
            inner = None if side.inferred is None else side.inferred.of(layer.id).bodies.get(name)
            sides.append(Side(side.analysis, side.graph.layers[layer.id].bodies[name].graph, inner))
        comparison = Comparison(sides[0], sides[1], self.ignore)
        self.entries += comparison.entries
        self.metadata += comparison.metadata
        self._inner.setdefault(b.id, []).append(comparison)

    def follow(self, outer: Entry | None = None) -> None:
        """List other types and shapes of outputs under the changes that they follow from, or as changes
        where they follow from none. outer: the change from which other inputs of a body follow
        """
        for node in self.b.graph.order:
            number = node.layer.id
            if number not in self.b.weights:
                cause = self._followed(node.layer, *self._upstream(node.layer, outer))
                if cause is not None:
                    self.causes[number] = cause

    def _followed(self, layer: Layer, upstream: Entry | None, are_other: bool) -> Entry | None:
        """The cause of other outputs of a layer, under which they are listed.

        upstream: the cause of other inputs; are_other: whether these have another type or shape
        """
        own = next((entry for entry in self._own.get(layer.id, ()) if entry.change is not None), None)
        if upstream is not None and are_other and own is not None and not own.changes_shapes:
            own = None
        inside: Entry | None = None
        for body in self._inner.get(layer.id, ()):
            body.follow(own or upstream)
            inside = inside or next((e for e in body.entries if e.change is not None), None)
        partner = self.matching.back.get(layer.id)
        cause = own or inside or upstream
        if partner is None:
            return cause
        texts = [*self._facts(self.a.graph.layers[partner].layer, layer)]
        if layer.kind is LayerKind.PARAMETER and own is not None:  # whose attributes say it
            return own
        if texts and cause is None:
            return self._add("changed", self.b, layer, tuple(texts))
        if cause is not None:
            place = "" if cause is own else f"{self._place(layer)}: "
            cause.follows += [f"{place}{text}" for text in texts]
        return cause

    def _upstream(self, layer: Layer, outer: Entry | None) -> tuple[Entry | None, bool]:
        """The cause of what differs in the inputs of a layer, and whether it is a type or shape."""
        if layer.kind is LayerKind.PARAMETER:
            return outer, outer is not None
        found: Entry | None = None
        for source in self.b.sources(layer.id):
            cause = None if source is None else self.causes.get(source[0])
            if source is not None and cause is not None:
                partner = self.matching.back.get(source[0])
                if partner is None or not self.same(self.a.fact((partner, source[1])), self.b.fact(source)):
                    return cause, True
                found = found or cause
        return found, False

    def _attributes(self, a: Layer, b: Layer) -> Iterator[str]:
        """What differs in the op and its attributes."""
        before, after = self.a.graph.layers[a.id], self.b.graph.layers[b.id]
        ids = [self._op(self.a, a), self._op(self.b, b)]
        if ids[0] != ids[1]:
            yield f"op {ids[0]} -> {ids[1]}"
        for name, (old, new) in changed_attributes(before, after):
            is_mapped = bool(self.b.graph.path) and b.kind is LayerKind.PARAMETER
            if not (is_mapped and name == "shape"):  # which follows from the input of the layer outside
                yield f"{name} {old} -> {new}"
        if a.is_constant:
            return
        if a.bodies.keys() != b.bodies.keys():
            yield f"bodies {', '.join(a.bodies)} -> {', '.join(b.bodies)}"

    def _facts(self, a: Layer, b: Layer) -> Iterator[str]:
        """What differs in the outputs."""
        for index in range(min(len(a.outputs), len(b.outputs))):
            old, new = self.a.fact((a.id, index)), self.b.fact((b.id, index))
            if not self.same(old, new):
                yield f"output {index} {old} -> {new}"
        if len(a.outputs) != len(b.outputs):
            yield f"{len(a.outputs)} -> {len(b.outputs)} outputs"

    def same(self, a: Fact, b: Fact) -> bool:
        """Whether a type and shape are the same, as far as can be known without weights that are ignored."""
        if "weights" in self.ignore and (self.a.lacks_weights or self.b.lacks_weights):
            kinds = {a.element_type, b.element_type} - {DYNAMIC}
            return len(kinds) < 2 and a.shape.can_be(b.shape)
        return _same_fact(a, b)

    def _wiring(self, a: Layer, b: Layer) -> Iterator[str]:
        """Inputs that use another value than before; weights are compared on the way."""
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
                yield f"input {index} {self.a.name(old)} -> {self.b.name(new)}"

    def _weight(self, user: Layer, index: int, old: Value, new: Value) -> None:
        if "weights" in self.ignore:
            return
        entry = self._weights.get((old, new))
        if entry is None:
            entry = self._weights[old, new] = Entry(None)
            self._list_weight(entry, user, index, old, new)
        self._own.setdefault(user.id, []).append(entry)

    def _list_weight(self, entry: Entry, user: Layer, index: int, old: Value, new: Value) -> None:
        self.entries.append(entry)
        stored = [self.a.stored(old), self.b.stored(new)]
        way = f"stored as {stored[0]} -> {stored[1]}" if stored[0] != stored[1] else ""
        change = WeightChange("stored" if way else "changed", self.b.graph.path, user.name, index, way)
        facts = self.a.fact(old), self.b.fact(new)
        if _same_fact(*facts):
            self._unequal.append((entry, change, old, new))
        else:
            what = f"{facts[0]} -> {facts[1]}"
            entry.change = replace(change, kind="changed", details=f"{what}, {way}" if way else what)

    def _compare_weights(self) -> None:
        """Complete the entries of weights of equal types and shapes by what differs in their elements."""
        olds = self.a.arrays([old for _, _, old, _ in self._unequal])
        news = self.b.arrays([new for _, _, _, new in self._unequal])
        for (entry, change, _, _), old, new in zip(self._unequal, olds, news):
            fault = next((one for one in (old, new) if isinstance(one, DiagnosticError)), None)
            if fault is not None and fault.diagnostics[0].name == "changed-weights":
                raise fault
            if fault is not None:
                message = fault.diagnostics[0].message
                entry.change = replace(change, kind="not compared", details=message)
                continue
            assert not isinstance(old, DiagnosticError)
            assert not isinstance(new, DiagnosticError)
            result = compared(old, new)
            if result is not None:
                details = f"{change.details}, {result}" if change.details else str(result)
                numbers = result.greatest, result.relative, result.share
                entry.change = WeightChange(
                    change.kind, change.path, change.name, change.input, details, *numbers
                )
            elif change.details:
                details = f"{change.details}, equal elements"
                entry.change = WeightChange(
                    "stored", change.path, change.name, change.input, details, 0, 0, 0
                )
        self._unequal = []

    def _inputs(self, number: int) -> tuple[str, ...]:
        names = [self.b.name(value) for value in self.b.sources(number)]
        return (f"uses {', '.join(names)}",) if names else ()

    def _moves(self) -> None:
        """The fewest layers whose moving explains the other order."""
        places = {number: place for place, number in enumerate(self.b.layers)}
        order = [
            (number, places[self.matching.to[number]])
            for number in self.a.layers
            if number in self.matching.to
        ]
        kept = _longest_increasing([place for _, place in order])
        for position, (number, _) in enumerate(order):
            if position not in kept:
                layer = self.b.graph.layers[self.matching.to[number]].layer
                if layer.kind is LayerKind.OPERATION:
                    self._add("moved", self.b, layer)

    def _place(self, layer: Layer) -> str:
        return "/".join((*self.b.graph.path, layer.name))

    def _add(self, what: str, side: Side, layer: Layer, details: tuple[str, ...] = ()) -> Entry:
        line = side.analysis.location(layer, side.graph.path).line
        change = LayerChange(what, side.graph.path, layer.name, self._op(side, layer), details, line)
        entry = Entry(change)
        self.entries.append(entry)
        if what in ("added", "changed", "rewired"):
            self._own.setdefault(layer.id, []).append(entry)
        return entry

    @staticmethod
    def _op(side: Side, layer: Layer) -> str:
        op = side.graph.layers[layer.id].op
        return op.id if op is not None else f"{layer.type}, {layer.version}"


def _same_fact(a: Fact, b: Fact) -> bool:
    return a.element_type is b.element_type and a.shape == b.shape


def _same_element(a: Element | None, b: Element | None) -> bool:
    return a == b


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
