"""The exception for a layer that cannot be converted."""

from __future__ import annotations


class RefusedError(Exception):
    """A step does not apply to a node; the text is the reason, to be read after the name of a layer."""


class OtherFormError(RefusedError):
    """A step is for nodes of another kind; the reason is of interest only if no other step gives one."""
