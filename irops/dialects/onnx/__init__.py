"""ONNX's dialect: reading and writing its models, and its opsets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from irops.dialects import others
from irops.dialects.dialect import Dialect, Interface, Listed, Loaded, OpLookup, OtherFormat
from irops.dialects.onnx.opsets import ONNX, OnnxOpsets, imported, onnx_opsets, opsets_in, why_not
from irops.files.limits import Limits
from irops.files.urls import address
from irops.ir.model import LayerKind, Model, kind_of
from irops.spec.op import NoOp, Op
from irops.spec.op_names import parted

FRAME = ("Const", "Parameter", "Result")
"""What a graph is tied to its surroundings with; ONNX has no nodes for it, irops has layers."""
_LOCATION = re.compile(rb"\n\x08location\x12(?:([\x01-\x7f])|([\x80-\xff])([\x01-\x1f]))", re.DOTALL)
"""How an entry of TensorProto.external_data that names a file is encoded, up to the length of the name."""


RUNTIME = "com.microsoft"
OF_RUNTIME = ("SimplifiedLayerNormalization",)
"""Ops that ONNX Runtime adds to ONNX's own domain; their definitions are with those of its own."""


class OnnxDomain(Dialect):
    """The ops of one domain of ONNX: layers in models of ONNX, whose versions name the domain and an opset.

    A file of definitions holds the versions of an op up to the next file of the op; opsets.xml beside them
    says which opset of the domain brought which version.
    """

    base: str | None = ONNX
    declares_inputs, bodies_capture = False, True
    refuses_unknown_attributes = True

    def __init__(self, name: str, domain: str) -> None:
        self.name, self.title, self.domain = name, domain, domain

    @cached_property
    def table(self) -> OnnxOpsets:
        return opsets_in(self.folder)

    @cached_property
    def opsets(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(map(str, range(1, self.table.last + 1)))

    def owns(self, version: str) -> bool:
        return False  # the dialect of the files is asked, and asks the domains

    def layer_version(self, type: str, opset: int) -> str:
        return f"{self.domain}:{min(opset, self.table.last)}"

    def imports(self, opset: int) -> dict[str, int]:
        return {self.domain: min(opset, self.table.last)}

    def resolve(self, registry: OpLookup, type: str, version: str) -> Op | NoOp:
        opset = (imported(version) or ("", self.table.last))[1]
        found = self.named(type, opset)
        if found is not None:
            return registry.op(found)
        return why_not(type, opset, self.title, self.table, may_have_more=self.domain != ONNX)

    def find(self, id: str) -> tuple[Path, int | None] | None:
        _, name, number = parted(id)
        if id in self.paths:
            return self.paths[id], number
        first = max((n for n in self._first.get(name, ()) if n <= number), default=None)
        if first is None or number not in self.table.since.get(name, ()):
            return None
        return self.paths[f"{self.name}:{name}-{first}"], number

    def versions(self, file_id: str) -> tuple[str, ...]:
        _, name, number = parted(file_id)
        end = min((n for n in self._first[name] if n > number), default=None)
        versions = [n for n in self.table.since.get(name, ()) if n > number and (end is None or n < end)]
        return tuple(f"{self.name}:{name}-{n}" for n in (number, *versions))

    def named(self, type: str, opset: int) -> str | None:
        """The id of the version of an op that an opset means; None where no file holds it."""
        number = self.table.version(type, opset)
        name = f"{self.name}:{type}-{number}"
        return None if number is None or self.find(name) is None else name

    @cached_property
    def _first(self) -> dict[str, list[int]]:
        """Of each type, the versions that files are named for."""
        first: dict[str, list[int]] = {}
        for _, name, number in map(parted, self.paths):
            first.setdefault(name, []).append(number)
        return first

    def types(self) -> Iterable[str]:
        return self.table.since

    def listed(self, opset: str | None = None) -> Iterator[Listed]:
        """The ops of an opset, the newest where none is named."""
        wanted = opset or str(self.table.last)
        for name in self.table.since:
            number = self.table.version(name, int(wanted))
            if number is not None:
                yield Listed(f"{self.name}:{name}-{number}", "", (wanted,))

    def opsets_of(self, id: str) -> tuple[str, ...]:
        versions, name = self.versions(id), parted(id)[1]
        return tuple(opset for opset in self.opsets if self.named(name, int(opset)) in versions)


class Onnx(OnnxDomain):
    """Models as .onnx files, and ONNX's own domain; the version of a layer is onnx:17."""

    base = None
    suffixes, file_help = (".onnx",), "an .onnx file"
    hint_of_shapes = "declared shapes are hints: ONNX Runtime warns, and uses the shape that it infers"

    def __init__(self) -> None:
        super().__init__(ONNX, ONNX)
        self.title = "ONNX"

    @cached_property
    def domains(self) -> dict[str, OnnxDomain]:
        """The other domains that irops has a list of, by name."""
        return {one.domain: one for one in others() if isinstance(one, OnnxDomain) and one is not self}

    def owns(self, version: str) -> bool:
        return imported(version) is not None

    def files_beside(self, path: str, content: bytes) -> Iterator[str]:
        for match in _LOCATION.finditer(content):
            short, low, high = (ord(part) if part else 0 for part in match.groups())
            length = short or (low & 0x7F) | high << 7
            name = os.fsdecode(content[match.end() : match.end() + length])
            if not name.startswith("/") and ".." not in name:  # which are not read
                yield address(path).sibling(name).text

    def layer_kind(self, type: str) -> LayerKind:
        if type == "Constant":
            return LayerKind.CONSTANT
        return kind_of(type) if type in FRAME else LayerKind.OPERATION

    def resolve(self, registry: OpLookup, type: str, version: str) -> Op | NoOp:
        domain, _ = imported(version) or (ONNX, 0)
        if domain == ONNX and type in OF_RUNTIME:
            return self.domains[RUNTIME].resolve(registry, type, f"{RUNTIME}:1")
        if domain == ONNX:
            return super().resolve(registry, type, version)
        if domain in self.domains:
            return self.domains[domain].resolve(registry, type, version)
        return NoOp.undefined(f"{type} of the domain {domain}", once=True)

    def named(self, type: str, opset: int) -> str | None:
        return f"{ONNX}:{type}-1" if type in FRAME else super().named(type, opset)

    @property
    def table(self) -> OnnxOpsets:
        return onnx_opsets()

    def value_of(self, given: Any) -> Any:
        """The value of a TensorProto and the like, also of one that NumPy has made an array of."""
        message = (
            given[()] if type(given) is np.ndarray and given.dtype == object and not given.ndim else given
        )
        name = getattr(getattr(type(message), "DESCRIPTOR", None), "full_name", "")
        if not str(name).startswith(f"{ONNX}."):
            return [*map(self.value_of, given)] if type(given) is list else given
        from irops.dialects.onnx.read import value_of

        return value_of(message)

    def read(
        self, path: str, *, weights: str | None = None, text: bytes | None = None, limits: Limits
    ) -> Loaded:
        from irops.dialects.onnx.read import load  # most commands meet no file of ONNX

        return load(path, limits, text)

    def write(self, model: Model, path: str, *, registry: OpLookup, interface: Interface) -> None:
        from irops.dialects.onnx.write import write

        write(model, path, registry=registry, interface=interface)

    def recognise(self, start: bytes) -> OtherFormat | None:
        looks = re.search(rb"onnx|pytorch|ir_version|\x12.[a-zA-Z]", start[:200], re.DOTALL)
        if start[:1] != b"\x08" or looks is None:
            return None
        return OtherFormat(
            "onnx-file",
            "the file looks like an ONNX model, must be XML",
            ("irops reads ONNX models from files whose name ends with .onnx",),
        )


DIALECT = Onnx()
