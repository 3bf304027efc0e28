"""Makes the program of a plan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from irops.invocation import OpFault, named_inputs, positional
from irops.ir.model import LayerKind
from irops.runtime.arrays import check_possible
from irops.runtime.fixed import FixedPart, Kept
from irops.runtime.overwriting import COUNTS_REFERENCES, ufunc_of
from irops.runtime.plan import Plan, Step, ValueKey
from irops.runtime.precision import NARROW
from irops.runtime.program import ABSENT, Action, KernelOf, Output, Program
from irops.values.element import DYNAMIC, Array
from irops.values.fact import Fact

_Row = tuple[Action, list[int]]


def assemble(
    plan: Plan,
    given: Mapping[int, Array],
    keep: Collection[int],
    kept: Kept | None,
    kernel_of: KernelOf,
    *,
    may_overwrite: bool = False,
) -> Program:
    """The program of a plan. given: values by layer id; keep: layers whose outputs a run returns as well;
    kept: what the session keeps of it, None to compute all in each run; may_overwrite: write
    results into the arrays of inputs that nothing needs any more.
    """
    return _Assembly(plan, given, keep, kept, kernel_of, may_overwrite).program()


class _Assembly:
    def __init__(
        self,
        plan: Plan,
        given: Mapping[int, Array],
        keep: Collection[int],
        kept: Kept | None,
        kernel_of: KernelOf,
        may_overwrite: bool,
    ) -> None:
        self._plan, self._given, self._keep, self._kept = plan, given, keep, kept
        self._kernel_of, self._may_overwrite = kernel_of, may_overwrite
        self._fixed = FixedPart(plan, given, kept)
        self._steps = {step.layer.id: step for step in plan.steps}
        self._values: list[Array | None] = [None]  # of ABSENT
        self._slots: dict[ValueKey, int] = {}
        self._kept_slots: dict[ValueKey, int] = {}
        self._computed: set[int] = set()

    def program(self) -> Program:
        needed = self._fixed.needed(self._plan, self._keep)
        inputs: list[tuple[int, int, Fact]] = []
        outputs: list[Output] = []
        rows: list[_Row] = []
        for step, need in zip(self._plan.steps, bytes_needed(self._plan, self._keep)):
            layer, facts = step.layer, step.facts
            if layer.id in self._fixed.fixed and layer.id not in needed:
                continue
            if self._is_input(step):
                inputs.append((self._new_slot((layer.id, 0)), layer.id, facts.outputs[0]))
            elif self._is_result(step):
                self._slots[layer.id, 0] = self._slot(step.sources[0], step)
            else:
                rows.append(self._row(step, need))
            if layer.kind is LayerKind.RESULT or layer.id in self._keep:
                outputs.extend(self._outputs(step))
        lasting = {ABSENT, *(output.slot for output in outputs), *self._kept_slots.values()}
        actions = tuple(_with_freed(rows, lasting))
        sized = {
            slot
            for action in actions
            for index, slot in enumerate(action.slots)
            if output_bytes(action.step, index) is None
        }
        return Program(
            self._plan,
            self._kept,
            tuple(self._values),
            tuple(inputs),
            actions,
            tuple(outputs),
            frozenset(sized),
            self._fixed.is_known,
        )

    def _is_input(self, step: Step) -> bool:
        value = self._given.get(step.layer.id)
        is_parameter = step.layer.kind is LayerKind.PARAMETER and step.op.id == "Parameter-1"
        return is_parameter and value is not None and step.facts.outputs[0].admits(value)

    def _is_result(self, step: Step) -> bool:
        is_result = step.layer.kind is LayerKind.RESULT and step.op.id == "Result-1"
        return is_result and len(step.sources) == 1 and step.sources[0] is not None

    def _outputs(self, step: Step) -> Iterator[Output]:
        source = step.sources[0] if self._is_result(step) else None
        origin = step.layer.id if source is None else source[0]
        is_copied = origin in self._fixed.fixed and not self._steps[origin].layer.is_constant
        for index, fact in enumerate(step.facts.outputs):
            key = (step.layer.id, index)
            yield Output(key, self._slots[key], fact, is_copied)

    def _new_slot(self, value: ValueKey, array: Array | None = None) -> int:
        self._values.append(array)
        slots = self._slots if array is None else self._kept_slots
        slots[value] = len(self._values) - 1
        return slots[value]

    def _slot(self, source: ValueKey | None, reader: Step) -> int:
        """The slot that a step reads an input from."""
        if source is None:
            return ABSENT
        if not self._fixed.serves(source, reader):
            return self._slots[source]
        if source not in self._kept_slots:
            self._new_slot(source, self._fixed.arrays[source])
        return self._kept_slots[source]

    def _row(self, step: Step, need: float) -> _Row:
        """The action of a step, and the slots that it reads."""
        sources = [self._slot(source, step) for source in step.sources]
        direct = self._direct(step, sources)
        outputs = range(len(step.facts.outputs))
        slots = tuple(self._new_slot((step.layer.id, index)) for index in outputs)
        self._computed.update(slots)
        if direct is None:
            keeps = self._fixed.keys(step)
            return Action(step, None, _selection(sources), {}, None, None, slots, (), need, keeps), sources
        function, places = direct
        keywords = step.keywords or {}
        overwrites: tuple[int, ...] = ()
        ufunc = ufunc_of(step, function)
        if ufunc is not None:
            function, keywords = ufunc, {}
            overwrites = self._overwritable(step, places)
        one = step.facts.outputs[0] if len(step.facts.outputs) == 1 else None
        action = Action(
            step,
            function,
            _selection(places),
            keywords,
            None if one is None else one.element_type.dtype,
            None if one is None else one.shape.to_tuple(),
            slots,
            (),
            need,
            overwrites=overwrites,
        )
        return action, places

    def _overwritable(self, step: Step, places: Sequence[int]) -> tuple[int, ...]:
        """The slots of inputs that have the shape of the output, and that steps of the program computed."""
        if not (self._may_overwrite and COUNTS_REFERENCES):
            return ()
        shape = step.facts.outputs[0].shape.to_tuple()
        return tuple(
            slot
            for slot, fact in zip(places, step.facts.inputs)
            if slot in self._computed and fact is not None and fact.shape.to_tuple() == shape
        )

    def _direct(self, step: Step, sources: list[int]) -> tuple[Callable[..., Any], list[int]] | None:
        """The kernel, and the slots of its arguments, of a step that needs nothing decided in a run."""
        facts = step.facts
        if (
            step.constant
            or step.layer.id in self._fixed.fixed
            or not step.static
            or step.keywords is None
            or step.layer.id in self._given
            or any(fact.element_type is DYNAMIC for fact in facts.outputs)
            or not self._is_rounded(step)
        ):
            return None
        named = [None if slot == ABSENT else slot for slot in sources]
        try:
            check_possible(step.op, facts.outputs)
            places = positional(step.op, named_inputs(step.op, named))
            function = self._kernel_of(step.op, facts.outputs[0])
        except OpFault:
            return None  # a run reports it when it comes to the step
        return function, [ABSENT if slot is None else slot for slot in places]

    def _is_rounded(self, step: Step) -> bool:
        """Whether no input has to be rounded: kept constants are."""
        pairs = zip(step.sources, step.rounding)
        return all(f is None or (s is not None and self._fixed.serves(s, step)) for s, f in pairs)


def _selection(slots: list[int]) -> Callable[[Any], Any]:
    """A function that selects the values of slots, as a sequence."""
    if len(slots) == 1:
        return itemgetter(slice(slots[0], slots[0] + 1))
    return itemgetter(*slots) if slots else _nothing


def _nothing(values: Any) -> tuple[()]:  # noqa: ARG001
    return ()


def _with_freed(rows: Sequence[_Row], lasting: Collection[int]) -> Iterator[Action]:
    """The actions, each with the slots that nothing reads after it. lasting: slots that stay to the end"""
    last = {slot: number for number, (action, reads) in enumerate(rows) for slot in (*action.slots, *reads)}
    freed: list[list[int]] = [[] for _ in rows]
    for slot, number in last.items():
        if slot not in lasting:
            freed[number].append(slot)
    for (action, _), slots in zip(rows, freed):
        overwrites = tuple(slot for slot in action.overwrites if slot in slots)
        yield action._replace(freed=tuple(slots), overwrites=overwrites)


# The bytes that a run holds at each step of a plan, as far as the plan knows them.


def bytes_needed(plan: Plan, keep: Collection[int]) -> Iterator[float]:
    """For each step, the bytes in use when its outputs exist. keep: layers that stay to the end"""
    in_use: float = 0
    waiting = dict(plan.users)
    sizes: dict[ValueKey, float] = {}
    for step in plan.steps:
        yield in_use + step.size
        for index in range(len(step.facts.outputs)):
            key = (step.layer.id, index)
            if key in waiting:
                sizes[key] = output_bytes(step, index) or 0
                in_use += sizes[key]
        for source in step.done_with:
            waiting[source] -= 1
            if waiting[source] == 0 and source[0] not in keep:
                in_use -= sizes[source]


def output_bytes(step: Step, index: int) -> float | None:
    """The bytes of an output; None where the plan does not know them."""
    fact = step.facts.outputs[index]
    if fact.element_type is DYNAMIC or not fact.shape.static:
        return None
    size = fact.shape.size.low * max(fact.element_type.dtype.itemsize, 1)
    is_wide = step.constant and not step.layer.is_constant and fact.element_type.name in NARROW
    return 2 * size if is_wide else size
