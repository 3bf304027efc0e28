"""What irops can do with each op: a table of ops and faculties."""

from __future__ import annotations

from dataclasses import dataclass

from irops.backends.backend import Reference
from irops.backends.catalogue import backend_of, missing
from irops.document.availability import release_of
from irops.editing.translation.counterparts import Counterpart, counterpart_of
from irops.spec.op import Op

FAST = ("numba",)
"""The backends whose kernels give the bits of the reference."""


@dataclass(frozen=True, slots=True)
class Faculties:
    """A row. backends: the fast ones; counterpart: the op of another dialect that it is translated to."""

    id: str
    page: str
    release: str
    is_inferred: bool
    is_evaluated: bool
    has_gradient: bool
    backends: tuple[str, ...]
    counterpart: Counterpart | None


def faculties(op: Op) -> Faculties:
    definition = op.definition
    return Faculties(
        definition.id,
        definition.page,
        release_of(definition) or "",
        bool(definition.outputs) or op.functions.shape is not None,
        Reference().kernel(op) is not None or bool(definition.bodies),
        bool(definition.gradients),
        fast_backends(op),
        counterpart_of(op.id),
    )


def fast_backends(op: Op) -> tuple[str, ...]:
    """The names of the fast backends that are installed and have a kernel for an op."""
    backends = (backend_of(name) for name in FAST)
    return tuple(b.name for b in backends if missing(b) is None and b.kernel(op) is not None)
