"""The exception by which a backend declines inputs, so that the next backend of the chain computes them."""

from __future__ import annotations


class Declined(Exception):
    """Raised by a kernel that would narrow, corrupt or crash on these inputs.

    reason: a text that follows "declines Reverse-1:", the same for similar inputs; detail: for example the
    value that causes it.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail

    def __str__(self) -> str:
        return f"{self.reason}; {self.detail}" if self.detail else self.reason
