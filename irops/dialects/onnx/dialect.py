"""ONNX's dialect."""

import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from irops.dialects.dialect import Dialect, Interface, KnownOps, Listed, Loaded, OtherFormat
from irops.dialects.onnx.opsets import ONNX, imported, onnx_opsets, why_not
from irops.files.limits import Limits
from irops.files.urls import Place, StrPath
from irops.ir.model import LayerKind, Model, kind_of
from irops.spec.op import NoOp, Op, parted

FRAME = ("Const", "Parameter", "Result")
"""The layers that tie a graph to its surroundings; ONNX has no nodes for it, irops has layers."""
_LOCATION = re.compile(rb"\n\x08location\x12(?:([\x01-\x7f])|([\x80-\xff])([\x01-\x1f]))", re.DOTALL)
"""How an entry of TensorProto.external_data that names a file is encoded, up to the length of the name."""


class Onnx(Dialect):
    """Models as .onnx files; the version of a layer names a domain and an opset, onnx:17.

    A file of definitions holds the versions of an op up to the next file of the op.
    """

    name, title = ONNX, "ONNX"
    suffixes, file_help = (".onnx",), "an .onnx file"
    declares_inputs = False

    @cached_property
    def opsets(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(map(str, range(1, onnx_opsets().last + 1)))

    def owns(self, version: str) -> bool:
        return imported(version) is not None

    def files_beside(self, path: StrPath, content: bytes) -> Iterator[Place]:
        for match in _LOCATION.finditer(content):
            short, low, high = (ord(part) if part else 0 for part in match.groups())
            length = short or (low & 0x7F) | high << 7  # a varint of protobuf has seven bits in a byte
            name = os.fsdecode(content[match.end() : match.end() + length])
            if not name.startswith("/") and ".." not in name:  # which are not read
                yield Place.of(path).beside(name)

    def layer_version(self, type: str, opset: int) -> str:
        return f"{ONNX}:{opset}"

    def imports(self, opset: int) -> dict[str, int]:
        return {ONNX: opset}

    def layer_kind(self, type: str) -> LayerKind:
        if type == "Constant":
            return LayerKind.CONSTANT
        return kind_of(type) if type in FRAME else LayerKind.OPERATION

    def resolve(self, registry: KnownOps, type: str, version: str) -> Op | NoOp:
        domain, opset = imported(version) or (ONNX, self._last)
        found = self.named(type, opset) if domain == ONNX else None
        return why_not(type, domain, opset) if found is None else registry.op(found)

    def refuses_attribute(self, name: str) -> bool:
        return not name.startswith("__")  # which ONNX's checker and ONNX Runtime ignore

    def find(self, id: str) -> tuple[Path, int | None] | None:
        _, name, number = parted(id)
        if id in self.paths:
            return self.paths[id], number
        first = max((n for n in self._first.get(name, ()) if n <= number), default=None)
        if first is None or number not in onnx_opsets().since.get(name, ()):
            return None
        return self.paths[f"{ONNX}:{name}-{first}"], number

    def versions(self, file_id: str) -> tuple[str, ...]:
        _, name, number = parted(file_id)
        end = min((n for n in self._first[name] if n > number), default=None)
        versions = [n for n in onnx_opsets().since.get(name, ()) if n > number and (end is None or n < end)]
        return tuple(f"{ONNX}:{name}-{n}" for n in (number, *versions))

    def named(self, type: str, opset: int) -> str | None:
        """The id of the version of an op that an opset means; None where no file holds it."""
        if type in FRAME:
            return f"{ONNX}:{type}-1"
        number = onnx_opsets().version(type, opset)
        name = f"{ONNX}:{type}-{number}"
        return None if number is None or self.find(name) is None else name

    @cached_property
    def _first(self) -> dict[str, list[int]]:
        """Of each type, the versions that files are named for."""
        first: dict[str, list[int]] = {}
        for _, name, number in map(parted, self.paths):
            first.setdefault(name, []).append(number)
        return first

    @property
    def _last(self) -> int:
        return onnx_opsets().last

    def types(self) -> Iterable[str]:
        return onnx_opsets().since

    def listed(self, opset: str | None = None) -> Iterator[Listed]:
        """The ops of an opset, the newest where none is named."""
        wanted = opset or str(self._last)
        for name in onnx_opsets().since:
            number = onnx_opsets().version(name, int(wanted))
            if number is not None:
                yield Listed(f"{ONNX}:{name}-{number}", "", (wanted,))

    def opsets_of(self, id: str) -> tuple[str, ...]:
        versions, name = self.versions(id), parted(id)[1]
        return tuple(opset for opset in self.opsets if self.named(name, int(opset)) in versions)

    def read(
        self, path: str, *, weights: str | None = None, text: bytes | None = None, limits: Limits
    ) -> Loaded:
        from irops.dialects.onnx.read import load  # most commands meet no file of ONNX

        return load(path, limits, text)

    def write(self, model: Model, path: str, *, registry: KnownOps, interface: Interface) -> None:
        from irops.dialects.onnx.write import write

        write(model, path, registry=registry, interface=interface)

    def recognise(self, start: bytes) -> OtherFormat | None:
        looks = re.search(rb"onnx|pytorch|ir_version|\x12.[a-zA-Z]", start[:200], re.DOTALL)
        if start[:1] != b"\x08" or looks is None:  # the tag of ir_version, which comes first
            return None
        note = "irops reads ONNX models from files whose name ends with .onnx"
        return OtherFormat("onnx-file", "the file looks like an ONNX model, must be XML", (note,))
