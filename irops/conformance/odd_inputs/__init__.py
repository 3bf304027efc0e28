"""An op as several dialects have it, side by side: what the definitions say, and what runtimes do with odd
inputs.
"""
