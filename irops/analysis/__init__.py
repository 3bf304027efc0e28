"""What follows from a model: its structure, inference, checks.

`structure.py`: the graphs of a model as nodes; `signature.py`: inputs and results; `model_analysis.py`:
both, with inference; `inference.py`, `fold.py` and `inferred.py`: a run of inference, its values, its
result; `declaring.py`: what ports declare; `needs.py`: what a release must have to read the model.
`checks/`: the checks and `irops.check`. `batching/`: whether items of a batch stay apart.
`synthetic_inputs/`: inputs that a model accepts. A model enters; Facts and findings leave, for evaluation,
changes of graphs, comparison, editors and commands.
"""
