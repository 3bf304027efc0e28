"""Types, shapes and values, as far as they follow from the model alone."""
