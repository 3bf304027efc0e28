"""What to say about a name that is that of no op, with suggestions."""

from __future__ import annotations

from collections.abc import Sequence

from irops.cli.catalogue import Catalogue, IndexedDialect
from irops.cli.op_search import called
from irops.spec.op_names import parted


def unknown_op(name: str, ops: Catalogue, similar_rules: Sequence[str] | None = None) -> str:
    """The sentence. similar_rules: where a rule may be meant too, those with a similar name."""
    prefix = name.lower().partition(":")[0]
    dialect = next((one for one in ops.dialects[1:] if one.name == prefix), None)
    if dialect is not None:
        return _unknown_in(dialect, name, ops)
    versions_of_type = [
        one for one in ops.listed if name.lower() in (one.lower(), one.rpartition("-")[0].lower())
    ]
    if versions_of_type:
        return f"irops does not define {versions_of_type[-1]} yet"
    what = f"unknown {'op' if similar_rules is None else 'rule or op'} {name!r}"
    added = next((one.layers[name.lower()] for one in ops.dialects if name.lower() in one.layers), None)
    if added is not None:
        return f"{what}; did you mean {added}?"
    named_so = called(ops.keywords, name)
    matches = [*named_so[-2:][::-1], *(similar_rules or ()), *ops.similar(name)]
    hint = f"did you mean {' or '.join(matches[:3])}?" if matches else "irops ops lists all ops"
    return f"{what}; {hint}"


def _unknown_in(dialect: IndexedDialect, name: str, ops: Catalogue) -> str:
    """The sentence for a name with the prefix of a dialect."""
    wanted = parted(name)[1].lower()
    listed = next((op for op in dialect.types if op.lower() == wanted), None)
    if listed is not None and not any(parted(op)[1] == listed for op in dialect.ids):
        return f"irops does not define {dialect.title}'s {listed} yet"
    matches = ops.similar(name)
    hint = (
        f"did you mean {' or '.join(matches)}?"
        if matches
        else f"irops ops --dialect {dialect.name} lists all ops"
    )
    return f"unknown op {name!r}; {hint}"
