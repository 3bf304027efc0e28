"""Files that change on disk: functions and definitions of ops, and weights of open models."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import to_fs_path

from irops.server.language_server import IropsServer

WATCHED = "**/*.{py,bin,xml}"


async def watch_files(ls: IropsServer) -> None:
    """Ask the editor to report changes of files, if it can."""
    workspace = ls.client_capabilities.workspace
    watching = None if workspace is None else workspace.did_change_watched_files
    if watching is None or not watching.dynamic_registration:
        return
    options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(WATCHED)])
    method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    registration = types.Registration("irops files", method, options)
    with suppress(JsonRpcException):  # an editor that does not watch files reports those that it saves
        await ls.client_register_capability_async(types.RegistrationParams([registration]))


def changed_files(ls: IropsServer, uris: Iterable[str]) -> None:
    """Check the open documents again that files concern: a model its weights, all of them the custom ops."""
    files = [Path(path) for path in map(to_fs_path, uris) if path is not None]
    if any(_is_of_custom_ops(ls, file) for file in files):
        ls.reload()
        return
    stems = {file.with_suffix("") for file in files if file.suffix == ".bin"}
    for document in ls.documents():
        if Path(document.path or "").with_suffix("") in stems:
            ls.checks.changed(document)


def _is_of_custom_ops(ls: IropsServer, file: Path) -> bool:
    """Whether a file is in a folder of custom ops."""
    folders = (Path(folder).resolve() for folder in ls.options.definitions)
    return file.suffix in (".py", ".xml") and any(file.resolve().is_relative_to(one) for one in folders)
