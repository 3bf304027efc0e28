"""irops.call: one op on arrays, at once. What follows from its attributes and its inputs is kept."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from irops.analysis.invocation import (
    FAULTS,
    Invocation,
    OpFault,
    fault_of,
    named_inputs,
    positional,
    require_all,
)
from irops.backends.backend import Backend, Declined, kernel_of
from irops.backends.catalogue import chain
from irops.backends.one_op import LruCache
from irops.diagnostics.diagnostic import EvaluationError, Location, Severity
from irops.diagnostics.suggestions import did_you_mean
from irops.dialects.registry import Registry, default_registry
from irops.files.limits import Limits
from irops.runtime.evaluator import Transaction, failed_kernel
from irops.runtime.plan import check_possible
from irops.spec.attributes import format_value, text_of
from irops.spec.op import Op
from irops.values.arrays import array_of, as_tensor, fact_of, is_foreign, like, result_array
from irops.values.element import DYNAMIC, Array, element_type_of
from irops.values.fact import Fact, size_in_bytes
from irops.values.shape import Shape
from irops.values.violation import Violation, collect_warnings

OPTIONS = ("out", "backends", "registry", "limits")
"""The keyword parameters of call that are not attributes."""
_PREPARED: LruCache["Prepared"] = LruCache(256)
"""The latest ops that were called, by their attributes and backends."""


def call(
    op_id: str,
    *inputs: Any,
    out: Any = None,
    backends: str | Iterable[str | Backend] | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
    **attributes: Any,
) -> Any:
    """The output of one op: call("ReverseSequence-1", data, lengths, batch_axis=0, seq_axis=1).

    op_id: an id, or a type alone for its newest version.
    The result is an array, or a tuple where there are several outputs or the op's last output is variadic.

    inputs: arrays in the order of the definition, None for an optional one that is not given; attributes:
        Python values.
    out: an array to write the output to, or a tuple of them; it is what is given back. backends: see
        irops.run.
    Arrays of other libraries that offer DLPack, in the memory of the CPU: the outputs are of the library of
    the first of them.
    Raises:  KeyError for an op that is not defined; EvaluationError, with .diagnostics, for what breaks its
        definition; ValueError
             for arrays of types that no tensor has, for arrays on other devices, for tensors whose gradients
             torch records, and where out is not of the output's type and shape
    """
    if backends is not None:
        backends = (backends,) if isinstance(backends, str) else tuple(backends)
    key = (op_id, backends, registry, *[(name, _spelled(value)) for name, value in attributes.items()])
    prepared = _PREPARED.find(key)
    op = (registry or default_registry()).named(op_id) if prepared is None else prepared.op
    try:
        if prepared is None:
            texts = _texts(op, attributes)
            require_all(op, inputs, texts)
            prepared = Prepared(op, texts, chain(backends))
            _PREPARED.put(key, prepared)
        result: Any = called(prepared, inputs, out, limits)
    except FAULTS as error:
        raise call_error(op, fault_of(op, error)) from error.__cause__
    except Declined as declined:
        raise call_error(op, OpFault("declined-op", str(declined))) from None
    return result


def _spelled(value: Any) -> Any:
    """The key of an attribute's value: equal values may be spelled otherwise (1 and True)."""
    kind = type(value)
    return (kind, value) if kind in (int, str, bool) else (kind, format_value(value))


def _texts(op: Op, attributes: Mapping[str, Any]) -> dict[str, str]:
    """The attributes as texts. Raises: OpFault for one that the op does not have"""
    known = op.definition.attributes
    spelled = {attribute.parameter: name for name, attribute in known.items()}
    for name in attributes:
        if name not in spelled and name not in known:
            absent = (other for other in (*spelled, *OPTIONS) if other not in attributes)
            meant = did_you_mean(name, absent)
            raise OpFault("unknown-attribute", f"{op.id} has no attribute {name!r}{meant}")
    named = {spelled.get(name, name): value for name, value in attributes.items()}
    return {name: text_of(known[name], value) for name, value in named.items()}


# irops.call on arrays of other libraries: the outputs are of the library of the inputs.


def called(prepared: "Prepared", inputs: Sequence[Any], out: Any, limits: Limits | None) -> Any:
    """The outputs of an op, as arrays of the library of the first input that is not of NumPy; or out, whose
    arrays may be of any library, with the outputs in them.

    Raises:  as Prepared.run; ValueError for arrays on other devices, and for types that the library lacks
    """
    model = next((item for item in inputs if type(item) is not np.ndarray and is_foreign(item)), None)
    if model is None and (out is None or type(out) is np.ndarray):
        return prepared.run(inputs, out, limits)
    arrays = [_array(item) for item in inputs]
    if out is not None:
        prepared.run(arrays, tuple(map(_array, out)) if isinstance(out, tuple) else _array(out), limits)
        return out
    result = prepared.run(arrays, None, limits)
    return tuple(like(array, model) for array in result) if isinstance(result, tuple) else like(result, model)


def _array(item: Any) -> Any:
    return array_of(item) if is_foreign(item) else item


# One op with its attributes and a kernel, ready to be called; what follows from the inputs is kept.


def call_error(op: Op, fault: OpFault) -> EvaluationError:
    """The error of a call that breaks a requirement, also where that is a warning about a file."""
    return EvaluationError([replace(fault.diagnostic(op, Location("<call>")), level=Severity.ERROR)])


Kind = tuple[Any, tuple[int, ...]]
"""The dtype and the shape of an array."""


@dataclass(frozen=True, slots=True)
class CallOutputs:
    """The consequences of inputs: the outputs, their size in bytes, and what the kernel takes.

    keywords: of the kernel; arrange: puts the inputs into the order of its parameters, None where they are in
    it; is_variadic: the last output may repeat, so the caller always gets a tuple; kind: of an only output.
    """

    facts: tuple[Fact, ...]
    size: float
    keywords: Mapping[str, Any]
    arrange: Callable[[Sequence[Any]], Sequence[Any]] | None
    is_variadic: bool
    kind: Kind | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", _kind(self.facts[0]) if len(self.facts) == 1 else None)

    def check_room(self, out: Any) -> None:
        """Require arrays that the outputs fit into. Raises: ValueError"""
        if type(out) is np.ndarray and (out.dtype, out.shape) == self.kind and out.flags.writeable:
            return
        given = out if isinstance(out, tuple) else (out,)
        if len(given) != len(self.facts):
            raise ValueError(f"out has {len(given)} arrays, must have {len(self.facts)}")
        for array, fact in zip(given, self.facts):
            fits = isinstance(array, np.ndarray) and fact.admits(array)
            if not fits or not array.flags.writeable:
                what = fact_of(array) if isinstance(array, np.ndarray) else type(array).__name__
                raise ValueError(f"out is {what}, must be {fact}, and writeable")

    def arrays(self, result: Any) -> Array | tuple[Array, ...]:
        """The result of a kernel in the form for the caller."""
        if type(result) is np.ndarray and (result.dtype, result.shape) == self.kind and not self.is_variadic:
            return result
        results = result if isinstance(result, tuple) else (result,)
        arrays = tuple(result_array(one, fact) for one, fact in zip(results, self.facts))
        return arrays if len(arrays) > 1 or self.is_variadic else arrays[0]

    def filled(self, out: Any, result: Any) -> Any:
        """out, with what a kernel gives copied into its arrays."""
        results = result if isinstance(result, tuple) else (result,)
        for array, one in zip(out if isinstance(out, tuple) else (out,), results):
            np.copyto(array, one)
        return out


def _kind(fact: Fact) -> Kind | None:
    """The dtype and the shape, where the dtype alone says the element type."""
    kind = fact.element_type
    if kind is DYNAMIC or not fact.shape.static or kind.bits <= 8:
        return None
    return kind.dtype, fact.shape.to_tuple()


MAX_SIGNATURES = 256
"""For how many sets of types and shapes of inputs, and of values that inference reads, outputs are kept."""
MAX_VALUE_BYTES = 1 << 10
"""The size of the values that inference reads up to which outputs are kept for them."""
NO_LIMITS_GIVEN = Limits()
ReadInputs = tuple[int, ...]
"""The indices of the inputs whose values inference reads."""


class Prepared:
    """An op, its attributes and what computes it.

    Raises:  OpFault, where attributes are wrong or nothing can compute it
    """

    def __init__(self, op: Op, attributes: Mapping[str, str], backends: Sequence[Backend]) -> None:
        self.invocation = Invocation(op, attributes)
        for fault in self.invocation.faults:
            if not self.invocation.usable or fault.rule == "unknown-attribute":
                raise OpFault(fault.rule, fault.sentence)
        chosen = kernel_of(op, backends)
        if chosen is None:
            raise OpFault("unsupported-op", f"no backend can compute {op.id}")
        self.op, (self.backend, self.kernel) = op, chosen
        self._checks_values = getattr(self.kernel, "checks_values", False)
        self._takes_out = getattr(self.kernel, "takes_out", False)
        self._stateful = "variables" in op.functions.keyword_params["kernel"]
        self._ready: LruCache[CallOutputs | ReadInputs] = LruCache(MAX_SIGNATURES)

    def run(self, inputs: Sequence[Any], out: Any, limits: Limits | None) -> Any:
        """The outputs, in the arrays of out, where they are given.

        Raises:  OpFault, Violation, Declined, LimitExceeded; ValueError where out does not fit
        """
        arrays, kinds = inputs, _kinds(inputs)
        if kinds is None:
            arrays = [None if item is None else as_tensor(item) for item in inputs]
            kinds = tuple([None if a is None else (element_type_of(a).name, a.shape) for a in arrays])
        outputs = self._outputs_for(arrays, kinds)
        limit = (limits or NO_LIMITS_GIVEN).tensor_bytes
        if outputs.size > limit:
            message = (limits or NO_LIMITS_GIVEN).message("tensor_bytes")
            raise OpFault("memory-limit", f"{self.op.id} would give {outputs.facts[0]}, {message}")
        keywords = {**outputs.keywords, "variables": Transaction()} if self._stateful else outputs.keywords
        if outputs.arrange is not None:
            arrays = outputs.arrange(arrays)
        if out is not None:
            outputs.check_room(out)
        try:
            if self._takes_out and type(out) is np.ndarray:
                return self.kernel(*arrays, out=out, **keywords)  # moves elements: NumPy has no errors of it
            with np.errstate(all="ignore"):
                result = self.kernel(*arrays, **keywords)
        except (*FAULTS, Declined, EvaluationError):
            raise
        except Exception as error:
            raise self._violated(inputs) or failed_kernel(self.op, self.backend, error) from error
        return outputs.arrays(result) if out is None else outputs.filled(out, result)

    def _outputs_for(self, arrays: Sequence[Array | None], kinds: tuple[Any, ...]) -> CallOutputs:
        """The consequences of the inputs, kept for their types and shapes, and the values that matter."""
        ready = self._ready.find(kinds)
        if type(ready) is tuple:
            ready = self._ready.find((kinds, *_values(arrays, ready)))
        return ready if isinstance(ready, CallOutputs) else self._inferred(arrays, kinds)

    def _inferred(self, arrays: Sequence[Array | None], kinds: tuple[Any, ...]) -> CallOutputs:
        read: set[int] = set()
        facts = [
            None if array is None else self._fact(index, array, read) for index, array in enumerate(arrays)
        ]
        with collect_warnings() as warnings:
            inferred = self.invocation.infer(facts)
        if warnings:  # due at each call; the kernel gives them where it checks values
            inferred = self.invocation.infer([None if a is None else Fact.of(a) for a in arrays])
        check_possible(self.op, inferred)
        outputs = CallOutputs(
            tuple(Fact(fact.element_type, fact.shape) for fact in inferred),
            size_in_bytes(inferred),
            self.invocation.keywords("kernel", arrays),
            self._arrangement(arrays),
            self.op.definition.outputs[-1].variadic,
        )
        reads = tuple(sorted(read))
        size = sum(array.nbytes for index in reads if (array := arrays[index]) is not None)
        if not warnings and size <= MAX_VALUE_BYTES:
            self._ready.put(kinds, reads or outputs)
            if reads:
                self._ready.put((kinds, *_values(arrays, reads)), outputs)
        return outputs

    def _violated(self, inputs: Sequence[Array | None]) -> Violation | None:
        """The constraint that inputs violate although all shapes follow, which is why a kernel fails."""
        with collect_warnings() as warnings:
            self.invocation.infer([None if item is None else fact_of(item) for item in inputs])
        constraints = self.op.definition.constraints
        return next((w for w in warnings if constraints[w.constraint].severity is Severity.ERROR), None)

    def _fact(self, index: int, array: Array, read: set[int]) -> Fact:
        """The Fact of an input, which notes when its value is read; none if the kernel checks values."""

        def value() -> Array:
            read.add(index)
            return array

        source = None if self._checks_values else value
        return Fact(element_type_of(array), Shape(array.shape), source)

    def _arrangement(self, arrays: Sequence[Array | None]) -> Callable[[Any], Any] | None:
        """Puts the inputs in the order of the kernel's parameters; None where they are. Raises: OpFault"""
        places = [None if array is None else index for index, array in enumerate(arrays)]
        wanted = positional(self.op, named_inputs(self.op, places))
        if wanted == places:
            return None
        return lambda arrays: [None if place is None else arrays[place] for place in wanted]


def _kinds(inputs: Sequence[Any]) -> tuple[Any, ...] | None:
    """The dtypes and shapes of arrays; None where an input is anything that has to become a tensor first."""
    kinds: list[Any] = []
    for item in inputs:
        if type(item) is not np.ndarray:
            return None
        dtype = item.dtype
        if dtype.metadata is not None or dtype.kind in "OUSTMm":
            return None
        kinds.append((dtype, item.shape))
    return tuple(kinds)


def _values(arrays: Sequence[Array | None], reads: ReadInputs) -> list[Any]:
    """The values of some inputs, to be compared."""
    read = (array for array in (arrays[index] for index in reads) if array is not None)
    return [tuple(array.ravel().tolist()) if array.dtype.hasobject else array.tobytes() for array in read]
