"""Surveys: many models, each with many tasks, in one table.

Paths enter (`listing`), rows leave (`store`, `table`, `report`). `work` makes cells of models and `tasks`
and carries them out in bounded processes; a cell whose row is still true (`identity`) is not done again.
"""
