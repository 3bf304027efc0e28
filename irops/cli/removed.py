"""Commands and options that were removed, and what takes their place. An entry stays for one release."""

from __future__ import annotations

_WORKERS = "a run is not split over workers any more; irops survey examines many models on many machines"
REMOVED = dict.fromkeys(
    (
        "irops run --jobs",
        "irops run --scheduler",
        "irops run --cluster",
        "irops run --worker-wait",
        "irops run --allow-rounding",
    ),
    _WORKERS,
)
"""By the words of the command line, the end of the message about them."""
