"""Sources of values: what gives the values of a model's layers, so that they can be compared.

`source` says what one is, `parse` makes it of a text or an object. `processes` bounds those that run
elsewhere.
"""
