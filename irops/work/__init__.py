"""Work elsewhere, bounded in time and memory: `processes` of this machine, which may crash, hang or grow, and
`cluster`, the workers of a Dask cluster. A function and items go in; each item comes back with one outcome.
"""
