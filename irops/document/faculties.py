"""What irops can do with each op: a table of ops and faculties."""

from __future__ import annotations

from dataclasses import dataclass

from irops.backends.backend import Reference
from irops.backends.catalogue import BUILT_IN, backend_of, missing
from irops.dialects.onnx.opsets import ONNX
from irops.document.availability import release_of
from irops.editing.translation.onnx_rules import RULES
from irops.editing.translation.pairs import EQUIVALENT, onnx_types
from irops.registry import Registry
from irops.spec.op import Op

FAST = ("numba", "numpy")
"""The backends whose kernels give the bits of the reference."""


@dataclass(frozen=True, slots=True)
class Faculties:
    """A row. backends: the fast ones; onnx: the op type of the counterpart, or how it is converted."""

    id: str
    page: str
    release: str
    is_inferred: bool
    is_evaluated: bool
    has_gradient: bool
    backends: tuple[str, ...]
    onnx: str


def faculties(op: Op) -> Faculties:
    definition = op.definition
    return Faculties(
        definition.id,
        definition.page,
        release_of(definition) or "",
        bool(definition.outputs) or op.functions.shape is not None,
        op.functions.kernel is not None or bool(definition.bodies) or Reference().kernel(op) is not None,
        bool(definition.gradients),
        fast_backends(op),
        onnx_counterpart(op.id),
    )


def fast_backends(op: Op) -> tuple[str, ...]:
    """The names of the fast backends that are installed and have a kernel for an op."""
    assert set(FAST) <= set(BUILT_IN)
    backends = (backend_of(name) for name in FAST)
    return tuple(b.name for b in backends if missing(b) is None and b.kernel(op) is not None)


def onnx_counterpart(id: str) -> str:
    """The ONNX op type that an op of OpenVINO is converted to, "several ops", or ''."""
    counterpart = onnx_types().get(EQUIVALENT.get(id, id))
    return counterpart or ("several ops" if id in RULES else "")


def onnx_page(registry: Registry, op_type: str) -> str:
    """The page of the ONNX op of a type, or ''."""
    pages = (registry.op(op).definition for op in registry.ids(ONNX))
    return next((d.page for d in pages if d.type == op_type), "")
