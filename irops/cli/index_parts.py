"""Makes the parts of the index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from irops.dialects import dialects


def _dialects() -> list[dict[str, Any]]:
    """The files of each dialect: how their names end, and what they are."""
    return [{"suffixes": list(one.suffixes), "file_help": one.file_help} for one in dialects()]


PARTS: dict[str, Callable[..., Any]] = {"dialects": _dialects}
