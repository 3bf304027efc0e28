"""Which layer of one graph is which of another: by name, then by what surrounds it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping

from irops.editing.diff.side import Side
from irops.ir.model import Layer, LayerKind

NONE_KNOWN: Mapping[int, int] = {}
ROUNDS = 4
"""How many edges away the surroundings of a layer are looked at."""
MANY = 16
"""Groups of users that have more pairs than this number times their layers vote later."""


class Matching:
    """Pairs of layers: to has the id in b of each id in a, back the inverse.

    known: pairs that are certain, as by their values
    """

    def __init__(self, a: Side, b: Side, known: Mapping[int, int] = NONE_KNOWN) -> None:
        self.a, self.b = a, b
        self.to: dict[int, int] = {}
        self.back: dict[int, int] = {}
        for one, other in known.items():
            self._pair(one, other)
        self._match_positions(LayerKind.PARAMETER, LayerKind.RESULT)
        certain = set(self.to)
        self._match_unique(lambda _, layer: (layer.name, layer.type.lower()))
        self._match_unique(lambda _, layer: layer.name)
        self._drop_contradicted(certain)
        for rounds in range(ROUNDS, -1, -1):
            self._match_surroundings(rounds)
        self._match_weights()
        self._match_neighbours()
        # layers of one name that were separated and have found no other partner, as where both
        # neighbours are new
        self._match_unique(lambda _, layer: (layer.name, layer.type.lower()))
        self._match_unique(lambda _, layer: layer.name)

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

    def _drop_contradicted(self, certain: Collection[int]) -> None:
        """Separate layers of one name whose neighbours are all partners of other layers than theirs.

        The names of a model may be used again for other layers, or mean nothing.
        """
        contradicted = [
            number
            for number, other in self.to.items()
            if number not in certain and self._is_contradicted(number, other)
        ]
        for number in contradicted:
            del self.back[self.to.pop(number)]

    def _is_contradicted(self, number: int, other: int) -> bool:
        """Whether all neighbours of two layers that have partners have other ones."""
        sources = {s[0] for s in self.b.sources(other) if s is not None}
        users = {user for _, user, _ in self.b.users(other)}
        inputs = {s[0] for s in self.a.sources(number) if s is not None and s[0] in self.to}
        outputs = {user for _, user, _ in self.a.users(number) if user in self.to}
        agreeing = sum(self.to[n] in sources for n in inputs) + sum(self.to[n] in users for n in outputs)
        return not agreeing and len(inputs) + len(outputs) > 1

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
        votes = _Votes(self)
        for a, b in list(self.to.items()):
            votes.count(a, b)
        while True:
            found = votes.best_pairs()
            if not found and not votes.count_postponed():
                break
            for a, b in found:
                self._pair(a, b)
            for a, b in found:
                votes.drop(a, b)
            for a, b in found:
                votes.count(a, b)


class _Votes:
    """How many neighbours at the same places layers without a partner have in common.

    A pair of layers votes once for its neighbours, so that the cost grows with the number of edges. Where
    many users of a pair have one type, all of them would get a vote for each other, which decides nothing:
    these votes wait until other pairs have made the users fewer.
    """

    def __init__(self, matching: Matching) -> None:
        self._a, self._b = matching.a, matching.b
        self._to, self._back = matching.to, matching.back
        self._places = {number: place for place, number in enumerate(self._a.layers)}
        self._votes: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self._voters: defaultdict[int, set[int]] = defaultdict(set)
        self._touched: set[int] = set()  # layers of a whose best partner may be another than before
        self._postponed: list[tuple[list[int], list[int]]] = []

    def count(self, a: int, b: int) -> None:
        """Count the votes of a pair for the layers before and behind it."""
        for old, new in zip(self._a.sources(a), self._b.sources(b)):
            if old is not None and new is not None and old[1] == new[1]:
                self._vote([old[0]], [new[0]])
        groups = [self._users(self._a, a, self._to), self._users(self._b, b, self._back)]
        for key in groups[0].keys() & groups[1].keys():
            self._vote(groups[0][key], groups[1][key])

    def count_postponed(self) -> bool:
        """Count the votes that were too many; whether there are some now."""
        groups, self._postponed = self._postponed, []
        for users, others in groups:
            self._vote([n for n in users if n not in self._to], [n for n in others if n not in self._back])
        self._postponed = []
        return bool(self._touched)

    def drop(self, a: int, b: int) -> None:
        """Forget the votes for layers that are a pair now."""
        for number in self._voters.pop(b, ()):
            del self._votes[number][b]
            self._touched.add(number)
        for number in self._votes.pop(a, ()):
            if number in self._voters:
                self._voters[number].discard(a)
                self._touched |= self._voters[number]

    def best_pairs(self) -> list[tuple[int, int]]:
        """Pairs of layers of which each has the most votes of the other, among those whose votes changed."""
        touched = sorted((n for n in self._touched if n not in self._to), key=self._places.__getitem__)
        self._touched = set()
        found: dict[int, int] = {}
        for number in touched:
            best = _winner(self._votes[number])
            if best is None or best in found:
                continue
            if _winner({other: self._votes[other][best] for other in self._voters[best]}) == number:
                found[best] = number
        return [(number, best) for best, number in found.items()]

    def _vote(self, users: list[int], others: list[int]) -> None:
        """One vote for each of the layers of a and each of the layers of b that may be its partner."""
        if len(users) * len(others) > MANY * (len(users) + len(others)):
            self._postponed.append((users, others))
            return
        for number in users:
            for other in others:
                if number not in self._to and other not in self._back and self._alike(number, other):
                    self._votes[number][other] += 1
                    self._voters[other].add(number)
                    self._touched |= self._voters[other]

    def _alike(self, number: int, other: int) -> bool:
        a, b = self._a.layers.get(number), self._b.layers.get(other)
        return a is not None and b is not None and a.type.lower() == b.type.lower()

    @staticmethod
    def _users(side: Side, number: int, pairs: Mapping[int, int]) -> dict[Hashable, list[int]]:
        """The users of a layer that have no partner, by the output and the input that connect them, and
        their type.
        """
        groups: dict[Hashable, list[int]] = {}
        for output, user, index in side.users(number):
            layer = side.layers.get(user)
            if layer is not None and user not in pairs:
                groups.setdefault((output, index, layer.type.lower()), []).append(user)
        return groups


def _winner(counts: Mapping[int, int]) -> int | None:
    """The key with the greatest count; None where two have it, or there is none."""
    best = max(counts.values(), default=0)
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
