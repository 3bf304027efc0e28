"""The layers of a graph in groups of one type, version and kind, so that what depends on these is asked once
for each group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from irops.ir.model import Layer, LayerKind


class LayerGroups:
    """The layers of a graph by type, version and kind. Immutable, so that threads may share it."""

    def __init__(self, layers: Iterable[Layer]) -> None:
        self._groups: dict[tuple[str, str, LayerKind | None], list[tuple[int, Layer]]] = {}
        groups = self._groups
        for place, layer in enumerate(layers):
            key = (layer.type, layer.version, layer.own_kind)
            group = groups.get(key)
            if group is None:
                groups[key] = [(place, layer)]
            else:
                group.append((place, layer))

    @property
    def first_layers(self) -> list[Layer]:
        """The first layer of each group."""
        return [group[0][1] for group in self._groups.values()]

    def where(self, test: Callable[[Layer], bool]) -> list[Layer]:
        """The layers for which a test is true, in the order of the file.

        test: depends on the type, the version and the kind of a layer alone
        """
        chosen = [group for group in self._groups.values() if test(group[0][1])]
        if len(chosen) == 1:
            return [layer for _, layer in chosen[0]]
        places = sorted((item for group in chosen for item in group), key=lambda item: item[0])
        return [layer for _, layer in places]

    def of_kinds(self, *kinds: LayerKind) -> list[Layer]:
        """The layers of some kinds, in the order of the file."""
        return self.where(lambda layer: layer.kind in kinds)

    def of_type(self, lower: str) -> list[Layer]:
        """The layers of a type, which is given in lower case, in the order of the file."""
        return self.where(lambda layer: layer.type.lower() == lower)
