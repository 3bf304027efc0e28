"""Write tensors to .npz files; irops.values.stored_elements says how. Pickles are not written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import numpy as np

from irops.diagnostics.printable import MAX_NAME, abridged, printable
from irops.ir.pending import Pending
from irops.ir.unique import UniqueNames
from irops.values.element import Array
from irops.values.stored_elements import as_stored


def save_all(path: str, arrays: Mapping[str, Array]) -> dict[str, str]:
    """Write arrays by name, atomically: first to a temporary file in the same folder. Unlike numpy.savez,
    this accepts any name, "file" included.

    Returns the names that had to be changed, with the names in the file: see member_name.
    """
    used = UniqueNames()
    changed: dict[str, str] = {}
    with Pending(Path(os.path.realpath(path))) as (file,), ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            written = used.unique(member_name(name))
            if written != name:
                changed[name] = written
            with archive.open(f"{written}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(as_stored(array)), allow_pickle=False)
    return changed


def member_name(name: str) -> str:
    """A name for a member of a zip file that no program unpacks to another folder.

    Names come from models: ../../x, /x or a drive would leave the folder.
    """
    text = printable(abridged(name, MAX_NAME)).replace("\\", "_")
    if text[1:2] == ":":
        text = f"{text[0]}_{text[2:]}"
    parts = text.split("/")
    return "/".join("_" if part in ("", ".", "..") else part for part in parts)
