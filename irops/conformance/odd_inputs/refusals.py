"""Turn the exception of a library into a short message."""

from __future__ import annotations

import re

from irops.conformance.odd_inputs.odd_input import Reply

MAX_LENGTH = 200
_PREFIXES = re.compile(
    r".*(?:Status Message: | was false\. |Type Error: |Exception during loading: |\[ShapeInferenceError\] |"
    r"Exception from \S+:\s|\[\w+RuntimeError\] : \d+ : \w+ : )"
)
"""Text before the reason: source locations and names of components."""


def refused(error: Exception, *, loaded: bool, reason_last: bool = False) -> Reply:
    """The reply for an exception. reason_last: the reason is on the last line of the message."""
    message = str(error).partition("\nSummary:")[0]
    lines = [line.strip() for line in message.splitlines() if line.strip()] or [type(error).__name__]
    text = _PREFIXES.sub("", lines[-1 if reason_last else 0])
    if type(error).__module__ == "builtins" and not isinstance(error, RuntimeError):
        text = f"{type(error).__name__}: {text}"
    return Reply("refuses", text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}…", loaded)
