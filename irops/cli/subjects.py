"""The op that a person means, or what they may have meant."""

from __future__ import annotations

from collections.abc import Iterable

from irops.cli.main import Refusal
from irops.diagnostics.rules import all_rules
from irops.dialects import Dialect, others
from irops.dialects.dialect import parted
from irops.registry import Registry
from irops.spec.definition import Definition
from irops.spec.opsets import opsets


def definition_of(name: str, registry: Registry, *, or_rule: bool = False) -> Definition:
    """The definition of an op; or_rule: the name may have been meant for a rule.

    Raises:  Refusal where there is none, with names that are near
    """
    try:
        return registry.definition(name)
    except KeyError:
        raise Refusal(_why_not(name, registry, or_rule)) from None


def _why_not(name: str, registry: Registry, or_rule: bool) -> str:
    prefix = name.lower().partition(":")[0]
    dialect = next((one for one in others() if one.name == prefix), None)
    if dialect is not None:
        return _why_not_in(dialect, name, registry)
    meant = [
        version.id for version in opsets().all() if name.lower() in (version.id.lower(), version.type.lower())
    ]
    if meant:
        return f"irops has no definition of {meant[-1]} yet"
    rules = [word for rule in all_rules() for word in (rule.code, rule.name)] if or_rule else []
    near = _near(name, rules) + _near(name, registry.ids())
    hint = f"did you mean {' or '.join(near[:3])}?" if near else "irops ops lists all"
    return f"{'nothing' if or_rule else 'no op'} is called {name!r}; {hint}"


def _why_not_in(dialect: Dialect, name: str, registry: Registry) -> str:
    """The same for a name that names a dialect."""
    wanted = parted(name)[1].lower()
    known = next((op for op in dialect.types() if op.lower() == wanted), None)
    if known is not None and not any(parted(op)[1] == known for op in registry.ids(dialect.name)):
        return f"irops has no definition of {dialect.title}'s {known} yet"
    versions = [op.partition(":")[2] for op in registry.versions(dialect.name)]
    near = [f"{dialect.name}:{op}" for op in _near(name.partition(":")[2], versions)]
    hint = f"did you mean {' or '.join(near)}?" if near else f"irops ops --dialect {dialect.name} lists all"
    return f"no op is called {name!r}; {hint}"


def _near(name: str, known: Iterable[str]) -> list[str]:
    from difflib import get_close_matches

    spelled = {word.lower(): word for word in known}
    return [spelled[word] for word in get_close_matches(name.lower(), spelled, 2)]
