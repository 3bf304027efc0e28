"""Models in Model Explorer. It loads main.py for `model-explorer MODEL --extensions irops.viewing`."""
