"""Look up the definition of an op by name, with suggestions for misspelled names."""

from __future__ import annotations

from irops.cli.catalogue import Catalogue, unknown_op
from irops.cli.index_parts import ops_of
from irops.cli.main import Refusal
from irops.registry import Registry
from irops.spec.definition import Definition


def definition_of(name: str, registry: Registry) -> Definition:
    """The definition of an op. Raises: Refusal if there is none, with suggestions"""
    try:
        return registry.definition(name)
    except KeyError:
        raise Refusal(unknown_op(name, Catalogue(ops_of(registry)))) from None
