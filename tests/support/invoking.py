"""Ops inferred and folded from attribute values, for tests of single ops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from irops.analysis import fold
from irops.analysis.invocation import Invocation
from irops.diagnostics.diagnostic import DefinitionError
from irops.dialects.registry import default_registry
from irops.spec.op import Op
from irops.values.fact import Fact


def loaded(ids: Iterable[str]) -> list[Op]:
    """The ops whose definitions can be read. The others are left to the tests of definitions: one wrong file
    does not stop the collection of all tests.
    """
    found = []
    for op in ids:
        with suppress(DefinitionError):
            found.append(default_registry().op(op))
    return found


def infer_layer(op: Op, facts: Sequence[Fact | None], values: Mapping[str, Any]) -> list[Fact]:
    """The Facts of the outputs; values: of attributes, those left out have their default."""
    return list(Invocation.of_values(op, values).infer(facts))


def attach_values(
    op: Op, facts: Sequence[Fact | None], values: Mapping[str, Any], outputs: list[Fact], limit: float
) -> list[Fact]:
    """The outputs with their values, as far as these follow from those of the inputs."""
    return fold.attach_values(Invocation.of_values(op, values), facts, outputs, limit)
