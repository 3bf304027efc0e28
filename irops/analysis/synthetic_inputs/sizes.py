"""Sizes for the axes of inputs that are not known: distinct, small, above 1, and free of errors of inference.

Sizes that are not known get symbols. Inference collects which of them must be equal, or equal to an
expression of others (irops.values.dim.collect_relations); these equations are solved. The sizes that remain
free get distinct numbers, one at a time, each the first with which inference finds no error and no size
inside the model becomes 0 or 1. The number of tries depends on the size of the model alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd, inf, prod

from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Port
from irops.diagnostics.diagnostic import Diagnostic, errors_of
from irops.values.dim import GENERATED_PREFIX, Atom, Bound, Dim, Monomial, Relation, Symbol, collect_relations
from irops.values.fact import Fact
from irops.values.shape import Shape

BATCH = 2
"""The first choice for the first axis of an input. Inputs mostly have one batch in common; an index of its
items that one input gives for another is then in range.
"""
SMALL = (5, 3, 7, 4, 6, 9, 8, 10, 11, 12, 13)
"""The sizes that axes get first, each for one axis."""
LARGER = (16, 32, 64, 96, 128, 160, 192, 224, 256, 384, 512, 768, 1024, 2048, 4096, 16384)
"""The sizes that are tried next, for strides and windows."""
EQUAL = (5, 2, 4, 8, 16, 32, 64, 96, 128, 224, 256, 384, 512, 1024, 4096)
"""The sizes that all free axes get together where no distinct ones are free of errors."""
RANKS = (3, 2, 4, 1, 5, 6, 0)
"""The numbers of axes that are tried for inputs of any number of axes."""
ROUNDS = 12
"""How often equations are collected again with the solutions of the last ones."""
MAX_LAYERS_INFERRED = 60_000
MIN_TRIES, MAX_TRIES = 30, 300
MAX_ELEMENTS = 1 << 24
"""Larger tensors than this one are made only where inference finds errors for smaller ones."""

Score = tuple[bool, int, int, int, int, bool]
PERFECT: Score = (False, 0, 0, 0, 0, False)
"""Whether there are errors; minus the number of layers before the first one; the number of errors and
warnings; sizes of 0; sizes of 1; whether a tensor is large.
"""


@dataclass(frozen=True, slots=True)
class ChosenSizes:
    """Shapes by position of the input, and the errors that inference finds for them but not in general.

    are_assumed: the positions of the inputs of which a size was not known
    """

    shapes: Mapping[int, tuple[int, ...]]
    are_assumed: frozenset[int]
    errors: tuple[Diagnostic, ...] = ()


def chosen_sizes(analysis: ModelAnalysis, fixed: Mapping[int, Fact]) -> ChosenSizes:
    """Sizes for the inputs. fixed: Facts of inputs whose shape or value is known, by position.

    Inputs of unknown rank get one that inference accepts, if there is one, and are left out otherwise.
    """
    search = _Search(analysis, fixed)
    assumed = frozenset(port.position for port in search.ports)
    if search.ports:
        search.find()
    return ChosenSizes(search.shapes(), assumed, search.errors)


@dataclass(frozen=True, slots=True)
class _Trial:
    """One inference: what it found and which sizes it related."""

    inferred: Inferred
    relations: tuple[Relation, ...]


class _Search:
    """The state of a search: the ranks, the solutions of the variables, and the tries that are left."""

    def __init__(self, analysis: ModelAnalysis, fixed: Mapping[int, Fact]) -> None:
        self.analysis, self.fixed = analysis, fixed
        self.ports: list[Port] = [
            port
            for port in analysis.signature.inputs
            if port.position not in fixed and not port.fact.shape.static
        ]
        self.ranks: dict[int, int | None] = {port.position: port.fact.shape.rank for port in self.ports}
        self.solved: dict[str, Symbol] = {}
        self.floor = 2
        """The size that free variables have at least, where their declaration allows that."""
        layers = sum(len(graph.layers) for graph in analysis.graphs)
        self.tries = min(max(MAX_LAYERS_INFERRED // max(layers, 1), MIN_TRIES), MAX_TRIES)
        self.declared_findings = list(analysis.declared.all_findings()) if self.ports else []
        self.declared_errors = len(errors_of(self.declared_findings))
        self.errors: tuple[Diagnostic, ...] = ()
        self._trials: dict[object, _Trial] = {}
        self.general: Inferred = analysis.declared
        """Inference with the equations alone: which sizes are 0 or 1 whatever the free ones are."""

    def find(self) -> None:
        """Solve for all sizes."""
        self._choose_ranks()
        self._solve_with_ones()
        equations = dict(self.solved)
        best: tuple[Score, dict[str, Symbol]] | None = None
        for assigned in self._assignments(equations):
            self.solved = assigned
            score = self._score(self._tried())
            if best is None or score < best[0]:
                best = score, dict(self.solved)
            if score == PERFECT or self.tries <= 0:
                break
        if best is not None:
            self.solved = best[1]
        final: dict[str | int, Fact] = dict(self.fixed.items())
        kinds = {port.position: port.fact.element_type for port in self.ports}
        shapes = self.shapes()
        final.update((n, Fact(kind, Shape(shapes[n]))) for n, kind in kinds.items() if n in shapes)
        errors = errors_of(self.analysis.infer(final).all_findings())
        self.errors = errors if len(errors) > self.declared_errors else ()

    def shapes(self) -> dict[int, tuple[int, ...]]:
        """The sizes of every input whose rank is known, static ones included."""
        shapes: dict[int, tuple[int, ...]] = {}
        for port in self.analysis.signature.inputs:
            fact = self.fixed.get(port.position) or self._fact(port)
            if fact.shape.dims is not None:
                bounds = port.fact.shape.dims or (Dim(0, inf),) * len(fact.shape.dims)
                sizes = zip(fact.shape.dims, bounds)
                shapes[port.position] = tuple([int(min(max(d.low, b.low), b.high)) for d, b in sizes])
        return shapes

    # how numbers are assigned to the free variables

    def _assignments(self, equations: dict[str, Symbol]) -> Iterator[dict[str, Symbol]]:
        """Complete assignments, the preferred ones first. Each starts from the solved equations."""
        yield self._distinct(equations)
        self.solved = dict(equations)
        yield self._one_by_one()
        self.solved = dict(equations)
        self._equate_what_is_compared()
        yield self._one_by_one()
        for batch in (BATCH, 1):
            for size in EQUAL:
                yield self._equal(equations, batch, size)
        yield self._equal(equations, 1, 1)

    def _distinct(self, equations: dict[str, Symbol]) -> dict[str, Symbol]:
        """Distinct small sizes for all free variables at once."""
        self.solved = dict(equations)
        for name in self._free():
            number = next(iter(self._candidates(name, ())), 1)
            self.solved = _with(self.solved, name, Symbol.constant(number))
        return self.solved

    def _equal(self, equations: dict[str, Symbol], batch: int, size: int) -> dict[str, Symbol]:
        self.solved = dict(equations)
        for name in self._free():
            wanted = batch if self._is_batch(name) else size
            low, high = self._bounds(name)
            self.solved = _with(self.solved, name, Symbol.constant(int(min(max(low, wanted), high))))
        return self.solved

    def _one_by_one(self) -> dict[str, Symbol]:
        """Numbers for one variable after the other: the rest stay symbols, so that an error of inference is
        an error of the numbers chosen so far.
        """
        trial = self._solve()
        while names := self._free():
            name = names[0]
            before = dict(self.solved)
            best: tuple[Score, int] | None = None
            for number in self._candidates(name, trial.relations):
                self.solved = _with(before, name, Symbol.constant(number))
                score = self._score(self._solve())
                if best is None or score < best[0]:
                    best = score, number
                if score == PERFECT or self.tries <= 0:
                    break
            self.solved = _with(before, name, Symbol.constant(1 if best is None else best[1]))
            trial = self._solve()
        return self.solved

    def _equate_what_is_compared(self) -> None:
        """Let sizes that a shape function compares be equal, where that is no error: deltas has four channels
        for each of scores.
        """
        trial = self._solve()
        errors = self._score(trial)[:3]
        pairs = {(str(_symbol(r.a)), str(_symbol(r.b))): r for r in trial.relations if not r.must_be_equal}
        for relation in pairs.values():
            before = self.solved
            self._equate(relation.a, relation.b)
            if self.solved is not before and self._score(self._solve())[:3] > errors:
                self.solved = before
            if self.tries <= 0:
                return

    def _candidates(self, name: str, relations: Sequence[Relation]) -> list[int]:
        """Numbers for a variable: unused small ones, those it is compared with, larger ones, used ones."""
        low, high = self._bounds(name)
        used = self._used()
        is_batch = self._is_batch(name)
        first = (BATCH, *SMALL) if is_batch else (*SMALL, BATCH)
        compared = [n for relation in relations for n in _compared_numbers(name, relation)]
        whole = int(low) if low > 0 else 0
        near = range(whole, whole + 4) if low > 1 else ()
        numbers = [n for n in (*first, *near) if n not in used or (is_batch and n == BATCH)]
        ordered = (
            *numbers[:1],
            *compared,
            *numbers[1:],
            *(n for n in LARGER if n not in used),
            *first,
            *LARGER,
        )
        end = (int(high),) if high < inf else ()
        within = [n for n in (*ordered, *near, *end) if max(low, 1) <= n <= high]
        return list(dict.fromkeys((*within, *(n for n in (1, 0) if low <= n <= high)))) or [whole]

    def _used(self) -> set[int]:
        numbers = {symbol.number for symbol in self.solved.values() if symbol.number is not None}
        static = {int(dim.low) for port in self.ports for dim in port.fact.shape.dims or () if dim.known}
        return numbers | static

    # how equations are found

    def _solve(self) -> _Trial:
        """Infer, and solve the equations that inference requires, until there are no new ones."""
        trial = self._tried()
        for _ in range(ROUNDS):
            before = len(self.solved)
            for relation in trial.relations:
                if relation.must_be_equal:
                    self._equate(relation.a, relation.b)
            if len(self.solved) == before or self.tries <= 0:
                break
            trial = self._tried()
        return trial

    def _equate(self, a: Dim, b: Dim) -> None:
        left, right = _symbol(a), _symbol(b)
        difference = None if left is None or right is None else left.minus(right)
        if difference is None:
            return
        difference = _substituted(difference, self.solved)
        for name, value in _solutions(difference, self._variables()):
            low, high = self._bounds(name)
            number = value.number
            if number is None or max(low, 1) <= number <= high:
                self.solved = _with(self.solved, name, value)
                return

    def _tried(self) -> _Trial:
        key = (tuple(self.ranks.values()), self.floor, frozenset(self.solved.items()))
        trial = self._trials.get(key)
        if trial is None:
            trial = self._trials[key] = self._inferred()
        return trial

    def _inferred(self) -> _Trial:
        self.tries -= 1
        facts: dict[str | int, Fact] = dict(self.fixed.items())
        facts.update((port.position, self._fact(port)) for port in self.ports)
        with collect_relations() as relations:
            inferred = self.analysis.infer(facts)
        return _Trial(inferred, tuple(relations))

    def _score(self, trial: _Trial) -> Score:
        inferred = trial.inferred
        findings = list(inferred.all_findings())
        errors = len(errors_of(findings)) - self.declared_errors + self._out_of_bounds()
        failed = 0
        if errors > 0:
            layers = enumerate(inferred.layers.values())
            failed = next((number for number, facts in layers if facts.failed), len(inferred.layers))
        zeros, ones, largest = 0, 0, 0.0
        general = self.general
        for key, fact in inferred.items():
            dims = fact.shape.dims
            before = general[key].shape.dims if key[0] in general.layers else None
            if dims is None or before is None or len(before) != len(dims):
                continue
            zeros += any(dim == 0 and old != 0 for dim, old in zip(dims, before))
            ones += sum(dim == 1 and old != 1 for dim, old in zip(dims, before))
            largest = max(largest, prod(dim.low for dim in dims))
        new_findings = max(errors, 0) + max(len(findings) - len(self.declared_findings), 0)
        return errors > 0, -failed, new_findings, zeros, ones, largest > MAX_ELEMENTS

    def _out_of_bounds(self) -> int:
        """The number of axes whose size, solved for, is none that the input declares."""
        count = 0
        for port in self.ports:
            declared = port.fact.shape.dims
            sizes = self._fact(port).shape.dims
            if declared is not None and sizes is not None:
                count += sum(size.low > dim.high or size.high < dim.low for size, dim in zip(sizes, declared))
        return count

    # ranks

    def _choose_ranks(self) -> None:
        """A rank for each input that may have any: one for all, or else one for each, the others unknown."""
        unranked = [position for position, rank in self.ranks.items() if rank is None]
        if not unranked:
            return
        self.floor, before = 1, dict(self.ranks)
        if not any(self._accepts({**before, **dict.fromkeys(unranked, rank)}) for rank in RANKS):
            self.ranks = dict(before)
            for position in unranked:
                ranks = dict(self.ranks)
                if not any(self._accepts({**ranks, position: rank}) for rank in RANKS):
                    self.ranks = ranks
        self.floor, self.solved = 2, {}

    def _accepts(self, ranks: dict[int, int | None]) -> bool:
        """Whether inference finds no error for some ranks, which are kept."""
        self.ranks, self.solved = ranks, {}
        trial = self._solve()
        self.general = trial.inferred
        return not self._score(trial)[0]

    def _solve_with_ones(self) -> None:
        """Solve the equations; if sizes above 1 are an error, with size 1 where that is less of an error."""
        trial = self._solve()
        self.general = trial.inferred
        score, equations = self._score(trial), self.solved
        names = self._free() if score[0] or score[2] else []
        for name in names:
            if name in equations or not self._bounds(name)[0] <= 1:
                continue
            self.solved = _with(equations, name, Symbol.constant(1))
            trial = self._solve()
            if self._score(trial)[:3] < score[:3]:
                score, equations, self.general = self._score(trial), self.solved, trial.inferred
            if not score[0] and not score[2]:
                break
        self.solved = equations

    # facts and variables

    def _fact(self, port: Port) -> Fact:
        declared = port.fact.shape.dims
        if port.position not in self.ranks:
            return port.fact
        rank = self.ranks[port.position]
        if rank is None:
            return port.fact
        sizes = [self._size(port.position, axis, declared) for axis in range(rank)]
        return Fact(port.fact.element_type, Shape(sizes))

    def _size(self, position: int, axis: int, declared: Sequence[Dim] | None) -> Dim:
        dim = declared[axis] if declared is not None else Dim(0, inf)
        if dim.known:
            return dim
        name = _name(position, axis, dim)
        low, high = self._aim(name)
        symbol = self.solved.get(name)
        if symbol is None:
            return Dim(low, high, Symbol.named(name, (low, high)))
        if symbol.number is not None:
            return Dim.of(symbol.number)
        bounds = symbol.bounds
        low, high = max(low, bounds[0], 0), min(high, bounds[1])
        return Dim(low, high, symbol) if low <= high else Dim(max(bounds[0], 0), max(*bounds, 0), symbol)

    def _variables(self) -> dict[str, tuple[Bound, Bound]]:
        """The names of unknown sizes with their declared bounds; of a name that occurs twice, both."""
        bounds: dict[str, tuple[Bound, Bound]] = {}
        for port in self.ports:
            declared, rank = port.fact.shape.dims, self.ranks[port.position]
            for axis in range(rank or 0):
                dim = declared[axis] if declared is not None else Dim(0, inf)
                if not dim.known:
                    name = _name(port.position, axis, dim)
                    low, high = bounds.get(name, (0, inf))
                    bounds[name] = max(low, dim.low), min(high, dim.high)
        return bounds

    def _bounds(self, name: str) -> tuple[Bound, Bound]:
        """The bounds of a variable, and of those that are equal to it."""
        variables = self._variables()
        low, high = variables[name]
        for other, symbol in self.solved.items():
            if _is_variable(symbol, name):
                low, high = max(low, variables[other][0]), min(high, variables[other][1])
        return (low, high) if low <= high else variables[name]

    def _aim(self, name: str) -> tuple[Bound, Bound]:
        """The bounds of a variable that is not solved: above 1, where its declaration allows that."""
        low, high = self._bounds(name)
        return max(low, min(self.floor, high)), high

    def _free(self) -> list[str]:
        """The variables without a solution."""
        return [name for name in self._variables() if name not in self.solved]

    def _is_batch(self, name: str) -> bool:
        """Whether a variable, with all that are equal to it, is the first axis of inputs alone."""
        equal = {name, *(other for other, symbol in self.solved.items() if _is_variable(symbol, name))}
        axes = set()
        for port in self.ports:
            declared = port.fact.shape.dims
            for axis in range(self.ranks[port.position] or 0):
                dim = declared[axis] if declared is not None else Dim(0, inf)
                if _name(port.position, axis, dim) in equal:
                    axes.add(axis)
        return axes == {0}


def _name(position: int, axis: int, dim: Dim) -> str:
    """The variable of an axis: the name that its declaration gives it, or one of its own."""
    match None if dim.symbol is None else dim.symbol.terms:
        case (((Atom(name=declared),), 1),):
            return declared
    return f"{GENERATED_PREFIX}input{position}.{axis}"


def _is_variable(symbol: Symbol, name: str) -> bool:
    match symbol.terms:
        case (((Atom(name=of),), 1),):
            return of == name
    return False


def _symbol(dim: Dim) -> Symbol | None:
    return Symbol.constant(int(dim.low)) if dim.known and isinstance(dim.low, int) else dim.symbol


def _with(solved: Mapping[str, Symbol], name: str, value: Symbol) -> dict[str, Symbol]:
    """The solutions with that of another variable, which is replaced in them."""
    replaced = {name: value}
    return {**{other: _substituted(symbol, replaced) for other, symbol in solved.items()}, name: value}


def _substituted(symbol: Symbol, values: Mapping[str, Symbol]) -> Symbol:
    """The polynomial with values in place of variables; as it is where it would become too large."""
    if not any(atom.name in values for monomial, _ in symbol.terms for atom in monomial):
        return symbol
    total: Symbol | None = Symbol.constant(0)
    for monomial, coefficient in symbol.terms:
        term: Symbol | None = Symbol.constant(coefficient)
        for atom in monomial:
            factor = values.get(atom.name, Symbol((((atom,), 1),)))
            term = None if term is None else term.times(factor)
        total = None if total is None or term is None else total.plus(term)
    return symbol if total is None else total


def _solutions(difference: Symbol, variables: Iterable[str]) -> Iterator[tuple[str, Symbol]]:
    """Variables with what they are where the polynomial is 0: whole multiples and sums of other variables."""
    names = set(variables)
    if any(atom.name not in names for monomial, _ in difference.terms for atom in monomial):
        return
    terms = dict(difference.terms)
    shared = gcd(*terms.values()) if terms else 1
    options: list[tuple[bool, str, Symbol]] = []
    for monomial, coefficient in terms.items():
        if len(monomial) != 1 or _occurrences(monomial[0], terms) != 1:
            continue
        rest = {m: -c for m, c in terms.items() if m != monomial}
        if any(c % coefficient for c in rest.values()):
            continue
        value = Symbol(tuple(sorted((m, c // coefficient) for m, c in rest.items())))
        is_sum = all(c > 0 for _, c in value.terms)
        options.append((not is_sum, monomial[0].name, value))
    if not options and len(terms) == 2 and shared:
        yield from _common_multiple(terms)
    for _, name, value in sorted(options, key=lambda option: (option[0], -len(option[2].terms), option[1])):
        yield name, value


def _common_multiple(terms: Mapping[Monomial, int]) -> Iterator[tuple[str, Symbol]]:
    """For a * x = b * y, where neither divides the other: the smallest x above 1 that is a multiple."""
    (left, a), (right, b) = terms.items()
    if len(left) == len(right) == 1 and a * b < 0:
        shared = gcd(a, b)
        number = abs(b) // shared
        yield left[0].name, Symbol.constant(number)


def _occurrences(atom: Atom, terms: Mapping[Monomial, int]) -> int:
    return sum(atom in monomial for monomial in terms)


def _compared_numbers(name: str, relation: Relation) -> Iterator[int]:
    """The numbers of a variable at which both sides of a relation are equal, if it is the only variable."""
    left, right = _symbol(relation.a), _symbol(relation.b)
    difference = None if left is None or right is None else left.minus(right)
    if difference is None:
        return
    terms = dict(difference.terms)
    constant = terms.pop((), 0)
    if len(terms) == 1:
        ((monomial, coefficient),) = terms.items()
        if len(monomial) == 1 and monomial[0].name == name:
            number = -constant / coefficient
            yield from (n for n in (int(-(-number // 1)), int(number // 1) + 1) if n > 1)
