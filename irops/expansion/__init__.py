"""Ops said in other ops: each expansion states the op, when it applies, and what it changes.

An expansion is a function of an Expanding: the op with its inputs and attributes, and a builder that the ops
of the expansion go to. One builder computes arrays, another adds nodes to a graph, so that one expansion
serves kernels, conversions between releases, translation and derivatives. The parts: expanding (declarations,
and what their functions see), arrays (the builder that computes), openvino (the expansions of its ops). What
enters are ops with attributes and inputs, what leaves are the values of their outputs; where an expansion
does not apply, it says why.
"""
