"""irops.diff: what differs between two models."""
