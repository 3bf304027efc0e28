"""The language server: diagnostics, hovers, navigation and completion for editors.

Texts enter as they are typed. The `outline` answers at once, a `worker` process checks. pygls and
lsprotocol are imported in this part only; the extra irops[server] installs them.
"""
