"""Files of a model whose weights stay in the file that they are in: gigabytes need not be copied."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from irops.analysis.declaring import has_undeclared_ports
from irops.dialects import dialect_of
from irops.ir.model import Model
from irops.ir.serialize import document
from irops.ir.storage import WeightsChanged
from irops.ir.weights import changed_weights
from irops.limits import MAX_DEPTH, recursion_limit_for
from irops.spec.types import OPENVINO


def weights_file(model: Model) -> str | None:
    """The file that a model's constants refer to; None where the weights must be written with the model.

    A remote file is fetched to a temporary one.
    Raises:  DiagnosticError if that is not possible
    """
    stored = model.weights
    if stored is None or dialect_of(model).name != OPENVINO or has_undeclared_ports(model):
        return None
    try:
        return stored.local_path()
    except WeightsChanged as error:
        raise changed_weights(model, error) from None


def write_text(model: Model, path: Path) -> None:
    """Write the .xml file alone; its offsets are those of the file of weights."""
    with recursion_limit_for(MAX_DEPTH):
        text = "".join(document(replace(model, legacy=[]), lambda layer: layer.data))
    path.write_text(text, "utf-8")
