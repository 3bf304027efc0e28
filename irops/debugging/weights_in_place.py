"""Files of a model whose weights stay in the file that they are in: gigabytes need not be copied."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from irops.analysis.declaring import has_undeclared_ports
from irops.dialects import dialect_of
from irops.files.limits import MAX_DEPTH, recursion_limit_for
from irops.ir.model import Model
from irops.ir.serialize import document
from irops.ir.weights import reading_weights
from irops.spec.types import OPENVINO


def weights_file(model: Model) -> str | None:
    """The file that a model's constants refer to; None where the weights must be written with the model.

    A remote file is fetched into the cache.
    Raises:  DiagnosticError if that is not possible
    """
    stored = model.weights
    if stored is None or dialect_of(model).name != OPENVINO or has_undeclared_ports(model):
        return None
    with reading_weights(model):
        return stored.local_path()


def write_text(model: Model, path: Path) -> None:
    """Write the .xml file alone; its offsets are those of the file of weights."""
    with recursion_limit_for(MAX_DEPTH):
        text = "".join(document(replace(model, legacy=[]), lambda layer: layer.data))
    path.write_text(text, "utf-8")
