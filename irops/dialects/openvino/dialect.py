"""The dialect that irops specifies."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from irops.dialects import others
from irops.dialects.dialect import Dialect, Interface, Listed, Loaded, Ops
from irops.dialects.openvino.resolve import resolved
from irops.ir.model import Model
from irops.ir.read import load
from irops.ir.write import write as write_ir
from irops.limits import Limits
from irops.spec.op import NoOp, Op
from irops.spec.opsets import OPSETS, OpVersion, opsets
from irops.spec.schemas import schemas_folder
from irops.spec.types import OPENVINO
from irops.values.element import ElementType, element_type
from irops.values.shape import Shape


class OpenVINO(Dialect):
    """Models as .xml and .bin files; layers name an opset, or the extension that defines them."""

    name, title = OPENVINO, "OpenVINO"
    suffixes, file_help = (".xml",), "an .xml file with its .bin next to it"
    weights_beside = wide_constants = runtime_notes = True
    opsets = OPSETS

    def owns(self, version: str) -> bool:
        return not any(dialect.owns(version) for dialect in others())

    def layer_version(self, type: str, opset: int) -> str:
        return f"opset{opset}"

    def resolve(self, registry: Ops, type: str, version: str) -> Op | NoOp:
        return resolved(registry, self.paths, type, version)

    def element_type(self, text: str) -> ElementType:
        return element_type(text)

    def parse_shape(self, text: str) -> Shape:
        return Shape.parse(text)

    @property
    def folder(self) -> Path:
        return schemas_folder()

    @cached_property
    def paths(self) -> Mapping[str, Path]:
        return definition_files(self.folder)

    def types(self) -> Iterable[str]:
        return (versions[0].type for versions in opsets().versions.values())

    def listed(self, opset: str | None = None) -> Iterator[Listed]:
        for version in opsets().all():
            if opset is None or opset in version.opsets:
                yield Listed(version.id, version.category, _held(version))

    def opsets_of(self, id: str) -> tuple[str, ...]:
        return self._opsets_of.get(id, ())

    @cached_property
    def _opsets_of(self) -> dict[str, tuple[str, ...]]:
        return {version.id: _held(version) for version in opsets().all()}

    def read(
        self, path: str, *, weights: str | None = None, text: bytes | None = None, limits: Limits
    ) -> Loaded:
        return load(path, weights, text=text, limits=limits)

    def write(self, model: Model, path: str, *, registry: Ops, interface: Interface) -> None:
        write_ir(model, path)


def definition_files(folder: Path) -> dict[str, Path]:
    """The definitions in a folder and all folders below it but those of other dialects: the id, which is the
    file's name, to the file.
    """
    apart = {dialect.name for dialect in others()}
    files: list[str] = []
    for place, _, names in os.walk(folder):
        if os.path.basename(place) not in apart:
            files += (os.path.join(place, name) for name in names if name.endswith(".xml") and "-" in name)
    return {os.path.basename(file)[: -len(".xml")]: Path(file) for file in sorted(files, key=_parts)}


def _parts(file: str) -> list[str]:
    return file.split(os.sep)


def _held(version: OpVersion) -> tuple[str, ...]:
    return tuple(opset for opset in OPSETS if opset in version.opsets)
