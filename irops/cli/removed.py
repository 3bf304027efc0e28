"""Commands and options that were removed, and what takes their place. An entry stays for one release."""

from __future__ import annotations

_WORKERS = "a run is not split over workers any more; irops survey examines many models on many machines"
REMOVED = {
    "irops docs --no-runtimes": "irops docs runs no runtimes any more",
    "irops run --jobs": _WORKERS,
    "irops run --scheduler": _WORKERS,
    "irops run --cluster": _WORKERS,
    "irops run --worker-wait": _WORKERS,
    "irops run --allow-rounding": _WORKERS,
    "irops check --no-cache": "no results are kept any more",
    "irops cache": "irops cache was removed: irops keeps nothing any more; of filecache::URL, fsspec does",
    "irops rules": "irops rules was removed; irops explain lists all, and irops explain IR4 a part of them",
    "irops translate": (
        "irops translate was removed; irops convert MODEL --target DIALECT -o FILE takes its place"
    ),
    "irops weights": "irops weights was removed; irops inspect MODEL --weights examines the constants",
    "irops where": "irops where was removed; irops explain OP --files shows the files of an op",
    "irops completion": (
        "irops completion was removed; argcomplete completes commands: pip install 'irops[completion]', then"
        ' eval "$(register-python-argcomplete irops)" in bash or zsh'
    ),
    "irops view": (
        "irops view was removed; irops draw MODEL -o page.html draws a page that searches and explains layers"
    ),
}
"""By the words of the command line, the message about a command, or the end of that about an option."""
