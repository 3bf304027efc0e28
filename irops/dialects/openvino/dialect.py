"""The dialect that irops specifies, and which op a layer of it means."""

import os
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from irops.diagnostics.suggestions import similar
from irops.dialects import others
from irops.dialects.dialect import Dialect, Interface, KnownOps, Listed, Loaded
from irops.files.limits import Limits
from irops.ir.model import Model
from irops.ir.read import load
from irops.ir.write import write as write_ir
from irops.spec.definition import OPENVINO
from irops.spec.op import NoOp, Op, parted
from irops.spec.releases import OpVersion, opsets, schemas_folder
from irops.values.element import ElementType, element_type
from irops.values.shape import Shape


def resolved(registry: KnownOps, defined: Container[str], type: str, version: str) -> Op | NoOp:
    """The op of a type in an opset, or of an extension. defined: the ids of the ops that irops defines."""
    found = opsets().find(type, version)
    if found is not None:
        if found.id in defined:
            return registry.op(found.id)
        return NoOp.undefined(found.id)
    if version not in opsets().names:
        for name in registry.extensions():
            if name.lower() == f"{type}-{version}".lower():
                return registry.op(name)
    for dialect in others():
        added = dialect.id_of(type, version)
        if added is not None:
            return registry.op(added)
    return _why_not(type, version)


def _why_not(type: str, version: str) -> NoOp:
    known = opsets().versions.get(type.lower(), ())
    meant = opsets().meant(type, version)
    right = None if meant is None else ("version", meant)
    if not known and type in opsets().classes:
        spelled = opsets().classes[type]
        message = f"the type {type} is spelled {spelled} in IR files"
        return NoOp("misread-type-spelling", message, right=("type", spelled))
    if version not in opsets().names and (known or version.lower().startswith("opset")):
        message = f"the version is {version!r}, must be one of opset1 to {opsets().names[-1]}"
        return NoOp("unknown-opset", message, right=right)
    if not known:
        return NoOp("unknown-op", f"no opset has an op {type!r}", _hints(type, version))
    where = "; ".join(f"{v.id} is in {v.ranges('opset')}" for v in known)
    return NoOp("op-not-in-opset", f"{version} has no {known[0].type}: {where}", right=right)


def _hints(type: str, version: str) -> tuple[str, ...]:
    """Suggestions for a type that no opset has."""
    added = _added_by_libraries(type, version)
    if added is not None:
        return (added,)
    if version not in opsets().names:
        place = f"--definitions FOLDER, as {type}-{version}.xml in the folder, or in an installed package"
        return (f"the definition of a custom op is found by {place}",)
    meant = similar(type, (v.type for v in opsets().all()))
    return () if meant is None else (f"did you mean {meant}?",)


def _added_by_libraries(type: str, version: str) -> str | None:
    """Suggestions for a type among the ops that other dialects add to OpenVINO's."""
    for dialect in others():
        types = {parted(known)[1] for known in dialect.ids()} if dialect.base == OPENVINO else set()
        meant = next((name for name in types if name.lower() == type.lower()), None)
        if meant is None and version == dialect.layer_version("", 0):
            meant = similar(type, sorted(types))
        if meant is not None:
            right_version = dialect.layer_version(meant, 0)
            return f"{dialect.title} has the op {meant} of version {right_version}, spelled exactly so"
    return None


class OpenVINODialect(Dialect):
    """Models as .xml and .bin files; layers name an opset, or the extension that defines them."""

    name, title = OPENVINO, "OpenVINO"
    suffixes, file_help = (".xml",), "an .xml file with its .bin next to it"
    weights_beside = wide_constants = runtime_notes = True

    @property
    def opsets(self) -> tuple[str, ...]:  # type: ignore[override]
        return opsets().names

    def owns(self, version: str) -> bool:
        return not any(dialect.owns(version) for dialect in others())

    def layer_version(self, type: str, opset: int) -> str:
        return f"opset{opset}"

    def resolve(self, registry: KnownOps, type: str, version: str) -> Op | NoOp:
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

    def write(self, model: Model, path: str, *, registry: KnownOps, interface: Interface) -> None:
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
    files.sort(key=lambda file: file.split(os.sep))
    return {os.path.basename(file)[: -len(".xml")]: Path(file) for file in files}


def _held(version: OpVersion) -> tuple[str, ...]:
    return tuple(opset for opset in opsets().names if opset in version.opsets)
