"""The functions of ops: shapes, kernels, values that are known in part, gradients.

A folder for each category of ops, as definitions name it, and in it a module for each op or family of ops;
the attribute `module` of a definition names the module, if it is not that of the type. What several
categories need lies beside the folders (conversion between types, elementwise ops, windows, boxes).
`invocation.py`: an op with its attributes, which infers and computes. Facts and arrays enter, Facts and
arrays leave; no function knows a model.
"""
