"""Write the pages of a report."""

from __future__ import annotations

from pathlib import Path


def write_report(folder: Path) -> None:
    """Write what people read beside the results in a folder. Raises: OSError"""
    folder.stat()
