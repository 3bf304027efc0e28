"""The arguments that name models: files, folders and URLs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from irops.cli.index import part
from irops.ir.model_files import ModelFiles, model_files


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add MODEL and --weights."""
    parser.add_argument("model", metavar="MODEL", help=model_help())
    add_weights(parser)


def add_weights(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--weights", metavar="FILE", help="the .bin file, if it is not next to the .xml file")


def find_models(paths: Sequence[str]) -> ModelFiles:
    """The named files, and the models of all dialects in named folders; see model_files."""
    return model_files(paths, tuple(suffix for dialect in part("dialects") for suffix in dialect["suffixes"]))


def model_help() -> str:
    """What the MODEL of a command may be."""
    return "; ".join(dialect["file_help"] for dialect in part("dialects") if dialect["file_help"])
