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
    "irops completion": (
        "irops completion was removed; argcomplete completes commands: pip install 'irops[completion]', then"
        ' eval "$(register-python-argcomplete irops)" in bash or zsh'
    ),
    "irops view": (
        "irops view was removed; irops draw MODEL -o page.html draws a page that searches and explains layers"
    ),
}
"""By the words of the command line, the message about a command, or the end of that about an option."""
