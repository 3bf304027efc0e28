"""Which layer of one graph is which of another: by name, then by what surrounds it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping

from irops.editing.diff.side import Side
from irops.ir.model import Layer, LayerKind

ROUNDS = 4
"""How many edges away the surroundings of a layer are looked at."""


class Matching:
    """Pairs of layers: to has the id in b of each id in a, back the inverse."""

    def __init__(self, a: Side, b: Side) -> None:
        self.a, self.b = a, b
        self.to: dict[int, int] = {}
        self.back: dict[int, int] = {}
        self._match_positions(LayerKind.PARAMETER, LayerKind.RESULT)
        self._match_unique(lambda _, layer: (layer.name, layer.type.lower()))
        self._match_unique(lambda _, layer: layer.name)
        for rounds in range(ROUNDS, -1, -1):
            self._match_surroundings(rounds)
        self._match_weights()
        self._match_neighbours()

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

    def _match_surroundings(self, rounds: int) -> None:
        """Pair layers that have the same op, the same surroundings, and partners at the same places."""
        keys = [
            _surroundings(self.a, self.to, rounds),
            _surroundings(self.b, self.back, rounds, flip=self.to),
        ]
        self._match_unique(lambda side, layer: keys[0 if side is self.a else 1][layer.id])

    def _match_weights(self) -> None:
        """Pair layers of one op that use the same weights."""
        self._match_unique(lambda side, layer: side.digest(layer) or id(layer))

    def _match_neighbours(self) -> None:
        """Pair layers of one type that have more neighbours in common than either has with any other."""
        before = -1
        while len(self.to) > before:
            before = len(self.to)
            votes = self._votes()
            for number, counts in votes.items():
                best = _winner(counts)
                if best is None or best in self.back:
                    continue
                rivals = {other: found[best] for other, found in votes.items() if best in found}
                if _winner(rivals) == number and number not in self.to:
                    self._pair(number, best)

    def _votes(self) -> dict[int, dict[int, int]]:
        """For layers of a without a partner, the layers of b without one that have partners as neighbours at
        the same places, and how many.
        """
        votes: dict[int, dict[int, int]] = {}
        for layer in self._left()[0]:
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
            fitting = {n: c for n, c in counts.items() if n not in self.back and self._alike(layer, n)}
            if fitting:
                votes[layer.id] = fitting
        return votes

    def _alike(self, layer: Layer, number: int) -> bool:
        other = self.b.layers.get(number)
        return other is not None and other.type.lower() == layer.type.lower()


def _winner(counts: Mapping[int, int]) -> int | None:
    """The key with the greatest count; None where two have it."""
    best = max(counts.values())
    found = [key for key, count in counts.items() if count == best]
    return found[0] if len(found) == 1 else None


def _unique(layers: Iterable[Layer], keys: Mapping[int, Hashable]) -> dict[Hashable, int]:
    """The layers whose key no other has, by their key."""
    counts = Counter(keys.values())
    return {keys[layer.id]: layer.id for layer in layers if counts[keys[layer.id]] == 1}


def _surroundings(
    side: Side, pairs: Mapping[int, int], rounds: int, flip: Mapping[int, int] | None = None
) -> dict[int, int]:
    """A hash of each layer: of its op and attributes, and of those around it, as far as some edges lead.

    Layers that have a partner stand for themselves: by their id in b.
    """
    hashes: dict[int, int] = {}
    for number, layer in side.layers.items():
        partner = number if flip is not None and number in pairs else pairs.get(number)
        if partner is not None:
            hashes[number] = hash(("pair", partner))
        else:
            node = side.graph.layers[number]
            kind = node.op.id if node.op is not None else (layer.type, layer.version)
            hashes[number] = hash((kind, tuple(sorted(layer.data.items())), len(layer.inputs)))
    own = dict(hashes)
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
