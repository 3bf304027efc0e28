"""The inputs of models in a survey: a file beside the model, a table, shapes; the rest is generated.

A file model.npz beside model.xml, or else inputs.npz in its folder, holds arrays by the names of the inputs;
if no name is that of an input and there are as many arrays as inputs, they are taken in order.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from irops.files.urls import is_url, local_path
from irops.ir.regular import open_regular
from irops.surveys.faults import SurveyError

BESIDE = "inputs.npz"
MAX_TABLE = 64 << 20
"""Larger tables, in bytes, are not read."""


@dataclass(frozen=True, slots=True)
class ModelInputs:
    """The inputs of the models that a pattern matches: an .npz file, shapes by input, or both."""

    pattern: str
    file: str = ""
    shapes: tuple[tuple[str, str], ...] = ()


def inputs_of_model(path: str, table: Iterable[ModelInputs]) -> ModelInputs:
    """The first entry of the table that matches a model; the file is that beside it if none is named."""
    local = local_path(path)
    entry = next((e for e in table if fnmatch(local, e.pattern) or fnmatch(local, f"*/{e.pattern}")), None)
    file = entry.file if entry is not None else ""
    return ModelInputs(path, file or _beside(local), () if entry is None else entry.shapes)


def _beside(path: str) -> str:
    if is_url(path):
        return ""
    model = Path(path)
    for file in (model.with_suffix(".npz"), model.with_name(BESIDE)):
        if file.is_file():
            return str(file)
    return ""


def read_table(path: str | os.PathLike[str]) -> tuple[ModelInputs, ...]:
    """A table of inputs: JSON {"PATTERN": "FILE.npz" or {"INPUT": "SHAPE"}}, or CSV with the columns model
    and inputs, where inputs is FILE.npz or INPUT:SHAPE;INPUT:SHAPE. Files are relative to the table.

    Raises:  SurveyError
    """
    place = Path(path)
    try:
        with open_regular(str(place)) as file:
            text = file.read(MAX_TABLE + 1)
        if len(text) > MAX_TABLE:
            raise SurveyError(f"{place}: the table has more than {MAX_TABLE:,} bytes")
        entries = _json(text) if place.suffix == ".json" else _csv(text)
        return tuple(_entry(place.parent, pattern, value) for pattern, value in entries)
    except (OSError, ValueError) as error:
        raise SurveyError(f"{place}: not a table of inputs: {error}") from None


def _json(text: bytes) -> list[tuple[str, Any]]:
    content = json.loads(text)
    if not isinstance(content, dict):
        raise ValueError("expected an object with a pattern of models for each key")
    return list(content.items())


def _csv(text: bytes) -> list[tuple[str, Any]]:
    rows = csv.DictReader(text.decode("utf-8-sig").splitlines())
    if not {"model", "inputs"} <= set(rows.fieldnames or ()):
        raise ValueError("expected the columns model and inputs")
    return [(row["model"], _cell(row["inputs"] or "")) for row in rows]


def _cell(text: str) -> str | dict[str, str]:
    if text.endswith(".npz"):
        return text
    pairs = [part.strip().rpartition(":") for part in text.split(";") if part.strip()]
    return {name: shape for name, _, shape in pairs}


def _entry(folder: Path, pattern: str, value: Any) -> ModelInputs:
    if isinstance(value, str):
        return ModelInputs(pattern, str(folder / value))
    if isinstance(value, dict) and all(isinstance(s, str) and name for name, s in value.items()):
        return ModelInputs(pattern, "", tuple(value.items()))
    raise ValueError(f"the inputs of {pattern!r} are neither a file nor shapes by input")
