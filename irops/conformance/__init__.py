"""Test backends against the definitions: examples, counterexamples and generated cases, with shrinking.

`kit` runs the tests of an op: `cases` are those of its definition, `strategies` generates others, `trial`
is one of either with the expected result, `judge` asks the backend and judges its answer. A backend enters;
a Report of `verdict` leaves. `odd_inputs` compares runtimes on unusual inputs.
"""
