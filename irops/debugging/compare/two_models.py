"""Two models for the same inputs: which values are the same, and which layer makes the difference.

Values are partners if they are equal on two sets of inputs, whatever the names and ops of their layers. So
all layers before a fault have partners, and the fault lies where equal values end: at a layer whose inputs
have partners and whose output has none, although a result that differs depends on it. Values that have no
partner because the two models compute the same in other steps do not count: those after them are equal again.
Beyond a fault nothing is equal, and layers are matched as irops diff does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf

import numpy as np

from irops.analysis.model_analysis import ModelAnalysis
from irops.backends.backend import Backend, Reference
from irops.debugging.compare.agreement import (
    NONE_IDENTICAL,
    QUIET_KINDS,
    Alike,
    Identical,
    agreement,
    alike,
    judged_results,
    noisy_walk,
)
from irops.debugging.compare.cause import EXACT, Pair, cause_of, compression, of_added, of_missing
from irops.debugging.compare.compared import ComparedLayer, compared_layer
from irops.debugging.compare.given_tolerances import NONE_GIVEN, GivenTolerances, output_names
from irops.debugging.compare.propagated import Propagated, propagated
from irops.debugging.compare.randomness import random_layers, results_of_random
from irops.debugging.compare.results import judged_values
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.other_model import OtherModel
from irops.debugging.sources.recorded import Recorded, Sketch, Value, sketch
from irops.debugging.sources.source import (
    Context,
    Failure,
    Inputs,
    LayerValue,
    Source,
    SourceFailed,
    Values,
)
from irops.diagnostics.diagnostic import DiagnosticError, EvaluationError
from irops.diagnostics.printable import abridged, plural
from irops.editing.diff.matching import Matching
from irops.editing.diff.side import Side
from irops.ir.model import Layer, LayerKind
from irops.runtime.evaluator import Evaluator, Progress
from irops.runtime.precision import rounded
from irops.runtime.run import Computed, walk_model
from irops.runtime.variables import Variables
from irops.values.element import Array, element_type_of
from irops.verdicts.metrics import differs
from irops.verdicts.noise import Noise
from irops.verdicts.tolerances import EQUAL_AGAIN, NOISE_SEEDS
from irops.verdicts.verdict import Judgement, Verdict

NEAR = 0.05
"""Values whose sketches are farther apart are not compared element by element."""
NEAR_OTHERWISE = 1e-3
"""How far the sketches of partners may be apart for the second set of inputs."""
CANDIDATES = 8
"""Up to this many values of b are compared with one of a."""
ROUNDS = 8
"""Up to this many faults one after the other are named by repairing each."""
TRACED = Noise(1.0, 8.0)
"""What rounding does where it makes little jump: beyond it, a difference comes from before."""
MAX_OPS = 8
"""Up to this many ops are listed of the steps of a computation."""
IN_RANGE = 0.9
"""A FakeQuantize that limits more elements than the rest does more than to round."""


@dataclass(slots=True)
class Numbers:
    """The values of one model in two runs, the second with other inputs; sketches of both."""

    side: Side
    values: Recorded = field(default_factory=Recorded)
    sketches: dict[Value, Sketch] = field(default_factory=dict)
    others: dict[Value, Sketch] = field(default_factory=dict)
    failed: tuple[int, str] | None = None

    def record(self, key: Value, array: Array) -> None:
        """Keep a value, unless it follows from constants alone."""
        if key[0] not in self.side.weights and self.side.graph.layers[key[0]].layer.outputs:
            self.values[key] = array
            self.sketches[key] = sketch(array)

    def users(self, value: Value) -> list[int]:
        return [layer.id for layer, _ in self.side.graph.wiring.consumers.get(value, ())]

    def inputs(self, number: int) -> list[Value]:
        """What a layer uses, without what follows from constants."""
        return [s for s in self.side.sources(number) if s is not None and s[0] not in self.side.weights]

    def outputs(self, number: int) -> list[Value]:
        count = len(self.side.graph.layers[number].layer.outputs)
        return [(number, index) for index in range(count) if (number, index) in self.values]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A layer of a that b does not compute: partner is the layer of b in its place, -1 for none.

    is_last: both are the last of several layers that compute a value in other steps
    """

    layer: int
    partner: int
    judgements: tuple[Judgement, ...]
    cause: str
    is_last: bool = False


class TwoModels:
    """The values of a model and of another one, and what differs.

    partners: the value of b that each value of a is; suspects: the layers of a at which differences begin;
    identical: the values of a that b has to the last bit in the same places; identical_as_given: those of b
    as it is, without repairs
    """

    def __init__(self, context: Context, other: OtherModel, tolerances: GivenTolerances = NONE_GIVEN) -> None:
        self.context, self.other, self.tolerances = context, other, tolerances
        analysis = other.analysis(context.analysis)
        self.mapping = other.mapping
        self.a = Numbers(Side(context.analysis, context.analysis.root, context.analysis.infer()))
        self.b = Numbers(Side(analysis, analysis.root, analysis.infer()))
        self.noise = Recorded()
        self.identical: Identical = NONE_IDENTICAL
        self.repaired: dict[Value, Array] = {}
        self.compressed: dict[str, list[str]] = {}
        self.quantized: list[str] = []
        self._quantizers = self._shared_quantizers()
        self._random = {node.layer.id for node in results_of_random(context, other)}
        self.partners: dict[Value, Value] = {}
        self._judgements: dict[tuple[Value, Value], Judgement | None] = {}
        self._result_faults: dict[tuple[int, Value, Value], bool] = {}
        self._inputs = other.inputs(context)
        self._run_a()
        self.find_compressed()
        self.run_b()
        self.match()
        self._find_identical()
        is_as_given = not self.repaired and not self.quantized
        self.identical_as_given = self.identical if is_as_given else NONE_IDENTICAL

    def close(self) -> None:
        for one in (self.a.values, self.b.values, self.noise):
            one.close()

    # ---- runs

    def _run_a(self) -> None:
        analysis = self.context.analysis
        for key, array in _walk(analysis, self.context.inputs, (Reference(),)):
            self.a.record(key, array)
        self._run_noise()

    def _run_noise(self) -> None:
        """Compute a with errors in all values but those that are identical."""
        self.noise.close()
        self.noise = Recorded()
        walk = noisy_walk(self.context, self.other.arithmetic, seed=1, identical=self.identical)
        for key, array in _outputs(walk):
            if key[0] not in self.a.side.weights:
                self.noise[key] = array

    def run_b(self) -> None:
        """Compute b, with the values of a in place of some that were found to be wrong or compressed."""
        self.b.values.close()
        self.b.values, self.b.sketches, self.b.failed = Recorded(), {}, None
        self._judgements, self._result_faults = {}, {}
        try:
            for key, array in self._walk_b(self._inputs):
                self.b.record(key, array)
        except EvaluationError as error:
            place = error.diagnostics[0].location
            number = place.layer_id if place.layer_id is not None and not place.path else -1
            self.b.failed = number, error.diagnostics[0].message

    def _walk_b(self, inputs: Inputs) -> Iterator[tuple[Value, Array]]:
        backend = self.other.backend
        backends = (backend,) if isinstance(backend, Reference) else (backend, Reference())
        yield from _walk(self.b.side.analysis, inputs, backends, self.repaired, self._passed)

    def _shared_quantizers(self) -> set[int]:
        """The layers of b that quantize as one of a does."""
        ours = {number for number, layer in self.a.side.layers.items() if layer.type == "FakeQuantize"}
        if not ours:
            return set()
        to = self.other.matching(self.context.analysis).to
        return {other for one, other in to.items() if one in ours}

    def _passed(self, computed: Computed) -> bool:
        """Whether a layer quantizes activations that a leaves as they are, and does no more than to round."""
        step = computed.step
        if step.constant or step.layer.type != "FakeQuantize" or step.layer.id in self._quantizers:
            return False
        if not _rounds(computed):
            return False
        if step.layer.name not in self.quantized:
            self.quantized.append(step.layer.name)
        return True

    def _run_otherwise(self) -> None:
        """Run both with other inputs, if the models take them."""
        if self.a.others:
            return
        changed = {number: shuffled(array, number) for number, array in self.context.inputs.items()}
        with suppress(DiagnosticError, ValueError):
            context = replace(self.context, inputs=changed)
            given = self.other.inputs(context)
            first = {key: sketch(x) for key, x in _walk(self.context.analysis, changed, (Reference(),))}
            kept = self.repaired
            self.repaired = {key: x for key, x in kept.items() if key[0] in self.b.side.weights}
            try:
                second = {key: sketch(x) for key, x in self._walk_b(given)}
            finally:
                self.repaired = kept
            self.a.others, self.b.others = first, second

    # ---- matching

    def match(self) -> None:
        """Find the partners of all values."""
        if not self.a.others:
            self._run_otherwise()
        self.partners = {}
        self.candidates = candidates = self._candidates()
        known = self._known(candidates)
        self.matching = Matching(self.a.side, self.b.side, known)
        for number, layer in self.a.side.layers.items():
            partner = self.matching.to.get(number)
            for index in range(len(layer.outputs)):
                key = number, index
                if partner is not None and self.agrees(key, (partner, index)):
                    self.partners[key] = (partner, index)
                elif candidates.get(key):
                    self.partners[key] = candidates[key][0]
                elif partner is None:
                    found = self._any_equal(key)
                    if found is not None:
                        self.partners[key] = found
        self.back = {other: one for one, other in self.partners.items()}
        # a name counts less than a value: layers that have equal values elsewhere are not the same
        for number in list(self.matching.to):
            other = self.matching.to[number]
            if number in self.mapping:
                continue
            moved = any(self.partners.get(v, (other,))[0] != other for v in self.a.outputs(number))
            is_used = any(self.back.get(v, (number,))[0] != number for v in self.b.outputs(other))
            if moved or is_used:
                del self.matching.back[self.matching.to.pop(number)]

    def _find_identical(self) -> None:
        """Find the identical values, and match again: rounding before them explains nothing behind them."""
        self.identical = frozenset(one for one in self.partners if self._is_identical_in_place(one))
        if any(one not in self.identical for one in self.a.values):
            self._run_noise()
            self._judgements, self._result_faults = {}, {}
            self.match()

    def _is_identical_in_place(self, one: Value) -> bool:
        """Whether all values of b that may be in the place of one of a are the same to the last bit.

        Among the values that are equal but for rounding, those are that a partner of a user uses; where
        a layer without a partner uses the value, those that one of b uses.
        """
        users = self.a.users(one)
        matched = {self.matching.to[user] for user in users if user in self.matching.to}
        is_used_otherwise = len(matched) < len(set(users))

        def is_in_place(other: Value) -> bool:
            theirs = self.b.users(other)
            return not matched.isdisjoint(theirs) or (
                is_used_otherwise and any(user not in self.matching.back for user in theirs)
            )

        others = [other for other in self.candidates.get(one, ()) if is_in_place(other)]
        return all(self._is_identical(one, other) for other in (self.partners[one], *others))

    def _is_identical(self, one: Value, other: Value) -> bool:
        a, b = self.a.values.get(one), self.b.values.get(other)
        pair = None if a is None or b is None else alike(a, b)
        return isinstance(pair, Alike) and not pair.narrow and not differs(pair.one, pair.other).any()

    def _candidates(self) -> dict[Value, list[Value]]:
        """For values of a that say something, the values of b that equal them on both sets of inputs."""
        buckets: dict[tuple[object, ...], list[Value]] = {}
        for key, one in self.b.sketches.items():
            if key[0] not in self.b.side.weights and not one.is_trivial:
                buckets.setdefault(one.key, []).append(key)
        found: dict[Value, list[Value]] = {}
        for key, one in self.a.sketches.items():
            if key[0] in self.a.side.weights or one.is_trivial:
                continue
            near = [(one.distance(self.b.sketches[k]), k) for k in buckets.get(one.key, ())]
            near = [item for item in near if item[0] <= NEAR]
            near.sort(key=lambda item: (round(item[0], 5), self._likeness(key, item[1]), item[1]))
            equal = [
                k for _, k in near[:CANDIDATES] if self._is_equal_otherwise(key, k) and self.agrees(key, k)
            ]
            if equal:
                found[key] = equal
        return found

    def _likeness(self, one: Value, other: Value) -> int:
        """0 for outputs of layers of one name and type, 1 of one type, 2 of others."""
        if self._same_name(one, other):
            return 0
        types = [side.graph.layers[v[0]].layer.type for side, v in ((self.a.side, one), (self.b.side, other))]
        return 1 if types[0].lower() == types[1].lower() else 2

    def _same_name(self, one: Value, other: Value) -> bool:
        a, b = self.a.side.graph.layers[one[0]].layer, self.b.side.graph.layers[other[0]].layer
        return a.name == b.name and a.type.lower() == b.type.lower() and one[1] == other[1]

    def _is_equal_otherwise(self, one: Value, other: Value) -> bool:
        a, b = self.a.others.get(one), self.b.others.get(other)
        if a is None or b is None or self.repaired_flow(other):
            return True
        return a.key == b.key and a.distance(b) <= NEAR_OTHERWISE

    def repaired_flow(self, _value: Value) -> bool:
        """Whether b was repaired, so that its values for other inputs are those of another model."""
        return any(key[0] not in self.b.side.weights for key in self.repaired)

    def _known(self, candidates: Mapping[Value, Sequence[Value]]) -> dict[int, int]:
        """The layers that are partners by their values: of the same op, and of one name or alone."""
        known = dict(self.mapping)
        used = set(known.values())
        types = [side.graph.layers for side in (self.a.side, self.b.side)]
        for wanted in ("name", "op"):
            for (number, index), values in candidates.items():
                if number in known or index:
                    continue
                kind = types[0][number].layer.type.lower()
                fitting = [
                    v[0]
                    for v in values
                    if v[1] == 0 and v[0] not in used and types[1][v[0]].layer.type.lower() == kind
                ]
                if wanted == "name":
                    fitting = [n for n in fitting if self._same_name((number, 0), (n, 0))]
                if fitting:
                    known[number] = fitting[0]
                    used.add(fitting[0])
        return {
            one: other
            for one, other in known.items()
            if one in self.a.side.layers and other in self.b.side.layers
        }

    def _any_equal(self, key: Value) -> Value | None:
        """A value of b that equals one that says little, such as a size."""
        one = self.a.sketches.get(key)
        if one is None:
            return None
        for other, found in self.b.sketches.items():
            if found.key == one.key and one.distance(found) <= NEAR_OTHERWISE and self.agrees(key, other):
                return other
        return None

    def judgement(self, one: Value, other: Value) -> Judgement | None:
        """The judgement of a value of b as one of a; None where one is lacking."""
        pair = one, other
        if pair not in self._judgements:
            a, b = self.a.values.get(one), self.b.values.get(other)
            found: Judgement | None = None
            if a is not None and b is not None:
                fitted = alike(a, b)
                if isinstance(fitted, str):
                    found = Judgement(Verdict.WRONG, fitted, None, one[1], excess=inf)
                else:
                    found = replace(self._judged(one, fitted), output=one[1])
            self._judgements[pair] = found
        return self._judgements[pair]

    def _judged(self, one: Value, pair: Alike) -> Judgement:
        given = self._judged_as_given(one, pair)
        if given is not None:
            return given
        noise = self.noise.get(one)
        runs = [pair.one] if noise is None else [pair.one, noise]
        return agreement(pair.one, pair.other, runs, pair.arithmetic(self.other.arithmetic))

    def _judged_as_given(self, one: Value, pair: Alike) -> Judgement | None:
        """The judgement by a tolerance that is given for a value."""
        names = output_names(self.a.side.graph.layers[one[0]].layer, one[1])
        return self.tolerances.judgement(names, pair.one, pair.other)

    def agrees(self, one: Value, other: Value) -> bool:
        """Whether two values are equal but for rounding."""
        found = self.judgement(one, other)
        return found is not None and not found.is_fault

    # ---- compression

    def find_compressed(self) -> None:
        """Put a's weights into b where b has them in a compressed form, which is no fault of a layer."""
        theirs = [value for value in _boundary(self.b) if self._is_compressed(value)]
        if not theirs:
            return
        ours: dict[tuple[int, ...], list[tuple[Array, Sketch, str]]] = {}
        boundary = _boundary(self.a)
        for value, array in zip(boundary, self.a.side.arrays(boundary)):
            if not isinstance(array, DiagnosticError) and element_type_of(array).floating:
                stored = self.a.side.stored(value)
                ours.setdefault(_long_axes(array), []).append((array, sketch(array), stored))
        for value, array in zip(theirs, self.b.side.arrays(theirs)):
            if isinstance(array, DiagnosticError) or _long_axes(array) not in ours:
                continue
            mine = sketch(array)
            nearest = min(ours[_long_axes(array)], key=lambda item: item[1].distance(mine))
            original = nearest[0].reshape(array.shape)
            kind = compression(original, array, nearest[2], self.b.side.stored(value))
            if kind and not np.array_equal(original, array):
                self.repaired[value] = original.astype(
                    np.float32 if array.dtype.itemsize <= 4 else array.dtype
                )
                users = [self.b.side.graph.layers[n].layer.name for n in self.b.users(value)]
                self.compressed.setdefault(kind, []).extend(users)

    def _is_compressed(self, value: Value) -> bool:
        stored = self.b.side.stored(value)
        return any(kind in stored.split(" * ") for kind in _COMPRESSED)

    # ---- what is wrong

    def results_differ(self) -> set[int]:
        """The ids of the Results of a that b has other values for; not of those that follow random values, or
        that b did not come to.
        """
        ports = self._result_ports()
        differing: set[int] = set()
        for port, theirs in ports.items():
            if port in self._random:
                continue
            one = self.a.side.sources(port)[0]
            other = self.b.side.sources(theirs)[0]
            if one is None or other is None or one not in self.a.values:
                continue
            was_computed = self.b.failed is None or other in self.b.values
            if was_computed and not self.agrees(one, other) and self._differs_as_result(port, one, other):
                differing.add(port)
        return differing

    def _differs_as_result(self, port: int, one: Value, other: Value) -> bool:
        """Whether a value differs by the judgement of results, which knows more of what rounding does."""
        pair = port, one, other
        if pair not in self._result_faults:
            name = next(p.name for p in self.context.analysis.signature.results if p.layer.id == port)
            right, ours = self.a.values.get(one), self.b.values.get(other)
            if right is None or ours is None:
                return True
            judging = partial(judged_results, identical=self.identical)
            arithmetic = self.other.arithmetic
            judged = judged_values(
                self.context, {name: right}, {name: ours}, arithmetic, self.tolerances, judging
            )
            self._result_faults[pair] = judged[name].is_fault
        return self._result_faults[pair]

    def _result_ports(self) -> dict[int, int]:
        """The Results of b by those of a, as layer ids."""
        pairs = self.other.matched_results(self.context).pairs
        ports = self.context.analysis.signature.results
        return {p.layer.id: pairs[p.position][0].layer.id for p in ports if p.position in pairs}

    def suspicious(self) -> tuple[list[int], list[int]]:
        """The layers of a, and of b, at which the differences of the results begin."""
        ours, theirs = self._frontiers()
        results = self.results_differ()
        return (
            _unexplained(self.a, set(self.partners), ours, results),
            _unexplained(self.b, set(self.partners.values()), theirs, self._results_of_b(results)),
        )

    def _frontiers(self, passed: Iterable[Value] = ()) -> tuple[list[int], list[int]]:
        """As suspicious, sizes included that another layer explains. passed: values taken for equal ones"""
        results = self.results_differ()
        return (
            _frontier(self.a, {*self.partners, *passed}, results),
            _frontier(self.b, set(self.partners.values()), self._results_of_b(results)),
        )

    def _results_of_b(self, results: Iterable[int]) -> set[int]:
        ports = self._result_ports()
        return {ports[number] for number in results}

    def suspects(self) -> list[Suspect]:
        """The layers at which differences begin, with what differs in the models there."""
        return [*self._unlike_draws(), *self._of_values()]

    def _unlike_draws(self) -> Iterator[Suspect]:
        """The random layers that cannot have the same values in both models, since they draw otherwise."""
        for node in random_layers(self.context.analysis):
            partner = self.matching.to.get(node.layer.id)
            if partner is not None and (cause := self.cause(node.layer.id, partner)):
                judged = Judgement(Verdict.WRONG, f"{self.other.name} draws otherwise", excess=inf)
                yield Suspect(node.layer.id, partner, (judged,), cause)

    def _of_values(self) -> list[Suspect]:
        """The layers at which values begin to differ."""
        ours, theirs = self.suspicious()
        if not ours:
            return self._hidden_by_jumps()
        found = self._without_steps(theirs, [self._suspect(number, theirs) for number in ours])
        if any(one.cause for one in found):  # the others belong to steps that the models take otherwise
            return [one for one in found if one.cause]
        sizes = [number for number in self._frontiers()[0] if number not in ours]
        others = [self._suspect(number, theirs) for number in sizes]
        wrong = [one for one in others if one.cause and self._is_same_op(one)]
        if wrong:
            return wrong
        # a difference may be hidden in values that say little, such as sums with -1e9, and begin before them
        before = [
            _begins(self.a, set(self.partners), ours),
            _begins(self.b, set(self.partners.values()), theirs),
        ]
        hidden = [self._suspect(number, before[1]) for number in before[0]]
        return [one for one in hidden if one.cause and not self._is_step(one)] or found

    def _without_steps(self, theirs: Sequence[int], found: list[Suspect]) -> list[Suspect]:
        """The suspects; in place of those that b can do without, the layers behind them."""
        passed: set[Value] = set()
        results = self.results_differ()
        while steps := {one.layer for one in found if self._is_step(one)}:
            new = {value for number in steps for value in self.a.outputs(number)} - passed
            passed |= new
            equal = {*self.partners, *passed}
            behind = _unexplained(self.a, equal, self._frontiers(passed)[0], results)
            if not new or not behind or not steps.isdisjoint(behind):
                break
            found = [self._suspect(number, theirs) for number in behind]
        return found

    def _is_step(self, one: Suspect) -> bool:
        """Whether b can do without a layer of a, and has none in its place: it follows from shapes alone, or
        only moves elements of equal values. A layer that is missing in b has a cause.
        """
        if one.is_last:
            return False
        if one.partner < 0:
            is_lacking = not one.cause
        elif self._is_same_op(one):
            return False
        elif one.layer in self.a.side.graph.of_shapes:
            is_lacking = self.matching.to.get(one.layer) != one.partner
        else:
            is_lacking = not _moves(self.b, one.partner)
        return is_lacking and (one.layer in self.a.side.graph.of_shapes or _moves(self.a, one.layer))

    def _is_same_op(self, one: Suspect) -> bool:
        """Whether the layer of b in the place of one of a has its type."""
        if one.partner < 0:
            return False
        a, b = self.a.side.graph.layers[one.layer], self.b.side.graph.layers[one.partner]
        return a.layer.type.lower() == b.layer.type.lower()

    def _hidden_by_jumps(self) -> list[Suspect]:
        """The layers with a cause whose difference leads to a Result that agrees only since rounding may make
        values jump, as between two levels of a FakeQuantize.

        On the way from such a layer, all values differ by more than rounding that makes nothing jump.
        """
        ports = self._result_ports()
        pairs = [
            (self.a.side.sources(one)[0], self.b.side.sources(other)[0])
            for one, other in ports.items()
            if one not in self._random
        ]
        judged = {one: self.judgement(one, other) for one, other in pairs if one and other}
        ends = [one for one, found in judged.items() if found is not None and found.excess > EQUAL_AGAIN]
        if not ends:
            return []
        reached = self._traced(ends)
        equal = {one: other for one, other in self.partners.items() if one[0] not in reached}
        begins = [number for number in _begins(self.a, set(equal), reached) if number in reached]
        results = [node.layer.id for node in self.b.side.graph.order if node.layer.kind is LayerKind.RESULT]
        theirs = _begins(self.b, set(equal.values()), results) if begins else []
        return [found for number in begins if (found := self._suspect(number, theirs)).cause]

    def _traced(self, ends: Sequence[Value]) -> set[int]:
        """The layers of a from which differences greater than those of rounding lead to some values."""
        runs = [Recorded() for _ in NOISE_SEEDS]
        with ExitStack() as opened:
            for seed, run in zip(NOISE_SEEDS, runs):
                opened.callback(run.close)
                for key, array in _outputs(
                    noisy_walk(self.context, self.other.arithmetic, seed, TRACED.amplified, self.identical)
                ):
                    run[key] = array
            found, ahead = set[int](), list(ends)
            while ahead:
                one = ahead.pop()
                if one[0] not in found and one[0] not in self.a.side.weights and self._is_traced(one, runs):
                    found.add(one[0])
                    ahead += self.a.inputs(one[0])
        return found

    def _is_traced(self, one: Value, runs: Sequence[Recorded]) -> bool:
        other = self.partners.get(one)
        a, b = self.a.values.get(one), None if other is None else self.b.values.get(other)
        if a is None or b is None:
            return True
        pair = alike(a, b)
        if isinstance(pair, str):
            return True
        given = self._judged_as_given(one, pair)
        if given is not None:
            return given.is_fault
        noisy = [array for run in runs if (array := run.get(one)) is not None]
        arithmetic = pair.arithmetic(self.other.arithmetic)
        return agreement(pair.one, pair.other, noisy, arithmetic, TRACED).is_fault

    def _suspect(self, number: int, theirs: Sequence[int]) -> Suspect:
        twin = self._twin(number)
        if twin is not None and (at_results := "; ".join(self._at_results(number))):
            changed = self._changed(number)
            if changed is not None and (cause := self.cause(number, changed)):
                return Suspect(number, changed, self._judged_outputs(number, changed), cause)
            return Suspect(number, twin, self._judged_outputs(number, twin), at_results)
        partner = self._partner(number, theirs)
        if partner < 0:
            return Suspect(number, -1, (self._lacking(),), self._cause_without_partner(number, theirs))
        origin = self._origin(number, partner)
        spans = self._spans(*origin)
        if spans is None:
            cause = self.cause(*origin)
        else:
            cause, origin = self._cause_of_spans(*spans), (spans[0][-1], spans[1][-1])
        if cause:
            number, partner = origin
        judgements = self._judged_outputs(number, partner)
        return Suspect(number, partner, judgements, cause or self.cause(number, partner), spans is not None)

    def _judged_outputs(self, number: int, partner: int) -> tuple[Judgement, ...]:
        """The judgements of the outputs of a layer of b as those of one of a."""
        found = (self.judgement(value, (partner, value[1])) for value in self.a.outputs(number))
        return tuple(judged for judged in found if judged is not None)

    def _twin(self, number: int) -> int | None:
        """The layer of b that computes what a layer of a does, so that nothing is wrong with this one.

        Where a layer gives the value of one of its inputs, other layers have equal values, too: its twin is
        one that differs from it in nothing.
        """
        outputs = self.a.outputs(number)
        distinct = [v for v in outputs if v in self.partners and not self.a.sketches[v].is_trivial]
        others = [self.matching.to.get(number), *(self.partners[value][0] for value in distinct)]
        used = {self.partners.get(value) for value in self.a.inputs(number)} - {None}
        passes = any(self._is_same(one, other) for one in outputs for other in used if other is not None)
        for other in dict.fromkeys(other for other in others if other is not None):
            if outputs and all(self.agrees(value, (other, value[1])) for value in outputs):
                pair = Pair(self.a.side, self.b.side, *self._layers(number, other), self._is_same)
                if not passes or not cause_of(pair):
                    return other
        return None

    def _changed(self, number: int) -> int | None:
        """The layer of b in the place of one of a, by name or structure, that gives other values although it
        has the same op and uses the same values: another layer of b gives what it should.
        """
        other = self.other.matching(self.context.analysis).to.get(number)
        if other is None or not self._is_same_op(Suspect(number, other, (), "")):
            return None
        if any(self._equal_value(value) is not None for value in self.b.outputs(other)):
            return None
        pairs = list(zip(self.a.inputs(number), self.b.inputs(other)))
        return other if all(self._is_same(one, theirs) for one, theirs in pairs) else None

    def _layers(self, number: int, partner: int) -> tuple[Layer, Layer]:
        return self.a.side.graph.layers[number].layer, self.b.side.graph.layers[partner].layer

    def _spans(self, number: int, partner: int) -> tuple[list[int], list[int]] | None:
        """The layers with which a and b compute a value in other steps, from two layers of other ops to those
        that the same layers use. None where the same layers use the two, or where there are no such layers.
        """
        if self._is_same_op(Suspect(number, partner, (), "")):
            return None
        ours, others = (
            self._ways(self.a, number, self.matching.to),
            self._ways(self.b, partner, self.matching.back),
        )
        ports = self._result_ports()
        for last, way in ours.items():
            for value in self.a.outputs(last):
                users = {self.matching.to.get(user, ports.get(user)) for user in self.a.users(value)} - {None}
                for other, their_way in others.items():
                    theirs = other, value[1]
                    if users.isdisjoint(self.b.users(theirs)):
                        continue
                    judged = self.judgement(value, theirs)
                    is_one = len(way) == len(their_way) == 1
                    return None if is_one or judged is None or not judged.is_fault else (way, their_way)
        return None

    def _ways(self, numbers: Numbers, number: int, matched: Mapping[int, int]) -> dict[int, list[int]]:
        """The layers without a partner that follow from a layer, and the way to each."""
        ways = {number: [number]}
        for reached in (ahead := [number]):
            for user in dict.fromkeys(self._users(numbers, reached)):
                if user not in matched and user not in ways and numbers.outputs(user):
                    ways[user] = [*ways[reached], user]
                    ahead.append(user)
        return ways

    def _cause_of_spans(self, ours: Sequence[int], others: Sequence[int]) -> str:
        """The ops of the layers with which a and b compute one value in other steps."""
        sides = (self.a.side, ours), (self.b.side, others)
        ops = [[side.graph.layers[number].layer.type for number in numbers] for side, numbers in sides]
        return f"computed by {_listed(ops[0])} → by {_listed(ops[1])}"

    def _origin(self, number: int, partner: int) -> tuple[int, int]:
        """Two layers, or those before them that give them other values although they are wired alike.

        A value of a may be equal to another value of b than the one in its place, as the halves of a Split
        behind a Concat whose inputs are reordered, or as a sum with zeros is equal to what it adds to.
        """
        while True:
            wired = zip(self.a.side.sources(number), self.b.side.sources(partner))
            before = next(
                (
                    (one[0], other[0])
                    for one, other in wired
                    if one is not None
                    and other is not None
                    and self._stands_for(other, one)
                    and not self._is_reordered(number, partner, one, other)
                    and self.judgement(one, other) is not None
                    and not self.agrees(one, other)
                ),
                None,
            )
            if before is None:
                return number, partner
            number, partner = before

    def _is_reordered(self, number: int, partner: int, one: Value, other: Value) -> bool:
        """Whether two layers use two values, each of another layer, in another order."""
        mine, theirs = self.partners.get(one, other), self.back.get(other, one)
        is_used = mine in self.b.inputs(partner) and theirs in self.a.inputs(number)
        return is_used and mine[0] != other[0] and theirs[0] != one[0]

    def _stands_for(self, other: Value, one: Value) -> bool:
        """Whether a value of b is in the place of one of a: by name or structure, or since neither layer is
        matched and both use a value that is the same.
        """
        matchings = self.other.matching(self.context.analysis), self.matching
        if any(matching.value(one) == other for matching in matchings):
            return True
        alone = any(one[0] not in found.to and other[0] not in found.back for found in matchings)
        if not alone or one[1] != other[1]:
            return False
        pairs = ((own, used) for own in self.a.inputs(one[0]) for used in self.b.inputs(other[0]))
        return any(self._is_same(own, used) for own, used in pairs)

    def _partner(self, number: int, theirs: Sequence[int]) -> int:
        """The layer of b that stands in the place of one of a; -1 for none."""
        layer = self.a.side.graph.layers[number].layer
        matched = self.matching.to.get(number, -1)
        if number in self.mapping or matched in theirs:
            return matched
        inputs = {self.partners[v] for v in self.a.inputs(number) if v in self.partners}
        ports = self._result_ports()
        users = {self.matching.to.get(user, ports.get(user, -1)) for user in self._users(self.a, number)}
        best, score = -1, 0.0
        for other in theirs:
            same = self.b.side.graph.layers[other].layer.type.lower() == layer.type.lower()
            shared = len(inputs & {self._base(v) for v in self.b.inputs(other)}) / max(len(inputs), 1)
            used = len(users & set(self._users(self.b, other))) / max(len(users), 1)
            elsewhere = self.matching.back.get(other, number)
            if elsewhere != number and not (same and used):
                continue
            points = 2.0 * same + shared + used
            if (shared or (same and used)) and points > score:
                best, score = other, points
        return self._behind(best, number, matched) if best >= 0 else matched

    def _users(self, numbers: Numbers, number: int) -> list[int]:
        """The layers that use the outputs of one."""
        return [user for value in numbers.outputs(number) for user in numbers.users(value)]

    def _behind(self, found: int, number: int, matched: int) -> int:
        """The layer of b in the place of one of a: the one that was found or, where that has another op and
        was added in b, the one behind it.
        """
        wanted = self.a.side.graph.layers[number].layer.type.lower()
        layers = self.b.side.graph.layers
        if layers[found].layer.type.lower() == wanted:
            return found
        behind = [
            n for n in dict.fromkeys(self._users(self.b, found)) if layers[n].layer.type.lower() == wanted
        ]
        if matched in behind:
            return matched
        return behind[0] if len(behind) == 1 else found

    def _base(self, value: Value) -> Value:
        """The value of b that stands for all that equal it."""
        mine = self.back.get(value)
        if mine is not None:
            return value
        return next((v for k, v in self.partners.items() if self._judged_equal(k, value)), value)

    def _judged_equal(self, one: Value, other: Value) -> bool:
        found = self._judgements.get((one, other))
        return found is not None and not found.is_fault

    def cause(self, number: int, partner: int) -> str:
        """What differs in two layers."""
        a, b = self.a.side, self.b.side
        pair = Pair(a, b, *self._layers(number, partner), self._is_same)
        added = [
            b.graph.layers[n].layer
            for n in dict.fromkeys(value[0] for value in self.b.inputs(partner) if value not in self.back)
            if n not in self.matching.back and self._is_added(n, number)
        ]
        texts = [of_added(list(map(_titled, added))) if added else "", cause_of(pair)]
        return "; ".join(filter(None, texts if any(texts) else self._at_results(number)))

    def _at_results(self, number: int) -> Iterator[str]:
        """What differs between a layer with equal values and the Results that use these."""
        ports = self._result_ports()
        for port in sorted(self.results_differ()):
            ours, theirs = self.a.side.sources(port)[0], self.b.side.sources(ports[port])[0]
            if ours is None or theirs is None or ours[0] != number or ours not in self.partners:
                continue
            result = f"the result {abridged(self.a.side.graph.layers[port].layer.name, 60)}"
            instead = self._equal_value(theirs)
            if instead is None:
                added = [self.b.side.graph.layers[n].layer for n in self._without_partners(theirs)]
                yield of_added(list(map(_titled, added)), f"between it and {result}")
            elif instead[0] == number:
                name = abridged(self.a.side.graph.layers[number].layer.name, 60)
                yield f"{result} takes output {instead[1]} of {name} in place of output {ours[1]}"
            else:
                name = abridged(self.a.side.name(instead), 60)
                yield f"{result} uses {name} in place of it"

    def _equal_value(self, theirs: Value) -> Value | None:
        """The value of a that one of b is."""
        mine = self.back.get(theirs)
        if mine is not None:
            return mine
        return next((one for one in self.partners if self._judged_equal(one, theirs)), None)

    def _without_partners(self, value: Value) -> list[int]:
        """The layers of b that have no equal values in a, from which a value is computed, in their order."""
        found, ahead = set[int](), [value]
        while ahead:
            one = ahead.pop()
            if one[0] not in found and self._equal_value(one) is None:
                found.add(one[0])
                ahead += self.b.inputs(one[0])
        return [node.layer.id for node in self.b.side.graph.order if node.layer.id in found]

    def _is_added(self, theirs: int, number: int) -> bool:
        """Whether a layer of b has inputs that a layer of a uses itself."""
        inputs = self.a.inputs(number)
        return any(self._is_same(mine, other) for other in self.b.inputs(theirs) for mine in inputs)

    def _is_same(self, one: Value, other: Value) -> bool:
        if one in self.partners:
            return self.partners[one] == other or self.agrees(one, other)
        return self.matching.value(one) == other

    def _lacking(self) -> Judgement:
        return Judgement(Verdict.WRONG, f"no layer of {self.other.name} gives its value", excess=inf)

    def _cause_without_partner(self, number: int, theirs: Sequence[int]) -> str:
        """Whether a layer is missing in b: those that use its output use its input there."""
        a, b = self.a.side, self.b.side
        inputs = self.a.inputs(number)
        bypassed: list[str] = []
        ahead, seen = list(self.a.outputs(number)), {number}
        while ahead:
            for layer, index in a.graph.wiring.consumers.get(ahead.pop(), ()):
                others = self._in_place_of(layer.id, theirs)
                if not others and layer.id not in seen and len(self.a.inputs(layer.id)) == 1:
                    seen.add(layer.id)  # it is missing as well
                    ahead += self.a.outputs(layer.id)
                for other in others:
                    sources = b.sources(other)
                    used = sources[index] if index < len(sources) else None
                    if used is not None and any(self._is_same(v, used) for v in inputs):
                        bypassed.append(b.graph.layers[other].layer.name)
        if bypassed:
            return of_missing([abridged(bypassed[0], 60)])
        return ""

    def _in_place_of(self, number: int, theirs: Sequence[int]) -> list[int]:
        """The layers of b that may be one of a: the matched one, or those of its type where equality ends."""
        matched = self.matching.to.get(number)
        if matched is not None:
            return [matched]
        kind = self.a.side.graph.layers[number].layer.type.lower()
        return [n for n in theirs if self.b.side.graph.layers[n].layer.type.lower() == kind]

    def repair(self, suspects: Sequence[Suspect]) -> bool:
        """Compute b again with the values of a in place of those that differ; whether there were any."""
        before = len(self.repaired)
        theirs = self.suspicious()[1]
        for suspect in suspects:
            pairs = [(suspect.layer, suspect.partner)]
            if suspect.partner < 0:
                users = self._users(self.a, suspect.layer)
                pairs = [(user, other) for user in users for other in self._in_place_of(user, theirs)]
            for number, other in pairs:
                for value in self.a.outputs(number):
                    self._repair(value, (other, value[1]))
        if len(self.repaired) == before:
            return False
        self.run_b()
        self.match()
        self._find_identical()
        return True

    def _repair(self, one: Value, other: Value) -> None:
        ours, theirs = self.a.values.get(one), self.b.values.get(other)
        if ours is None or theirs is None:
            return
        if not isinstance(alike(theirs, ours), str) and other not in self.repaired:
            self.repaired[other] = ours.reshape(theirs.shape).astype(theirs.dtype)

    # ---- answers

    def values(self) -> Iterator[LayerValue]:
        """The values of b under the layers of a: partners, and beyond a fault those of matched layers."""
        ours, _ = self.suspicious()
        reached = self.a.side.graph.following(ours)
        for node in self.context.analysis.root.order:
            number = node.layer.id
            outputs: list[Array | None] = []
            for index in range(len(node.layer.outputs)):
                key = number, index
                other = self.partners.get(key)
                if other is None and number in reached:
                    other = self.matching.value(key)
                outputs.append(None if other is None else self.b.values.get(other))
            if any(array is not None for array in outputs):
                yield LayerValue(number, tuple(outputs))

    def rounded_weights(self) -> tuple[str, ...]:
        """How b rounds weights, one phrase for each type."""
        return tuple(
            f"weights of {plural(len(dict.fromkeys(users)), 'layer')} are rounded to {kind}"
            for kind, users in self.compressed.items()
        )

    def notes(self) -> list[str]:
        """Sentences about what is no fault of a layer."""
        found = [
            f"{text} in {self.other.name}; layers are compared with the weights of the first model"
            for text in self.rounded_weights()
        ]
        if self.quantized:
            count = plural(len(self.quantized), "value")
            found.append(
                f"{self.other.name} quantizes {count} (FakeQuantize); layers are compared without that"
            )
        return found


_COMPRESSED = ("f16", "bf16", "i8", "u8", "i4", "u4", "nf4", "f8e4m3", "f8e5m2", "f4e2m1", "u2", "i2")


def _walk(
    analysis: ModelAnalysis,
    inputs: Inputs,
    backends: Sequence[Backend],
    replaced: Mapping[Value, Array] | None = None,
    passed: Callable[[Computed], bool] | None = None,
) -> Iterator[tuple[Value, Array]]:
    """All values of a run of a model. replaced: values with which the run goes on in place of its own

    passed: whether a layer gives its first input, and nothing else is computed of it
    """
    replaced = replaced or {}
    changed = {key[0] for key in replaced}
    for computed in walk_model(Evaluator(analysis, tuple(backends)), inputs, Variables()):
        number = computed.step.layer.id
        if number in changed:
            for index in range(len(computed.outputs)):
                if (number, index) in replaced:
                    computed.outputs[index] = replaced[number, index]
        first = computed.inputs[0] if computed.inputs else None
        if passed is not None and first is not None and passed(computed):
            computed.outputs[0] = first
        facts = computed.step.facts.outputs
        for index, (array, fact) in enumerate(zip(computed.outputs, facts)):
            yield (number, index), rounded(array, fact)


def _outputs(walk: Iterable[LayerValue]) -> Iterator[tuple[Value, Array]]:
    """The values of a walk, one by one."""
    for value in walk:
        for index, array in enumerate(value.outputs):
            if array is not None:
                yield (value.layer, index), array


def _frontier(numbers: Numbers, equal: set[Value], results: set[int]) -> list[int]:
    """The layers without equal values, all of whose inputs are equal to some or count for nothing, and from
    which a way without equal values leads to a Result that differs.
    """
    wiring, layers = numbers.side.graph.wiring, numbers.side.layers
    bad: set[int] = set()
    for node in reversed(numbers.side.graph.order):
        number = node.layer.id
        if number not in layers or node.layer.kind is LayerKind.RESULT:
            continue
        for index in range(len(node.layer.outputs)):
            if (number, index) in equal:
                continue
            users = [layer for layer, _ in wiring.consumers.get((number, index), ())]
            if any(user.id in results or user.id in bad or user.kind is LayerKind.SINK for user in users):
                bad.add(number)
    begins = [
        node.layer.id
        for node in numbers.side.graph.order
        if node.layer.id in bad and not any(value[0] in bad for value in numbers.inputs(node.layer.id))
    ]
    # a Result that uses another value than it should, although that value exists
    for result in sorted(results):
        source = numbers.side.sources(result)[0]
        if source is not None and source in equal and source[0] not in begins:
            begins.append(source[0])
    return begins


def _unexplained(
    numbers: Numbers, equal: set[Value], begins: Sequence[int], results: Collection[int]
) -> list[int]:
    """The layers without those that compute sizes in other steps than the other model does.

    From such a size, every way without equal values to a Result that differs goes through what follows from
    another one of the layers. results: the ids of the Results that differ
    """
    shapes = numbers.side.graph.of_shapes
    explained = numbers.side.graph.following(number for number in begins if number not in shapes)

    def is_needed(number: int) -> bool:
        ahead, seen = [number], {number}
        while ahead:
            for value in numbers.outputs(ahead.pop()):
                users = [] if value in equal else numbers.users(value)
                new = [user for user in users if user not in seen and user not in explained]
                if any(user in results for user in new):
                    return True
                seen.update(new)
                ahead += new
        return False

    return [number for number in begins if number not in shapes or is_needed(number)]


def _moves(numbers: Numbers, number: int) -> bool:
    """Whether all outputs of a layer are the elements of one of its inputs in another order."""
    inputs = [array for value in numbers.inputs(number) if (array := numbers.values.get(value)) is not None]
    outputs = [array for value in numbers.outputs(number) if (array := numbers.values.get(value)) is not None]
    return bool(outputs) and all(any(_same_elements(one, other) for other in inputs) for one in outputs)


def _same_elements(one: Array, other: Array) -> bool:
    if one.size != other.size or one.dtype != other.dtype:
        return False
    return np.array_equal(np.sort(one, axis=None), np.sort(other, axis=None), equal_nan=one.dtype.kind == "f")


def _begins(numbers: Numbers, equal: set[Value], ends: Iterable[int]) -> list[int]:
    """The layers without equal values, all of whose inputs are equal to some, that some layers depend on."""
    above = set(ends)
    for node in reversed(numbers.side.graph.order):
        if node.layer.id in above:
            above.update(value[0] for value in numbers.inputs(node.layer.id))
    return [
        node.layer.id
        for node in numbers.side.graph.order
        if node.layer.id in above
        and node.layer.kind not in QUIET_KINDS
        and any(value not in equal for value in numbers.outputs(node.layer.id))
        and all(value in equal for value in numbers.inputs(node.layer.id))
    ]


def _listed(names: Sequence[str]) -> str:
    """Names in order, the first ones alone where there are many."""
    more = f", … ({len(names)} layers)" if len(names) > MAX_OPS else ""
    return f"{', '.join(names[:MAX_OPS])}{more}"


def _titled(layer: Layer) -> str:
    return f"{abridged(layer.name, 60)} ({layer.type})"


def _boundary(numbers: Numbers) -> list[Value]:
    """The values that follow from constants and that other layers use."""
    side = numbers.side
    return list(
        dict.fromkeys(
            source
            for number in side.layers
            for source in side.sources(number)
            if source is not None and source[0] in side.weights
        )
    )


def _rounds(computed: Computed) -> bool:
    """Whether a FakeQuantize gives its input, rounded to the nearest level, for nearly all elements."""
    arrays = [None if x is None else x.astype(np.float64) for x in (*computed.inputs, computed.outputs[0])]
    data, low, high, low_out, high_out, out = arrays
    if data is None or low is None or high is None or out is None:
        return False
    if low_out is None or high_out is None or not (_close(low, low_out) and _close(high, high_out)):
        return False
    levels = int(computed.step.layer.data.get("levels", "256"))
    step = np.abs(high - low) / max(levels - 1, 1)
    inside = (data >= np.minimum(low, high)) & (data <= np.maximum(low, high))
    within = np.abs(out - data) <= 0.51 * step + EXACT * np.abs(data)
    return bool((within | ~inside).all()) and float(inside.mean()) >= IN_RANGE


def _close(a: Array, b: Array) -> bool:
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-6, atol=0))


def _long_axes(array: Array) -> tuple[int, ...]:
    return tuple(size for size in array.shape if size != 1)


def shuffled(array: Array, seed: int) -> Array:
    """Another input for the same model: the same elements in another order, so that indices stay valid."""
    if array.size < 2:
        return array
    order = np.random.default_rng(seed + 1).permutation(array.size)
    found: Array = array.reshape(-1)[order].reshape(array.shape)
    return found


# ---- comparisons


class Studied(Source):
    """The values of another model, by the layers that they were found to be partners of."""

    def __init__(self, models: TwoModels) -> None:
        self._models = models
        self.name, self.arithmetic = models.other.name, models.other.arithmetic

    def walk(self, context: Context) -> Iterator[LayerValue]:  # noqa: ARG002 - the models know it
        yield from self._models.values()
        if self._models.b.failed is not None:
            raise SourceFailed(Failure("refused", self._models.b.failed[1]))

    def results(self, context: Context) -> Values | Failure:
        return self._models.other.results(context)


def propagated_models(
    context: Context,
    a: Source,
    b: OtherModel,
    progress: Progress | None = None,
    tolerances: GivenTolerances = NONE_GIVEN,
) -> Propagated:
    """As propagated, for another model: with the causes of differences, and without layers that the models
    only take in other steps.

    Raises:  EvaluationError, SourceFailed; SourceError for a mapping of unknown layers
    """
    with closing(TwoModels(context, b, tolerances)) as models:
        identical = _identical_for(a, models)
        found = propagated(context, a, Studied(models), progress, tolerances, identical)
        layers = _with_suspects(models, found.layers, models.suspects())
        notes = (*found.notes, *models.notes())
        compressed = models.rounded_weights()
        return replace(found, layers=layers, notes=notes, compressed=compressed, identical=identical)


def isolated_models(
    context: Context, a: Source, b: OtherModel, tolerances: GivenTolerances = NONE_GIVEN
) -> tuple[tuple[ComparedLayer, ...], tuple[str, ...], tuple[str, ...], Identical]:
    """Compute the layers of another model from the values of the first, and compare what they give.

    A layer that differs is repaired: what follows is computed from the value of the first model. So a layer
    is named only if it differs itself. Layers that the first model lacks are computed on the way.
    Raises:  EvaluationError; SourceError for a mapping of unknown layers
    """
    with closing(TwoModels(context, b, tolerances)) as models:
        found: dict[int, Suspect] = {}
        for _ in range(ROUNDS):
            new = [one for one in models.suspects() if one.layer not in found]
            found.update((one.layer, one) for one in new)
            if not models.repair(new):
                break
        layers = tuple(_of_models(models, found))
        layers = _with_suspects(models, layers, list(found.values()))
        return layers, tuple(models.notes()), models.rounded_weights(), _identical_for(a, models)


def _identical_for(a: Source, models: TwoModels) -> Identical:
    """The identical values where a gives what the reference does."""
    is_reference = isinstance(a, Layerwise) and a.is_reference
    return models.identical_as_given if is_reference else NONE_IDENTICAL


def _of_models(models: TwoModels, suspects: Collection[int]) -> Iterator[ComparedLayer]:
    """The verdicts on layers that are no suspects."""
    ours, _ = models.suspicious()
    reached = models.a.side.graph.following(ours)
    for node in models.context.analysis.root.order:
        number = node.layer.id
        if node.layer.kind in QUIET_KINDS or number in suspects or number in models.a.side.weights:
            continue
        values = [value for value in models.a.outputs(number) if value in models.partners]
        judgements = [models.judgement(value, models.partners[value]) for value in values]
        known = [one for one in judgements if one is not None]
        if not known and number in reached:
            known = [Judgement(Verdict.SKIPPED, "layers before it differ and could not be repaired")]
        if known:
            yield compared_layer(models.context.analysis, node, known)


def _hidden(judgements: Sequence[Judgement], b: str) -> Judgement:
    """The judgement of a layer that is wrong although its values agree, as far as they can be judged."""
    differing = [one for one in judgements if one.verdict is not Verdict.EQUAL]
    if differing:
        greatest = max(differing, key=lambda judged: judged.excess)
        return replace(greatest, verdict=Verdict.WRONG, reason="differs, although its inputs are equal")
    return Judgement(Verdict.WRONG, f"{b} does not use its value", excess=inf)


def _with_suspects(
    models: TwoModels, layers: Iterable[ComparedLayer], suspects: Sequence[Suspect]
) -> tuple[ComparedLayer, ...]:
    """Layers with the causes of those where differences begin, and with those that b lacks."""
    analysis = models.context.analysis
    order = {node.layer.id: index for index, node in enumerate(analysis.root.order)}
    found = {layer.id: layer for layer in layers}
    for suspect in suspects:
        layer = found.get(suspect.layer)
        node = analysis.root.layers[suspect.layer]
        if layer is None or not layer.is_fault:
            inputs = [models.a.values.get(value) for value in models.a.inputs(suspect.layer)]
            judgements = suspect.judgements
            if not any(judged.is_fault for judged in judgements):
                judgements = (_hidden(judgements, models.other.name),)
            layer = compared_layer(analysis, node, judgements, inputs)
        found[suspect.layer] = replace(layer, cause=suspect.cause)
    return tuple(sorted(found.values(), key=lambda layer: order[layer.id]))
