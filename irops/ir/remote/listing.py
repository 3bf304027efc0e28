"""The models below a URL: in a folder of a bucket or an archive, or those that a pattern matches."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from threading import get_ident
from typing import NamedTuple

from irops.files.limits import Limits
from irops.files.urls import parts_of, with_suffix
from irops.ir.remote.content import RemoteContent
from irops.ir.remote.file_systems import answered, file_system
from irops.ir.remote.reasons import RemoteError
from irops.ir.root_tag import root_tag

SNIFFED_BYTES = 1 << 16
"""How many bytes are read to detect the kind of a file."""
_MAGIC = re.compile(r"[*\[]")


class RemoteModels(NamedTuple):
    """The URLs of models, sorted. others: the number of .xml files that are not models."""

    files: tuple[str, ...]
    others: int


def remote_models(url: str, suffixes: Sequence[str], limits: Limits | None = None) -> RemoteModels:
    """The model that a URL names, or the models in a folder and its subfolders, or those of a pattern.

    A URL with a suffix of models is that of a model, which need not exist. In a pattern, ** stands for any
    folders. Hidden folders are skipped. Listing takes at most limits.seconds.
    Raises:  RemoteError if there is no such folder, or it cannot be listed
    """
    limits = limits or Limits()
    before, path, after = parts_of(url)
    magic = _MAGIC.search(path)
    if magic is None and path.endswith(tuple(suffixes)):
        return RemoteModels((url,), 0)
    if magic is None:
        root, pattern = path.rstrip("/"), None
    else:
        root = path[: max(path.rfind("/", 0, magic.start()), 0)]
        pattern = path.removeprefix(root).lstrip("/")
    names = _names(f"{before}{root}{after}", pattern, limits)
    folder = f"{before}{root}{'/' if root else ''}"
    files = {f"{folder}{name}{after}" for name in names}
    wanted = [
        f"{folder}{name}{after}" for name in names if name.endswith(tuple(suffixes)) and not _hidden(name)
    ]
    models = [file for file in wanted if not _is_other_xml(file, files, limits)]
    return RemoteModels(tuple(models), len(wanted) - len(models))


def _names(folder: str, pattern: str | None, limits: Limits) -> list[str]:
    """The paths of files in a folder, relative to it: all, or .bin files and those that a pattern matches."""
    from fsspec.utils import glob_translate

    patient = replace(limits, remote_seconds=max(limits.remote_seconds, limits.seconds))
    system, base = answered(patient, file_system, folder, get_ident())
    base = base.rstrip("/")
    is_web = "://" in base  # paths of web servers are URLs, and folders end with a slash
    system.invalidate_cache(base)
    depth = None if pattern is None or "**" in pattern else pattern.count("/") + 1
    found = answered(patient, system.find, f"{base}/" if is_web else base, maxdepth=depth)
    names = sorted(name.removeprefix(base).lstrip("/") for name in found if name.startswith(base))
    if not names and answered(limits, system.info, base).get("type") != "directory":
        raise RemoteError("is not a folder, and has no suffix of a model", "not-a-file")
    if pattern is None:
        return names
    matches = re.compile(glob_translate(pattern)).match
    return [name for name in names if matches(name) or name.endswith(".bin")]


def _hidden(name: str) -> bool:
    """Whether a file lies in a hidden folder."""
    return any(part.startswith(".") for part in name.split("/")[:-1])


def _is_other_xml(url: str, files: Collection[str], limits: Limits) -> bool:
    """Whether a file is XML but not a model. Damaged files and files with weights beside them are models."""
    if with_suffix(url, ".bin") in files:
        return False
    try:
        root = root_tag(RemoteContent(url, limits).read(SNIFFED_BYTES))
    except RemoteError:  # reported when the file is read
        return False
    return root is not None and root.lower() != "net"
