"""The command line: a module per command, `main`, which finds it, and what commands share.

Words enter; text on two streams and an exit code leave. A command imports what it needs when it is called.
"""
