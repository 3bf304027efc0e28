"""Which folders a person trusts: only there is code run that settings name, such as modules of custom rules.

The list is a file in the user's own configuration. As git's safe.directory does, irops also leaves settings
alone that belong to another user.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

FILE = "trusted.json"
_UNFINISHED = re.compile(rf"{re.escape(FILE)}\.[0-9a-f]{{8}}\.part")
MIN_AGE = 60.0
"""Seconds after which an unfinished list is removed: the process that wrote it was killed."""
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


class TrustError(OSError):
    """The list of trusted folders cannot be read or written; strerror says why. path: of the list"""

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(None, reason)
        self.path = path

    def __str__(self) -> str:
        return str(self.strerror)


def configuration_folder() -> str | None:
    """The absolute path of the folder of the user's configuration; None where the system names no home."""
    named = os.environ.get("XDG_CONFIG_HOME", "")
    if os.path.isabs(named):
        base = named
    elif sys.platform == "win32":
        base = os.environ.get("APPDATA") or os.path.expanduser(r"~\AppData\Roaming")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.path.expanduser("~/.config")
    return os.path.join(base, "irops") if os.path.isabs(base) else None


def trusted_folders() -> tuple[str, ...]:
    """The folders that the user trusts, as real paths, sorted.

    Raises:  TrustError if the list belongs to another user, if others may write it, or if it is damaged
    """
    folder = configuration_folder()
    if folder is None:
        return ()
    path = os.path.join(folder, FILE)
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            _require_own(os.stat(folder), folder)
            _require_own(os.fstat(file.fileno()), path)
            content = json.loads(file.read(1 << 20))
    except FileNotFoundError:
        return ()
    except ValueError as error:
        raise TrustError(f"{path} is not a list of folders: {error}", path) from None
    except TrustError:
        raise
    except OSError as error:
        raise TrustError(f"{path} cannot be read: {error.strerror}", path) from None
    listed = content.get("folders") if isinstance(content, dict) else None
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise TrustError(f"{path} is not a list of folders", path)
    return tuple(sorted(listed))


def is_trusted(folder: str | os.PathLike[str]) -> bool:
    """Whether the user trusts a folder itself; that one above it is trusted does not count.

    Raises:  TrustError
    """
    return os.path.realpath(folder) in trusted_folders()


def trust(folder: str | os.PathLike[str]) -> str:
    """Add a folder to the list; return its real path. Raises: TrustError"""
    path = os.path.realpath(folder)
    _write({*trusted_folders(), path})
    return path


def distrust(folder: str | os.PathLike[str]) -> bool:
    """Remove a folder, which need not exist; return whether it was in the list. Raises: TrustError"""
    listed = set(trusted_folders())
    path = os.path.realpath(folder)
    if path not in listed:
        return False
    _write(listed - {path})
    return True


def _write(folders: Iterable[str]) -> None:
    folder = configuration_folder()
    if folder is None:
        raise TrustError("there is no home folder, and so no place for the list of trusted folders")
    path = os.path.join(folder, FILE)
    text = json.dumps({"version": 1, "folders": sorted(folders)}, indent=2)
    beside = f"{path}.{os.urandom(4).hex()}.part"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        _require_own(os.stat(folder), folder)
        _remove_unfinished(folder)
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{text}\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except TrustError:
        raise
    except OSError as error:
        raise TrustError(f"{path} cannot be written: {error.strerror}", path) from None
    finally:
        with suppress(OSError):  # it was renamed, or never made
            os.unlink(beside)


def _remove_unfinished(folder: str) -> None:
    for name in filter(_UNFINISHED.fullmatch, os.listdir(folder)):
        with suppress(OSError):  # another process removed it
            path = os.path.join(folder, name)
            if time.time() - os.stat(path).st_mtime > MIN_AGE:
                os.unlink(path)


def _require_own(status: os.stat_result, path: str) -> None:
    if os.name == "nt":
        return
    if status.st_uid != os.geteuid():
        owner = f"it belongs to user {status.st_uid}, and you are user {os.geteuid()}"
        raise TrustError(f"{path} is not used: {owner}", path)
    if status.st_mode & _OTHERS_MAY_WRITE:
        mode = f"other users may write to it (mode {status.st_mode & 0o777:o})"
        raise TrustError(f"{path} is not used: {mode}", path)


def foreign_owner(path: str | os.PathLike[str]) -> int | None:
    """The user to whom a file or folder belongs, or the link that leads to it, if that is neither this user
    nor root; None otherwise, and on Windows. With sudo, its caller counts as this user, as in git.
    """
    if os.name == "nt":
        return None
    own = {0, os.geteuid()}
    caller = os.environ.get("SUDO_UID", "")
    if os.geteuid() == 0 and caller.isascii() and caller.isdigit():
        own.add(int(caller))
    return next((one.st_uid for one in (os.lstat(path), os.stat(path)) if one.st_uid not in own), None)
