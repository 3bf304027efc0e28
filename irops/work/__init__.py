"""Work in other processes and on other machines, which may crash, hang or use too much memory.

Items enter; results leave in any order, or what their process died of. `child` starts, watches and ends a
process, `serving` is its side, `pool` distributes items; `worker` asks one function, call by call. `workers`
is the protocol of workers with the processes of this machine, `cluster` those of Dask.
"""
