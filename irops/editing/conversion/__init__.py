"""irops.convert: a model in the op versions of another release."""
