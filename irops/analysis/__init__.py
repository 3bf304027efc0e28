"""Types, shapes and values, as far as they follow from the model alone.

A model and a registry enter; a ModelAnalysis leaves, which everything behind it takes. `structure` wires
the graphs and binds ops, `inference` gives a Fact for every output (`inferred`), with values where they are
known (`fold`); `checks` compares the file with them and gives findings. `signature` knows inputs and
results, `synthetic` values for them, `needs` what not every release reads.
"""
