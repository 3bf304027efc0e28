"""IR files as Python values, independent of any op. In: a path or URL (opening.py; remote/ for URLs). A file
is read (read.py) by the scanner, if it has the form that OpenVINO writes, or parsed (parse.py) and built
(build.py) into a Model of layers, ports, edges and bodies (model.py) with its weights (storage.py,
weights.py), and positions in the text for findings (locate.py). wiring.py and order.py answer what follows
from edges alone. Out: files (serialize.py, write.py), written at once or not at all (pending.py), and edits
of the text of a file (edits.py).
"""
