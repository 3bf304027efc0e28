"""Sources by their texts, and by objects."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeAlias

from irops.analysis.model_analysis import AnyModel, Buildable, ModelAnalysis
from irops.backends.backend import Backend, Reference
from irops.backends.catalogue import backend_names, backend_of, missing
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.onnx_file import ONNXFile
from irops.debugging.sources.openvino_device import OpenVINODevice
from irops.debugging.sources.source import Source
from irops.debugging.sources.stored import OtherModel, SourceError, Stored, stored_source
from irops.debugging.sources.workers import UNBOUNDED, RemoteBackend, SourceWorkers
from irops.diagnostics.suggestions import did_you_mean_word, similar
from irops.files.urls import is_url, without_credentials
from irops.ir.model import Model
from irops.runtime.session import Session

AnySource: TypeAlias = AnyModel | Source | Backend | Session | Mapping[str, Any]
"""A text as source_of_text takes it, or an object that gives values."""
FORMS = (
    "reference",
    "BACKEND (numba, openvino, onnxruntime …: layer by layer)",
    "openvino:DEVICE[,PROPERTY=VALUE…] (the whole model)",
    "onnxruntime:MODEL.onnx (the whole model)",
    "model:OTHER.xml",
    "VALUES.npz or a folder of stored values",
)
"""The forms of a source text, for helps and messages."""
PREFIXES = ("openvino:", "onnxruntime:", "model:")


def source_of(item: AnySource, workers: SourceWorkers = UNBOUNDED) -> Source:
    """The source that a text or an object stands for; the caller closes it.

    workers: how a runtime in a process of its own is run
    Raises:  SourceError for a text that is no source; DiagnosticError for a backend that is not available
    """
    match item:
        case Source():
            return item
        case str() | os.PathLike():
            return source_of_text(os.fspath(item), workers)
        case Session():
            return OtherModel(item.analysis, Layerwise(_first(item), has_reference=True))
        case Model() | ModelAnalysis() | Buildable():
            return OtherModel(item, Layerwise(Reference()))
        case Mapping():
            return Stored(item)
        case Backend():
            return Layerwise(item)
    raise TypeError(f"a source is {type(item).__name__}, must be a text, a backend, a model or a mapping")


def source_of_text(text: str, workers: SourceWorkers = UNBOUNDED) -> Source:
    """The source that a text stands for; see FORMS. Raises: SourceError"""
    head, separator, rest = text.partition(":")
    match head + separator:
        case "openvino:":
            return _device(rest, workers)
        case "onnxruntime:":
            _require_local(rest)
            _require_file(rest, text)
            return ONNXFile(rest, workers)
        case "model:":
            if not is_url(rest):
                _require_file(rest, text)
            return OtherModel(rest, Layerwise(Reference()))
    if text in backend_names():
        if text == Reference.name:
            return Layerwise(Reference())
        lacking = missing(backend_of(text))
        if lacking is not None:
            raise SourceError(f"the backend {text} is not available: {lacking}")
        return Layerwise(RemoteBackend(text, workers))
    if is_url(text):
        name = without_credentials(text)
        raise SourceError(
            f"{name} is a URL; a model there is written model:{name}, stored values must be local"
        )
    if text.endswith((".npz", ".npy")) or os.path.isdir(text):
        return stored_source(text)
    if os.path.isfile(text):
        raise SourceError(f"{text} is a file, but no source; a model is written model:{text}")
    prefix = similar(f"{head}:", PREFIXES) if separator else None
    meant = f"; did you mean {prefix}{rest}?" if prefix else did_you_mean_word(text, backend_names())
    forms = f"{' A' if meant else '; a'} source is one of: {'; '.join(FORMS)}"
    raise SourceError(f"there is no source {text!r}{meant}{forms}")


def _device(rest: str, workers: SourceWorkers) -> Source:
    device, *settings = rest.split(",")
    properties: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals and not properties:
            device += f",{setting}"  # MULTI:CPU,GPU
        elif not equals or not name:
            raise SourceError(f"{setting!r} in openvino:{rest} is not of the form PROPERTY=VALUE")
        else:
            properties[name] = value
    if not device:
        raise SourceError("openvino: names no device; write openvino:CPU")
    lacking = missing(backend_of("openvino"))
    if lacking is not None:
        raise SourceError(f"openvino:{device} is not available: {lacking}")
    return OpenVINODevice(device, properties, workers)


def _require_file(path: str, text: str) -> None:
    if not os.path.isfile(path):
        raise SourceError(f"the source {text} names the file {path!r}, which does not exist")


def _require_local(path: str) -> None:
    if is_url(path):
        name = without_credentials(path)
        raise SourceError(
            f"{name} is a URL; onnxruntime:MODEL.onnx must be a local file, model:URL need not be"
        )


def _first(session: Session) -> Backend:
    return session.evaluator.backends[0]
