"""Declining: a backend that would not give what the definition says gives nothing, and the next of the chain is asked."""
from __future__ import annotations


class Declined(Exception):
    """Raised by a kernel that would narrow, corrupt or crash on these inputs. reason: why, in words that follow "declines Reverse-1:"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
