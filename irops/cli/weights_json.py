"""The JSON of irops weights."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from irops.debugging.weights.loss import Loss
from irops.debugging.weights.storage import alignment
from irops.debugging.weights.survey import Constant, ModelWeights
from irops.diagnostics.json_format import as_json as diagnostic_as_json
from irops.diagnostics.printable import MAX_NAME, abridged


def as_json(weights: ModelWeights, constants: Sequence[Constant]) -> dict[str, Any]:
    """The constants in an order, how they are stored, and the faulty ones."""
    storage = weights.storage
    names = [abridged(constant.name, MAX_NAME) for constant in weights.constants]
    return {
        "constants": [_constant(constant) for constant in constants],
        "storage": {
            "file": storage.file,
            "bytes": storage.bytes,
            "used": storage.used,
            "unused": storage.unused,
            "gaps": [{"offset": offset, "bytes": size} for offset, size in storage.gaps],
            "overlaps": [[names[a], names[b]] for a, b in storage.overlaps],
            "duplicate_bytes": weights.duplicate_bytes,
        },
        "diagnostics": [diagnostic_as_json(fault) for fault in weights.faults],
    }


def _constant(constant: Constant) -> dict[str, Any]:
    region, found, quantised = constant.region, constant.statistics, constant.quantisation
    return {
        "name": abridged(constant.name, MAX_NAME),
        "path": [abridged(name, MAX_NAME) for name in constant.path],
        "line": constant.location.line,
        "type": str(region.element),
        "shape": list(region.shape),
        "offset": region.offset,
        "bytes": region.size,
        "alignment": alignment(region.offset),
        "elements": found.elements,
        "min": _number(found.low),
        "mean": _number(found.mean),
        "max": _number(found.high),
        "zeros": found.zeros,
        "denormals": found.denormals,
        "nan": found.nans,
        "infinities": found.infinities,
        "equal_rows": found.equal_rows,
        "f16": _loss(found.f16),
        "int8": _loss(found.int8),
        "quantisation": None
        if quantised is None
        else {
            "scale": abridged(quantised.scale.name, MAX_NAME),
            "zero_point": None
            if quantised.zero_point is None
            else abridged(quantised.zero_point.name, MAX_NAME),
            "group": quantised.group,
            "saturated": found.saturated,
        },
        "same_bytes_as": [abridged(name, MAX_NAME) for name in constant.shares],
        "same_content_as": [abridged(name, MAX_NAME) for name in constant.equals],
    }


def _loss(loss: Loss | None) -> dict[str, Any] | None:
    if loss is None:
        return None
    return {
        "max_absolute": _number(loss.max_absolute),
        "max_relative": _number(loss.max_relative),
        "relative": _number(loss.relative),
        "overflows": loss.overflows,
        "underflows": loss.underflows,
    }


def _number(number: float | None) -> float | None:
    """A number that JSON can hold."""
    return number if number is not None and isfinite(number) else None
