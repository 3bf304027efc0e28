"""What irops reports, and in which form.

`rule.py` and `rules/`: kinds of errors, with codes and explanations. `diagnostic.py`: a finding, its
location, its fix, and the errors that carry findings. `report.py`: the findings in a model. `reporters.py`:
the output formats. `printable.py`: texts that are escaped for a medium, as types. `suggestions.py`: names
that a person may have meant. Every room takes rules by name and makes findings of them; commands and editors
show them.
"""
