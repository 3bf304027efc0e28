"""The documentation of an op or of one constraint, as text for a terminal."""

from __future__ import annotations

from irops.cli.page import Writer
from irops.spec.cases import counterexamples
from irops.spec.definition import Case, Constraint, Definition
from irops.spec.phrases import attribute_phrase, port_phrase

SHOWN = 16
"""Number of elements printed of a tensor."""


def explain_op(definition: Definition, page: Writer) -> None:
    page.title(f"{definition.id} ({definition.category})")
    page.lines(definition.summary)
    page.paragraph(definition.description)
    if definition.library:
        page.paragraph(
            f"OpenVINO reads models with this op only with the extension library {definition.library}. irops"
            " checks its layers and infers their outputs; it has no kernel for it."
        )
    if definition.formula:
        page.heading("formula")
        page.verbatim(definition.formula)
    if definition.attributes:
        page.heading("attributes")
        for attribute in definition.attributes.values():
            page.entry(f"{attribute.label or attribute.name} ({attribute_phrase(attribute)})", attribute.text)
    for side, ports in (("inputs", definition.inputs), ("outputs", definition.outputs)):
        if ports:
            page.heading(side)
            for port in ports:
                page.entry(f"{port.name} ({port_phrase(port)})", port.text)
    if definition.types:
        page.heading("element types")
        for variable in definition.types.values():
            page.entry(variable.name, variable.text)
    if definition.constraints:
        page.heading("constraints")
        for constraint in definition.constraints.values():
            page.entry(constraint.id, f"{constraint.text}{_when(constraint)}")
    if definition.gradients:
        page.heading("gradients")
        for gradient in definition.gradients.values():
            page.entry(
                f"of {gradient.of}", f"{gradient.text} Saved: {', '.join(gradient.saves) or 'nothing'}."
            )
    if definition.notes:
        page.heading("notes")
        for note in definition.notes:
            page.entry(note.of or "-", note.text)
    if definition.keywords:
        page.paragraph(f"Also called: {', '.join(definition.keywords)}.")
    page.paragraph(f"Source: {definition.source}. Files: irops where {definition.id}")


def explain_constraint(definition: Definition, constraint: Constraint, page: Writer) -> None:
    page.title(f"{definition.id}:{constraint.id} ({constraint.severity})")
    page.lines(f"{definition.id} requires: {constraint.text}")
    when = (
        "by check and infer, as far as shapes and constants are known"
        if constraint.when == "infer"
        else "when the model is run, and by check where the values are constants"
    )
    page.paragraph(f"Validated {when}.")
    for note in definition.notes:
        if note.of == constraint.id:
            page.paragraph(note.text)
    violating = next(
        (case for case in counterexamples(definition) if case.violates == constraint.id and case.net is None),
        None,
    )
    if violating is not None:
        page.heading("violated by")
        _case(violating, page)
    page.paragraph(f"{definition.summary} The whole op: irops explain {definition.id}")


def _case(case: Case, page: Writer) -> None:
    for name, text in case.attributes.items():
        page.verbatim(f'{name}="{text}"')
    for tensor in case.tensors:
        values = (
            "" if tensor.value is None else " = " + " ".join(map(str, tensor.value.ravel()[:SHOWN].tolist()))
        )
        more = " ..." if tensor.value is not None and tensor.value.size > SHOWN else ""
        page.verbatim(f"{tensor.name} {tensor.element_type}{tensor.shape}{values}{more}")


def _when(constraint: Constraint) -> str:
    words = [
        word
        for word, applies in (
            ("checked when run", constraint.when == "run"),
            ("a warning", constraint.severity == "warning"),
        )
        if applies
    ]
    return f" ({', '.join(words)})" if words else ""
