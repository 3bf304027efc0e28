"""Whether two results of a layer agree, and why they differ: verdicts, error bounds, ties, metrics."""
