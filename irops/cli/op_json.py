"""The definition of an op, and of one of its constraints, as JSON."""

from __future__ import annotations

from math import inf, isinf
from typing import Any

from irops.spec.definition import Attribute, Constraint, Definition, PortSpec


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
