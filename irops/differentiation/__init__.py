"""Derivatives of ops: each rule states the cotangents of an op's inputs as a composition of other ops.

A rule is a function of a Derivation: the op with its inputs, outputs and cotangents as Terms, on which
Python's operators and all ops can be applied. One builder computes arrays (irops.vjp), another adds nodes to
a graph (irops.gradient_model), so that one rule serves both. An elementwise op states its slope for each
input (@elementwise), an op that moves elements the positions that they come from (@movement), a linear op
that treats each axis apart a matrix for each axis (@separable); the others state cotangents (@derivative).
An op that has an expansion, or is said in other ops for this purpose (@composition), is differentiated
through them. The forward derivative (irops.jvp) is the transpose of the same rules. The parts: deriving
(declarations and what rules see), openvino (the rules of its ops). What has no derivative says so in its
definition.
"""
