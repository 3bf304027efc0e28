"""Read ONNX models."""

from __future__ import annotations

import os
from typing import Any

from irops.diagnostics.diagnostic import Diagnostic, ReadError
from irops.dialects.onnx.external import ExternalFiles
from irops.dialects.onnx.functions import inlined
from irops.dialects.onnx.graph import GraphBuilder
from irops.dialects.onnx.library import onnx_library
from irops.dialects.onnx.opsets import ONNX, OWN_DOMAINS, onnx_opsets
from irops.dialects.onnx.texts import are_texts, require_texts
from irops.dialects.onnx.weights import Gathered
from irops.ir.collection import no_collection
from irops.ir.faults import Faults
from irops.ir.locate import Source
from irops.ir.model import Model
from irops.ir.near_files import near
from irops.ir.opening import opened
from irops.ir.regular import NotRegular
from irops.ir.remote.reasons import RemoteError
from irops.ir.traffic import count_read
from irops.limits import Limits
from irops.urls import local_path, name_of, without_credentials

MOST_BYTES = (1 << 31) - 1
"""What a protocol buffer may have."""


def load(
    path: str | os.PathLike[str], limits: Limits | None = None, data: bytes | None = None
) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model that a file holds, as far as it can be read, and all that is wrong with its structure.

    data: what is read in place of the file's content
    Raises:  ReadError where there is no model at all
    """
    place = local_path(path)
    faults = Faults(Source(without_credentials(place), b"", as_stored=False), limits)
    data = _bytes_of(place, faults) if data is None else data
    return _load(_parsed(onnx_library(without_credentials(place)), data, faults), place, faults)


def loads(data: bytes, limits: Limits | None = None) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model that bytes in memory hold; see load."""
    faults = Faults(Source(None, b"", as_stored=False), limits)
    onnx = onnx_library(None)
    return _load(_parsed(onnx, data, faults), None, faults)


def of_proto(proto: Any, folder: str | os.PathLike[str] | None = None) -> Model:
    """The model that a ModelProto is; folder: where files with its constants lie.

    Raises:  ReadError, with all that was found, where something of it cannot be read
    """
    path = None if folder is None else os.path.join(folder, "model.onnx")
    model, found = _load(proto, path, Faults(Source(path, b"", as_stored=False)))
    if any(d.severity == "error" for d in found):
        raise ReadError(sorted(found, key=lambda d: d.severity))
    return model


def _bytes_of(path: str, faults: Faults) -> bytes:
    name = without_credentials(path)
    try:
        with opened(path, faults.limits) as (file, size):
            data = b"" if size > MOST_BYTES else file.read(MOST_BYTES + 1)
    except NotRegular as error:
        raise faults.stop("not-a-file", f"{name} {error}; it must be an .onnx file", -1) from None
    except FileNotFoundError:
        raise faults.stop("file-not-found", f"{name} does not exist", -1, notes=near(path, ".onnx")) from None
    except RemoteError as error:
        raise faults.stop(error.rule, f"{name} {error.sentence}", -1) from None
    except OSError as error:
        raise faults.stop("unreadable-file", f"{name} cannot be read: {error.strerror}", -1) from None
    except ValueError as error:  # a path that no system accepts, with a null character for example
        raise faults.stop("unreadable-file", f"{name} cannot be read: {error}", -1) from None
    count_read(len(data))
    if max(size, len(data)) > MOST_BYTES:
        raise faults.stop(
            "malformed-onnx",
            f"the file has {max(size, len(data)):,} bytes or more; protocol buffers are limited to 2 GiB",
            -1,
        )
    if not data:
        raise faults.stop("empty-file", f"{name} is empty; it must be an ONNX model", -1)
    return data


def _parsed(onnx: Any, data: bytes, faults: Faults) -> Any:
    """The ModelProto that bytes are."""
    from google.protobuf.message import DecodeError

    start = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    notes = (
        ("the file looks like XML; an IR file must have the extension .xml",)
        if start.startswith(b"<")
        else ()
    )
    if len(data) > MOST_BYTES:
        raise faults.stop(
            "malformed-onnx",
            f"the file has {len(data):,} bytes or more; protocol buffers are limited to 2 GiB",
            -1,
        )
    try:
        proto = onnx.ModelProto.FromString(data)
    except DecodeError:
        raise faults.stop(
            "malformed-onnx", "the file is not a valid ModelProto, or is truncated", -1, notes=notes
        ) from None
    if not proto.HasField("graph"):
        what = "the model has no graph: the file is truncated, or has another format"
        raise faults.stop("malformed-onnx", what, -1, notes=notes)
    return proto


def _load(proto: Any, path: str | None, faults: Faults) -> tuple[Model, tuple[Diagnostic, ...]]:
    if proto.functions:
        require_texts(proto, faults)
        proto = inlined(proto, faults)
    if len(proto.graph.node) > faults.limits.layers:
        raise faults.refuse("too-many-layers", f"the graph has {len(proto.graph.node):,} nodes", -1)
    imports = {
        "" if entry.domain in OWN_DOMAINS else entry.domain: entry.version for entry in proto.opset_import
    }
    weights = Gathered(name_of(path) if path else "the model")
    files = ExternalFiles(path, faults.limits)
    try:
        with no_collection():
            graph = GraphBuilder(_versions(imports, faults), files, weights, faults).build(proto.graph)
            name, extra = proto.graph.name, {entry.key: entry.value for entry in proto.metadata_props}
            has_only_texts = are_texts(graph, (name, *imports, *extra, *extra.values()))
    except RecursionError:
        raise faults.stop("malformed-onnx", "sub-graphs are nested too deeply", -1) from None
    except (TypeError, AttributeError, UnicodeDecodeError):
        require_texts(proto, faults)  # the usual cause: bytes where a text should be
        raise
    if not has_only_texts:
        require_texts(proto, faults)
    faults.layer = None
    model = Model(
        name,
        graph=graph,
        extra=extra,
        weights=weights,
        source=faults.source,
        dialect=ONNX,
        opsets={domain or ONNX: version for domain, version in imports.items()},
    )
    return model, faults.in_order()


def _versions(imports: dict[str, int], faults: Faults) -> dict[str, str]:
    """What layers say of the opset that they are of, by domain."""
    last = onnx_opsets().last
    if imports.get("", 0) > last:
        faults.add(
            "newer-opset",
            f"the model imports opset {imports['']}; the newest that is known is {last}",
            -1,
        )
    return {
        domain: f"{domain or ONNX}:{version if domain else min(version, last)}"
        for domain, version in imports.items()
    }
