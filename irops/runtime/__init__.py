"""Running models: every layer in order, by the first backend that can; and gradients.

Arrays enter a `session`, results leave. `plan` is made once for each set of shapes, `evaluator` keeps what
runs share, `run` executes. `call` runs one op, `gradients` goes back, `profile` measures.
"""
