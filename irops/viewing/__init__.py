"""Models in Model Explorer: its graphs (graphs.py), values beside them (overlays.py), and its server. It
loads main.py for `model-explorer MODEL --extensions irops.viewing`.
"""
