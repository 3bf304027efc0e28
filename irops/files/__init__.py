"""What every part needs of the machine and of the user: the cache on disk and its locks, trusted folders,
URLs as texts, the extras that bring libraries, limits on memory and time, settings of the process, and the
switch of what makes irops fast. It imports no other part.
"""
