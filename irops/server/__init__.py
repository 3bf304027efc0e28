"""The language server: diagnostics, hovers, navigation and completion for editors.

pygls and lsprotocol are imported in this part only; the extra irops[server] installs them.
"""
