"""Pages made of definitions, and the site that Sphinx builds of them.

`views.py`: what a page shows of an op, as values for templates; `formulas.py`: formulas as MathML;
`op_pages.py`: the pages of ops, with comparisons; `site.py`: the site and single pages; `sphinx/`: the HTML.
`netron.py`, `graph_stub.py` and `coverage.py`: the same definitions for Netron, for type checkers, and as a
table. The registry enters; Markdown, HTML and JSON leave.
"""
