"""Declining: a backend that would not give what the definition says gives nothing, and the next of the chain
is asked.
"""

from __future__ import annotations


class Declined(Exception):
    """Raised by a kernel that would narrow, corrupt or crash on these inputs.

    reason: why, in words that follow "declines Reverse-1:", the same for like inputs; detail: the very value
        that is at fault, say.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail

    def __str__(self) -> str:
        return f"{self.reason}; {self.detail}" if self.detail else self.reason
