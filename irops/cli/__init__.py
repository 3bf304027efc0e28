"""The command line. Each command is a module that states what is known of it (command.py); main.py finds it,
reads its arguments (parser.py, options.py) and turns errors into messages and exit codes. Other modules are
topics of several commands: settings, inputs, tables, progress, completion in shells, and the index of what
definitions say, which is kept in the cache. A module is imported when a command needs it, so that commands
start fast.
"""
