"""Pages from definitions: what `irops docs` writes.

Definitions enter; `views` makes plain values of them, templates make Markdown, and Sphinx makes HTML
(`site`).
"""
