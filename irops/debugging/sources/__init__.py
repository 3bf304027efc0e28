"""Sources of values: what gives the values of a model's layers, so that they can be compared."""
