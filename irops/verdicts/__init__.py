"""Whether two results of a layer agree, and why they differ.

A Question with two results enters `judge`, a verdict leaves: equal, rounding within `bounds`, a tie, or
wrong. `metrics` says how much two tensors differ.
"""
