"""The checks: each finds one kind of error in a model; together they report all errors in one pass."""
