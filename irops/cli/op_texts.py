"""The documentation of one op as data: the pages of the op and of its constraints, and both as JSON."""

from __future__ import annotations

from typing import Any

from irops.cli.op_json import constraint_as_json, op_as_json
from irops.cli.op_page import explain_constraint, explain_op
from irops.cli.page import Recording
from irops.spec.definition import Definition


def texts_of(definition: Definition) -> dict[str, Any]:
    """The pages of an op and of its constraints, by number; their content as JSON."""
    page = Recording()
    explain_op(definition, page)
    return {
        "id": definition.id,
        "page": page.calls,
        "content": op_as_json(definition),
        "constraints": {
            one.id: {
                "page": _constraint_page(definition, one.id),
                "content": constraint_as_json(definition, one),
            }
            for one in definition.constraints.values()
        },
    }


def _constraint_page(definition: Definition, number: str) -> list[list[Any]]:
    page = Recording()
    explain_constraint(definition, definition.constraints[number], page)
    return page.calls
