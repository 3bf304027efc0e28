"""What rules are about, where it is not a model: the arguments of a call, or the files themselves."""

from __future__ import annotations

USAGE_RULES = frozenset(
    (
        "invalid-input-shape",
        "unknown-input",
        "unknown-backend",
        "unavailable-backend",
        "unfillable-input",
        "malformed-settings",
        "unknown-setting",
        "invalid-setting",
    )
)
"""Rules about the arguments of the command, not about the model."""
PATH_RULES = frozenset(
    ("file-not-found", "not-a-file", "unreadable-file", "unwritten-fixes", "unchecked-file", "out-of-memory")
)
"""Rules about files that could not be read, written or checked."""
TRANSIENT = PATH_RULES | {"checking-time-limit", "changed-weights"}
"""Rules about something that may be different the next time, although no file changes."""
