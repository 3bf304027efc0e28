"""Whether the items of a batch meet: which axis of each tensor carries the batch, which layer mixes items."""
