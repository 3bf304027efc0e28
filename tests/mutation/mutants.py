"""The mutants of a source file: all single changes that the operators of cosmic-ray make to it."""

import ast
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import parso
from cosmic_ray.ast import ast_nodes
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

WITH_ARGUMENTS = ("VariableReplacer", "VariableInserter")
"""Operators that put random numbers in the place of names given to them; they are not used."""
SAME_RESULT = ("_Eq_Is", "_NotEq_IsNot", "_Is_Eq", "_IsNot_NotEq")
"""Ends of the names of operators that put "is" for "==" or the reverse. Python keeps small numbers and short
texts once, and "is" is used for None and for objects without an own "==": nearly all of these change nothing.
"""
NEVER_CHANGED = ("name", "string", "newline", "endmarker")
SIGNS = ("(", ")", "[", "]", "{", "}", ",", ":", ".", "=")
"""Leaves of the syntax tree that no operator changes: more than half of all, left out since each of two
hundred operators looks at every one.
"""

Span = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change. file: relative to the root of the repository; occurrence: which place of the operator's in
    the file; place: where the change is, so that changes of one place can be sampled together.
    """

    file: str
    operator: str
    occurrence: int
    place: Span

    @property
    def family(self) -> str:
        """The operator without what it replaces by what: ReplaceBinaryOperator of _Add_Sub."""
        return self.operator.partition("/")[2].partition("_")[0]


def mutants_of(root: Path, files: Iterable[str]) -> list[Mutant]:
    """All mutants of some files, in the order of files, places and operators. Annotations are left out: no
    module evaluates its own.
    """
    return [mutant for file in files for mutant in _mutants_of_file(root, file)]


def _mutants_of_file(root: Path, file: str) -> Iterator[Mutant]:
    text = (root / file).read_text("utf-8")
    skipped = list(_annotations(ast.parse(text)))
    tree = parso.parse(text)
    nodes = [n for n in ast_nodes(tree) if n.type not in NEVER_CHANGED and n.get_code(False) not in SIGNS]
    found = []
    for name in operator_names():
        if name.endswith((*WITH_ARGUMENTS, *SAME_RESULT)):
            continue
        operator = get_operator(name)()
        places = (place for node in nodes for place in operator.mutation_positions(node))
        for occurrence, (start, end) in enumerate(places):
            mutant = Mutant(file, name, occurrence, (start, end))
            if not any(first <= start < last for first, last in skipped) and _can_be_made(tree, mutant):
                found.append(mutant)
    yield from sorted(found, key=lambda m: (m.place, m.operator, m.occurrence))


def _can_be_made(tree: Any, mutant: Mutant) -> bool:
    """Whether the operator does what it announces: that of exceptions leaves names with dots as they are."""
    start, end = mutant.place
    return mutant.family != "ExceptionReplacer" or tree.get_leaf_for_position(start).end_pos == end


def _annotations(tree: ast.AST) -> Iterator[Span]:
    for node in ast.walk(tree):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        for part in parts:
            if isinstance(part, ast.expr) and part.end_lineno is not None:
                assert part.end_col_offset is not None
                yield (part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)


def sample(mutants: Iterable[Mutant], count: int, seed: int) -> list[Mutant]:
    """Some mutants by chance: places are drawn first, then one mutant of each, since the operators make a
    dozen of each plus sign and one of each "if". In the order of the files.
    """
    places: dict[Any, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        places[mutant.file, mutant.place, mutant.family].append(mutant)
    chance = random.Random(seed)
    chosen = chance.sample(sorted(places), min(count, len(places)))
    return [chance.choice(places[place]) for place in sorted(chosen)]


def mutated(root: Path, mutant: Mutant) -> str:
    """The text of the mutant's file, changed.

    Raises:  ValueError where the file has no such place
    """
    text = (root / mutant.file).read_text("utf-8")
    changed = mutate_code(text, get_operator(mutant.operator)(), mutant.occurrence)
    if changed is None:
        raise ValueError(f"{mutant.file} has no place {mutant.occurrence} of {mutant.operator}")
    return str(changed)
