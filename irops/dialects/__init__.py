"""Models of other worlds: read, written, and translated into each other."""
