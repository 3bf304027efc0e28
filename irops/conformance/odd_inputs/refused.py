"""What a library says when it refuses: short enough for a page."""

from __future__ import annotations

import re

from irops.conformance.odd_inputs.odd import Reply

LONGEST = 200
_LEADS = re.compile(
    r".*(?:Status Message: | was false\. |Type Error: |Exception during loading: |\[ShapeInferenceError\] |"
    r"Exception from \S+:\s|\[\w+RuntimeError\] : \d+ : \w+ : )"
)
"""What stands before the reason: places in sources, and which part of the library speaks."""


def refused(error: Exception, *, loaded: bool, last: bool = False) -> Reply:
    """The reply where a library raises. last: it tells where in its sources first, and what last."""
    said = str(error).partition("\nSummary:")[0]
    lines = [line.strip() for line in said.splitlines() if line.strip()] or [type(error).__name__]
    text = _LEADS.sub("", lines[-1 if last else 0])
    if type(error).__module__ == "builtins" and not isinstance(error, RuntimeError):
        text = f"{type(error).__name__}: {text}"
    return Reply("refuses", text if len(text) <= LONGEST else f"{text[:LONGEST]}…", loaded)
