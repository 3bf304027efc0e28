"""Checks of models: those that need no inference (`structural.py`), those that do (`declared.py`), what runs
them and gathers their findings (`run.py`), and fixes (`fixing.py`).
"""
