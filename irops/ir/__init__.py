"""IR files as Python values: reading, editing, writing. Independent of any op."""
