"""Which op a layer of OpenVINO's means, or why it means none."""

from __future__ import annotations

from collections.abc import Container

from irops.diagnostics.suggestions import similar
from irops.dialects import others
from irops.dialects.dialect import Ops
from irops.spec.op import NoOp, Op
from irops.spec.op_names import parted
from irops.spec.opsets import OPSETS, OpVersion, opsets
from irops.spec.types import OPENVINO


def resolved(registry: Ops, defined: Container[str], type: str, version: str) -> Op | NoOp:
    """The op of a type in an opset, or of an extension. defined: the ids of the ops that irops defines."""
    found = opsets().find(type, version)
    if found is not None:
        if found.id in defined:
            return registry.op(found.id)
        return NoOp.undefined(found.id)
    if version not in OPSETS:
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
        return NoOp(
            "misread-type-spelling",
            f"the type {type} is spelled {spelled} in IR files",
            right=("type", spelled),
        )
    if version not in OPSETS and (known or version.lower().startswith("opset")):
        return NoOp(
            "unknown-opset",
            f"the version is {version!r}, must be one of opset1 to {OPSETS[-1]}",
            right=right,
        )
    if not known:
        return NoOp("unknown-op", f"no opset has an op {type!r}", _hints(type, version))
    where = "; ".join(f"{v.id} is in {_ranges(v)}" for v in known)
    return NoOp("op-not-in-opset", f"{version} has no {known[0].type}: {where}", right=right)


def _hints(type: str, version: str) -> tuple[str, ...]:
    """What may be meant by a type that no opset has."""
    added = _added_by_libraries(type, version)
    if added is not None:
        return (added,)
    if version not in OPSETS:
        place = f"--definitions FOLDER, as {type}-{version}.xml in the folder, or in an installed package"
        return (f"the definition of a custom op is found by {place}",)
    meant = similar(type, (v.type for v in opsets().all()))
    return () if meant is None else (f"did you mean {meant}?",)


def _added_by_libraries(type: str, version: str) -> str | None:
    """What a type may mean among the ops that other dialects add to OpenVINO's."""
    for dialect in others():
        types = {parted(known)[1] for known in dialect.ids()} if dialect.base == OPENVINO else set()
        meant = next((name for name in types if name.lower() == type.lower()), None)
        if meant is None and version == dialect.layer_version("", 0):
            meant = similar(type, sorted(types))
        if meant is not None:
            right_version = dialect.layer_version(meant, 0)
            return f"{dialect.title} has the op {meant} of version {right_version}, spelled exactly so"
    return None


def _ranges(version: OpVersion) -> str:
    return ", ".join(
        f"opset{first}" if first == last else f"opset{first} to opset{last}" for first, last in version.runs
    )
