"""Where a size, a shape, an element type or a value comes from: irops.why."""
