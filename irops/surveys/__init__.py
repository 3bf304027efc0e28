"""Surveys: many models, each with many tasks, in one table."""
