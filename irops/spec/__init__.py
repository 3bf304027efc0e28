"""Definitions of ops, and what they are bound to.

`load.py` reads a definition (schemas/) into the objects of `definition.py`; `domains.py` parses the
attributes of a layer by it; `types.py`: sets of element types; `cases.py`: examples. `binding.py` ties
functions to ids, and `op.py` is a definition with its functions; `sharing.py`: ops of other dialects that
share them; `body.py`: bodies as functions. `opsets.py`, `releases.py`: which opset and which release has
what. `extension.py`, `plugins.py`: ops and rules of others. The registry asks this room for ops; the
functions of the room `ops` import its decorators.
"""
