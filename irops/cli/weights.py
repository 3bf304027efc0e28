"""Examine the constants of a model: statistics, storage, quantisation, duplicates.

Shows the largest constants with their range, zeros and unusual elements, what
they would lose as f16 or int8, how they lie in the .bin file, and which have
the same content. The file is read in blocks, whatever its size.

example:
  irops weights model.xml
  irops weights model.xml --all --sort int8
  irops weights model.xml --output-format json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from irops.analysis.structure import ModelStructure
from irops.cli.exit_codes import CLEAN, FINDINGS
from irops.cli.extension_options import add_config
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.findings import print_diagnostics
from irops.cli.limit_options import add_limits, limits_of
from irops.cli.model_files import model_help
from irops.cli.progress import progress_bar
from irops.cli.settings import settings
from irops.cli.streams import show
from irops.cli.tables import table
from irops.cli.weights_json import as_json
from irops.debugging.weights.loss import Loss
from irops.debugging.weights.survey import Constant, ModelWeights, weights_of
from irops.diagnostics.diagnostic import errors_of
from irops.diagnostics.printable import plural, shown
from irops.reading import read
from irops.urls import without_credentials

if TYPE_CHECKING:
    from rich.table import Table

SHOWN = 20
"""Number of constants listed without --all."""


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


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=model_help())
    parser.add_argument("--weights", metavar="FILE", help="the .bin file, if it is not next to the .xml file")
    parser.add_argument("--all", action="store_true", help=f"list all constants, not only the first {SHOWN}")
    parser.add_argument("--sort", choices=tuple(SORTS), default="bytes", help="default: bytes")
    parser.add_argument("--output-format", choices=("full", "json"), default="full", help="default: full")
    parser.add_argument("--quiet", "-q", action="store_true", help="no table, no progress")
    add_limits(parser)
    add_config(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    limits = limits_of(args, settings(args.config).limits)
    structure = ModelStructure(read(args.model, args.weights, limits=limits), registry_of(args), limits)
    with progress_bar("reading", quiet=args.quiet) as progress:
        weights = weights_of(structure, progress)
    constants = sorted(weights.constants, key=SORTS[args.sort])
    if args.output_format == "json":
        json.dump(
            {"version": 1, "path": without_credentials(args.model), **as_json(weights, constants)},
            sys.stdout,
            indent=2,
        )
        print()
    else:
        if not args.quiet:
            _show(weights, constants, None if args.all else SHOWN)
        sys.stdout.flush()
        print_diagnostics(weights.faults, sys.stderr)
    return FINDINGS if errors_of(weights.faults) else CLEAN


def _show(weights: ModelWeights, constants: list[Constant], limit: int | None) -> None:
    from rich.text import Text

    show(_table(constants[:limit]))
    hidden = len(constants) - len(constants[:limit])
    if hidden:
        show(Text(f"{plural(hidden, 'more constant')}; --all lists them", "dim"))
    show("", *(Text(line) for line in _summary(weights)))


def _table(constants: list[Constant]) -> Table:
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
