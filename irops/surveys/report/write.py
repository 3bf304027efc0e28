"""Writes the report of a survey: index.html, and a page for each model that has something to report."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from errno import EEXIST
from pathlib import Path
from typing import Any

from irops.ir.abandoned import claim, remove_abandoned
from irops.ir.pending import Pending, signals_blocked
from irops.registry import Registry
from irops.surveys.report.cells import models_of
from irops.surveys.report.coverage import Coverage
from irops.surveys.report.index_page import Content, index_page
from irops.surveys.report.model_page import model_page
from irops.surveys.report.pages import is_page_name, page_name
from irops.surveys.row import Row

INDEX, MODELS = "index.html", "models"
MAX_PAGES = 10_000
"""How many models have a page."""
_PART = ".models-"
"""How the name of a folder of pages begins that are being written."""


def write_report(
    folder: str | os.PathLike[str],
    rows: Iterable[Row],
    settings: Mapping[str, Any] | None = None,
    *,
    against: Iterable[Row] | None = None,
    registry: Registry | None = None,
) -> Path:
    """Write index.html and models/ into a folder that exists; return the path of index.html.

    rows, against: those of the survey and of an earlier one, each sorted by model and task, and read once;
    settings: names and values that the page lists, without credentials; registry: of custom ops

    Raises:  ValueError where rows are not sorted; OSError where the folder cannot be written
    """
    target = Path(folder)
    _require_pages(target / MODELS)
    content = Content(settings or {}, against is not None, Coverage(registry))
    remove_abandoned(target, _PART)
    new_folder = Path(tempfile.mkdtemp(prefix=_PART, dir=target))
    handle = os.open(new_folder, os.O_RDONLY)
    try:
        claim(handle)
        _write_models(new_folder, content, rows, against)
        with Pending(target / INDEX) as (file,):
            file.writelines(piece.encode() for piece in index_page(content))
            file.flush()  # a full disk shows here, where both files and folder are as before
            _replace(target / MODELS, new_folder)
    finally:
        os.close(handle)
        shutil.rmtree(new_folder, ignore_errors=True)
    return target / INDEX


def _write_models(folder: Path, content: Content, rows: Iterable[Row], against: Iterable[Row] | None) -> None:
    """Write the pages of models, and collect what the index shows."""
    written = 0
    for model in models_of(rows, against):
        page = ""
        if written < MAX_PAGES and model.needs_page:
            page = page_name(model.index, model.name)
            (folder / page).write_bytes("".join(model_page(model)).encode())
            written += 1
        content.totals.add(model)
        content.reported.add(model)
        content.coverage.add(model)
        content.matrix.add(model, page)


def _require_pages(folder: Path) -> None:
    """Raises: FileExistsError for a folder with anything but pages of models, which must not be replaced"""
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        if not all(is_page_name(entry.name) for entry in entries):
            raise FileExistsError(EEXIST, "it has files other than pages of models; remove it", str(folder))


def _replace(target: Path, new_folder: Path) -> None:
    """Put a folder of pages into the place of an earlier one."""
    new_folder.chmod(0o755)
    replaced = new_folder.with_name(f"{new_folder.name}.replaced")
    with signals_blocked():
        if target.exists():
            target.rename(replaced)
        new_folder.rename(target)
    shutil.rmtree(replaced, ignore_errors=True)
