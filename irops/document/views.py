"""The contents of pages, computed from definitions: plain values without markup.

The picture of a movement shows the element of an input that each element of an output comes from.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import ndiff
from html import escape
from math import isfinite
from types import SimpleNamespace
from typing import Any

import numpy as np

from irops.analysis.invocation import Invocation, OpFault
from irops.conformance.cases import expected_outputs, inputs_of
from irops.dialects.registry import Registry
from irops.document.case_views import CaseView, case_view
from irops.document.coverage import fast_backends
from irops.document.declared import COMPARED
from irops.document.texts import availability, domain_text, elements_text, places, port_text
from irops.editing.translation.counterparts import counterpart_of
from irops.spec.attributes import format_value, parse
from irops.spec.definition import (
    OPENVINO,
    Attribute,
    Constraint,
    Definition,
    ExampleCase,
    Note,
    Tensor,
    TypeVariable,
)
from irops.spec.load import counterexamples, examples
from irops.spec.op import Op, parted
from irops.spec.releases import OpVersion, opsets
from irops.values.element import I64, Array, ElementType
from irops.values.shape import Shape
from irops.values.violation import Violation, collect_warnings

MAX_ELEMENTS = 16
"""Of all inputs that are moved, and of all outputs, in a picture."""
CODES = ((1, 1), (1000, 7))
"""Start and step of the numbers that stand for the elements in two runs: a source is the same in both."""


@dataclass(frozen=True, slots=True)
class Movement:
    """inputs: the tensors whose elements are moved; sources: for each output, the position of the source of
    each element among the elements of all inputs, -1 for a new element.
    """

    title: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    sources: tuple[Array, ...]


def movement(op: Op) -> Movement | None:
    """The movement in the first small example of an op; None for ops that compute."""
    definition = op.definition
    if definition.category != "movement" or not definition.outputs or op.functions.kernel is None:
        return None
    found = (_of_case(op, case) for case in examples(definition) if case.net is None)
    return next((one for one in found if one is not None), None)


def _of_case(op: Op, case: ExampleCase) -> Movement | None:
    tensors, expected = inputs_of(op, case), expected_outputs(op, case)
    moved = _moved(op, tensors)
    values = [t.value for t in (*moved, *expected) if t.value is not None]
    if not moved or len(values) < len(moved) + len(expected):
        return None
    sizes = [sum(v.size for v in part) for part in (values[: len(moved)], values[len(moved) :])]
    if min(sizes) < 2 or max(sizes) > MAX_ELEMENTS:
        return None
    sources = _sources(op, case, tensors, moved)
    if sources is None or len(sources) < len(expected):
        return None
    made = Movement(case.name or "", tuple(moved), tuple(expected), sources[: len(expected)])
    return made if _is_true(made) and not _is_identity(made) else None


def _moved(op: Op, tensors: list[Tensor | None]) -> list[Tensor]:
    """The inputs of the element type of the output, but for scalars."""
    kinds = {port.name for port in op.definition.inputs if port.type == op.definition.outputs[0].type}
    return [t for t in tensors if t is not None and t.name in kinds and t.shape.rank != 0]


def _sources(
    op: Op, case: ExampleCase, tensors: list[Tensor | None], moved: list[Tensor]
) -> tuple[Array, ...] | None:
    """The positions of the sources of all outputs; None if they are not the same for both codes."""
    found: list[list[Array]] = []
    for start, step in CODES:
        arrays: list[Array | None] = []
        first = 0
        for tensor in tensors:
            array = None if tensor is None else tensor.value
            if tensor is not None and array is not None and any(tensor is one for one in moved):
                numbers = start + step * np.arange(first, first + array.size)
                array, first = numbers.reshape(array.shape).astype(I64.dtype), first + array.size
            arrays.append(array)
        try:
            with collect_warnings():
                results = Invocation(op, case.attributes).compute(arrays)
        except (Violation, OpFault):
            return None
        found.append([_positions(np.asarray(result), start, step, first) for result in results])
    same = all(np.array_equal(a, b) for a, b in zip(*found))
    return tuple(found[0]) if same else None


def _positions(result: Array, start: int, step: int, count: int) -> Array:
    """The positions that the numbers of a result stand for, -1 for a number that stands for none."""
    position, rest = np.divmod(result.astype(np.int64) - start, step)
    return np.where((rest == 0) & (position >= 0) & (position < count), position, -1)


def _is_true(made: Movement) -> bool:
    """Whether the elements of the example are where the sources say."""
    flat = np.concatenate([np.ravel(t.value).astype(object) for t in made.inputs if t.value is not None])
    for tensor, sources in zip(made.outputs, made.sources):
        value = np.ravel(tensor.value).astype(object) if tensor.value is not None else flat[:0]
        from_input = np.ravel(sources) >= 0
        if sources.size != value.size or not from_input.any():
            return False
        if not (flat[np.ravel(sources)[from_input]] == value[from_input]).all():
            return False
    return True


def _is_identity(made: Movement) -> bool:
    sources = np.concatenate([np.ravel(source) for source in made.sources])
    return bool((sources == np.arange(sources.size)).all())


CELL, GAP, MARGIN, HEIGHT = 34, 14, 4, 30
"""Pixels: the width of a cell, the space between rows of a tensor, around all, and of a cell's height."""
TOP, BOTTOM = 24, 130
"""Where the cells of the inputs and of the outputs begin."""


@dataclass(frozen=True, slots=True)
class _Line:
    """The cells of some tensors, one after the other. centers: x of each cell."""

    parts: tuple[str, ...]
    centers: tuple[int, ...]
    width: int


def picture(movement: Movement) -> str:
    """The picture as SVG."""
    above = _line(movement.inputs, TOP, TOP - 10)
    below = _line(movement.outputs, BOTTOM, BOTTOM + HEIGHT + 14)
    width, height = max(above.width, below.width), BOTTOM + HEIGHT + 28
    names = " and ".join(dict.fromkeys(t.name for t in movement.outputs))
    title = f"Where the elements of {names} come from{': ' if movement.title else ''}{movement.title}"
    return "\n".join(
        (
            f'<svg class="movement" role="img" viewBox="0 0 {width} {height}" width="{width}"'
            f' height="{height}" xmlns="http://www.w3.org/2000/svg"><title>{escape(title)}</title>',
            *above.parts,
            *below.parts,
            *_lines(movement, above, below),
            "</svg>",
        )
    )


def _line(tensors: tuple[Tensor, ...], y: int, y_name: int) -> _Line:
    """The cells of tensors from left to right, with a space between the rows of each."""
    parts: list[str] = []
    centers: list[int] = []
    x = MARGIN
    for tensor in tensors:
        if tensor.value is None:
            continue
        parts.append(f'<text class="name" x="{x}" y="{y_name}">{escape(tensor.name)}</text>')
        for row in _rows(tensor.value):
            for text in row:
                parts.append(f'<rect class="cell" x="{x}" y="{y}" width="{CELL}" height="{HEIGHT}"/>')
                parts.append(f'<text x="{x + CELL // 2}" y="{y + HEIGHT // 2}">{escape(text)}</text>')
                centers.append(x + CELL // 2)
                x += CELL
            x += GAP
    return _Line(tuple(parts), tuple(centers), x - GAP + MARGIN + CELL)


def _rows(array: Array) -> Iterator[list[str]]:
    """The texts of the elements, row by row along the last axis."""
    width = array.shape[-1] if array.ndim else 1
    for row in array.reshape(-1, max(width, 1)):
        yield [_text(row[k, ...]) for k in range(len(row))]


def _text(array: Array) -> str:
    text = str(array[()]) if array.dtype == object else elements_text(array)
    return text if len(text) <= 4 else f"{text[:3]}…"


def _lines(movement: Movement, above: _Line, below: _Line) -> Iterator[str]:
    """The line from each element to where it goes: dashed if it stays at its place."""
    y1, y2 = TOP + HEIGHT, BOTTOM
    same_shape = [t.shape for t in movement.inputs] == [t.shape for t in movement.outputs]
    for place, source in enumerate(np.concatenate([np.ravel(one) for one in movement.sources])):
        if source < 0:
            continue
        x1, x2 = above.centers[source], below.centers[place]
        kind = "kept" if same_shape and source == place else "moved"
        middle = (y1 + y2) // 2
        yield f'<path class="{kind}" d="M{x1} {y1} C{x1} {middle} {x2} {middle} {x2} {y2}"/>'


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


def op_view(registry: Registry, op: Op) -> SimpleNamespace:
    """The contents of the page of an op. types: the variables, and the expressions of ports that stand for
    several types.
    """
    definition = op.definition
    version = next((v for v in opsets().all() if v.id == op.id), None)
    moved = movement(op)
    counterexample_cases = counterexamples(definition)
    return SimpleNamespace(
        op=op,
        definition=definition,
        version=version,
        attributes=tuple((a, domain_text(a)) for a in definition.attributes.values()),
        inputs=tuple((p, port_text(p)) for p in definition.inputs),
        outputs=tuple((p, port_text(p)) for p in definition.outputs),
        inputs_without_gradient=tuple(
            p.name for p in definition.inputs if p.name not in definition.gradients
        ),
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


# The call of an op from Python, as its page shows it: a line that runs as it is.


def call_text(definition: Definition) -> str:
    """The call of the op with inputs of the definition's names, or '' if it cannot be called directly.

    Attributes have the values of the first example, or else their defaults.
    """
    if not definition.inputs or definition.bodies or definition.stateful:
        return ""
    case = called_case(definition)
    if case is None and any(attribute.required for attribute in definition.attributes.values()):
        return ""
    stated = {} if case is None else case.attributes
    inputs = [f"*{port.name}" if port.variadic else port.name for port in definition.inputs]
    shown = ((attribute.parameter, _value(attribute, stated)) for attribute in definition.attributes.values())
    attributes = [f"{name}={literal(value)}" for name, value in shown if value is not None]
    return f'irops.call("{definition.id}", {", ".join((*inputs, *attributes))})'


def called_case(definition: Definition) -> ExampleCase | None:
    """The first example that is a call and not a model; None where the definition has none."""
    return next((case for case in examples(definition) if case.net is None), None)


def literal(value: Any) -> str:
    """A value of an attribute in Python: literal(()) is "()", that of an element type its name in quotes."""
    match value:
        case ElementType() | Shape():
            return repr(format_value(value))
        case tuple():
            return f"({', '.join(map(literal, value))}{',' * (len(value) == 1)})"
        case float() if not isfinite(value):
            return f'float("{value}")'
        case float():
            return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return repr(value)


def _value(attribute: Attribute, stated: dict[str, str]) -> Any:
    """The value to show: of the example, or the default; None where the attribute is left out."""
    text = stated.get(attribute.name, attribute.default)
    return None if text is None else parse(attribute, text)


# What a search finds the page of an op by, beside its text.

_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-_./\s]+")


def search_words(definition: Definition) -> tuple[str, ...]:
    """Single words: of the name, of other names that people use, of attributes and inputs."""
    ports = (port.name for port in (*definition.inputs, *definition.outputs))
    names = (definition.type, *definition.keywords, *definition.attributes, *ports)
    words = [definition.type, definition.file_id]
    for name in names:
        words += [name, *_PARTS.split(name)]
    plain = (word.replace(",", " ").strip() for word in words)
    return tuple(dict.fromkeys(word for word in plain if len(word) > 1 and " " not in word))


def index_entries(definition: Definition) -> tuple[str, ...]:
    """Entries of the index: other names of the op, and its attributes."""
    attributes = (f"{attribute} (attribute)" for attribute in definition.attributes)
    names = (definition.file_id, *definition.keywords, *attributes)
    return tuple(" ".join(re.sub(r"[;!,`\"]", " ", name).split()) for name in names)


# What differs between two versions of an op: lines of a diff of what their definitions declare.


def delta(older: Definition, newer: Definition) -> str:
    """The lines that are removed (-) and added (+); '' if both declare the same."""
    lines = ndiff(list(declared_lines(older)), list(declared_lines(newer)))
    return "\n".join(line for line in lines if line[0] in "+-")


def declared_lines(definition: Definition) -> Iterator[str]:
    """One line for each input, attribute, output, type and constraint."""
    for what, ports in (("input", definition.inputs), ("output", definition.outputs)):
        for port in ports:
            yield ", ".join(filter(None, (f"{what} {port.name}: {port.type}", port_text(port))))
    for attribute in definition.attributes.values():
        yield f"attribute {attribute.name}: {_attribute(attribute)}"
    for variable in definition.types.values():
        yield f"type {variable.name}: {' '.join(sorted(variable.allowed))}"
    for constraint in definition.constraints.values():
        yield f"{constraint.severity}: {constraint.text}"


def _attribute(attribute: Attribute) -> str:
    default = "required" if attribute.required else f"default {attribute.default or 'none'}"
    return "; ".join(filter(None, (attribute.type, domain_text(attribute), default)))
