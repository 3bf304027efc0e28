"""Look up the definition of an op by name, with suggestions for misspelled names."""

from __future__ import annotations

from irops.cli.main import Refusal
from irops.cli.op_search import called
from irops.diagnostics.rules import all_rules
from irops.diagnostics.selection import closest_rules
from irops.dialects import Dialect, others
from irops.dialects.dialect import parted
from irops.registry import Registry
from irops.spec.definition import Definition
from irops.spec.opsets import opsets
from irops.spec.types import OPENVINO


def definition_of(name: str, registry: Registry, *, or_rule: bool = False) -> Definition:
    """The definition of an op; or_rule: also suggest rules.

    Raises:  Refusal if there is none, with suggestions
    """
    try:
        return registry.definition(name)
    except KeyError:
        raise Refusal(_not_found(name, registry, or_rule)) from None


def _not_found(name: str, registry: Registry, or_rule: bool) -> str:
    prefix = name.lower().partition(":")[0]
    dialect = next((one for one in others() if one.name == prefix), None)
    if dialect is not None:
        return _foreign_not_found(dialect, name, registry)
    versions_of_type = [
        version.id for version in opsets().all() if name.lower() in (version.id.lower(), version.type.lower())
    ]
    if versions_of_type:
        return f"irops does not define {versions_of_type[-1]} yet"
    added = _added_by_libraries(name, registry)
    if added:
        return f"unknown {'rule or op' if or_rule else 'op'} {name!r}; did you mean {added[0]}?"
    named_so = called((registry.op(op).definition for op in registry.ids()), name)
    near = closest_rules(name, all_rules()) if or_rule else []
    matches = named_so[-2:][::-1] + near + registry.similar(name)
    hint = f"did you mean {' or '.join(matches[:3])}?" if matches else "irops ops lists all ops"
    return f"unknown {'rule or op' if or_rule else 'op'} {name!r}; {hint}"


def _added_by_libraries(name: str, registry: Registry) -> list[str]:
    """Ops of this type that dialects add to OpenVINO's; name: a type, also with the version of its layers."""
    return [
        op
        for dialect in others()
        for op in registry.ids(dialect.name)
        if dialect.base == OPENVINO
        and name.lower()
        in (parted(op)[1].lower(), f"{parted(op)[1]}-{dialect.layer_version(parted(op)[1], 0)}".lower())
    ]


def _foreign_not_found(dialect: Dialect, name: str, registry: Registry) -> str:
    """The message for a name with the prefix of a dialect."""
    type_ = parted(name)[1].lower()
    type_of_dialect = next((op for op in dialect.types() if op.lower() == type_), None)
    if type_of_dialect is not None and not any(
        parted(op)[1] == type_of_dialect for op in registry.ids(dialect.name)
    ):
        return f"irops does not define {dialect.title}'s {type_of_dialect} yet"
    matches = registry.similar(name)
    hint = (
        f"did you mean {' or '.join(matches)}?"
        if matches
        else f"irops ops --dialect {dialect.name} lists all ops"
    )
    return f"unknown op {name!r}; {hint}"
