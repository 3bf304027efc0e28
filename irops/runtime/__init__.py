"""Running models: every layer in order, by the first backend that can.

`session` is what callers hold; `evaluator` is what its runs share; `plan` has the steps for inputs of some
shapes, and `program` what a run of them need not decide again; `run` executes it, at once or layer by
layer. `call` runs one op; `gradients` and `torch_gradients` compute derivatives. Arrays enter and leave.
"""
