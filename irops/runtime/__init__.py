"""Running models: every layer in order, by the first backend that can."""
