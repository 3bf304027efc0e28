"""The models that commands take: their files, and their analysis."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from irops.analysis.infer import analyse
from irops.analysis.model_analysis import ModelAnalysis
from irops.cli.lookup import registry_of
from irops.cli.options import limits_of
from irops.cli.settings import settings
from irops.dialects import dialects
from irops.ir.opening import ModelFiles, model_files
from irops.limits import Limits
from irops.reading import read


def find_models(paths: Sequence[str]) -> ModelFiles:
    """The named files, and the models of all dialects in named folders; see model_files."""
    return model_files(paths, model_suffixes())


def model_suffixes() -> tuple[str, ...]:
    """How the names of the files of models end."""
    return tuple(suffix for dialect in dialects() for suffix in dialect.suffixes)


def model_help() -> str:
    """What the MODEL of a command may be."""
    return "; ".join(dialect.file_help for dialect in dialects() if dialect.file_help)


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add MODEL and --weights, which analysis_of reads."""
    parser.add_argument("model", metavar="MODEL", help=model_help())
    parser.add_argument("--weights", metavar="FILE", help="the .bin file, if it is not next to the .xml file")


def analysis_of(args: argparse.Namespace, limits: Limits | None = None) -> ModelAnalysis:
    """The model of a command, with the custom ops and the limits of its options and its settings.

    limits: by default they are read here; settings() prints warnings each time
    Raises:  Refusal for folders or modules that do not exist; DiagnosticError if there is no model
    """
    limits = limits or limits_of(args, settings(args.config).limits)
    return analyse(read(args.model, args.weights, limits=limits), registry_of(args), limits)
