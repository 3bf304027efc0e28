"""irops.reduce: the smallest model that still shows a fault.

`reduction` reads what is asked, `judges` make the `oracle` that reports whether a `case` fails, `search`
takes the steps, with `cutting` and `simplifying`, as `attempts` allow; `case_files` and `reproduction`
write what is left.
"""
