"""The computation of ops: shape functions, kernels, functions of partial values, gradients, by category.

Facts or arrays enter, Facts or arrays leave; a definition names the module, and functions are bound to its
id. The modules here are what several ops share.
"""
