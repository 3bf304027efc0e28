"""Layers by what people call them: a name, the name of a tensor, an id, a part of a name, or a pattern."""

from __future__ import annotations

import fnmatch
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from irops.diagnostics.suggestions import did_you_mean

SHORTEST = 3
"""A shorter part of a name stands for nothing: it is in many names by chance."""
MOST = 5
"""How many names a message lists."""


class NamedPort(Protocol):
    @property
    def names(self) -> Sequence[str]: ...


class NamedLayer(Protocol):
    """An object as ir.model.Layer is."""

    @property
    def name(self) -> str: ...
    @property
    def outputs(self) -> Sequence[NamedPort]: ...
    @property
    def is_constant(self) -> bool: ...


L = TypeVar("L", bound=NamedLayer)


class LayerNames(Generic[L]):
    """The layers of one graph. A tensor's name comes before a layer's; of equal ones, the first counts."""

    def __init__(self, layers: Iterable[tuple[Hashable, L]]) -> None:
        """layers: with their ids, or where they have none, with any key that is no number"""
        self._by_id = dict(layers)
        self._layers: dict[str, L] = {}
        self._tensors: dict[str, tuple[L, int]] = {}
        for layer in self._by_id.values():
            self._layers.setdefault(layer.name, layer)
            for index, port in enumerate(layer.outputs):
                for name in port.names:
                    self._tensors.setdefault(name, (layer, index))

    def __iter__(self) -> Iterator[str]:
        """All names: those of tensors, then those of layers."""
        return iter(dict.fromkeys([*self._tensors, *self._layers]))

    def one(self, key: str | int) -> tuple[L, int | None]:
        """The layer of a key, and the index of the output that it names, None where it names the layer.

        key: the name of a tensor or of a layer, "layer:1" for an output, an id, also as text; else a pattern
            with * ? or [, or a part of a name, in upper or lower case, that one layer alone has
        Raises:  KeyError, with suggestions, for none and for several
        """
        found = self.all(key)
        if len(found) > 1:
            raise _ambiguous(key, [layer for layer, _ in found])
        return found[0]

    def all(self, key: str | int) -> list[tuple[L, int | None]]:
        """As one, but all layers that a pattern matches, in order."""
        exact = self.exact(key)
        if exact is not None:
            return [exact]
        text = str(key)
        is_pattern = any(sign in text for sign in "*?[")
        found = list(self._matching(text) if is_pattern else self._with_part(text.lower()))
        if not found:
            raise KeyError(f"there is no layer or tensor {key!r}{did_you_mean(key, self)}")
        if len(found) > 1 and not is_pattern:
            raise _ambiguous(key, found)
        return [(layer, None) for layer in found]

    def exact(self, key: str | int) -> tuple[L, int | None] | None:
        """The layer that a name or an id stands for, without patterns and parts."""
        if not isinstance(key, str):
            return (self._by_id[key], None) if key in self._by_id else None
        if key in self._tensors:
            return self._tensors[key]
        if key in self._layers:
            return self._layers[key], None
        stem, colon, index = key.rpartition(":")
        if not index.isdecimal() or len(index) > 9:  # int() refuses texts of thousands of digits
            return None
        if colon:
            return (self._layers[stem], int(index)) if stem in self._layers else None
        return self.exact(int(key))

    def _matching(self, pattern: str) -> Iterator[L]:
        return (layer for layer in self._by_id.values() if fnmatch.filter(_names(layer), pattern))

    def _with_part(self, part: str) -> Iterator[L]:
        """The layers with a name that has a part. Constants, of which each layer has some, have none."""
        if len(part) >= SHORTEST:
            for layer in self._by_id.values():
                if not layer.is_constant and any(part in name.lower() for name in _names(layer)):
                    yield layer


def _names(layer: NamedLayer) -> tuple[str, ...]:
    return (layer.name, *(name for port in layer.outputs for name in port.names))


def _ambiguous(key: str | int, layers: Sequence[NamedLayer]) -> KeyError:
    names = ", ".join(repr(layer.name) for layer in layers[:MOST])
    more = f" and {len(layers) - MOST} more" if len(layers) > MOST else ""
    return KeyError(f"{key!r} stands for {len(layers)} layers: {names}{more}")
