"""Kernels beside the reference, and how the one that computes is chosen."""
