"""What commands about ops need of all definitions: from the index, or from a registry with custom ops."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from irops.cli.index import part
from irops.spec.op_names import meant_id, parted, similar_ids


class Entry(NamedTuple):
    """One row of a list of ops. opsets: those of its dialect that contain this version, or empty."""

    op: str
    category: str
    opsets: tuple[str, ...]
    summary: str
    defined: bool = True


class IndexedDialect(NamedTuple):
    """A dialect and its ops.

    ids: of its definitions; versions: of all versions that these hold; layers: for ops that the dialect adds
    to OpenVINO's models, the id of each by its type and by its type with the version of its layers, in lower
    case; coverage: how many of its types are defined, where all are listed
    """

    name: str
    title: str
    opsets: Sequence[str]
    types: Sequence[str]
    ids: Sequence[str]
    versions: Sequence[str]
    layers: Mapping[str, str]
    coverage: str
    entries: Sequence[Sequence[Any]]


class Catalogue:
    """All ops of all dialects, OpenVINO's first."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.dialects = tuple(IndexedDialect(**each) for each in content["dialects"])
        self.categories: Sequence[str] = content["categories"]
        self._classes: Mapping[str, str] = content["classes"]
        self.listed: Sequence[str] = content["listed"]
        """The ids of all ops of OpenVINO, defined or not."""
        self.keywords: Mapping[str, Sequence[str]] = content["keywords"]
        """What people call the ops of OpenVINO, by id."""

    def dialect(self, name: str) -> IndexedDialect | None:
        """The dialect of a name; None if there is none."""
        return next((one for one in self.dialects if one.name == (name or self.dialects[0].name)), None)

    def entries(self, dialect: IndexedDialect) -> list[Entry]:
        return [
            Entry(op, category, tuple(opsets), summary) for op, category, opsets, summary in dialect.entries
        ]

    def named(self, name: str) -> str | None:
        """The id of an op, of one in another case, or of the newest version of a type; None if none is."""
        dialect = self.dialect(parted(name)[0])
        return None if dialect is None else meant_id(name, dialect.versions, self._classes)

    def similar(self, name: str) -> list[str]:
        """The ids of up to two ops with a similar id."""
        prefix = name.rpartition(":")[0]
        dialect = self.dialect(prefix)
        if dialect is not None:
            return similar_ids(name, prefix, dialect.versions)
        return similar_ids(name, "", [one for each in self.dialects for one in each.versions])


def catalogue(args: argparse.Namespace) -> Catalogue:
    """The ops of irops, of plug-ins, and of the options of a command."""
    return Catalogue(part("ops", args=args))
