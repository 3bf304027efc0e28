"""What commands about ops need of all definitions: from the index, or from a registry with custom ops."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from irops.cli.index import part
from irops.spec.op_names import called, meant_id, parted, similar_ids


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


def unknown_op(name: str, ops: Catalogue, similar_rules: Sequence[str] | None = None) -> str:
    """The sentence. similar_rules: where a rule may be meant too, those with a similar name."""
    prefix = name.lower().partition(":")[0]
    dialect = next((one for one in ops.dialects[1:] if one.name == prefix), None)
    if dialect is not None:
        return _unknown_in(dialect, name, ops)
    versions_of_type = [
        one for one in ops.listed if name.lower() in (one.lower(), one.rpartition("-")[0].lower())
    ]
    if versions_of_type:
        return f"irops does not define {versions_of_type[-1]} yet"
    what = f"unknown {'op' if similar_rules is None else 'rule or op'} {name!r}"
    added = next((one.layers[name.lower()] for one in ops.dialects if name.lower() in one.layers), None)
    if added is not None:
        return f"{what}; did you mean {added}?"
    named_so = called(ops.keywords, name)
    matches = [*named_so[:2], *(similar_rules or ()), *ops.similar(name)]
    hint = f"did you mean {' or '.join(matches[:3])}?" if matches else "irops ops lists all ops"
    return f"{what}; {hint}"


def _unknown_in(dialect: IndexedDialect, name: str, ops: Catalogue) -> str:
    """The sentence for a name with the prefix of a dialect."""
    wanted = parted(name)[1].lower()
    listed = next((op for op in dialect.types if op.lower() == wanted), None)
    if listed is not None and not any(parted(op)[1] == listed for op in dialect.ids):
        return f"irops does not define {dialect.title}'s {listed} yet"
    matches = ops.similar(name)
    hint = (
        f"did you mean {' or '.join(matches)}?"
        if matches
        else f"irops ops --dialect {dialect.name} lists all ops"
    )
    return f"unknown op {name!r}; {hint}"
