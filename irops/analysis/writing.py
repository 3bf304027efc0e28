"""irops.write: a model into a file of its dialect."""

import os
from functools import partial

from irops.analysis.declaring import has_undeclared_ports, with_declared_ports
from irops.analysis.model_analysis import AnyModel, ModelAnalysis, analyse, infer
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.dialects import dialect_of, dialect_of_suffix
from irops.dialects.dialect import Dialect
from irops.dialects.registry import Registry, default_registry
from irops.files.urls import StrPath
from irops.ir.model import LayerKind, Model
from irops.spec.definition import OPENVINO
from irops.values.fact import Fact


def write(model: AnyModel, path: StrPath, *, registry: Registry | None = None) -> None:
    """Write a model to a file of its dialect, which the suffix of the path determines.

    An IR is an .xml file and a .bin file with the bytes of its constants. Files are replaced atomically; the
    file that the model was read from may be overwritten. Bytes of the weights that belong to no constant are
    dropped. Ports of a model that a program built may be left undeclared: they get the inferred types and
    shapes.
    Raises:  DiagnosticError if bytes of a constant are missing, or the file format is that of another
        dialect; ValueError for text that the format cannot represent; OSError
    """
    analysis: ModelAnalysis | None = None
    if not isinstance(model, Model):
        analysis = analyse(model, registry)
        model = analysis.model
    name = os.fspath(path)
    dialect, of_file = dialect_of(model), dialect_of_suffix(name)
    wrong = _why_not(dialect, of_file, name)
    if wrong is not None:
        raise DiagnosticError([Diagnostic(rule("wrong-dialect-for-file"), wrong, Location(name))])
    known = registry or (analysis.registry if analysis is not None else default_registry())
    if of_file.name == OPENVINO and has_undeclared_ports(model):
        analysis = analysis or analyse(model, known)
        model = with_declared_ports(model, infer(analysis))
    inferred = partial(interface, analysis=analysis, registry=known)
    of_file.write(model, name, registry=known, interface=inferred)


def _why_not(dialect: Dialect, of_file: Dialect, path: str) -> str | None:
    """Why a file cannot hold a model; models of dialects without files are kept as XML."""
    if dialect is of_file or (of_file.name == OPENVINO and not dialect.suffixes):
        return None
    if of_file.name == OPENVINO:
        return (
            f"{path} is the path for a model of dialect {dialect.name}, must end with {dialect.suffixes[0]}"
        )
    return f"{path} can hold {of_file.title} ops only; the model is {dialect.name}"


def interface(
    model: Model, analysis: ModelAnalysis | None = None, registry: Registry | None = None
) -> dict[int, Fact]:
    """The inferred Facts of the tensors of Parameters and Results, by layer id."""
    facts = infer(analysis or model, registry=registry)
    found: dict[int, Fact] = {}
    for layer in model.layers:
        if layer.kind in (LayerKind.PARAMETER, LayerKind.RESULT):
            known = facts.of(layer.id)
            tensors = known.outputs if layer.kind is LayerKind.PARAMETER else known.inputs
            found[layer.id] = (tensors[0] if tensors else None) or Fact()
    return found
