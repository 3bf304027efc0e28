"""IR files as Python values: reading, editing, writing. Independent of any op.

A path enters, a Model leaves (`read`), with findings about the text: `scanning` reads canonical files,
`parse` and `build` all others. `weights` finds constants in files, local or `remote`. `write` lets a
model out again.
"""
