"""The command line, a module per command."""
