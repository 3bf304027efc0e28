"""What can be known of a tensor, independent of models and ops.

`dim.py`: sizes of axes, which may be intervals with a symbol. `shape.py`, `element.py`: shapes and element
types. `fact.py`: what is known of a tensor, with a lazy value. `violation.py`: the exception that a violated
constraint raises. `packing.py`, `literals.py`, `tensors.py`: values as bytes, as Python expressions, and
arrays that callers give. `count.py`: products of sizes. Nothing enters but numbers and texts; every other
room works with these values.
"""
