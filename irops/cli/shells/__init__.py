"""Completion of command lines by shells: a script for each shell, made from the parsers of the commands."""
