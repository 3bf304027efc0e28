"""The contents of pages, computed from definitions: plain values without markup."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from irops.conformance.example import expected_outputs, inputs_of, outcome
from irops.conformance.odd_inputs.table import comparisons_of
from irops.document.calls import call_text
from irops.registry import Registry
from irops.spec.cases import counterexamples, examples
from irops.spec.definition import Attribute, Case, Constraint, Definition, Note, PortSpec, Tensor
from irops.spec.op import Op
from irops.spec.op_names import parted
from irops.spec.opsets import OpVersion, opsets
from irops.spec.types import OPENVINO
from irops.values.element import Array, element_type_of


@dataclass(frozen=True, slots=True)
class TensorView:
    """A tensor of an example. text: its elements as nested rows."""

    name: str
    type: str
    text: str


@dataclass(frozen=True, slots=True)
class CaseView:
    """An example after running it: the computed outputs or the diagnostics."""

    title: str
    attributes: str
    inputs: tuple[TensorView, ...]
    outputs: tuple[TensorView, ...]
    net: str
    diagnostics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConstraintView:
    constraint: Constraint
    notes: tuple[Note, ...]
    cases: tuple[CaseView, ...]


@dataclass(frozen=True, slots=True)
class Sibling:
    """A version of an op. opsets: those that contain it; page: '' if irops does not define it."""

    id: str
    page: str
    opsets: str
    changes: str
    here: bool


@dataclass(frozen=True, slots=True)
class OpView:
    """The contents of the page of an op."""

    op: Op
    version: OpVersion | None
    attributes: tuple[tuple[Attribute, str, tuple[Note, ...]], ...]
    inputs: tuple[tuple[PortSpec, str, tuple[Note, ...]], ...]
    outputs: tuple[tuple[PortSpec, str, tuple[Note, ...]], ...]
    constraints: tuple[ConstraintView, ...]
    notes: tuple[Note, ...]
    examples: tuple[CaseView, ...]
    siblings: tuple[Sibling, ...]
    comparisons: tuple[tuple[str, str], ...]
    call: str
    places: tuple[tuple[str, str], ...]

    @property
    def definition(self) -> Definition:
        return self.op.definition

    @property
    def inputs_without_gradient(self) -> tuple[str, ...]:
        """The inputs without a gradient."""
        return tuple(p.name for p in self.definition.inputs if p.name not in self.definition.gradients)


def op_view(registry: Registry, op: Op) -> OpView:
    definition = op.definition
    version = next((v for v in opsets().all() if v.id == op.id), None)
    about = {note.of for note in definition.notes}
    named = {
        *definition.attributes,
        *definition.constraints,
        *(p.name for p in (*definition.inputs, *definition.outputs)),
    }
    counterexample_cases = counterexamples(definition)
    return OpView(
        op=op,
        version=version,
        attributes=tuple(
            (a, domain_text(a), _notes(definition, a.name)) for a in definition.attributes.values()
        ),
        inputs=tuple((p, port_text(p), _notes(definition, p.name)) for p in definition.inputs),
        outputs=tuple((p, port_text(p), _notes(definition, p.name)) for p in definition.outputs),
        constraints=tuple(
            ConstraintView(
                c,
                _notes(definition, c.id),
                tuple(case_view(op, case) for case in counterexample_cases if case.violates == c.id),
            )
            for c in definition.constraints.values()
        ),
        notes=tuple(n for n in definition.notes if n.of not in (about & named)),
        examples=tuple(case_view(op, case) for case in examples(definition)),
        siblings=_siblings(registry, definition),
        comparisons=comparisons_of(op.definition.file_id),
        call="" if definition.library else call_text(definition),
        places=_places(op),
    )


def _notes(definition: Definition, of: str) -> tuple[Note, ...]:
    return tuple(note for note in definition.notes if note.of == of)


def _siblings(registry: Registry, definition: Definition) -> tuple[Sibling, ...]:
    """The versions of an op."""
    if definition.dialect != OPENVINO:
        return _siblings_elsewhere(registry, definition)
    defined_ids = registry.ids()
    rows = []
    for version in opsets().versions.get(definition.type.lower(), ()):
        defined = version.id in defined_ids
        changes = registry.op(version.id).definition.changes if defined else ""
        rows.append(
            Sibling(
                version.id,
                version.id if defined else "",
                opsets_text(version),
                changes,
                version.id == definition.id,
            )
        )
    return tuple(rows)


def _siblings_elsewhere(registry: Registry, definition: Definition) -> tuple[Sibling, ...]:
    """The versions of an op of another dialect. A definition covers several versions, shown on one page."""
    of_type = [op for op in registry.versions(definition.dialect) if parted(op)[1] == definition.type]
    if len(of_type) < 2:
        return ()
    rows = []
    for op in of_type:
        other = registry.op(op).definition
        changes = other.changes if op == other.file_id else ""
        rows.append(
            Sibling(op, other.page, f"from {parted(op)[2]} on", changes, other.file_id == definition.file_id)
        )
    return tuple(rows)


def opsets_text(version: OpVersion) -> str:
    """1 to 16; 1, 3 to 16."""
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in version.runs)


def domain_text(attribute: Attribute) -> str:
    """The valid values of an attribute."""
    if attribute.values:
        return ", ".join(attribute.values)
    limits = _range_text(attribute.low, attribute.high)
    if attribute.of:
        axes = f"an axis of {attribute.of}" if attribute.type == "axis" else f"axes of {attribute.of}"
        return f"{axes}, {limits}" if limits else axes
    return limits


def _range_text(low: float, high: float) -> str:
    match low == -inf, high == inf:
        case True, True:
            return ""
        case False, True:
            return f"{low:g} or more"
        case True, False:
            return f"{high:g} or less"
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def port_text(port: PortSpec) -> str:
    """The valid ranks of a port, and whether it is optional or variadic."""
    parts = []
    if port.low_rank or port.high_rank != inf:
        parts.append(f"rank {_range_text(port.low_rank, port.high_rank)}")
    if port.optional:
        parts.append("optional, but required by OpenVINO" if port.reader_requires else "optional")
    if port.variadic:
        parts.append("one or more")
    return ", ".join(parts)


def case_view(op: Op, case: Case) -> CaseView:
    outputs, diagnostics = outcome(op, case)
    attributes = ", ".join(f"{name}={value}" for name, value in case.attributes.items())
    expected = expected_outputs(op, case)
    tensors = [
        t
        for t in (inputs_of(op, case) if case.net is None else case.tensors)
        if t is not None and not t.output
    ]
    names = (
        [t.name for t in expected]
        if len(expected) == len(outputs)
        else [p.name for p in op.definition.outputs]
    )
    shown = (TensorView(name, _type(array), layout(array)) for name, array in zip(names, outputs))
    if op.definition.library:  # no kernel: what is inferred
        shown = (_tensor_view(tensor) for tensor in expected)
    return CaseView(
        title=case.name or "",
        attributes=attributes,
        inputs=tuple(_tensor_view(t) for t in tensors),
        outputs=tuple(shown),
        net=inspect.cleandoc("\n" + case.net.decode()) if case.net is not None else "",
        diagnostics=tuple(f"{d.severity} {d.code}: {d.message}" for d in diagnostics),
    )


def _tensor_view(tensor: Tensor) -> TensorView:
    return TensorView(
        tensor.name,
        f"{tensor.element_type}{tensor.shape}",
        "" if tensor.value is None else layout(tensor.value),
    )


def _type(array: Array) -> str:
    return f"{element_type_of(array)}[{','.join(map(str, array.shape))}]"


def layout(array: Array) -> str:
    """The elements as nested rows, of at most a few hundred characters."""
    import numpy as np

    shown: Any = array.astype(object) if array.dtype.kind == "V" or array.dtype == object else array
    if array.dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn"):
        shown = array.astype(np.float32)
    elif array.dtype.name in ("int4", "uint4", "int2", "uint2"):
        shown = array.astype(np.int16)
    return np.array2string(
        shown, separator=" ", threshold=120, edgeitems=4, max_line_width=100, precision=6, suppress_small=True
    )


def _places(op: Op) -> tuple[tuple[str, str], ...]:
    """The files of the op: its definition, and its functions with lines."""
    root = Path(__file__).resolve().parent.parent.parent
    places = [("definition", _relative(Path(op.definition.path), root))]
    for role, function in op.functions.by_role().items():
        code = inspect.unwrap(function).__code__
        places.append((role, f"{_relative(Path(code.co_filename), root)}:{code.co_firstlineno}"))
    return tuple(places)


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
