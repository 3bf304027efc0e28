"""Surveys: many models, each with many tasks, in one table.

Paths enter (`listing`), rows and a page leave (`survey`). `tasks` carries out the cells,
which are models with tasks, in bounded processes; a cell whose row is still true (`identity`) is not done
again.
"""
