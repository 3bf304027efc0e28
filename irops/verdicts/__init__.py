"""Whether two results of a layer agree, and why they differ.

A `question` is a layer with its inputs; `judge` answers it with a Judgement of `verdict`. The error
`bounds` follow from `sums` and from `conditioning`, the change of the result when inputs change by their
roundoff, both in an `arithmetic`; `noise` gives those of whole runs. All numbers that decide stand in
`tolerances`.
"""
