"""Checks that the declarations of ports agree with inference, and fixes of those that are out of date.

A declaration that contradicts what is inferred may also be right, and the op, its attributes or its edges
wrong. To correct it would then remove the only sign of the fault. So a rank is corrected only where the file
states it elsewhere, and a size or a type only to one that runtimes compute with.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from irops.analysis.inferred import Inferred, declared_type
from irops.analysis.structure import ModelStructure, Path
from irops.diagnostics.diagnostic import Diagnostic, Fix, Location, applied, fix
from irops.diagnostics.report import Report
from irops.diagnostics.rules import rule
from irops.files.output import PendingFiles, local_target
from irops.files.storage import open_regular
from irops.ir.edits import with_attribute, with_dims
from irops.ir.model import Layer, Port
from irops.values.dim import Dim
from irops.values.element import DYNAMIC, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape

PASSES = 20
"""The number of passes: applying fixes may reveal findings with further fixes."""


class ChangedMeanwhile(Exception):
    """The file is no longer the one that was checked."""


@dataclass(frozen=True, slots=True)
class FixedText:
    """A text before and after fixing; report: the remaining findings, and in .fixed those that were fixed."""

    before: bytes
    after: bytes
    report: Report


def fixed_text(text: bytes, check: Callable[[bytes], Report]) -> FixedText:
    """A text with all fixes of the findings of check applied, repeatedly until none is left."""
    fixed: list[Diagnostic] = []
    after = text
    for _ in range(PASSES):
        report = check(after)
        by_fix = {d.fix: d for d in reversed(report.diagnostics) if d.fix is not None}  # the first counts
        after, done = applied(after, [d.fix for d in report if d.fix is not None])
        if not done:
            break
        fixed.extend(by_fix[applied_fix] for applied_fix in done)
    else:
        report = check(after)
    return FixedText(text, after, replace(report, fixed=tuple(fixed)))


def store(path: str, fixed: FixedText) -> None:
    """Replace the content of the file with the fixed text, atomically. A symbolic link is followed.

    Raises:  ChangedMeanwhile, without writing, if the file has changed since it was checked; OSError
    """
    target = local_target(path, of_model=True, may_replace=(path,))
    with PendingFiles(target) as (file,):
        file.write(fixed.after)
        with open_regular(str(target)) as there:
            if there.read(len(fixed.before) + 1) != fixed.before:
                raise ChangedMeanwhile(f"{path} was changed while it was checked; nothing was written")


_Declared = tuple[tuple[int, ...], str | None, str, int]
"""The dimensions and the precision of a port; the element type and the shape (its id) that are inferred."""
IGNORED = "OpenVINO ignores the declarations of ports, and uses what it infers"


def ports_declare_what_is_inferred(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """Types and dimensions of every port of every layer, bodies included, where both are known."""
    with_inputs = structure.dialect.declares_inputs  # other dialects declare a tensor once, as an output
    agreeing: set[_Declared] = set()  # declarations that were compared; most ports of a model are like others
    for here in inferred.walk():
        for known in here.layers.values():
            layer = known.layer
            if with_inputs and not _agree(layer.inputs, known.inputs, agreeing):
                yield from _each(structure, layer, here.path, "input", layer.inputs, known.inputs)
            if not known.failed and not _agree(layer.outputs, known.outputs, agreeing):
                yield from _each(structure, layer, here.path, "output", layer.outputs, known.outputs)


def _agree(ports: Sequence[Port], facts: Sequence[Fact | None], agreeing: set[_Declared]) -> bool:
    """Whether all ports of one side of a layer declare what is inferred."""
    for port, fact in zip(ports, facts):
        if fact is None:
            continue
        declared = (port.dims, port.precision, fact.element_type.name, id(fact.shape))
        if declared in agreeing:
            continue
        if port.dims and _contradiction(port, fact.shape) is not None:
            return False
        if _other_type(port, fact) is not None:
            return False
        agreeing.add(declared)
    return True


def _each(
    structure: ModelStructure,
    layer: Layer,
    path: tuple[str, ...],
    what: str,
    ports: Sequence[Port],
    facts: Sequence[Fact | None],
) -> Iterator[Diagnostic]:
    for index, (port, fact) in enumerate(zip(ports, facts)):
        if fact is None:
            continue
        if port.dims and (at := _contradiction(port, fact.shape)) is not None:
            declared = f"[{','.join('?' if d == -1 else str(d) for d in port.dims)}]"
            yield Diagnostic(
                rule("contradicting-port-shape"),
                f"{what} {index} of {layer} declares {declared}, must be {fact.shape}",
                _place(structure, layer, path, port, at),
                notes=_ignored(structure),
                fix=_right_dims(structure, port, fact.shape)
                if _is_stated(structure, layer, path, what, index, port, fact.shape)
                else None,
            )
        if (precision := _other_type(port, fact)) is not None:
            yield Diagnostic(
                rule("contradicting-port-precision"),
                f"{what} {index} of {layer} declares {precision}, must be {fact.element_type.precision}",
                _place(structure, layer, path, port, "precision"),
                notes=_ignored(structure),
                fix=_right_precision(structure, port, fact.element_type),
            )


def _ignored(structure: ModelStructure) -> tuple[str, ...]:
    return (IGNORED,) if structure.dialect.runtime_notes else ()


def _contradiction(port: Port, shape: Shape) -> int | None:
    """The index of the first dimension of a port that contradicts shape; 0 if the rank does."""
    if shape.dims is None:
        return None
    if len(shape.dims) != len(port.dims):
        return 0
    for axis, (declared, dim) in enumerate(zip(port.dims, shape.dims)):
        if not _may_be(declared, dim):
            return axis
    return None


def _may_be(declared: int, dim: Dim) -> bool:
    return declared == -1 or dim.low <= declared <= dim.high


def _other_type(port: Port, fact: Fact) -> str | None:
    """The precision of a port, if its element type differs from that of the fact."""
    if port.precision is None or fact.element_type is DYNAMIC:
        return None
    if port.precision == fact.element_type.precision:
        return None
    return None if declared_type(port) in (DYNAMIC, fact.element_type) else port.precision


def _is_stated(
    structure: ModelStructure, layer: Layer, path: Path, side: str, index: int, port: Port, shape: Shape
) -> bool:
    """Whether the file states the rank elsewhere, so that the dimensions of a port are out of date: at the
    port, at the producer of an input, or, as a Parameter does, in an attribute.
    """
    if shape.dims is None or any(size.high == 0 for size in shape.dims):
        return False
    if side == "output":
        return len(shape.dims) == len(port.dims) or (not layer.inputs and "shape" in layer.data)
    sources = structure.by_path[path].wiring.inputs[layer.id]
    source = sources[index] if index < len(sources) else None
    ports = [port] if source is None else [port, source[0].outputs[source[1]]]
    return any(len(shape.dims) == len(stated.dims) for stated in ports)


def _right_dims(structure: ModelStructure, port: Port, shape: Shape) -> Fix | None:
    source = structure.editable
    if source is None or shape.dims is None or port.at < 0:
        return None
    kept = port.dims if len(port.dims) == len(shape.dims) else (None,) * len(shape.dims)
    dims = [_declarable(before, dim) for before, dim in zip(kept, shape.dims)]
    listed = ",".join(map(str, dims)) or "of a scalar, none"
    return fix(f"declare the dimensions {listed}", with_dims(source, port.at, dims))


def _declarable(declared: int | None, dim: Dim) -> int:
    """The dimension to declare: declared if it is possible, the inferred size if it is static, or -1."""
    if declared is not None and _may_be(declared, dim):
        return declared
    return int(dim.low) if dim.low == dim.high else -1


def _right_precision(structure: ModelStructure, port: Port, kind: ElementType) -> Fix | None:
    """The fix of a precision that is out of date: to a type that runtimes compute with."""
    source, precision = structure.editable, kind.precision
    if source is None or kind.bits < 8 or kind.kind not in ("boolean", "signed", "unsigned", "float"):
        return None
    return fix(
        f"declare the precision {precision}", [with_attribute(source, port.at, "precision", precision)]
    )


def _place(
    structure: ModelStructure, layer: Layer, path: tuple[str, ...], port: Port, where: int | str
) -> Location:
    """The place of a port: of one of its dimensions by number, or of an attribute by name."""
    source = structure.model.source
    if isinstance(where, str):
        return structure.location(layer, path, port.at, where)
    dim = None if source is None or port.at < 0 else source.child_offset(port.at, "dim", where)
    return structure.location(layer, path, port.at if dim is None else dim)
