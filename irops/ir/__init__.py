"""IR files as values. Knows no op."""
