"""The constants of a model, which irops inspect --weights shows: their statistics, storage and duplicates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from irops.cli.display import table
from irops.cli.streams import show
from irops.debugging.weights import Constant, Loss, ModelWeights, alignment
from irops.diagnostics.formats import as_json as diagnostic_as_json
from irops.diagnostics.printable import MAX_NAME, abridged, plural, shown

if TYPE_CHECKING:
    from rich.table import Table


def _loss(loss: Loss | None) -> float:
    return 0.0 if loss is None else loss.relative


SORTS: dict[str, Callable[[Constant], tuple[float, ...]]] = {
    "bytes": lambda c: (-c.region.size,),
    "offset": lambda c: (c.region.offset,),
    "magnitude": lambda c: (-c.statistics.magnitude,),
    "zeros": lambda c: (-_share(c.statistics.zeros, c),),
    "unusual": lambda c: (-c.statistics.nans, -c.statistics.infinities, -c.statistics.denormals),
    "f16": lambda c: (-_overflows(c.statistics.f16), -_loss(c.statistics.f16)),
    "int8": lambda c: (-_loss(c.statistics.int8),),
}
"""By what constants are ordered, the most remarkable first."""


def show_weights(weights: ModelWeights, constants: Sequence[Constant], limit: int | None) -> None:
    from rich.text import Text

    show(_table(constants[:limit]))
    hidden = len(constants) - len(constants[:limit])
    if hidden:
        show(Text(f"{plural(hidden, 'more constant')}; --all lists them", "dim"))
    show("", *(Text(line) for line in _summary(weights)))


def _table(constants: Sequence[Constant]) -> Table:
    out = table("", "constant", "type", "shape", ">bytes", "range", ">zeros", ">f16", ">int8", "")
    for constant in constants:
        found = constant.statistics
        out.add_row(
            shown("/".join((*constant.path, constant.name))),
            str(constant.region.element),
            f"[{','.join(map(str, constant.region.shape))}]",
            f"{constant.region.size:,}",
            "" if found.low is None else f"{found.low:.3g}..{found.high:.3g}",
            _percent(found.zeros, constant),
            *("" if loss is None else f"{100 * loss.relative:.2g}%" for loss in (found.f16, found.int8)),
            "; ".join(_unusual(constant)),
        )
    return out


def _unusual(constant: Constant) -> Iterator[str]:
    """What is unusual about a constant."""
    found, quantised = constant.statistics, constant.quantisation
    for count, what in ((found.nans, "NaN"), (found.infinities, "infinite"), (found.denormals, "denormal")):
        if count:
            yield f"{count:,} {what}"
    if found.f16 is not None and found.f16.overflows:
        yield f"{found.f16.overflows:,} exceed f16"
    if found.equal_rows:
        yield plural(found.equal_rows, "repeated row")
    if quantised is not None:
        yield f"codes in groups of {quantised.group:,}, {_percent(found.saturated, constant)} saturated"
    if constant.shares:
        yield f"same bytes as {shown(constant.shares[0])}"
    if constant.equals:
        yield f"same content as {shown(constant.equals[0])}"


def _summary(weights: ModelWeights) -> Iterator[str]:
    storage, constants = weights.storage, weights.constants
    total = sum(constant.region.size for constant in constants)
    yield f"{plural(len(constants), 'constant')} with {total:,} bytes"
    name = shown(storage.file or "the weights")
    yield f"{name}: {storage.bytes:,} bytes, {storage.unused:,} of them unused"
    if storage.overlaps:
        first, second = (shown(constants[position].name) for position in storage.overlaps[0])
        yield f"{plural(len(storage.overlaps), 'overlap')}: {first} and {second} share some of their bytes"
    if weights.duplicate_bytes:
        yield f"equal contents take {weights.duplicate_bytes:,} bytes more than once"
    yield "f16, int8: error of elements stored so, relative to their root mean square; int8 with one scale"


def _overflows(loss: Loss | None) -> int:
    return 0 if loss is None else loss.overflows


def _share(count: int, constant: Constant) -> float:
    return count / constant.region.elements if constant.region.elements else 0.0


def _percent(count: int, constant: Constant) -> str:
    return f"{_share(count, constant):.1%}" if count else "0"


def weights_as_json(weights: ModelWeights, constants: Sequence[Constant]) -> dict[str, Any]:
    """The constants in an order, how they are stored, and the faulty ones."""
    storage = weights.storage
    names = [abridged(constant.name, MAX_NAME) for constant in weights.constants]
    return {
        "constants": [_constant_as_json(constant) for constant in constants],
        "storage": {
            "file": storage.file,
            "bytes": storage.bytes,
            "used": storage.used,
            "unused": storage.unused,
            "gaps": [{"offset": offset, "bytes": size} for offset, size in storage.gaps],
            "overlaps": [[names[a], names[b]] for a, b in storage.overlaps],
            "duplicate_bytes": weights.duplicate_bytes,
        },
        "diagnostics": [diagnostic_as_json(fault) for fault in weights.faults],
    }


def _constant_as_json(constant: Constant) -> dict[str, Any]:
    region, found, quantised = constant.region, constant.statistics, constant.quantisation
    return {
        "name": abridged(constant.name, MAX_NAME),
        "path": [abridged(name, MAX_NAME) for name in constant.path],
        "line": constant.location.line,
        "type": str(region.element),
        "shape": list(region.shape),
        "offset": region.offset,
        "bytes": region.size,
        "alignment": alignment(region.offset),
        "elements": found.elements,
        "min": _number(found.low),
        "mean": _number(found.mean),
        "max": _number(found.high),
        "zeros": found.zeros,
        "denormals": found.denormals,
        "nan": found.nans,
        "infinities": found.infinities,
        "equal_rows": found.equal_rows,
        "f16": _loss_as_json(found.f16),
        "int8": _loss_as_json(found.int8),
        "quantisation": None
        if quantised is None
        else {
            "scale": abridged(quantised.scale.name, MAX_NAME),
            "zero_point": None
            if quantised.zero_point is None
            else abridged(quantised.zero_point.name, MAX_NAME),
            "group": quantised.group,
            "saturated": found.saturated,
        },
        "same_bytes_as": [abridged(name, MAX_NAME) for name in constant.shares],
        "same_content_as": [abridged(name, MAX_NAME) for name in constant.equals],
    }


def _loss_as_json(loss: Loss | None) -> dict[str, Any] | None:
    if loss is None:
        return None
    return {
        "max_absolute": _number(loss.max_absolute),
        "max_relative": _number(loss.max_relative),
        "relative": _number(loss.relative),
        "overflows": loss.overflows,
        "underflows": loss.underflows,
    }


def _number(number: float | None) -> float | None:
    """A number that JSON can hold."""
    return number if number is not None and isfinite(number) else None
