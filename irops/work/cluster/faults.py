"""What a cluster lacks to be of use."""

from __future__ import annotations


class ClusterError(Exception):
    """There is no scheduler, or no worker that can be used; the message says so in one sentence."""
