"""Comparing the values of two sources, layer by layer.

`comparison` is irops.compare with its modes `isolated`, `propagated` and `cuts`; `two_models` compares
different models; `agreement` judges values of whole runs, `cause` names what is not the same, `report` and
`html` print.
"""
