"""The instructions of this processor, of those for which the CPU plug-in has kernels of their own."""

import os
import platform
import re
from pathlib import Path

INSTRUCTIONS = ("avx", "avx2", "avx512f", "avx512_bf16")
"""As Linux names them. Kernels that need others, such as AMX, take no other types."""
LIMIT = "ONEDNN_MAX_CPU_ISA"
"""The environment variable that hides instructions from the plug-in."""


def is_x86() -> bool:
    return platform.machine().lower() in ("x86_64", "amd64")


def instructions() -> tuple[str, ...]:
    """Those that are known to be there: none where the system lists none, or where some are hidden."""
    description = Path("/proc/cpuinfo")
    if not is_x86() or not description.exists() or os.environ.get(LIMIT):
        return ()
    flags = re.search(r"^flags\s*:(.*)$", description.read_text("utf-8"), re.MULTILINE)
    return tuple(name for name in INSTRUCTIONS if flags is not None and name in flags[1].split())
