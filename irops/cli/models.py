"""The models that commands take: their files, their inputs, and their analysis; ops by name."""

import argparse
import importlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.analysis.synthetic import FILLS, SyntheticInput, synthetic_inputs
from irops.cli.main import Refusal
from irops.cli.options import add_option, add_shapes, has_extensions, limits_of, refusing, value_of_input
from irops.cli.settings import settings
from irops.diagnostics.printable import printable
from irops.diagnostics.rules import all_rules, closest_rules
from irops.dialects import Dialect, dialects, model_suffixes, others
from irops.dialects.reading import read
from irops.dialects.registry import Registry
from irops.files.limits import Limits
from irops.ir import numpy_files
from irops.ir.numpy_files import DEFAULT, UnreadableFileError, as_declared
from irops.ir.opening import ModelFiles, model_files
from irops.spec.definition import OPENVINO, Definition
from irops.spec.op import parted
from irops.spec.releases import opsets
from irops.values.element import Array

_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def registry_of(args: argparse.Namespace) -> Registry | None:
    """The default registry with the custom ops of the options; None without such options."""
    for folder in args.definitions:
        if not Path(folder).is_dir():
            raise Refusal(f"--definitions {folder}: no such folder")
    for name in args.modules:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                raise
            raise Refusal(f"--module {name}: no module of this name") from None
    return Registry(args.definitions, args.modules) if has_extensions(args) else None


def definition_of(name: str, registry: Registry, *, or_rule: bool = False) -> Definition:
    """The definition of an op, by any name that Registry.named takes.

    or_rule: whether the name may be meant as that of a rule
    Raises:  Refusal if there is none, with suggestions
    """
    try:
        return registry.definition(name)
    except KeyError:
        raise Refusal(_unknown(name, registry, or_rule)) from None


def normal(names: Iterable[str]) -> str:
    """Names as one text to search in: each as it is, and split into its parts (reverse sequence)."""
    lower = [spelled for name in names for spelled in (name.lower(), _PARTS.sub(" ", name).lower())]
    return " ".join(re.sub("[-_ ]+", " ", name) for name in dict.fromkeys(lower)) + " "


def _unknown(name: str, registry: Registry, or_rule: bool) -> str:
    prefix = name.lower().partition(":")[0]
    dialect = next((other for other in others() if other.name == prefix), None)
    if dialect is not None:
        return _unknown_in(dialect, name, registry)
    listed = (version.id for version in opsets().all())
    versions_of_type = [op for op in listed if name.lower() in (op.lower(), op.rpartition("-")[0].lower())]
    if versions_of_type:
        return f"irops does not define {versions_of_type[-1]} yet"
    what = f"unknown {'rule or op' if or_rule else 'op'} {name!r}"
    added = _op_of_layer(name, registry)
    if added is not None:
        return f"{what}; did you mean {added}?"
    rules = closest_rules(name, all_rules()) if or_rule else ()
    matches = registry.called(name)[:3] or [*registry.similar(name), *rules][:3]
    hint = f"did you mean {' or '.join(matches)}?" if matches else "irops ops lists all ops"
    return f"{what}; {hint}"


def _unknown_in(dialect: Dialect, name: str, registry: Registry) -> str:
    """The sentence for a name with the prefix of a dialect."""
    wanted = parted(name)[1].lower()
    listed = next((op for op in dialect.types() if op.lower() == wanted), None)
    if listed is not None and not any(parted(op)[1] == listed for op in dialect.ids()):
        return f"irops does not define {dialect.title}'s {listed} yet"
    matches = registry.similar(name)
    meant = f"did you mean {' or '.join(matches)}?" if matches else ""
    hint = meant or f"irops ops --dialect {dialect.name} lists all ops"
    return f"unknown op {name!r}; {hint}"


def _op_of_layer(name: str, registry: Registry) -> str | None:
    """The op that a dialect adds to OpenVINO's models, by the type of its layers or that with its version."""
    for dialect in others():
        for op in registry.ids(dialect.name) if dialect.base == OPENVINO else ():
            type_ = parted(op)[1]
            if name.lower() in (type_.lower(), f"{type_}-{dialect.layer_version(type_, 0)}".lower()):
                return op
    return None


def find_models(paths: Sequence[str]) -> ModelFiles:
    """The named files, and the models of all dialects in named folders; see model_files."""
    return model_files(paths, model_suffixes())


def model_help() -> str:
    """The help for MODEL."""
    return "; ".join(dialect.file_help for dialect in dialects() if dialect.file_help)


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add MODEL and --weights, which analysis_of reads."""
    parser.add_argument("model", metavar="MODEL", help=model_help())
    add_option(parser, "--weights FILE", "the .bin file, if it is not next to the .xml file")


def analysis_of(args: argparse.Namespace, limits: Limits | None = None) -> ModelAnalysis:
    """The model of a command, with the custom ops and the limits of its options and its settings.

    limits: by default they are read here; settings() prints warnings each time
    Raises:  Refusal for folders or modules that do not exist; DiagnosticError if there is no model
    """
    limits = limits or limits_of(args, settings(args.config).limits)
    return analyse(read(args.model, args.weights, limits=limits), registry_of(args), limits)


def load_all(path: str, limits: Limits = DEFAULT) -> dict[str, Array]:
    """The arrays of an .npz file by name.

    Raises:  Refusal if the file is not an .npz file; DiagnosticError if its arrays exceed limits.tensor_bytes
    """
    with refusing(UnreadableFileError):
        return numpy_files.load_all(path, limits)


def load_one(path: str, limits: Limits = DEFAULT) -> Array:
    """The array of an .npy file, or the only one of an .npz file. Raises the errors of load_all."""
    with refusing(UnreadableFileError):
        return numpy_files.load_one(path, limits)


def add_inputs(parser: argparse.ArgumentParser, files: str = "an .npz file with one array per input") -> None:
    """Add --load-inputs, --input, --fill, --seed and --shape. files: what --load-inputs takes"""
    inputs = parser.add_argument_group("inputs")
    add_option(inputs, "--load-inputs FILE", files)
    add_option(
        inputs, "--input NAME=FILE...", "an .npy file for one input", type=value_of_input, dest="inputs"
    )
    add_option(inputs, "--fill", "generate values for the remaining inputs", choices=FILLS)
    add_option(inputs, "--seed N", "seed of the random values", at_least=0, default=0)
    sizes = "without it, dynamic sizes are distinct and above 1 where inference allows that"
    add_shapes(inputs, f"the shape of a generated input (x:2,7); {sizes}")


def inputs_of(analysis: ModelAnalysis, args: argparse.Namespace) -> dict[str | int, Array]:
    """Arrays for all inputs, by layer name. Raises: Refusal if one has no value"""
    signature, limits = analysis.signature, analysis.limits
    loaded_arrays = load_all(args.load_inputs, limits) if args.load_inputs else {}
    loaded_arrays |= {name: load_one(file, limits) for name, file, _ in args.inputs}
    arrays: dict[str | int, Array] = {}
    for name, array in loaded_arrays.items():
        port = signature.input_of_text(name)
        arrays[port.name] = as_declared(array, port.fact.element_type)
    shapes = {signature.input_of_text(name).position: shape for name, shape, _ in args.shapes}
    missing = [port for port in signature.inputs if port.name not in arrays]
    if missing and not args.fill:
        names, fills = ", ".join(repr(port.name) for port in missing), "|".join(FILLS)
        raise Refusal(f"no value for {names}: use --load-inputs FILE, --input NAME=FILE, or --fill {fills}")
    given = {signature.input(name).position: array for name, array in arrays.items()}
    for filled in synthetic_inputs(analysis, args.fill, args.seed, given, shapes, limits) if missing else ():
        arrays[filled.port.name] = filled.array
        if not args.quiet:
            for note in _assumptions(filled):
                print(printable(note), file=sys.stderr)
    return arrays


def _assumptions(filled: SyntheticInput) -> Iterator[str]:
    """Which sizes were chosen for an input, and which are 1; and which whole numbers."""
    name, sizes, span = printable(filled.port.name), ",".join(map(str, filled.array.shape)), filled.span
    ones = f" (size 1 in axes {filled.ones}, as inference refuses others)" if filled.ones else ""
    if filled.assumed:
        yield f"{name}: {filled.port.fact} is filled as [{sizes}]{ones}; --shape {name}:{sizes} sets it"
    if span is not None:
        layer = f"{span.layer.type} {printable(span.layer.name)}"
        yield f"{name}: filled with integers from {span.low} to {span.high:,}, which {layer} admits"
