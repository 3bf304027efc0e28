"""Workers: processes of this machine or of many, which work on items within bounds of time and memory.

`workers` is what callers know; `cluster_workers` has a Dask cluster work, `members` are its machines,
`connecting` finds it or starts one.
"""
