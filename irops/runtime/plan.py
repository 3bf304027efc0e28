"""Plans: computed once for all runs with inputs of the same shapes, layer by layer, then as a program.

Constants of narrow floating types are combined in f32 and rounded once, where they leave the constants
(docs/decisions/0003): compressed weights are i8, i4 or nf4 constants, shifted and scaled in f16 and then
converted to f32, which runtimes compute in f32.

In a program a value has a slot, a position in a list. An action knows its slots, the keyword arguments of its
kernel, and the type and the shape that the result must have, so that a run only calls kernels and compares.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from operator import itemgetter
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.invocation import Invocation, OpFault, named_inputs, positional
from irops.analysis.structure import GraphNode, LayerNode
from irops.backends.backend import Backend, Kernel
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError, Severity
from irops.dialects import dialect_of_version
from irops.files.limits import Limits
from irops.graph.topology import Wiring
from irops.ir.model import Layer, LayerKind
from irops.ops.elementwise import UFUNC
from irops.spec.binding import CONTEXT
from irops.spec.op import Op
from irops.values.dim import MAX_DIM
from irops.values.element import DYNAMIC, F32, STRING, Array, ElementType, element_type_of
from irops.values.fact import Fact, size_in_bytes
from irops.values.packing import LAYOUTS
from irops.values.shape import MAX_AXES, Shape
from irops.values.violation import LimitExceeded

NARROW = ("f16", "bf16")


@dataclass(frozen=True, slots=True)
class ConstantLayers:
    """The ids of layers that depend on nothing but constants; weights: those that only lead to a MatMul."""

    layers: frozenset[int]
    weights: frozenset[int]


def constants_of(graph: GraphNode) -> ConstantLayers:
    """Which layers of a graph are constant."""
    wiring = graph.wiring
    # ops of other dialects compute in the types that their definitions name
    versions = {number: wiring.layers[number].version for number in graph.constants}
    found = {number for number in versions if dialect_of_version(versions[number]).wide_constants}
    weights: set[int] = set()
    for layer in reversed(wiring.order):  # users before what they use
        consumers = (wiring.consumers.get((layer.id, index), ()) for index in range(len(layer.outputs)))
        users = [user for of_output in consumers for user, _ in of_output]
        others = (user for user in users if user.id not in weights)
        if layer.id in found and users and all(u.type == "MatMul" and u.id not in found for u in others):
            weights.add(layer.id)
    return ConstantLayers(frozenset(found), frozenset(weights))


def wide(array: Array | None) -> Array | None:
    """A narrow tensor in f32; any other as it is."""
    if array is None or array.dtype.itemsize != 2 or array.dtype.kind not in "fV":
        return array
    return array.astype(np.float32) if element_type_of(array).name in NARROW else array


def wide_types(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Attributes, f32 in place of narrow types: a Convert of weights to f16 gives f32."""
    return {
        name: F32 if isinstance(value, ElementType) and value.name in NARROW else value
        for name, value in attributes.items()
    }


def rounded(array: Array, fact: Fact | None) -> Array:
    """Cast an f32 intermediate back to its declared element type."""
    if fact is not None and array.dtype == np.float32 and fact.element_type.name in NARROW:
        return array.astype(fact.element_type.dtype)
    return array


def admits(fact: Fact, array: Array) -> bool:
    """Whether a result is possible for what is inferred, once it is rounded."""
    if array.dtype == np.float32 and fact.element_type.name in NARROW:
        return fact.shape.contains(Shape(array.shape))
    return fact.admits(array)


ValueKey = tuple[int, int]
"""A layer's id and the index of one of its outputs."""


@dataclass(frozen=True, slots=True, eq=False)
class PlannedLayer:
    """How one layer is computed.

    node: the layer with its bodies; facts: what is inferred of it; sources: the values that its inputs are;
    constant: it depends on constants alone; rounding: for each input, the fact whose type it is rounded to,
    where it comes from such constants; keywords: what the kernel takes, None where that differs from run to
    run; static: the facts of the outputs determine their shapes; size: of the outputs, in bytes.
    """

    node: LayerNode
    op: Op
    invocation: Invocation
    facts: LayerFacts
    sources: tuple[ValueKey | None, ...]
    constant: bool
    rounding: tuple[Fact | None, ...]
    keywords: dict[str, Any] | None
    static: bool
    size: float
    done_with: tuple[ValueKey, ...]

    @property
    def layer(self) -> Layer:
        return self.node.layer


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The steps of a graph in order, how often each value is used, and the warnings of inference.

    error: why layers are left out
    """

    steps: tuple[PlannedLayer, ...]
    users: dict[ValueKey, int]
    warnings: tuple[Diagnostic, ...] = ()
    error: EvaluationError | None = None


def plan_of(graph: GraphNode, inferred: Inferred, error: EvaluationError | None = None) -> Plan:
    """How a graph is computed of which all Facts are inferred. error: what layers have, which are left out
    with all that depends on them
    """
    wiring = graph.wiring
    constants = constants_of(graph)
    nodes = graph.order if error is None else _before_errors(graph, inferred)
    steps = tuple(_step(wiring, node, inferred.layers[node.layer.id], constants) for node in nodes)
    warnings = tuple(d for d in inferred.findings if d.severity is Severity.WARNING)
    return Plan(steps, {key: len(users) for key, users in wiring.consumers.items()}, warnings, error)


def _before_errors(graph: GraphNode, inferred: Inferred) -> Iterator[LayerNode]:
    """The layers that depend on none with an error."""
    outputs: dict[int, int] = {}
    for node in graph.order:
        facts = inferred.layers[node.layer.id]
        sources = (source for source in graph.wiring.inputs[node.layer.id] if source is not None)
        if node.op is not None and not facts.failed and all(i < outputs.get(s.id, 0) for s, i in sources):
            outputs[node.layer.id] = len(facts.outputs)
            yield node


def absent_output(wiring: Wiring, inferred: Inferred) -> tuple[LayerFacts, int] | None:
    """A layer, and an output that is used and that its op does not give; None where there is none."""
    used = (source for sources in wiring.inputs.values() for source in sources if source is not None)
    facts = ((inferred.layers[layer.id], index) for layer, index in used)
    return next(((known, index) for known, index in facts if index >= len(known.outputs)), None)


def _step(wiring: Wiring, node: LayerNode, facts: LayerFacts, constants: ConstantLayers) -> PlannedLayer:
    layer, op, invocation = node.layer, node.op, node.invocation
    assert op is not None
    assert invocation is not None
    sources = tuple(None if s is None else (s[0].id, s[1]) for s in wiring.inputs[layer.id])
    constant, is_result = layer.id in constants.layers, layer.kind is LayerKind.RESULT
    if layer.id in constants.weights:
        invocation = invocation.with_values(wide_types(invocation.attributes))
    keywords = None
    if _is_same_every_run(op, facts):
        with suppress(OpFault):  # reported when the layer is computed
            keywords = invocation.keywords("kernel", facts.inputs)
    return PlannedLayer(
        node=node,
        op=op,
        invocation=invocation,
        facts=facts,
        sources=sources,
        constant=constant,
        rounding=() if constant else _rounding(facts, sources, constants),
        keywords=keywords,
        static=_is_static(op, facts),
        size=0 if is_result else size_in_bytes(facts.outputs),
        done_with=() if is_result else tuple(s for s in sources if s is not None),
    )


def _rounding(
    facts: LayerFacts, sources: tuple[ValueKey | None, ...], constants: ConstantLayers
) -> tuple[Fact | None, ...]:
    rounded = tuple(
        fact if source is not None and source[0] in constants.layers else None
        for fact, source in zip(facts.inputs, sources)
    )
    return rounded if any(rounded) else ()


def _is_same_every_run(op: Op, facts: LayerFacts) -> bool:
    names = op.functions.keyword_params["kernel"]
    ranked = all(fact is None or fact.shape.rank is not None for fact in facts.inputs)
    return not op.definition.bodies and not names & CONTEXT and (ranked or not op.axes)


def _is_static(op: Op, facts: LayerFacts) -> bool:
    """Whether the facts say all: whether bodies run, and how often, depends on values, and so do
    their shapes.
    """
    known = [fact for fact in (*facts.inputs, *facts.outputs) if fact is not None]
    return not facts.inputs or (not op.definition.bodies and all(fact.shape.static for fact in known))


def check_possible(op: Op, outputs: Iterable[Fact]) -> None:
    """Require that arrays can have the shapes of an op's outputs. Raises: OpFault"""
    for fact in outputs:
        dims = fact.shape.dims or ()
        if len(dims) > MAX_AXES:
            message = f"{op.id} gives a tensor of {len(dims)} axes; arrays have {MAX_AXES} at most"
            raise OpFault("unsupported-array", message)
        elements = prod(max(dim.low, 1) for dim in dims)
        if fact.element_type is not DYNAMIC and elements * fact.element_type.dtype.itemsize > MAX_DIM:
            raise OpFault("unsupported-array", f"{op.id} gives {fact}; no array has such sizes")


def require_room(in_use: float, wanted: float, limits: Limits) -> None:
    """Require that further bytes are within the limit on tensors. Raises: LimitExceeded"""
    if in_use + wanted > limits.tensor_bytes:
        message = f"would hold {in_use + wanted:,.0f} bytes, {limits.message('tensor_bytes')}"
        raise LimitExceeded("memory-limit", message)


# What a session keeps of the steps that give the same in each run.

ConstantKey = tuple[tuple[str, ...], int, int]
"""The path of a graph, the id of a layer, and the index of one of its outputs."""


class KeptConstants:
    """Arrays that depend on constants alone, within a number of bytes. Threads may share it.

    Views of the weights take no memory and are always kept. Of the others, the smallest are: for the same
    number of bytes they save the most steps.
    """

    def __init__(self, limit: float) -> None:
        self.limit, self.bytes = limit, 0.0
        self._chosen: dict[tuple[str, ...], frozenset[ConstantKey]] = {}
        self._arrays: dict[ConstantKey, Array] = {}
        self._lock = Lock()

    def choose(self, path: tuple[str, ...], sizes: Mapping[ConstantKey, float]) -> frozenset[ConstantKey]:
        """The values of a graph that are kept, by their sizes in bytes; decided once for each graph."""
        with self._lock:
            if path not in self._chosen:
                chosen = []
                for key in sorted(sizes, key=sizes.__getitem__):
                    if self.bytes + sizes[key] > self.limit:
                        break
                    self.bytes += sizes[key]
                    chosen.append(key)
                self._chosen[path] = frozenset(chosen)
            return self._chosen[path]

    def find(self, key: ConstantKey) -> Array | None:
        """A value that is kept; None if it is not, or not yet."""
        return self._arrays.get(key)

    def put(self, key: ConstantKey, array: Array) -> None:
        """Keep a value that was chosen. The array becomes read-only."""
        kept = _without_more(array)
        kept.flags.writeable = False
        with self._lock:
            if key in self._chosen.get(key[0], ()):
                self._arrays.setdefault(key, kept)  # another would live beside that which programs have

    def refuse(self, path: tuple[str, ...]) -> None:
        """Keep nothing of a graph whose constants give warnings: these are due in each run."""
        with self._lock:
            self._chosen[path] = frozenset()
            for key in [key for key in self._arrays if key[0] == path]:
                del self._arrays[key]


def _without_more(array: Array) -> Array:
    """The array; a copy if it is a view of a larger array, which would stay in memory with it."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return array.copy() if owner.flags.owndata and owner.nbytes > array.nbytes else array


SHAPES = frozenset({"ShapeOf", "Shape", "Size"})
"""The types of ops, of all dialects, that read nothing but the shape of their input."""


class Kept(NamedTuple):
    """The values kept of constants for all plans, and of shapes for one plan."""

    constants: KeptConstants
    of_shapes: KeptConstants


class FixedPart:
    """The steps of a plan that give the same in each of its runs, and the values of them that are kept.

    given: the ids of layers whose values the caller gives; kept: None to keep nothing
    fixed: the ids of the steps; arrays: the values that are kept by now.
    """

    def __init__(self, plan: Plan, given: Collection[int], kept: Kept | None) -> None:
        self.fixed = frozenset() if kept is None else _fixed(plan, given)
        self._steps = {step.layer.id: step for step in plan.steps if step.layer.id in self.fixed}
        self._path = plan.steps[0].node.path if plan.steps else ()
        self._chosen: frozenset[ConstantKey] = frozenset()
        self.arrays: dict[ValueKey, Array] = {}
        for is_constant in (True, False) if kept is not None else ():
            assert kept is not None
            store = kept.constants if is_constant else kept.of_shapes
            sizes = self._sizes(plan, is_constant)
            chosen = store.choose(self._path, sizes) & sizes.keys()
            arrays = {(key[1], key[2]): store.find(key) for key in chosen}
            self._chosen |= chosen
            self.arrays |= {value: array for value, array in arrays.items() if array is not None}

    @property
    def is_known(self) -> bool:
        """Whether all that may be kept is."""
        return len(self.arrays) == len(self._chosen)

    def keys(self, step: PlannedLayer) -> tuple[ConstantKey | None, ...]:
        """The keys under which outputs of a step are kept, None for one that is not; empty where the step
        may give something else in the next run.
        """
        if step.layer.id not in self.fixed:
            return ()
        keys = [(self._path, step.layer.id, index) for index in range(len(step.facts.outputs))]
        return tuple(key if key in self._chosen else None for key in keys)

    def serves(self, value: ValueKey, reader: PlannedLayer) -> bool:
        """Whether a step can read a kept value: constants read each other before they are rounded."""
        if value not in self.arrays:
            return False
        source = self._steps[value[0]]
        kind = source.facts.outputs[value[1]].element_type
        return not reader.constant or source.layer.is_constant or kind.name not in NARROW

    def needed(self, plan: Plan, keep: Collection[int]) -> set[int]:
        """The ids of the fixed steps that are computed: those of which a value is still to be kept, and those
        whose readers cannot read a kept value.
        """
        if not self._chosen:
            return set(self.fixed)
        missing = {key[1] for key in self._chosen if (key[1], key[2]) not in self.arrays}
        needed = missing | {key for key in keep if key in self.fixed}
        for step in reversed(plan.steps):
            if step.layer.id not in self.fixed or step.layer.id in needed:
                sources = (source for source in step.sources if source is not None)
                needed.update(s[0] for s in sources if s[0] in self.fixed and not self.serves(s, step))
        return needed

    def _sizes(self, plan: Plan, is_constant: bool) -> Mapping[ConstantKey, float]:
        """The bytes of the values, constant or not, that steps read which are not fixed themselves."""
        sizes: dict[ConstantKey, float] = {}
        for reader in plan.steps:
            for source in reader.sources if reader.layer.id not in self.fixed else ():
                step = None if source is None else self._steps.get(source[0])
                if source is not None and step is not None and step.constant == is_constant:
                    size = _size(step, step.facts.outputs[source[1]])
                    if size is not None:
                        sizes[(self._path, *source)] = size
        return sizes


def _fixed(plan: Plan, given: Collection[int]) -> frozenset[int]:
    """The ids of the steps that give the same in each run: constant steps, steps that read only a shape, and
    steps that read only such steps. What the caller gives, also in place of a constant, may differ.
    """
    fixed: set[int] = set()
    for step in plan.steps:
        sources = [source for source in step.sources if source is not None]
        if step.layer.id not in given and (
            (step.op.definition.type in SHAPES and step.static)
            or (_follows(step) and all(source[0] in fixed for source in sources))
        ):
            fixed.add(step.layer.id)
    return frozenset(fixed)


def _follows(step: PlannedLayer) -> bool:
    """Whether a step that reads nothing but fixed values gives a fixed one."""
    definition = step.op.definition
    computes = step.layer.kind is LayerKind.OPERATION and bool(step.sources)
    return step.constant or (computes and step.static and not definition.stateful and not definition.bodies)


def _is_aligned(layer: Layer, kind: ElementType) -> bool:
    """Whether a constant is a view of the weights: one that they do not align is copied."""
    offset = layer.data.get("offset", "0")
    return offset.isdecimal() and not int(offset) % kind.dtype.alignment


def _size(step: PlannedLayer, fact: Fact) -> float | None:
    """The bytes that keeping an output takes: 0 for a view of the weights, None where it is not known."""
    kind = fact.element_type
    if kind is DYNAMIC or kind is STRING or not fact.shape.static:
        return None
    if step.layer.is_constant and kind.name not in LAYOUTS and _is_aligned(step.layer, kind):
        return 0
    return fact.shape.size.low * kind.dtype.itemsize


KernelOf = Callable[[Op], tuple[Backend, Kernel]]
"""A backend that can compute an op, and its kernel. Raises: OpFault where there is none"""
Values = list[Array | None]
"""The values of a run by slot; None where there is none, or none any more."""
ABSENT = 0
"""The slot of optional inputs that are left out: always None."""


class Action(NamedTuple):
    """One step of a program.

    function: the kernel, None where a run must decide more, and computes the step as it computes any;
    arguments: selects the inputs out of the values; dtype and shape: of the only output, None where there are
    several; slots: of the outputs; freed: what is not read any more; need: the bytes that the run holds when
    the outputs exist, as far as the plan knows; keeps: the outputs that the session keeps.
    """

    step: PlannedLayer
    function: Callable[..., Any] | None
    arguments: Callable[[Values], Sequence[Array | None]]
    keywords: Mapping[str, Any]
    dtype: np.dtype[Any] | None
    shape: tuple[int, ...] | None
    slots: tuple[int, ...]
    freed: tuple[int, ...]
    need: float
    keeps: tuple[ConstantKey | None, ...] = ()


class Output(NamedTuple):
    """A value that a run returns. is_copied: the session may keep the array, so the caller gets a copy."""

    key: ValueKey
    slot: int
    fact: Fact
    is_copied: bool


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The actions of a plan.

    kept: where values are kept for the next runs; values: at the start, with the kept ones in their slots;
    inputs: the slot, the layer's id and the Fact of each Parameter; sized: the slots of values whose size the
    plan does not know; is_final: whether all that is to be kept is, else the next run gets a shorter program.
    """

    plan: Plan
    kept: Kept | None
    values: tuple[Array | None, ...]
    inputs: tuple[tuple[int, int, Fact], ...]
    actions: tuple[Action, ...]
    outputs: tuple[Output, ...]
    sized: frozenset[int]
    is_final: bool


PLAIN = ("f32", "f64")  # kernels compute narrower floats in f32


def ufunc_of(step: PlannedLayer, kernel: Callable[..., Any]) -> np.ufunc | None:
    """The function that computes a step on its arrays as they are, in place of the kernel, if any."""
    ufunc: np.ufunc | None = getattr(kernel, UFUNC, None)
    facts = [*step.facts.inputs, *step.facts.outputs]
    kinds = {None if fact is None else fact.element_type.name for fact in facts}
    shapes = {None if fact is None else fact.shape.to_tuple() for fact in step.facts.inputs}
    aligned = len(shapes) == 1 or (step.keywords or {}).get("auto_broadcast") == "numpy"
    return ufunc if len(kinds) == 1 and kinds <= set(PLAIN) and aligned else None


_Row = tuple[Action, list[int]]


class Assembly:
    """The making of the program of a plan.

    given: values by layer id; keep: layers whose outputs a run returns as well; kept: what the session keeps
    of it, None to compute all in each run.
    """

    def __init__(
        self,
        plan: Plan,
        given: Mapping[int, Array],
        keep: Collection[int],
        kept: Kept | None,
        kernel_of: KernelOf,
    ) -> None:
        self._plan, self._given, self._keep, self._kept = plan, given, keep, kept
        self._kernel_of, self._fixed = kernel_of, FixedPart(plan, given, kept)
        self._steps = {step.layer.id: step for step in plan.steps}
        self._values: list[Array | None] = [None]  # of ABSENT
        self._slots: dict[ValueKey, int] = {}
        self._kept_slots: dict[ValueKey, int] = {}

    def program(self) -> Program:
        needed = self._fixed.needed(self._plan, self._keep)
        inputs: list[tuple[int, int, Fact]] = []
        outputs: list[Output] = []
        rows: list[_Row] = []
        for step, need in zip(self._plan.steps, bytes_needed(self._plan, self._keep)):
            layer, facts = step.layer, step.facts
            if layer.id in self._fixed.fixed and layer.id not in needed:
                continue
            value = self._given.get(step.layer.id)
            is_parameter = step.layer.kind is LayerKind.PARAMETER and step.op.id == "Parameter-1"
            if is_parameter and value is not None and step.facts.outputs[0].admits(value):
                inputs.append((self._new_slot((layer.id, 0)), layer.id, facts.outputs[0]))
            elif self._is_result(step):
                self._slots[layer.id, 0] = self._slot(step.sources[0], step)
            else:
                rows.append(self._row(step, need))
            if layer.kind is LayerKind.RESULT or layer.id in self._keep:
                outputs.extend(self._outputs(step))
        lasting = {ABSENT, *(output.slot for output in outputs), *self._kept_slots.values()}
        actions = tuple(_with_freed(rows, lasting))
        slots = ((slot, action.step, index) for action in actions for index, slot in enumerate(action.slots))
        sized = frozenset(slot for slot, step, index in slots if output_bytes(step, index) is None)
        steps = tuple(inputs), actions, tuple(outputs)
        return Program(self._plan, self._kept, tuple(self._values), *steps, sized, self._fixed.is_known)

    def _is_result(self, step: PlannedLayer) -> bool:
        is_result = step.layer.kind is LayerKind.RESULT and step.op.id == "Result-1"
        return is_result and len(step.sources) == 1 and step.sources[0] is not None

    def _outputs(self, step: PlannedLayer) -> Iterator[Output]:
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

    def _slot(self, source: ValueKey | None, reader: PlannedLayer) -> int:
        """The slot that a step reads an input from."""
        if source is None:
            return ABSENT
        if not self._fixed.serves(source, reader):
            return self._slots[source]
        if source not in self._kept_slots:
            self._new_slot(source, self._fixed.arrays[source])
        return self._kept_slots[source]

    def _row(self, step: PlannedLayer, need: float) -> _Row:
        """The action of a step, and the slots that it reads."""
        sources = [self._slot(source, step) for source in step.sources]
        direct = self._direct(step, sources)
        outputs = range(len(step.facts.outputs))
        slots = tuple(self._new_slot((step.layer.id, index)) for index in outputs)
        if direct is None:
            keeps = self._fixed.keys(step)
            return Action(step, None, _selection(sources), {}, None, None, slots, (), need, keeps), sources
        function, places = direct
        keywords = step.keywords or {}
        ufunc = ufunc_of(step, function)
        if ufunc is not None:
            function, keywords = ufunc, {}
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
        )
        return action, places

    def _direct(self, step: PlannedLayer, sources: list[int]) -> tuple[Callable[..., Any], list[int]] | None:
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
            _, function = self._kernel_of(step.op)
        except OpFault:
            return None  # a run reports it when it comes to the step
        return function, [ABSENT if slot is None else slot for slot in places]

    def _is_rounded(self, step: PlannedLayer) -> bool:
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
        yield action._replace(freed=tuple(slots))


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


def output_bytes(step: PlannedLayer, index: int) -> float | None:
    """The bytes of an output; None where the plan does not know them."""
    fact = step.facts.outputs[index]
    if fact.element_type is DYNAMIC or not fact.shape.static:
        return None
    size = fact.shape.size.low * max(fact.element_type.dtype.itemsize, 1)
    is_wide = step.constant and not step.layer.is_constant and fact.element_type.name in NARROW
    return 2 * size if is_wide else size  # constants of 16 bits are computed in f32
