"""The HTML site: the configuration of Sphinx, and the program that builds it."""
