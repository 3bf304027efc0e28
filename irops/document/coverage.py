"""Which op types of a dialect irops defines, and the table of all ops."""

from dataclasses import dataclass

from irops.backends.catalogue import backend_of, missing
from irops.dialects import Dialect, dialect_named
from irops.editing.translation.counterparts import Counterpart, counterpart_of
from irops.spec.definition import Definition
from irops.spec.op import Op, parted


@dataclass(frozen=True, slots=True)
class DialectCoverage:
    """defined: the opsets in which each defined op type is known, as text; undefined: the other types."""

    title: str
    defined: dict[str, str]
    undefined: tuple[str, ...]

    def __str__(self) -> str:
        total = len(self.defined) + len(self.undefined)
        return f"{len(self.defined)} of {self.title}'s {total} op types"


def coverage(dialect: Dialect) -> DialectCoverage | None:
    """The defined op types of a dialect that lists its op types; None for one that does not."""
    types = sorted(set(dialect.types()))
    if not types:
        return None
    opsets: dict[str, list[int]] = {}
    for op in dialect.ids():
        numbers = [int(name.removeprefix("opset")) for name in dialect.opsets_of(op)]
        opsets.setdefault(parted(op)[1], []).extend(numbers)
    defined = {name: f"{min(opsets[name])} to {max(opsets[name])}" for name in types if opsets.get(name)}
    return DialectCoverage(dialect.title, defined, tuple(name for name in types if name not in defined))


FAST = ("numba",)
"""The backends whose kernels give the bits of the reference."""


@dataclass(frozen=True, slots=True)
class OpRow:
    """A row of the table of ops. backends: the fast ones; counterpart: the op that it is translated to"""

    definition: Definition
    dialect: str
    since: str
    backends: tuple[str, ...]
    counterpart: Counterpart | None


def op_row(op: Op) -> OpRow:
    definition = op.definition
    dialect = dialect_named(definition.dialect)
    since = next(iter(dialect.opsets_of(op.id)), "")
    return OpRow(definition, dialect.title, since, fast_backends(op), counterpart_of(op.id))


def fast_backends(op: Op) -> tuple[str, ...]:
    """The names of the fast backends that are installed and have a kernel for an op."""
    backends = (backend_of(name) for name in FAST)
    return tuple(b.name for b in backends if missing(b) is None and b.kernel(op) is not None)
