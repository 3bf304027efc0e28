"""What the scanner and the XML parser read from one text, in full: positions and findings too."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any

from irops.diagnostics.diagnostic import ReadError
from irops.environment import VARIABLE
from irops.files.limits import Clock, Limits
from irops.ir.attributes import Attributes
from irops.ir.locate import SourceText
from irops.ir.model import LayerGraph
from irops.ir.parse import Faults
from irops.ir.read import loads
from irops.ir.scanning import scan

APART = ("weights", "source", "_places")
"""Fields of models that hold what is not read from the text."""


def is_scanned(text: bytes, limits: Limits | None = None) -> bool:
    """Whether the scanner reads a text itself."""
    faults = Faults(SourceText(None, text), limits)
    return scan(text, Attributes(faults), LayerGraph(), Clock()) is not None


def both_outcomes(text: bytes, weights: bytes = b"", limits: Limits | None = None) -> tuple[Any, Any]:
    """What a text is read as with the scanner and without it: the model and the findings, or errors."""
    with switched_off(""):
        scanned = outcome(text, weights, limits)
    with switched_off("scanner"):
        return scanned, outcome(text, weights, limits)


def outcome(text: bytes, weights: bytes, limits: Limits | None) -> Any:
    try:
        model, findings = loads(text, weights, limits=limits)
    except ReadError as error:
        return error.diagnostics
    return whole(model), findings


def whole(value: Any) -> Any:
    """A value as nested tuples with every field, those that == leaves out too, and orders of dicts."""
    if is_dataclass(value):
        pairs = [
            (one.name, whole(getattr(value, one.name))) for one in fields(value) if one.name not in APART
        ]
        return type(value).__name__, tuple(pairs)
    if isinstance(value, list | tuple):
        return type(value).__name__, tuple(map(whole, value))
    if isinstance(value, dict):
        return "dict", tuple((key, whole(item)) for key, item in value.items())
    return value


@contextmanager
def switched_off(parts: str) -> Iterator[None]:
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = parts
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before
