"""The documentation of an op or of one constraint, as text and as JSON; the files of an op."""

import argparse
from math import inf, isinf
from pathlib import Path
from typing import Any

from irops.cli.display import Page
from irops.cli.models import definition_of, registry_of
from irops.dialects.registry import default_registry
from irops.ops import stock
from irops.spec.definition import (
    Attribute,
    Constraint,
    Definition,
    ExampleCase,
    PortSpec,
    attribute_phrase,
    port_phrase,
)
from irops.spec.load import counterexamples
from irops.spec.op import Op

SHOWN = 16
"""Number of elements printed of a tensor."""


def explain_op(definition: Definition, page: Page) -> None:
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
    if definition.peers:
        page.heading("in other libraries")
        for peer in definition.peers:
            page.entry(f"{peer.library} {peer.call}", peer.sentence.replace("`", ""))
    if definition.keywords:
        page.paragraph(f"Also called: {', '.join(definition.keywords)}.")
    page.paragraph(f"Source: {definition.source}. Files: irops explain {definition.id} --files")


def explain_constraint(definition: Definition, constraint: Constraint, page: Page) -> None:
    page.title(f"{definition.id}:{constraint.id} ({constraint.severity})")
    page.lines(f"{definition.id} requires: {constraint.text}")
    when = "when the model is run, and by check where the values are constants"
    if constraint.when == "infer":
        when = "by check and infer, as far as shapes and constants are known"
    page.paragraph(f"Validated {when}.")
    for note in definition.notes:
        if note.of == constraint.id:
            page.paragraph(note.text)
    cases = (case for case in counterexamples(definition) if case.net is None)
    violating = next((case for case in cases if case.violates == constraint.id), None)
    if violating is not None:
        page.heading("violated by")
        _case(violating, page)
    page.paragraph(f"{definition.summary} The whole op: irops explain {definition.id}")


def _case(case: ExampleCase, page: Page) -> None:
    for name, text in case.attributes.items():
        page.verbatim(f'{name}="{text}"')
    for tensor in case.tensors:
        values = (
            "" if tensor.value is None else " = " + " ".join(map(str, tensor.value.ravel()[:SHOWN].tolist()))
        )
        more = " ..." if tensor.value is not None and tensor.value.size > SHOWN else ""
        page.verbatim(f"{tensor.name} {tensor.element_type}{tensor.shape}{values}{more}")


def _when(constraint: Constraint) -> str:
    words = ["checked when run"] if constraint.when == "run" else []
    words += ["a warning"] if constraint.severity == "warning" else []
    return f" ({', '.join(words)})" if words else ""


def op_as_json(definition: Definition) -> dict[str, Any]:
    return {
        "id": definition.id,
        "category": definition.category,
        "summary": definition.summary,
        "description": definition.description,
        "formula": definition.formula or None,
        "keywords": list(definition.keywords),
        "attributes": [_attribute(attribute) for attribute in definition.attributes.values()],
        "inputs": [_port(port) for port in definition.inputs],
        "outputs": [_port(port) for port in definition.outputs],
        "types": [
            {"name": variable.name, "allowed": sorted(variable.allowed), "text": variable.text}
            for variable in definition.types.values()
        ],
        "constraints": [
            constraint_as_json(definition, constraint) for constraint in definition.constraints.values()
        ],
        "gradients": [
            {"of": gradient.of, "text": gradient.text, "saves": list(gradient.saves)}
            for gradient in definition.gradients.values()
        ],
        "notes": [{"of": note.of, "text": note.text} for note in definition.notes],
        "source": definition.source,
    }


def constraint_as_json(definition: Definition, constraint: Constraint) -> dict[str, Any]:
    return {
        "id": f"{definition.id}:{constraint.id}",
        "text": constraint.text,
        "severity": str(constraint.severity),
        "checked": "before the run" if constraint.when == "infer" else "in the run",
    }


def _attribute(attribute: Attribute) -> dict[str, Any]:
    return {
        "name": attribute.name,
        "type": attribute.type,
        "required": attribute.required,
        "default": attribute.default,
        "reader_default": attribute.reader_default,
        "values": list(attribute.values),
        "minimum": None if isinf(attribute.low) else attribute.low,
        "maximum": None if isinf(attribute.high) else attribute.high,
        "text": attribute.text,
    }


def _port(port: PortSpec) -> dict[str, Any]:
    return {
        "name": port.name,
        "type": port.type,
        "minimum_rank": port.low_rank,
        "maximum_rank": None if port.high_rank == inf else port.high_rank,
        "optional": port.optional,
        "variadic": port.variadic,
        "text": port.text,
    }


def op_named(name: str, args: argparse.Namespace, *, or_rule: bool = False) -> Op:
    """The op of a name, among those of irops and of the options of a command; see lookup.definition_of."""
    registry = registry_of(args) or default_registry()
    return registry.op(definition_of(name, registry, or_rule=or_rule).id)


def source_places(op: Op) -> dict[str, tuple[str, int]]:
    """File and line of the definition and of each function of an op, by role."""
    places = op.places()
    shapes = [port.shape[0] for port in op.definition.outputs if port.shape]
    rules = [stock.RULES[shape] for shape in shapes if shape in stock.RULES]
    if "shape" not in places and rules:  # those of the ops that have no shape function
        places["shape"] = (rules[0].__code__.co_filename, rules[0].__code__.co_firstlineno)
    return places


def short_path(file: str) -> str:
    """The path relative to the current folder, if the file is in it."""
    try:
        return str(Path(file).resolve().relative_to(Path.cwd()))
    except ValueError:
        return file
