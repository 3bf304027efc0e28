"""Compare the graphs of two models layer by layer."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator
from typing import Any

from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.diff.differences import LayerChange, WeightChange
from irops.editing.diff.elements import compared
from irops.editing.diff.matching import Matching
from irops.editing.diff.side import Side, Value
from irops.ir.model import Element, Layer, LayerKind
from irops.spec.domains import format_value
from irops.values.fact import Fact


class Comparison:
    """The differences of two graphs, and of the bodies of layers that are in both.

    ignore: names, rt_info, ids, weights
    """

    def __init__(self, a: Side, b: Side, ignore: Collection[str]) -> None:
        self.a, self.b, self.ignore = a, b, ignore
        self.matching = Matching(a, b)
        self.changes: list[LayerChange] = []
        self.weights: list[WeightChange] = []
        self.metadata: list[str] = []
        self._weights_seen: set[tuple[Value, Value]] = set()
        self._all()

    def _all(self) -> None:
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
        if not details and not rewired:
            details = [*self._facts(a, b)]
        if details:
            self._add("changed", self.b, b, tuple(details))
        if rewired:
            self._add("rewired", self.b, b, tuple(rewired))
        if "names" not in self.ignore and a.name != b.name:
            self._add("renamed", self.b, b, (f"was {a.name}",))
        if "rt_info" not in self.ignore and not _same_element(a.rt_info, b.rt_info):
            self.metadata.append(f"rt_info of {'/'.join((*self.b.graph.path, b.name))} differs")
        for name in a.bodies.keys() & b.bodies.keys():
            self._bodies(a, b, name)

    def _bodies(self, a: Layer, b: Layer, name: str) -> None:
        sides = []
        for side, layer in ((self.a, a), (self.b, b)):
            inner = None if side.inferred is None else side.inferred.of(layer.id).bodies.get(name)
            sides.append(Side(side.analysis, side.graph.layers[layer.id].bodies[name].graph, inner))
        comparison = Comparison(sides[0], sides[1], self.ignore)
        self.changes += comparison.changes
        self.weights += comparison.weights
        self.metadata += comparison.metadata

    def _attributes(self, a: Layer, b: Layer) -> Iterator[str]:
        """What differs in the op and its attributes."""
        before, after = self.a.graph.layers[a.id], self.b.graph.layers[b.id]
        ids = [self._op(self.a, a), self._op(self.b, b)]
        if ids[0] != ids[1]:
            yield f"op {ids[0]} -> {ids[1]}"
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
                yield f"{name} {_spelled(old)} -> {_spelled(new)}"
        if a.bodies.keys() != b.bodies.keys():
            yield f"bodies {', '.join(a.bodies)} -> {', '.join(b.bodies)}"

    def _facts(self, a: Layer, b: Layer) -> Iterator[str]:
        """What differs in the outputs, where nothing that the layer depends on does."""
        for old, new in zip(self.a.sources(a.id), self.b.sources(b.id)):
            if old is not None and new is not None and not _same_fact(self.a.fact(old), self.b.fact(new)):
                return
        for index in range(min(len(a.outputs), len(b.outputs))):
            old_fact, new_fact = self.a.fact((a.id, index)), self.b.fact((b.id, index))
            if not _same_fact(old_fact, new_fact):
                yield f"output {index} {old_fact} -> {new_fact}"
        if len(a.outputs) != len(b.outputs):
            yield f"{len(a.outputs)} -> {len(b.outputs)} outputs"

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
        if "weights" in self.ignore or (old, new) in self._weights_seen:
            return
        self._weights_seen.add((old, new))
        stored = [self.a.stored(old), self.b.stored(new)]
        way = f"stored as {stored[0]} -> {stored[1]}" if stored[0] != stored[1] else ""
        facts = self.a.fact(old), self.b.fact(new)
        place = self.b.graph.path, user.name, index
        if not _same_fact(*facts):
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
        self.weights.append(
            WeightChange(kind, *place, details, result.greatest, result.relative, result.share)
        )

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

    def _add(self, what: str, side: Side, layer: Layer, details: tuple[str, ...] = ()) -> None:
        line = side.analysis.location(layer, side.graph.path).line
        self.changes.append(
            LayerChange(what, side.graph.path, layer.name, self._op(side, layer), details, line)
        )

    @staticmethod
    def _op(side: Side, layer: Layer) -> str:
        op = side.graph.layers[layer.id].op
        return op.id if op is not None else f"{layer.type}, {layer.version}"


def _same_fact(a: Fact, b: Fact) -> bool:
    return a.element_type is b.element_type and a.shape == b.shape


def _spelled(value: Any) -> str:
    return "none" if value is None else format_value(value)


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
