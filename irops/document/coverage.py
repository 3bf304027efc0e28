"""Which op types of a dialect irops defines, and since which opset: for pages, and for irops ops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from irops.dialects import Dialect
from irops.spec.op_names import parted


@dataclass(frozen=True, slots=True)
class OpsetCoverage:
    """defined: the opsets in which each defined op type is known, as text; undefined: the other types."""

    title: str
    defined: dict[str, str]
    undefined: tuple[str, ...]

    def __str__(self) -> str:
        total = len(self.defined) + len(self.undefined)
        return f"{len(self.defined)} of {self.title}'s {total} op types"

    def as_markdown(self) -> str:
        """A table of the defined types, and a list of the others."""
        rows = "".join(f"| {name} | {opsets} |\n" for name, opsets in self.defined.items())
        return (
            f"irops defines {self}:\n\n| op type | opsets |\n|---|---|\n{rows}\nIt does not define"
            f" {', '.join(self.undefined)}.\n"
        )


def domains_as_markdown(dialects: Iterable[Dialect]) -> str:
    """A table of what is defined of several dialects that list their op types."""
    rows = []
    for dialect in dialects:
        found = coverage(dialect)
        if found is not None:
            total = len(found.defined) + len(found.undefined)
            types = ", ".join(found.defined)
            rows.append(f"| {dialect.title} | {len(found.defined)} of {total} | {types} |\n")
    return f"| domain | op types | defined |\n|---|---|---|\n{''.join(rows)}"


def coverage(dialect: Dialect) -> OpsetCoverage | None:
    """What is defined of a dialect that lists its op types; None for one that does not."""
    types = sorted(set(dialect.types()))
    if not types:
        return None
    opsets: dict[str, list[int]] = {}
    for op in dialect.ids():
        numbers = [int(name.removeprefix("opset")) for name in dialect.opsets_of(op)]
        opsets.setdefault(parted(op)[1], []).extend(numbers)
    defined = {name: f"{min(opsets[name])} to {max(opsets[name])}" for name in types if opsets.get(name)}
    return OpsetCoverage(dialect.title, defined, tuple(name for name in types if name not in defined))
