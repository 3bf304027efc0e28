"""What a file has besides its content, and keeps when it is replaced: mode, owner, extended attributes."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path


def copy_ownership(source: Path, target: Path) -> None:
    """Give target the owner, the mode and the extended attributes (access control lists too) of source.

    What the system does not permit, such as another owner without being root, is left as it is.
    """
    status = source.stat()
    if hasattr(os, "chown"):
        try:
            os.chown(target, status.st_uid, status.st_gid)
        except OSError:
            with suppress(OSError):
                os.chown(target, -1, status.st_gid)
    shutil.copymode(source, target)
    if hasattr(os, "listxattr"):
        with suppress(OSError):  # a file system without extended attributes
            for name in os.listxattr(source):
                with suppress(OSError):
                    os.setxattr(target, name, os.getxattr(source, name))
