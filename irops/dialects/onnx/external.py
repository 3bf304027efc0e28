"""External data of a model: files in the model's folder or its subfolders only, links included."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from irops.ir.storage import Weights

_DRIVE = re.compile(r"[A-Za-z]:")


class OutsideError(ValueError):
    """A path in a model is outside of the model's folder; the message says how."""


class ExternalFiles:
    """The files of one model. folder: the model's; None for a model that came from no file."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._files: dict[Path, Weights] = {}

    def bytes_of(self, location: str, offset: int, size: int) -> memoryview:
        """Some bytes of a file, uncopied.

        Raises:  OutsideError; ValueError where the bytes are not there
        """
        file = self._file(location)
        if file.fault is not None:
            raise ValueError(f"{location} {file.fault}")
        if offset + size > file.size:
            raise ValueError(
                f"{location} has {file.size} bytes, but bytes {offset} to {offset + size} are needed"
            )
        return file.view(offset, size)

    def _file(self, location: str) -> Weights:
        path = self._path(location)
        found = self._files.get(path)
        if found is None:
            found = self._files[path] = Weights.of_file(path)
        return found

    def _path(self, location: str) -> Path:
        if self.folder is None:
            raise OutsideError("the model was not read from a file, so it has no folder")
        if not location or "\0" in location:
            raise OutsideError("it has no file name")
        if location.startswith(("/", "\\")) or _DRIVE.match(location):
            raise OutsideError("the path is absolute")
        if ".." in PurePosixPath(location.replace("\\", "/")).parts:
            raise OutsideError("the path contains ..")
        folder = os.path.realpath(self.folder)
        path = os.path.realpath(os.path.join(folder, location))
        if os.path.commonpath((folder, path)) != folder:
            raise OutsideError("a link leads out of it")
        return Path(path)
