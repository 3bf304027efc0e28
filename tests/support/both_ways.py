"""What checks and inference give with and without sharing between equal layers, in a form to compare."""

import os
from typing import Any

import pytest

import irops
from irops.analysis.inferred import Inferred
from irops.diagnostics.diagnostic import Diagnostic
from irops.environment import VARIABLE
from irops.ir.model import Model
from irops.values.dim import Dim
from irops.values.fact import Fact, holds_dims


def described(dim: Dim) -> tuple[object, ...]:
    """All in which two Dims may differ."""
    return dim.low, dim.high, str(dim.symbol), tuple(map(str, dim.zero_with))


def described_fact(fact: Fact | None) -> object:
    """The type, the shape and the value of a Fact."""
    if fact is None:
        return None
    dims = fact.shape.dims
    value = fact.known
    elements: Any = None
    if value is not None:
        elements = [described(dim) for dim in value.flat] if holds_dims(value) else value.tolist()
    return str(fact.element_type), None if dims is None else [described(dim) for dim in dims], repr(elements)


def described_finding(finding: Diagnostic) -> tuple[object, ...]:
    place, facts = finding.location, (finding.constraint, finding.facts, finding.notes, finding.fix)
    return finding.code, finding.message, str(place), place.layer_id, place.path, finding.severity, facts


def described_facts(inferred: Inferred) -> dict[int, object]:
    """What is inferred of each layer, by id, bodies included."""
    return {
        number: (
            known.failed,
            [described_fact(fact) for fact in known.inputs],
            [described_fact(fact) for fact in known.outputs],
            {name: described_facts(body) for name, body in known.bodies.items()},
        )
        for number, known in inferred.layers.items()
    }


def outcome(model: Model | str) -> tuple[object, ...]:
    """The findings of a check, and what is inferred, with the findings of inference."""
    checked = [described_finding(finding) for finding in irops.check(model)]
    try:
        inferred = irops.infer(model)
    except irops.ReadError as error:
        return checked, str(error)
    found = [described_finding(finding) for finding in inferred.diagnostics]
    return checked, found, described_facts(inferred)


def both_ways(model: Model | str, monkeypatch: pytest.MonkeyPatch) -> tuple[object, object]:
    """The outcome with sharing, and without it."""
    others = [name for name in os.environ.get(VARIABLE, "").split(",") if name and name != "sharing"]
    monkeypatch.setenv(VARIABLE, ",".join(others))
    shared = outcome(model)
    monkeypatch.setenv(VARIABLE, ",".join([*others, "sharing"]))
    return shared, outcome(model)
