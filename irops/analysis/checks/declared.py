"""What ports declare agrees with what follows from the inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from irops.analysis.checks.context import Context
from irops.analysis.facts import Facts
from irops.diagnostics.diagnostic import Diagnostic, Location
from irops.diagnostics.fix import Fix, fix
from irops.diagnostics.rules import rule
from irops.dialects import dialect_of
from irops.ir.edits import with_attribute, with_dims
from irops.ir.model import Layer, Port
from irops.values.dim import Dim
from irops.values.element import DYNAMIC, element_type_of_precision
from irops.values.fact import Fact
from irops.values.shape import Shape

IGNORED = "OpenVINO ignores what ports declare, and goes on with what it infers"


def ports_declare_what_is_inferred(
    context: Context, facts: Facts, path: tuple[str, ...] = ()
) -> Iterator[Diagnostic]:
    """Types and dimensions of every port of every layer, bodies included, where both are known."""
    for known in facts.layers.values():
        for name, body in known.bodies.items():
            yield from ports_declare_what_is_inferred(context, body, (*path, known.layer.name, name))
        layer = known.layer
        inputs = (
            known.inputs if dialect_of(context.model).declares_inputs else ()
        )  # else a tensor is declared once, where it is given
        for what, ports, found in (
            ("input", layer.inputs, inputs),
            ("output", layer.outputs, () if known.failed else known.outputs),
        ):
            yield from _each(context, layer, path, what, ports, found)


def _each(
    context: Context,
    layer: Layer,
    path: tuple[str, ...],
    what: str,
    ports: Sequence[Port],
    found: Sequence[Fact | None],
) -> Iterator[Diagnostic]:
    for index, (port, fact) in enumerate(zip(ports, found)):
        if fact is None:
            continue
        if port.dims and (at := _contradiction(port, fact.shape)) is not None:
            declared = f"[{','.join('?' if d == -1 else str(d) for d in port.dims)}]"
            yield Diagnostic(
                rule("contradicting-port-shape"),
                f"{what} {index} of {layer} declares {declared}, must be {fact.shape}",
                _place(context, layer, path, port, at),
                notes=_ignored(context),
                fix=_right_dims(context, port, fact.shape),
            )
        if (precision := _other_type(port, fact)) is not None:
            yield Diagnostic(
                rule("contradicting-port-precision"),
                f"{what} {index} of {layer} declares {precision}, must be {fact.element_type.precision}",
                _place(context, layer, path, port, "precision"),
                notes=_ignored(context),
                fix=_right_precision(context, port, fact),
            )


def _ignored(context: Context) -> tuple[str, ...]:
    return (IGNORED,) if dialect_of(context.model).runtime_notes else ()


def _contradiction(port: Port, shape: Shape) -> int | None:
    """Which of a port's dimensions cannot be, the first; 0 where the rank cannot."""
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
    """The port's precision, where it is of another element type than the fact."""
    if port.precision is None or fact.element_type is DYNAMIC:
        return None
    if port.precision == fact.element_type.precision:
        return None
    try:
        declared = element_type_of_precision(port.precision)
    except ValueError:
        return None  # told by the reader
    return None if declared in (DYNAMIC, fact.element_type) else port.precision


def _right_dims(context: Context, port: Port, shape: Shape) -> Fix | None:
    source = context.editable
    if source is None or shape.dims is None or port.at < 0:
        return None
    kept = port.dims if len(port.dims) == len(shape.dims) else (None,) * len(shape.dims)
    dims = [
        before if before is not None and _may_be(before, dim) else int(dim.low) if dim.low == dim.high else -1
        for before, dim in zip(kept, shape.dims)
    ]
    return fix(
        f"declare the dimensions {','.join(map(str, dims)) or 'of a scalar, none'}",
        with_dims(source, port.at, dims),
    )


def _right_precision(context: Context, port: Port, fact: Fact) -> Fix | None:
    source, precision = context.editable, fact.element_type.precision
    if source is None:
        return None
    return fix(
        f"declare the precision {precision}", [with_attribute(source, port.at, "precision", precision)]
    )


def _place(context: Context, layer: Layer, path: tuple[str, ...], port: Port, where: int | str) -> Location:
    source = context.model.source
    if source is None:
        return Location(None, None, None, layer.id, layer.name, path)
    if port.at < 0:
        return source.location(-1, layer, path)
    if isinstance(where, str):
        return source.location(port.at, layer, path, where)
    dim = source.child_offset(port.at, "dim", where)
    return source.location(port.at if dim is None else dim, layer, path)
