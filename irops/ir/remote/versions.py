"""What a file system says about the content of a file, without giving the content."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

CHECKSUMS = (
    *(
        "ETag",
        "etag",
        "e_tag",
        "md5Hash",
        "content_md5",
        "Content-MD5",
        "Digest",
        "crc32c",
        "CRC",
        "checksum",
    ),
    *("VersionId", "version_id", "generation", "sha", "sha256", "blob_id"),
)
TIMES = (
    *("LastModified", "last_modified", "Last-Modified", "mtime", "modified", "updated", "created"),
    *("date_time", "time"),
)
"""The names that file systems of fsspec use, those of checksums and versions, and those of times."""
TICK = 60.0
"""Seconds within which two contents of a file may have the same time: servers count in seconds, and their
clocks differ from that of this machine.
"""


class Version(NamedTuple):
    """What changes with the content of a file. is_certain: another content certainly has another text."""

    text: str
    is_certain: bool


def version_of(info: Mapping[str, Any]) -> Version:
    """The version of a file, by what fsspec gives as its info."""
    checksums = {name: info[name] for name in CHECKSUMS if info.get(name)}
    times = {name: info[name] for name in TIMES if info.get(name)}
    text = " ".join(
        f"{name}={value}" for name, value in {"size": info.get("size"), **checksums, **times}.items()
    )
    weak = all(str(value).startswith("W/") for value in checksums.values())
    return Version(text, not weak or (bool(times) and not any(map(_is_recent, times.values()))))


def _is_recent(value: object) -> bool:
    """Whether a time is so near that it may not show another change; also if it cannot be read."""
    seconds = _seconds(value)
    return seconds is None or time.time() - seconds < TICK


def _seconds(value: object) -> float | None:
    """A time in seconds since the epoch."""
    if isinstance(value, (int, float)):
        return float(value)
    try:
        if isinstance(value, str):
            value = parsedate_to_datetime(value) if "," in value else datetime.fromisoformat(value)
        return value.timestamp() if isinstance(value, datetime) else None
    except (ValueError, OverflowError, OSError):
        return None
