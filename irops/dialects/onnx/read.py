"""Read ONNX models."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from irops.diagnostics.diagnostic import Diagnostic, ReadError
from irops.diagnostics.printable import shortened
from irops.dialects.onnx.graph import GraphBuilder, graphs_of
from irops.dialects.onnx.opsets import ONNX, OWN_DOMAINS, onnx_library, onnx_opsets
from irops.dialects.onnx.tensors import ExternalFiles, Gathered
from irops.environment import no_collection
from irops.files.limits import Limits
from irops.files.storage import NotRegular, count_read
from irops.files.urls import local_path, name_of, without_credentials
from irops.ir.locate import SourceText
from irops.ir.model import LayerGraph, Model
from irops.ir.opening import near, opened
from irops.ir.parse import Faults
from irops.ir.remote.files import RemoteError

MOST_BYTES = (1 << 31) - 1
"""Limits on a protocol buffer."""


def load(
    path: str | os.PathLike[str], limits: Limits | None = None, data: bytes | None = None
) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model that a file holds, as far as it can be read, and all that is wrong with its structure.

    data: what is read in place of the file's content
    Raises:  ReadError where there is no model at all
    """
    place = local_path(path)
    faults = Faults(SourceText(without_credentials(place), b"", as_stored=False), limits)
    data = _bytes_of(place, faults) if data is None else data
    return _load(_parsed(onnx_library(without_credentials(place)), data, faults), place, faults)


def loads(data: bytes, limits: Limits | None = None) -> tuple[Model, tuple[Diagnostic, ...]]:
    """The model that bytes in memory hold; see load."""
    faults = Faults(SourceText(None, b"", as_stored=False), limits)
    onnx = onnx_library(None)
    return _load(_parsed(onnx, data, faults), None, faults)


def of_proto(proto: Any, folder: str | os.PathLike[str] | None = None) -> Model:
    """The model that a ModelProto is; folder: where files with its constants lie.

    Raises:  ReadError, with all that was found, where something of it cannot be read
    """
    path = None if folder is None else os.path.join(folder, "model.onnx")
    model, found = _load(proto, path, Faults(SourceText(path, b"", as_stored=False)))
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
    """The opsets that layers state, by domain."""
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


# The functions that a model defines itself: their calls are replaced by their nodes, within limits.

MAX_CALLS = 100
"""How many functions may call each other in a chain; the inliner of onnx has the same limit."""

Key = tuple[str, str, str]
"""The domain, the name and the overload of a function."""
OTHER: Key = ("", "", "")
"""Stands for ops that are not functions of the model."""


@dataclass(frozen=True, slots=True)
class _Expansion:
    """The size of one call of a function: a number of nodes and of bytes, and the longest chain of calls."""

    nodes: int
    bytes: int
    calls: int


def inlined(proto: Any, faults: Faults) -> Any:
    """The model with the nodes of its functions in place of the calls.

    Raises:  ReadError if functions call each other in a circle, or exceed a limit
    """
    if not proto.functions:
        return proto
    functions = {_key(function): function for function in proto.functions}
    calls = {key: _calls(function.node, functions) for key, function in functions.items()}
    called = _calls(proto.graph.node, functions)
    expansions = _expansions(functions, calls, called, faults)
    _require_limits(proto, called, expansions, faults)
    if len(expansions) < len(functions):  # those that nothing calls have no effect, and may be faulty
        proto = _with_functions(proto, [functions[key] for key in expansions])
    return _by_onnx(proto, faults) if expansions else proto


def _by_onnx(proto: Any, faults: Faults) -> Any:
    from onnx.checker import ValidationError
    from onnx.inliner import inline_local_functions

    try:
        return inline_local_functions(proto)
    except ValidationError as error:
        reason = shortened(str(error).strip().rstrip("."), 200)
        raise faults.stop(
            "malformed-onnx", f"the functions of the model cannot be inlined: {reason}"
        ) from None
    except (RuntimeError, ValueError, TypeError):
        return proto  # functions that cannot be inlined are reported as undefined ops


def _key(function: Any) -> Key:
    return function.domain, function.name, getattr(function, "overload", "")


def _calls(nodes: Any, functions: dict[Key, Any]) -> Counter[Key]:
    """How often nodes, and those of their sub-graphs, call each function; other ops count as OTHER."""
    calls: Counter[Key] = Counter()
    for node in _all_nodes(nodes):
        key = (node.domain, node.op_type, getattr(node, "overload", ""))
        calls[key if key in functions else OTHER] += 1
    return calls


def _all_nodes(nodes: Any) -> Iterator[Any]:
    ahead = [nodes]
    while ahead:
        for node in ahead.pop():
            yield node
            if node.attribute:
                ahead.extend(graph.node for graph in graphs_of(node))


def _expansions(
    functions: dict[Key, Any], calls: dict[Key, Counter[Key]], called: Counter[Key], faults: Faults
) -> dict[Key, _Expansion]:
    """The expansion of every function that the graph calls, directly or not, callees before their callers.

    Raises:  ReadError if a function calls itself, directly or not
    """
    done: dict[Key, _Expansion] = {}
    open_calls: dict[Key, Iterator[Key]] = {}
    for start in called:
        pending = [start] if start in functions else []
        while pending:
            key = pending[-1]
            callees = open_calls.setdefault(key, iter(calls[key]))
            callee = next((one for one in callees if one in functions and one not in done), None)
            if callee is None:
                if key not in done:
                    done[key] = _expansion(functions[key], calls[key], done)
                pending.pop()
                open_calls.pop(key, None)
            elif callee in open_calls:
                name = shortened(":".join(callee[:2]))
                message = f"the function {name!r} calls itself, directly or through other functions"
                raise faults.stop("malformed-onnx", message)
            else:
                pending.append(callee)
    return done


def _expansion(function: Any, calls: Counter[Key], done: dict[Key, _Expansion]) -> _Expansion:
    inner = [(done[key], count) for key, count in calls.items() if key in done]
    return _Expansion(
        calls[OTHER] + sum(each.nodes * count for each, count in inner),
        function.ByteSize() + sum(each.bytes * count for each, count in inner),
        1 + max((each.calls for each, _ in inner), default=0),
    )


def _require_limits(
    proto: Any, called: Counter[Key], expansions: dict[Key, _Expansion], faults: Faults
) -> None:
    if max((each.calls for each in expansions.values()), default=0) > MAX_CALLS:
        message = f"functions call each other in a chain of more than {MAX_CALLS}"
        raise faults.stop("malformed-onnx", message)
    used = [(expansions[key], count) for key, count in called.items() if key in expansions]
    nodes = called[OTHER] + sum(each.nodes * count for each, count in used)
    if nodes > faults.limits.layers:
        raise faults.refuse("too-many-layers", f"the functions expand to {_approximate(nodes)} nodes")
    size = sum(each.bytes * count for each, count in used)
    if size > max(faults.limits.xml_bytes, proto.ByteSize()):
        raise faults.refuse("oversized-file", f"the functions expand to {_approximate(size)} bytes")


def _approximate(count: int) -> str:
    """A number, short even if it has thousands of digits."""
    return f"{count:,}" if count < 10**15 else f"10^{int(count.bit_length() * 0.30103)} or more"


def _with_functions(proto: Any, functions: list[Any]) -> Any:
    reduced = type(proto)()
    reduced.CopyFrom(proto)
    del reduced.functions[:]
    reduced.functions.extend(functions)
    return reduced


# Requires that the texts of a model are UTF-8: protobuf reads others as bytes, or fails when they are used.

_STRING, _MESSAGE = 9, 11
"""FieldDescriptor.TYPE_STRING and TYPE_MESSAGE"""


def are_texts(graph: LayerGraph, others: Iterable[object]) -> bool:
    """Whether all names in layers that were built of a model, and others, are texts."""
    return all(isinstance(text, str) for text in others) and all(
        isinstance(layer.name, str)
        and isinstance(layer.type, str)
        and all(isinstance(name, str) for name in layer.data)
        and all(isinstance(text, str) for item in layer.extra.items() for text in item)
        and all(isinstance(name, str) for port in layer.outputs for name in port.names)
        for layer in graph.layers
    )


def require_texts(proto: Any, faults: Faults) -> None:
    """Raises: ReadError if a name or another text of the model is not UTF-8"""
    ahead = [proto]
    fields: dict[str, tuple[list[tuple[str, bool]], list[tuple[str, bool]]]] = {}
    while ahead:
        message = ahead.pop()
        descriptor = message.DESCRIPTOR
        found = fields.get(descriptor.full_name)
        if found is None:
            found = fields[descriptor.full_name] = _text_fields(descriptor), _message_fields(descriptor)
        texts, inner = found
        for name, many in texts:
            _require_text(message, name, many, faults)
        for name, many in inner:
            if many:
                ahead.extend(getattr(message, name))
            elif message.HasField(name):
                ahead.append(getattr(message, name))


def _require_text(message: Any, name: str, many: bool, faults: Faults) -> None:
    try:
        value = getattr(message, name)
        texts: Iterable[object] = value if many else (value,)
        wrong = next((text for text in texts if not isinstance(text, str)), None)
    except UnicodeDecodeError as error:
        wrong = error.object
    if isinstance(wrong, bytes):
        kind = message.DESCRIPTOR.name.removesuffix("Proto")
        shown = shortened(wrong[:200].decode("utf-8", "backslashreplace"))
        raise faults.stop("malformed-onnx", f"{name} {shown!r} of a {kind} is not UTF-8")


def _text_fields(descriptor: Any) -> list[tuple[str, bool]]:
    return [(field.name, _many(field)) for field in descriptor.fields if field.type == _STRING]


def _message_fields(descriptor: Any) -> list[tuple[str, bool]]:
    return [(field.name, _many(field)) for field in descriptor.fields if field.type == _MESSAGE]


def _many(field: Any) -> bool:
    repeated = getattr(field, "is_repeated", None)  # label is deprecated in newer versions of protobuf
    return bool(field.label == field.LABEL_REPEATED if repeated is None else repeated)
