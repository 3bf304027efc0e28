"""Ops inferred and folded from attribute values, for tests of single ops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irops.ops import folding
from irops.ops.invocation import Invocation
from irops.spec.op import Op
from irops.values.fact import Fact


def infer_layer(op: Op, facts: Sequence[Fact | None], values: Mapping[str, Any]) -> list[Fact]:
    """The Facts of the outputs; values: of attributes, those left out have their default."""
    return list(Invocation.of_values(op, values).infer(facts))


def attach_values(
    op: Op, facts: Sequence[Fact | None], values: Mapping[str, Any], outputs: list[Fact], limit: float
) -> list[Fact]:
    """The outputs with their values, as far as these follow from those of the inputs."""
    return folding.attach_values(Invocation.of_values(op, values), facts, outputs, limit)
