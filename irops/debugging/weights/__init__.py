"""The constants of a model: statistics, storage, quantisation, and what lower precision would lose."""
