"""The knowledge of a tensor: Dim, Shape, ElementType, Fact, and arrays in all element types.

All are values that do not change. `packing` knows how elements are stored, `violation` how a constraint is
broken.
"""
