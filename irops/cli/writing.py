"""Models that commands write: the layers alone, where the weights of the model that was read are missing."""

import argparse
import sys
from pathlib import Path

from irops.analysis.declaring import with_declared_ports
from irops.analysis.model_analysis import ModelAnalysis, infer
from irops.analysis.writing import write
from irops.cli.main import Refusal
from irops.diagnostics.printable import printable
from irops.dialects.registry import Registry
from irops.editing.soundness import refusal
from irops.files.storage import JoinedWeights
from irops.ir.model import Model
from irops.ir.write import write_layers
from irops.spec.definition import OPENVINO


def write_model(
    source: Model, made: Model | ModelAnalysis, registry: Registry, args: argparse.Namespace
) -> None:
    """Write a model; where the weights of its source are missing the layers alone, for those found later."""
    missing, model = source.weights, made if isinstance(made, Model) else made.model
    is_missing = missing is not None and missing.fault is not None and not missing.size
    is_ir = {source.dialect, model.dialect} == {OPENVINO}
    if missing is None or not (is_missing and is_ir and any(layer.is_constant for _, layer in model.walk())):
        write(made, args.output, registry=registry)
        return
    if isinstance(model.weights, JoinedWeights) and not model.weights.is_single:
        why = f"{missing.name} {missing.fault}, and the conversion adds constants to it"
        raise refusal(source, "invalid-source-model", why)
    place = Path(args.output).with_suffix(".bin")
    if place.exists():
        raise Refusal(f"{place} is there, and is not {missing.name}, which is missing; remove it first")
    write_layers(with_declared_ports(model, infer(made, registry=registry)), args.output)
    if not args.quiet:
        print(f"note: {printable(f'{missing.name} {missing.fault}; its place is {place}')}", file=sys.stderr)
