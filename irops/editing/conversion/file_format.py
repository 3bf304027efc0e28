"""The form of a file: its IR version, and the length that a release expects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from irops.analysis.checks.interface import inputs_and_outputs_keep_their_types
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.needs import MIN_BYTES
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.diagnostics.rules import rule
from irops.editing.conversion.targets import Target
from irops.ir.model import Layer, Model
from irops.ir.serialize import document
from irops.ir.versions import READ

MAX_LAYERS = 16
"""Files with more layers are longer than any release expects."""


def with_version(analysis: ModelAnalysis, version: int) -> tuple[Model, list[str]]:
    """The model for a file of another IR version, and what OpenVINO reads differently from it.

    Raises:  DiagnosticError where OpenVINO would change the type of an input or result; ValueError for an
             unknown version
    """
    if version not in READ:
        raise ValueError(f"the IR version is {version}, must be {' or '.join(map(str, READ))}")
    model = analysis.model
    if version == model.version:
        return model, []
    changed = replace(model, version=version)
    if version == min(READ):
        faults = list(_changed_types(changed, analysis))
        if faults:
            raise DiagnosticError(faults)
        return changed, list(_unread_in_10(model))
    notes = [
        f"{each.message}; as written from an IR {version} file" for each in _changed_types(model, analysis)
    ]
    return changed, notes


def _changed_types(model: Model, analysis: ModelAnalysis) -> Iterator[Diagnostic]:
    """The inputs and results whose types OpenVINO changes in a file of the model's version."""
    of_version = ModelAnalysis(model, analysis.registry, analysis.limits)
    for finding in inputs_and_outputs_keep_their_types(of_version, of_version.infer()):
        yield Diagnostic(rule("inconvertible-layer"), finding.message, finding.location, notes=finding.notes)


def _unread_in_10(model: Model) -> Iterator[str]:
    layers = [layer for _, layer in model.walk()]
    if any(layer.output_names for layer in model.layers):
        yield "OpenVINO reads no output_names from IR 10 files; results have the names of their tensors"
    if any(_has_rt_info(layer) for layer in layers):
        yield "OpenVINO reads no rt_info of layers and ports from IR 10 files, such as layouts"


def _has_rt_info(layer: Layer) -> bool:
    infos = (layer.rt_info, *(port.rt_info for port in (*layer.inputs, *layer.outputs)))
    return any(info is not None and info.children for info in infos)


def fitted(model: Model, target: Target) -> Model:
    """The model; with a comment that makes its file as long as the target expects, if it is shorter."""
    if target.reads_short_files or sum(1 for _ in model.walk()) > MAX_LAYERS:
        return model
    missing = MIN_BYTES - sum(len(piece.encode()) for piece in document(model, lambda layer: layer.data))
    if missing <= 0:
        return model
    comment = f" {'.' * missing} "
    return replace(model, comments=(*model.comments, comment), source=None)
