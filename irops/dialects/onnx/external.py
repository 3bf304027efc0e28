"""External data of a model: files in the model's folder or its subfolders only, links included."""

from __future__ import annotations

import os
import re
from pathlib import PurePosixPath

from irops.dialects.onnx.weights import Stored
from irops.ir.opening import weights_at
from irops.ir.storage import Weights
from irops.limits import Limits
from irops.urls import inside, is_url

_DRIVE = re.compile(r"[A-Za-z]:")


class OutsideError(ValueError):
    """A path in a model is outside of the model's folder; the message says how."""


class ExternalFiles:
    """The files of one model. model: its path or URL; None for a model that came from no file."""

    def __init__(self, model: str | None, limits: Limits) -> None:
        self._model, self._limits = model, limits
        self._files: dict[str, Weights] = {}

    def bytes_of(self, location: str, offset: int, size: int) -> Stored:
        """Some bytes of a file, which are read when they are needed.

        Raises:  OutsideError; ValueError where the bytes are not there
        """
        file = self._file(location)
        if file.fault is not None:
            raise ValueError(f"{location} {file.fault}")
        if offset + size > file.size:
            raise ValueError(
                f"{location} has {file.size} bytes, but bytes {offset} to {offset + size} are needed"
            )
        return Stored(file, offset, size)

    def _file(self, location: str) -> Weights:
        path = self._path(location)
        file = self._files.get(path)
        if file is None:
            file = self._files[path] = weights_at(path, self._limits)
        return file

    def _path(self, location: str) -> str:
        if self._model is None:
            raise OutsideError("the model was not read from a file, so it has no folder")
        if not location or "\0" in location:
            raise OutsideError("it has no file name")
        if location.startswith(("/", "\\")) or _DRIVE.match(location):
            raise OutsideError("the path is absolute")
        if ".." in PurePosixPath(location.replace("\\", "/")).parts:
            raise OutsideError("the path contains ..")
        if is_url(self._model):
            return self._url(self._model, location)
        folder = os.path.realpath(os.path.dirname(self._model))
        path = os.path.realpath(os.path.join(folder, location))
        if os.path.commonpath((folder, path)) != folder:
            raise OutsideError("a link leads out of it")
        return path

    def _url(self, model: str, location: str) -> str:
        if any(character in location for character in "?#%:"):
            raise OutsideError("the path has characters that mean something in a URL")
        return inside(model, location)
