"""Test backends against the definitions: examples, counterexamples and generated cases, with shrinking.

A backend and ops enter, a report with a program for each failure leaves (`kit`, `verdict`, `snippet`). A
case is a `trial`, from the definitions (`cases`) or from Hypothesis (`strategies`).
"""
