"""Where entries are kept: the cache directory of the platform, or the one that IROPS_CACHE_DIR names."""

from __future__ import annotations

import os
import sys

VARIABLE = "IROPS_CACHE_DIR"


def cache_folder() -> str | None:
    """The absolute path of the folder, which need not exist; None where the system names no home folder."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return os.path.abspath(chosen)
    base = _platform_folder()
    return os.path.join(base, "irops") if os.path.isabs(base) else None


def _platform_folder() -> str:
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches")
    named = os.environ.get("XDG_CACHE_HOME", "")
    return named if os.path.isabs(named) else os.path.expanduser("~/.cache")
