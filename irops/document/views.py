"""The contents of pages, computed from definitions: plain values without markup."""

from __future__ import annotations

from dataclasses import dataclass

from irops.document.availability import availability
from irops.document.calls import call_text
from irops.document.case_views import CaseView, case_view
from irops.document.declared import COMPARED
from irops.document.domains import domain_text, port_text
from irops.document.faculties import fast_backends
from irops.document.movement import movement
from irops.document.picture import picture
from irops.document.search_words import index_entries, search_words
from irops.document.sources import Place, places
from irops.document.version_delta import delta
from irops.editing.translation.counterparts import Counterpart, counterpart_of
from irops.registry import Registry
from irops.spec.cases import counterexamples, examples
from irops.spec.definition import Attribute, Constraint, Definition, Note, PortSpec, TypeVariable
from irops.spec.op import Op
from irops.spec.op_names import parted
from irops.spec.opsets import OpVersion, opsets
from irops.spec.types import OPENVINO

DIFFERENCES = "OpenVINO differs"
"""The heading of notes about what OpenVINO does."""


@dataclass(frozen=True, slots=True)
class ConstraintView:
    constraint: Constraint
    notes: tuple[Note, ...]
    cases: tuple[CaseView, ...]


@dataclass(frozen=True, slots=True)
class Sibling:
    """A version of an op. opsets: those that contain it; page: '' if irops does not define it; before: the
    version before it, if any; delta: what differs from that one, as lines of a diff.
    """

    id: str
    page: str
    opsets: str
    changes: str
    here: bool
    before: str = ""
    delta: str = ""


@dataclass(frozen=True, slots=True)
class OpView:
    """The contents of the page of an op. types: the variables, and the expressions of ports that stand for
    several types.
    """

    op: Op
    version: OpVersion | None
    attributes: tuple[tuple[Attribute, str], ...]
    inputs: tuple[tuple[PortSpec, str], ...]
    outputs: tuple[tuple[PortSpec, str], ...]
    constraints: tuple[ConstraintView, ...]
    notes: tuple[tuple[str, tuple[Note, ...]], ...]
    examples: tuple[CaseView, ...]
    siblings: tuple[Sibling, ...]
    is_compared: bool
    call: str
    places: tuple[Place, ...]
    availability: str
    words: tuple[str, ...]
    entries: tuple[str, ...]
    picture: str
    backends: tuple[str, ...]
    counterpart: Counterpart | None
    types: tuple[TypeVariable, ...]

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
    moved = movement(op)
    counterexample_cases = counterexamples(definition)
    return OpView(
        op=op,
        version=version,
        attributes=tuple((a, domain_text(a)) for a in definition.attributes.values()),
        inputs=tuple((p, port_text(p)) for p in definition.inputs),
        outputs=tuple((p, port_text(p)) for p in definition.outputs),
        constraints=tuple(
            ConstraintView(
                c,
                _notes(definition, c.id),
                tuple(case_view(op, case) for case in counterexample_cases if case.violates == c.id),
            )
            for c in definition.constraints.values()
        ),
        notes=_grouped_notes(definition),
        examples=tuple(case_view(op, case) for case in examples(definition)),
        siblings=_siblings(registry, definition),
        is_compared=definition.file_id in COMPARED,
        call="" if definition.library else call_text(definition),
        places=places(op),
        availability=availability(definition),
        words=search_words(definition),
        entries=index_entries(definition),
        picture="" if moved is None else picture(moved),
        backends=fast_backends(op),
        counterpart=counterpart_of(op.id),
        types=_types(definition),
    )


def _types(definition: Definition) -> tuple[TypeVariable, ...]:
    expressions = {
        port.type: TypeVariable(port.type, port.allowed, "")
        for port in (*definition.inputs, *definition.outputs)
        if port.type not in definition.types
        and not port.type.startswith("@")
        and frozenset(port.type.split()) != port.allowed
    }
    return (*definition.types.values(), *expressions.values())


def _notes(definition: Definition, of: str) -> tuple[Note, ...]:
    return tuple(note for note in definition.notes if note.of == of)


def _grouped_notes(definition: Definition) -> tuple[tuple[str, tuple[Note, ...]], ...]:
    """The notes under their headings, but for those of constraints, which are shown with them."""
    notes = [note for note in definition.notes if note.of not in definition.constraints]
    about_openvino = tuple(note for note in notes if "OpenVINO" in note.text)
    other = tuple(note for note in notes if "OpenVINO" not in note.text)
    return tuple(
        (title, group) for title, group in ((DIFFERENCES, about_openvino), ("Notes", other)) if group
    )


def _siblings(registry: Registry, definition: Definition) -> tuple[Sibling, ...]:
    """The versions of an op."""
    if definition.dialect != OPENVINO:
        return _siblings_elsewhere(registry, definition)
    defined_ids = registry.ids()
    rows: list[Sibling] = []
    older: Definition | None = None
    for version in opsets().versions.get(definition.type.lower(), ()):
        defined = version.id in defined_ids
        newer = registry.op(version.id).definition if defined else None
        rows.append(
            Sibling(
                version.id,
                version.id if defined else "",
                opsets_text(version),
                newer.changes if newer is not None else "",
                version.id == definition.id,
                older.id if older is not None else "",
                delta(older, newer) if older is not None and newer is not None else "",
            )
        )
        older = newer
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
