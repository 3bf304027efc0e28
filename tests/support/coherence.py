"""Whether a definition and the functions of its op agree."""

from irops.spec.binding import Functions
from irops.spec.definition import Definition
from irops.spec.load import cited_constraints, undefined_citations, untested_constraints


def incoherences(definition: Definition, functions: Functions) -> list[str]:
    """Constraints that no code cites or no counterexample violates, and citations of unknown constraints."""
    uncited = sorted(set(definition.constraints) - cited_constraints(definition, functions))
    undefined = undefined_citations(definition, functions)
    return [
        *(f"{definition.id}:{c} is defined, but no code cites it" for c in uncited),
        *(f"{definition.id}:{c} is cited by code, but not defined" for c in undefined),
        *untested_constraints(definition),
    ]
