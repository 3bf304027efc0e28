"""Workers: processes of this machine or of many, which work on items within bounds of time and memory.

Items enter, results leave in any order, or what a process died of. `workers` is the protocol with the
processes of this machine, `cluster_workers` those of a Dask cluster.
"""
