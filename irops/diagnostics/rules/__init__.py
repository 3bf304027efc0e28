"""All rules: a file for each, IR202-dangling-edge.md, and beside it a model that breaks the rule, IR202.xml.

The first line of a text has the code and the name, the next one the severity and the summary; the explanation
follows. A code is never reused for another rule.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from irops.diagnostics.diagnostic import Rule, Severity
from irops.diagnostics.suggestions import closest

FOLDER = Path(__file__).parent


@cache
def _files() -> dict[str, Path]:
    """The files of the rules of irops, by code and by name."""
    files = sorted(FOLDER.glob("*.md"))
    words = [path.stem.partition("-") for path in files]
    table = {code: path for (code, _, _), path in zip(words, files)}
    table |= {name: path for (_, _, name), path in zip(words, files)}
    assert len(table) == 2 * len(files), "two rules share a code or a name"
    return table


@cache
def _read(path: Path) -> Rule:
    title, line, explanation = path.read_text("utf-8").split("\n\n", 2)
    code, name = title.removeprefix("# ").split(" ")
    severity, _, summary = line.partition(": ")
    return Rule(code, name, Severity(severity), summary, explanation)


_CUSTOM: dict[str, Rule] = {}
"""The custom rules of this process, by name and by code."""
_CODE, _NAME = re.compile(r"(?!IR|OD)[A-Z]{2,10}[0-9]{3}"), re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def rule(name_or_code: str) -> Rule:
    """The rule with a name ("dangling-edge") or a code ("IR202"); KeyError if there is none."""
    path = _files().get(name_or_code)
    return _CUSTOM[name_or_code] if path is None else _read(path)


def all_rules() -> tuple[Rule, ...]:
    """Every rule, by code: those of irops, then custom rules."""
    return (*own_rules(), *custom_rules())


def own_rules() -> tuple[Rule, ...]:
    """The rules of irops, by code."""
    return tuple(_read(path) for path in dict.fromkeys(_files().values()))


def custom_rules() -> tuple[Rule, ...]:
    """The custom rules of this process, by code."""
    return tuple(sorted(set(_CUSTOM.values()), key=lambda r: r.code))


def add_rules(rules: Iterable[Rule]) -> None:
    """Add custom rules for the rest of the process; adding an equal rule again changes nothing.

    Raises:  ValueError if a code or a name is malformed, or is that of another rule
    """
    for added in rules:
        if not isinstance(added, Rule):
            raise ValueError(f"{added!r} is not an irops.Rule")
        if not _CODE.fullmatch(added.code):
            message = f"the code {added.code!r} must be 2 to 10 capital letters, not IR or OD, and 3 digits"
            raise ValueError(message)
        if not _NAME.fullmatch(added.name):
            message = f"the name {added.name!r} of {added.code} must be lower-case words joined by hyphens"
            raise ValueError(message)
        for word in (added.code, added.name):
            if (word in _files() or word in _CUSTOM) and rule(word) != added:
                raise ValueError(f"{added.code} {added.name}: there is a rule {word} already")
        _CUSTOM.update({added.code: added, added.name: added})


_DIGITS = str.maketrans("OIL", "011")
"""The digits for which letters of the same look are typed."""


def rules_of(selectors: Iterable[str], custom: Iterable[Rule] = ()) -> frozenset[str]:
    """The codes of the rules selected by codes (IR202), prefixes (IR2), names (dangling-edge) or ALL.

    custom: rules beside all_rules()
    Raises:  ValueError for a selector that matches no rule, with the closest match
    """
    codes: set[str] = set()
    words = tuple(selectors)
    rules = (*all_rules(), *custom) if words else ()
    for selector in words:
        matches = {
            rule.code
            for rule in rules
            if selector in ("ALL", rule.name) or rule.code.startswith(selector.upper())
        }
        if not matches or not selector:
            meant = closest_rules(selector, rules)
            hint = f"; did you mean {meant[0]}?" if meant else ""
            raise ValueError(f"there is no rule {selector!r}{hint}")
        codes |= matches
    return frozenset(codes)


def closest_rules(word: str, rules: Iterable[Rule]) -> list[str]:
    """The codes, names and bands that a mistyped word may stand for, the closest first: IR4 for IR4x."""
    rules = tuple(rules)
    code = word.upper()[:2] + word.upper()[2:].translate(_DIGITS)
    if any(code == rule.code for rule in rules):
        return [code]
    beginning = _beginning_of_codes(word, [rule.code for rule in rules])
    if beginning is not None:
        return [beginning]
    bands = dict.fromkeys(rule.band for rule in rules)
    return closest(word, (*bands, *(text for rule in rules for text in (rule.code, rule.name))))


def _beginning_of_codes(word: str, codes: Iterable[str]) -> str | None:
    """The longest beginning of a word, IR4 of IR4x, with which codes begin."""
    start = word.upper()
    for length in range(len(start) - 1, len("IR"), -1):
        if any(code.startswith(start[:length]) for code in codes):
            return start[:length]
    return None
