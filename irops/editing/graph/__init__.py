"""irops.Graph: models that are built and changed node by node."""
