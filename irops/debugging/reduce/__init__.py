"""irops.reduce: the smallest model that still shows a fault."""
