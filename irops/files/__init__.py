"""Files: their names, limits on what is read, bytes that are read as they are needed, files written whole.

A path or URL enters; bytes leave, or a file that is there completely or not at all. Begin with `storage`
and `output`.
"""
