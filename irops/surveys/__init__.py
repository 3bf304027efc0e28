"""Surveys: many models, each with many tasks, in one table. listing.py names the models, tasks.py the tasks;
surveying.py makes a cell of each pair, does those without a row in bounded processes (work.py and what it
imports: examining.py, computing.py), and keeps the rows (store.py) in the folder of the report (folder.py).
What leaves is a SurveyTable (table.py) and the pages of report.
"""
