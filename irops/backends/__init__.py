"""Kernels beside the reference, and how the one that computes is chosen.

`backend` says what a backend is, `catalogue` finds one by its name and lists those that are built in,
`isolated` runs one in a process of its own. An op enters; a kernel leaves, which computes arrays or raises
Declined, so that the next backend of the chain computes them.
"""
