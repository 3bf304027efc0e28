"""Packages with entry points, as pip installs them."""

from pathlib import Path


def install(folder: Path, name: str, group: str, **entries: str) -> None:
    """Let a folder say that a package of this name is installed in it; entries: what its names stand for."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"[{group}]", *(f"{entry} = {value}" for entry, value in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
