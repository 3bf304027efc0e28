"""The table of what the CPU plug-in refuses, made of its answers to probes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from textwrap import fill

from releases.asking import CRASHED

from irops.values.element import element_types

Answers = dict[str, str]
"""Of each probe, by its name with spaces: why it is refused, "" if it compiles."""
Entry = tuple[str, str, str, str, str]
"""An op, a type variable, when, beside and others of an entry of the table."""
REFUSED = ("compile", "run", CRASHED)
"""How the reasons begin that count; another one is about the file, not about the plug-in."""
CONVERT = "Convert-1"
NO_KERNEL = ("GroupedMatMul-17",)
"""The ops that the plug-in refuses in all their examples, so that the table lists all their types."""
PLAIN, WAYS = "plain", ("plain", "plain?", "mixed", "folded")
ORDER = [kind.name for kind in element_types()]
WIDTH = 105


def is_refused(why: str | None) -> bool:
    return why is not None and why.startswith(REFUSED)


def entries(answers: Answers) -> dict[Entry, set[str]]:
    """The refused types of each entry."""
    asked: dict[tuple[str, str], dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for name, why in answers.items():
        op, variable, kind, way = name.split()
        asked[op, variable][kind][way] = why
    refused: dict[Entry, set[str]] = defaultdict(set)
    for (op, variable), kinds in asked.items():
        kept = WAYS if op in (CONVERT, *NO_KERNEL) else _compiled(kinds)
        for kind, whys in kinds.items():
            when = condition({way: whys[way] for way in kept if way in whys}) if kind != "own" else None
            if when is None:
                continue
            if op == CONVERT:
                refused[op, "T", when, "destination_type", kind].add(variable)
                refused["ConvertLike-1", "T1", when, "T2", kind].add(variable)
            else:
                refused[op, variable, when, "", ""].add(kind)
    return _joined(refused)


def _compiled(kinds: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
    """The ways in which the plug-in compiles the op with some type; the other ones say nothing of types."""
    return tuple(way for way in WAYS if any(whys.get(way) == "" for whys in kinds.values()))


def condition(whys: Mapping[str, str]) -> str | None:
    """When the plug-in refuses a type, as the table says it; None if it does not, or if that is unknown.

    whys: of each way in which the plug-in compiles the op with other types, why the probe is refused; types
    that no input of a model can have are asked as constants only
    """
    plain, dynamic, mixed, folded = (whys.get(way) for way in WAYS)
    if plain is None:
        return "constant" if is_refused(folded) else None
    if not is_refused(plain) or mixed == "":
        return None
    if folded == "":
        return None if dynamic == "" else "variable"
    return "static" if dynamic == "" else ""


def _joined(refused: Mapping[Entry, set[str]]) -> dict[Entry, set[str]]:
    """With the other types of entries that refuse the same types in one entry."""
    others: dict[tuple[str, str, str, str, frozenset[str]], list[str]] = defaultdict(list)
    for (op, of, when, beside, other), types in refused.items():
        others[op, of, when, beside, frozenset(types)].append(other)
    return {
        (op, of, when, beside, " ".join(sorted(names, key=ORDER.index)) if beside else ""): set(types)
        for (op, of, when, beside, types), names in others.items()
    }


def table(answers: Answers, release: str, instructions: Sequence[str]) -> str:
    """The text of schemas/cpu_plugin.xml. instructions: of the processor that gave the answers"""
    ops: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for (op, of, when, beside, others), types in entries(answers).items():
        ops[" ".join(sorted(types, key=ORDER.index)), of, when, beside, others].append(op)
    lines = [
        '<?xml version="1.0"?>',
        "<!-- The element types of inputs that OpenVINO's reader accepts and its CPU plug-in refuses, as",
        "     tests/support/compiling/survey.py finds. of: the type variable or the name of the input; when:",
        "     static, if the shapes of all inputs are static; variable, if the layer depends on an input of",
        "     the model; constant, if it does not; beside: the attribute or type variable that has one of",
        "     the types in others; instructions: those of the x86-64 processor that was asked. -->",
        f'<cpu_plugin release="{release}" instructions="{" ".join(instructions)}">',
    ]
    for (types, of, when, beside, others), named in sorted(ops.items()):
        more = {"when": when, "beside": beside, "others": others}
        texts = "".join(f' {name}="{text}"' for name, text in more.items() if text)
        lines.append(f'  <refused types="{types}" of="{of}"{texts}>')
        lines.append(fill(" ".join(sorted(named)), WIDTH, initial_indent="    ", subsequent_indent="    "))
        lines.append("  </refused>")
    return "\n".join((*lines, "</cpu_plugin>", ""))
