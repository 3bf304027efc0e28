"""Models that commands write: the layers alone, where the weights of the model that was read are missing."""

import argparse
import sys
from pathlib import Path

from irops.analysis.declaring import with_declared_ports
from irops.analysis.model_analysis import ModelAnalysis, infer
from irops.analysis.writing import write
from irops.diagnostics.printable import printable
from irops.editing.soundness import refusal
from irops.files.storage import JoinedWeights
from irops.ir.model import Model
from irops.ir.write import write_layers
from irops.spec.definition import OPENVINO


def write_model(source: Model, analysis: ModelAnalysis, args: argparse.Namespace) -> None:
    """Write a model; where the weights of its source are missing the layers alone, for those found later."""
    missing, dialects = source.weights, {source.dialect, analysis.model.dialect}
    needs_weights = dialects == {OPENVINO} and any(layer.is_constant for _, layer in analysis.model.walk())
    if not needs_weights or missing is None or not missing.fault or missing.size:
        write(analysis, args.output, registry=analysis.registry)
        return
    if isinstance(analysis.model.weights, JoinedWeights) and not analysis.model.weights.is_single:
        why = f"{missing.name} {missing.fault}, and the conversion adds constants to it"
        raise refusal(source, "invalid-source-model", why)
    write_layers(with_declared_ports(analysis.model, infer(analysis)), args.output)
    if not args.quiet:
        place = Path(args.output).with_suffix(".bin")
        print(f"note: {printable(f'{missing.name} {missing.fault}; its place is {place}')}", file=sys.stderr)
