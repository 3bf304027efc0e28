"""The language server: diagnostics, hovers, navigation and completion for editors. start.py serves one
editor; language_server.py keeps its documents and has them checked in a process (worker.py); features.py
answers its requests, from the outline of a text (outline.py), and, for definitions of ops, from their grammar
(definitions).

pygls and lsprotocol are imported in this part only; the extra irops[server] installs them.
"""
