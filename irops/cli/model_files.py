"""Find the model files named by paths of files and folders, and by URLs."""

from __future__ import annotations

from collections.abc import Sequence

from irops.dialects import dialects
from irops.ir.model_files import ModelFiles, model_files


def find_models(paths: Sequence[str]) -> ModelFiles:
    """The named files, and the models of all dialects in named folders; see model_files."""
    return model_files(paths, model_suffixes())


def model_suffixes() -> tuple[str, ...]:
    """How the names of the files of models end."""
    return tuple(suffix for dialect in dialects() for suffix in dialect.suffixes)


def model_help() -> str:
    """What the MODEL of a command may be."""
    return "; ".join(dialect.file_help for dialect in dialects() if dialect.file_help)
