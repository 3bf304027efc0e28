"""Summarize a model: inputs, outputs, ops, weights, opsets, sub-graphs.

Shapes are those declared in the file; use irops infer for inferred shapes.
With --weights alone, examine the constants: the largest with their range, zeros
and unusual elements, what they would lose as f16, how they lie in the .bin
file, and which have the same content. The file is read in blocks.

example:
  irops inspect model.xml
  irops inspect model.xml --output-format json
  irops inspect model.xml --weights
  irops inspect model.xml --weights --all --sort f16
"""

import argparse
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from irops.analysis.checks.run import check_as_read
from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.analysis.needs import oldest_release
from irops.cli.display import print_diagnostics, print_json, progress_bar, table
from irops.cli.main import Refusal
from irops.cli.models import model_help, registry_of
from irops.cli.options import add_format, add_option, add_settings, limits_of
from irops.cli.parser import CLEAN, FINDINGS
from irops.cli.settings import settings
from irops.cli.streams import show
from irops.debugging.weights import Constant, Loss, ModelWeights, alignment, weights_of
from irops.diagnostics.diagnostic import Diagnostic, errors_of
from irops.diagnostics.formats import as_json as diagnostic_as_json
from irops.diagnostics.printable import MAX_NAME, abridged, plural, printable, shown
from irops.dialects import model_suffixes
from irops.dialects.openvino import DIALECT as OPENVINO
from irops.dialects.reading import load
from irops.graph.topology import Wiring
from irops.ir.model import Element, Layer, LayerGraph, LayerKind, Model, Port
from irops.ir.read import accepted
from irops.ir.weights import Region, region_of
from irops.spec.releases import UNRELEASED
from irops.values.element import element_type, element_type_of_precision

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.tree import Tree


SORTS: dict[str, Callable[[Constant], tuple[float, ...]]] = {
    "bytes": lambda c: (-c.region.size,),
    "offset": lambda c: (c.region.offset,),
    "magnitude": lambda c: (-c.statistics.magnitude,),
    "zeros": lambda c: (-_share(c.statistics.zeros, c),),
    "unusual": lambda c: (-c.statistics.nans, -c.statistics.infinities, -c.statistics.denormals),
    "f16": lambda c: (
        (-c.statistics.f16.overflows, -c.statistics.f16.relative) if c.statistics.f16 else (0, 0)
    ),
}
"""By what constants are ordered, the most remarkable first."""


def show_weights(weights: ModelWeights, constants: Sequence[Constant], limit: int | None) -> None:
    from rich.text import Text

    show(_table(constants[:limit]))
    hidden = len(constants) - len(constants[:limit])
    if hidden:
        show(Text(f"{plural(hidden, 'more constant')}; --all lists them", "dim"))
    show("", *(Text(line) for line in _constant_summary(weights)))


def _table(constants: Sequence[Constant]) -> "Table":
    out = table("", "constant", "type", "shape", ">bytes", "range", ">zeros", ">f16", "")
    for constant in constants:
        found = constant.statistics
        out.add_row(
            shown("/".join((*constant.path, constant.name))),
            str(constant.region.element),
            f"[{','.join(map(str, constant.region.shape))}]",
            f"{constant.region.size:,}",
            "" if found.low is None else f"{found.low:.3g}..{found.high:.3g}",
            f"{_share(found.zeros, constant):.1%}" if found.zeros else "0",
            "" if found.f16 is None else f"{100 * found.f16.relative:.2g}%",
            "; ".join(_unusual(constant)),
        )
    return out


def _unusual(constant: Constant) -> Iterator[str]:
    """The unusual properties of a constant."""
    found = constant.statistics
    for count, what in ((found.nans, "NaN"), (found.infinities, "infinite"), (found.denormals, "denormal")):
        if count:
            yield f"{count:,} {what}"
    if found.f16 is not None and found.f16.overflows:
        yield f"{found.f16.overflows:,} exceed f16"
    if constant.shares:
        yield f"same bytes as {shown(constant.shares[0])}"
    if constant.equals:
        yield f"same content as {shown(constant.equals[0])}"


def _constant_summary(weights: ModelWeights) -> Iterator[str]:
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
    yield "f16: error of elements stored so, relative to their root mean square"


def _share(count: int, constant: Constant) -> float:
    return count / constant.region.elements if constant.region.elements else 0.0


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
    region, found = constant.region, constant.statistics
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
        "f16": _loss_as_json(found.f16),
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


EXIT_1 = "the model cannot be read; with --weights, or constants have no bytes"

EXAMINED = ""
"""The value of --weights without a file."""
SHOWN = 20
"""Number of op types, or of constants, listed without --all."""


Summary = dict[str, Any]
"""The summary of a model, or a part of it, as JSON has it."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=model_help())
    examined = "without FILE: examine the constants; with FILE: the .bin file, if it is not next to the .xml"
    both = f"{examined} file; repeatable, for both"
    add_option(parser, "--weights FILE...", both, nargs="?", const=EXAMINED, type=_weights_file)
    add_option(parser, "--all", f"list all op types or constants, not only the first {SHOWN}")
    add_option(
        parser, "--sort", "the order of the constants of --weights; default: bytes", choices=tuple(SORTS)
    )
    add_format(parser)
    add_option(parser, "--quiet -q", "only inputs and outputs; with --weights, only errors")
    add_settings(parser)


def _weights_file(text: str) -> str:
    """The type of --weights: no model, so that the one after the option is not taken for its file."""
    if text.endswith(model_suffixes()):
        raise argparse.ArgumentTypeError(f"{text!r} is a model, not a file of weights; write MODEL first")
    return text


def execute(args: argparse.Namespace) -> int:
    examined = EXAMINED in args.weights
    if args.sort is not None and not examined:
        raise Refusal("--sort is given without --weights, which examines the constants")
    files = [file for file in args.weights if file != EXAMINED]
    limits = limits_of(args, settings(args.config).limits)
    loaded = load(args.model, files[-1] if files else None, limits=limits)
    analysis = analyse(accepted(*loaded), registry_of(args), limits)
    if examined:
        return _examine(analysis, args)
    summary = _summary(analysis, check_as_read(analysis, loaded[1]).errors)
    if args.output_format == "json":
        print_json(1, summary, args.model)
    else:
        _show(summary, args)
    return CLEAN


def _examine(analysis: ModelAnalysis, args: argparse.Namespace) -> int:
    with progress_bar("reading", quiet=args.quiet) as progress:
        weights = weights_of(analysis, progress)
    constants = sorted(weights.constants, key=SORTS[args.sort or "bytes"])
    if args.output_format == "json":
        print_json(1, weights_as_json(weights, constants), args.model)
    else:
        if not args.quiet:
            show_weights(weights, constants, None if args.all else SHOWN)
        sys.stdout.flush()
        print_diagnostics(weights.faults, sys.stderr)
    return FINDINGS if errors_of(weights.faults) else CLEAN


def _summary(analysis: ModelAnalysis, errors: Sequence[Diagnostic]) -> Summary:
    """Counts include the layers and edges of bodies; oldest_release: of IR alone."""
    model = analysis.model
    layers = [layer for _, layer in model.walk()]
    by_type, used = _weights_by_type(layers)
    weights = model.weights
    graphs = [model.graph, *(body.graph for layer in layers for body in layer.bodies.values())]
    variables = (layer.data["variable_id"] for layer in layers if "variable_id" in layer.data)
    return {
        "name": model.name,
        "format": _format(model),
        "ir_version": None if model.opsets else model.version,
        "written_by": _written_by(model.rt_info),
        "inputs": [_input(layer) for layer in model.layers if layer.kind is LayerKind.PARAMETER],
        "outputs": list(_outputs(model.graph)),
        "variables": list(dict.fromkeys(variables)),
        "layers": len(layers),
        "edges": sum(len(graph.edges) for graph in graphs),
        "ops": dict(Counter(f"{layer.type} {layer.version}" for layer in layers).most_common()),
        "opsets": dict(Counter(layer.version for layer in layers).most_common()),
        "weights": by_type,
        "weights_bytes": used,
        "weights_file": weights.path if weights else None,
        "weights_file_bytes": weights.size if weights else 0,
        "subgraphs": _layers_with_bodies(model.graph),
        "oldest_release": _oldest_release(analysis, len(errors)),
    }


def _oldest_release(analysis: ModelAnalysis, errors: int) -> Summary | None:
    """The oldest release that reads a model without errors. decided_by: what keeps older ones from it"""
    if analysis.dialect is not OPENVINO:
        return None
    if errors:
        return {"name": None, "decided_by": [f"irops check finds {plural(errors, 'error')} in it"]}
    name, deciding = oldest_release(analysis)
    needs = [n.what if n.layer is None else f"{n.layer} {n.what}" for n in deciding]
    return {"name": name, "decided_by": list(dict.fromkeys(needs))}


def _format(model: Model) -> str:
    """IR 11; or the opsets that the model imports, by domain."""
    opsets = ", ".join(f"{domain} {opset}" for domain, opset in model.opsets.items())
    return opsets or f"IR {model.version}"


def _input(layer: Layer) -> Summary:
    shape = layer.data.get("shape", "").replace(" ", "").replace("-1", "?").strip("[]")
    names = layer.outputs[0].names if layer.outputs else ()
    return _tensor(layer, names, _type_name(layer.data.get("element_type", "dynamic")), shape)


def _tensor(layer: Layer, names: Sequence[str], element_type_text: str, shape: str) -> Summary:
    """An input or output as the file declares it. names: those of the tensor"""
    return {"layer": layer.name, "names": names, "type": element_type_text, "shape": f"[{shape}]"}


def _outputs(graph: LayerGraph) -> Iterator[Summary]:
    wiring = Wiring(graph)
    for layer in graph.layers:
        if layer.kind is LayerKind.RESULT:
            yield _output(layer, next(iter(wiring.inputs[layer.id]), None))


def _output(layer: Layer, source: tuple[Layer, int] | None) -> Summary:
    port = layer.inputs[0] if layer.inputs else Port(0)
    names = layer.output_names
    if names is None:
        names = () if source is None else source[0].outputs[source[1]].names
    shape = ",".join("?" if dim < 0 else str(dim) for dim in port.dims)
    try:
        element_type_text = str(element_type_of_precision(port.precision or "dynamic"))
    except ValueError:
        element_type_text = port.precision or ""
    return _tensor(layer, names, element_type_text, shape)


def _type_name(element_type_text: str) -> str:
    try:
        return str(element_type(element_type_text, foreign=True))
    except ValueError:
        return element_type_text


def _weights_by_type(layers: list[Layer]) -> tuple[list[Summary], int]:
    """The constants by element type, the largest first; and the number of bytes of the file that they use."""
    found = (region_of(layer) for layer in layers if layer.is_constant)
    regions = [region for region in found if isinstance(region, Region)]
    by_type = []
    for element_type_text in dict.fromkeys(region.element for region in regions):
        of_type = [region for region in regions if region.element is element_type_text]
        counts = {"constants": len(of_type), "elements": sum(region.elements for region in of_type)}
        by_type.append({"type": str(element_type_text), **counts, "bytes": _covered_bytes(of_type)})
    return sorted(by_type, key=lambda of_type: -of_type["bytes"]), _covered_bytes(regions)


def _covered_bytes(regions: list[Region]) -> int:
    """The number of bytes that are in at least one region."""
    total, end = 0, 0
    for region in sorted(regions, key=lambda region: region.offset):
        total += max(0, region.end - max(end, region.offset))
        end = max(end, region.end)
    return total


def _written_by(rt_info: Element | None) -> str | None:
    """The OpenVINO release that wrote the file, if recorded in it."""
    for child in rt_info.children if rt_info else ():
        if child.attributes.get("name") == "OpenVINO Runtime" or child.tag == "Runtime_version":
            return f"OpenVINO {child.attributes.get('value', '')}".strip()
    return None


def _layers_with_bodies(graph: LayerGraph) -> list[Summary]:
    """The layers with bodies: name, number of layers, and nested layers with bodies of each."""
    return [
        {
            "layer": layer.name,
            "type": layer.type,
            "bodies": [
                (name, len(body.graph.layers), _layers_with_bodies(body.graph))
                for name, body in layer.bodies.items()
            ],
        }
        for layer in graph.layers
        if layer.bodies
    ]


def _show(summary: Summary, args: argparse.Namespace) -> None:
    from rich.text import Text

    inputs, outputs = _tensors("inputs", summary["inputs"]), _tensors("outputs", summary["outputs"])
    tensors: tuple[RenderableType, ...] = (inputs, "", outputs)
    if args.quiet:
        show(*tensors)
        return
    facts = [shown(summary["format"]), plural(summary["layers"], "layer"), plural(summary["edges"], "edge")]
    if summary["written_by"]:
        facts.append(f"written by {shown(summary['written_by'].partition('-')[0])}")
    name = (shown(summary["name"]) or "(no name)", "bold cyan")
    show(Text.assemble(name, "  ", (" · ".join(facts), "dim")), "", *tensors, "")
    if summary["variables"]:
        title = Text.assemble((plural(len(summary["variables"]), "variable"), "bold"), ":")
        show(title, *(Text(f"  {shown(name)}") for name in summary["variables"]), "")
    show(_ops(summary, None if args.all else SHOWN), "", _weights(summary), Text(_file(summary), "dim"))
    if summary["oldest_release"] is not None:
        show(Text(_release(summary["oldest_release"]), "dim"))
    if summary["subgraphs"]:
        show("", _tree(summary["subgraphs"]))


def _tensors(title: str, tensors: Sequence[Summary]) -> "Table":
    others = [
        shown(", ".join(name for name in tensor["names"] if name != tensor["layer"])) for tensor in tensors
    ]
    out = table(title, "name", "type", "shape", *(("tensor names",) if any(others) else ()))
    for tensor, other in zip(tensors, others):
        row = (shown(text) for text in (tensor["layer"], tensor["type"], tensor["shape"]))
        out.add_row(*row, *((other,) if any(others) else ()))
    return out


def _ops(summary: Summary, limit: int | None) -> "Table":
    out = table("ops", "type", "opset", ">count", "")
    most = max(summary["ops"].values(), default=1)
    for op, count in list(summary["ops"].items())[:limit]:
        type_, _, version = op.rpartition(" ")
        out.add_row(
            shown(type_), shown(version.removeprefix("opset")), f"{count:,}", "▇" * max(1, count * 24 // most)
        )
    if limit is not None and len(summary["ops"]) > limit:
        rest = list(summary["ops"].values())[limit:]
        out.add_row(f"{len(rest)} more types", "", f"{sum(rest):,}", "--all lists them")
    return out


def _weights(summary: Summary) -> "Table":
    out = table("weights", "type", ">constants", ">elements", ">bytes")
    for of_type in summary["weights"]:
        out.add_row(
            of_type["type"], f"{of_type['constants']:,}", f"{of_type['elements']:,}", f"{of_type['bytes']:,}"
        )
    if summary["weights"]:
        out.add_section()
        constants = sum(of_type["constants"] for of_type in summary["weights"])
        elements = sum(of_type["elements"] for of_type in summary["weights"])
        out.add_row("all", f"{constants:,}", f"{elements:,}", f"{summary['weights_bytes']:,}")
    return out


def _file(summary: Summary) -> str:
    if not summary["weights"] and not summary["weights_file_bytes"]:
        return "no constants"
    if summary["weights_file"] is None:
        return f"the constants take {summary['weights_file_bytes']:,} bytes"
    unused = summary["weights_file_bytes"] - summary["weights_bytes"]
    return f"the file has {summary['weights_file_bytes']:,} bytes" + (
        f", {unused:,} of them unused" if unused > 0 else ""
    )


def _release(oldest: Summary) -> str:
    """One line: the release, and the first thing that decides it."""
    texts = {
        None: "which release of OpenVINO reads it is not known",
        UNRELEASED: "read by no release of OpenVINO",
    }
    text = texts.get(oldest["name"], f"read by OpenVINO {oldest['name']} and later")
    if not oldest["decided_by"]:
        return f"{text}; older releases are not known"
    others = len(oldest["decided_by"]) - 1
    return f"{text}: {printable(oldest['decided_by'][0])}" + (f", and {others} more" if others else "")


def _tree(layers_with_bodies: Sequence[Summary]) -> "Tree":
    from rich.text import Text
    from rich.tree import Tree

    root = Tree(Text("sub-graphs", "bold"))
    pending = deque((root, inner) for inner in layers_with_bodies)
    while pending:
        parent, inner = pending.popleft()
        branch = parent.add(Text.assemble(shown(inner["layer"]), (f" {shown(inner['type'])}", "dim")))
        for name, count, nested in inner["bodies"]:
            body = branch.add(Text.assemble(name, (f" {plural(count, 'layer')}", "dim")))
            pending.extend((body, each) for each in nested)
    return root
