"""Writes the report of a survey: index.html, and a page for each model that has something to report."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from errno import EEXIST
from pathlib import Path
from typing import Any

from irops.ir.abandoned import claim, remove_abandoned
from irops.ir.folders import replace_folder
from irops.ir.pending import Pending, encoded
from irops.registry import Registry
from irops.surveys.report.cells import models_of
from irops.surveys.report.coverage import Coverage
from irops.surveys.report.index_page import Content, index_page
from irops.surveys.report.model_page import model_page
from irops.surveys.row import Row

INDEX, MODELS = "index.html", "models"
MAX_PAGES = 10_000
"""How many models have a page."""
_PART = ".models-"
_UNFINISHED = re.compile(rf"{re.escape(_PART)}[a-z0-9_]{{8}}(\.replaced)?")
"""How the name of a folder of pages begins that are being written."""


def write_report(
    folder: str | os.PathLike[str],
    rows: Iterable[Row],
    settings: Mapping[str, Any] | None = None,
    *,
    against: Iterable[Row] | None = None,
    registry: Registry | None = None,
    notes: Sequence[str] = (),
) -> Path:
    """Write index.html and models/ into a folder that exists; return the path of index.html.

    rows, against: those of the survey and of an earlier one, each sorted by model and task, and read once;
    settings: names and values that the page lists, without credentials; registry: of custom ops;
    notes: sentences that the page begins with

    Raises:  ValueError where rows are not sorted; OSError where the folder cannot be written
    """
    target = Path(folder)
    _require_pages(target / MODELS)
    content = Content(settings or {}, against is not None, Coverage(registry), notes)
    remove_abandoned(target, _UNFINISHED, folders=True)
    new_folder = Path(tempfile.mkdtemp(prefix=_PART, dir=target))
    handle = os.open(new_folder, os.O_RDONLY)
    try:
        claim(handle)
        _write_models(new_folder, content, rows, against)
        with Pending(target / INDEX) as (file,):
            file.writelines(map(encoded, index_page(content)))
            file.flush()  # a full disk shows here, where both files and folder are as before
            new_folder.chmod(0o755)
            replace_folder(new_folder, target / MODELS)
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
            (folder / page).write_bytes(encoded("".join(model_page(model))))
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


MAX_STEM = 60
"""The greatest number of characters of a model's name in that of its page."""
_PAGE = re.compile(r"\d+-[A-Za-z0-9._-]+\.html")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def page_name(index: int, model: str) -> str:
    """The name of the page of a model. index: its place among all models, which makes the name unique"""
    last = re.split(r"[/\\]", model.rstrip("/\\"))[-1]
    stem = _UNSAFE.sub("-", last[: 4 * MAX_STEM])[-MAX_STEM:].strip(".-")
    return f"{index + 1}-{stem or 'model'}.html"


def is_page_name(name: str) -> bool:
    """Whether a file has a name that page_name gives."""
    return _PAGE.fullmatch(name) is not None
