"""The report of a survey for people."""
