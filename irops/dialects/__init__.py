"""Models of other worlds, to and from irops."""
