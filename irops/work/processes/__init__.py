"""Work in other processes, which may crash, hang or use too much memory.

`python` starts each of them: the modules and the environment that it gets, and that it ends with its
parent. There are two protocols: `requests` asks one process, one question after the other; `pool`
distributes items among several, of which `serving` is the other side. Both bound time and `memory`, and
start a process again where one died.
"""
