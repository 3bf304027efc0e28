"""Kernels beside the reference, and how the one that computes is chosen.

An op enters, a function on arrays leaves: `backend` is the protocol, `catalogue` lists what there is.
`numba` is compiled here; other runtimes are asked with a model of one layer (`one_op`); `isolated` puts any
of them into a process of its own.
"""
