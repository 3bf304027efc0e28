"""The elements of an IR text with their offsets, also of a text that is not well-formed."""
