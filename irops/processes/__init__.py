"""Work in other processes, which may crash, hang or use too much memory.

Items enter; results leave, or what their process died of. `child` starts, watches and ends a process,
`serving` is its side, `pool` distributes items; `worker` asks one function, call by call.
"""
