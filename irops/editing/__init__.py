"""Building and changing models."""
