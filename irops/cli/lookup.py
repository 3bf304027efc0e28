"""Look up the definition of an op by name, with suggestions for misspelled names."""

from __future__ import annotations

from collections.abc import Iterable

from irops.cli.main import Refusal
from irops.diagnostics.rules import all_rules
from irops.registry import Registry
from irops.spec.definition import Definition
from irops.spec.dialects import DIALECTS, parted
from irops.spec.onnx_opsets import ONNX, onnx_opsets
from irops.spec.opsets import opsets


def definition_of(name: str, registry: Registry, *, or_rule: bool = False) -> Definition:
    """The definition of an op; or_rule: also suggest rules.

    Raises:  Refusal if there is none, with suggestions
    """
    try:
        return registry.definition(name)
    except KeyError:
        raise Refusal(_not_found(name, registry, or_rule)) from None


def _not_found(name: str, registry: Registry, or_rule: bool) -> str:
    dialect = name.lower().partition(":")[0]
    if dialect in DIALECTS:
        return _foreign_not_found(name, dialect, registry)
    versions = [
        version.id for version in opsets().all() if name.lower() in (version.id.lower(), version.type.lower())
    ]
    if versions:
        return f"irops does not define {versions[-1]} yet"
    rules = [word for rule in all_rules() for word in (rule.code, rule.name)] if or_rule else []
    matches = _close_matches(name, rules) + _close_matches(name, registry.ids())
    hint = f"did you mean {' or '.join(matches[:3])}?" if matches else "irops ops lists all ops"
    return f"unknown {'rule or op' if or_rule else 'op'} {name!r}; {hint}"


def _foreign_not_found(name: str, dialect: str, registry: Registry) -> str:
    onnx_type = parted(name)[1].lower()
    onnx_op = (
        next((op for op in onnx_opsets().since if op.lower() == onnx_type), None) if dialect == ONNX else None
    )
    if onnx_op is not None and not any(parted(op)[1] == onnx_op for op in registry.ids(ONNX)):
        return f"irops does not define ONNX's {onnx_op} yet"
    matches = [
        f"{dialect}:{op}"
        for op in _close_matches(
            name.partition(":")[2], [op.partition(":")[2] for op in registry.versions(dialect)]
        )
    ]
    hint = (
        f"did you mean {' or '.join(matches)}?" if matches else f"irops ops --dialect {dialect} lists all ops"
    )
    return f"unknown op {name!r}; {hint}"


def _close_matches(name: str, candidates: Iterable[str]) -> list[str]:
    from difflib import get_close_matches

    originals = {word.lower(): word for word in candidates}
    return [originals[word] for word in get_close_matches(name.lower(), originals, 2)]
