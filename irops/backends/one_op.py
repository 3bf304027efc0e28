"""An IR model of one layer, for libraries that compile models; checks before they compute; what they keep."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from threading import Lock
from typing import Any, Generic, TypeVar

from irops.analysis.invocation import Invocation, OpFault
from irops.backends.backend import Declined
from irops.diagnostics.diagnostic import Severity
from irops.ir.model import Edge, Layer, LayerGraph, Model, Port
from irops.ir.write import document
from irops.spec.attributes import default_of
from irops.spec.op import Op
from irops.values.element import Array, element_type_of, foreign_types
from irops.values.fact import Fact
from irops.values.packing import pack
from irops.values.violation import collect_warnings

T = TypeVar("T")


class LruCache(Generic[T]):
    """At most `maxsize` values by key; the least recently used one is dropped first. Thread-safe."""

    def __init__(self, maxsize: int) -> None:
        self.maxsize = maxsize
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def find(self, key: Hashable) -> T | None:
        """The value of a key, or None if it is missing."""
        value = self._values.get(key)
        if value is not None:
            try:  # noqa: SIM105 - suppress would take longer than the look-up
                self._values.move_to_end(key)
            except KeyError:  # another thread dropped it just now
                pass
        return value

    def put(self, key: Hashable, value: T) -> None:
        """Store a value; drop the least recently used one if there are too many."""
        with self._lock:
            self._values[key] = value
            while len(self._values) > self.maxsize:
                self._values.popitem(last=False)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key, created if it is missing."""
        value = self.find(key)
        if value is None:
            value = make()
            self.put(key, value)
        return value

    def __len__(self) -> int:
        return len(self._values)


Inputs = Sequence[Array | None]
MOVING = ("movement", "shape")
"""Categories whose ops move elements without computing any."""


def output_count(op: Op, inputs: Inputs, attributes: Mapping[str, Any]) -> int:
    """The number of outputs of a layer. The inputs are validated against all constraints of the definition.

    attributes: as kernels get them, by parameter name
    Raises:  Violation; Declined for an element type that OpenVINO does not have
    """
    for item in inputs:
        if item is not None and element_type_of(item) in foreign_types():
            raise Declined("OpenVINO does not have this element type", f"got {element_type_of(item)}")
    values = complete(op, inputs, attributes)
    names = {attribute.parameter: name for name, attribute in op.definition.attributes.items()}
    invocation = Invocation.of_values(op, {names[parameter]: value for parameter, value in values.items()})
    facts = [None if item is None else Fact.of(item) for item in inputs]
    with collect_warnings() as warnings:
        try:
            count = len(invocation.infer(facts))
        except OpFault as fault:
            raise fault.violation or fault from None
    for warning in warnings:
        if op.definition.constraints[warning.constraint].severity is Severity.ERROR:
            raise warning  # an error that does not affect the shapes
    return count


def complete(op: Op, inputs: Inputs, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """All attributes of an op by parameter name, including those that its kernel does not take.

    Raises:  Declined if a required attribute is unknown
    """
    values_by_name: dict[str, Any] = {}
    for attribute in op.definition.attributes.values():
        name = attribute.parameter
        if name in attributes:
            values_by_name[name] = attributes[name]
        elif name == "hidden_size" and inputs[1] is not None:
            values_by_name[name] = inputs[1].shape[-1]  # of recurrent ops: the size of the state
        elif (
            name == "linear_before_reset"
            and len(inputs) > 5
            and inputs[1] is not None
            and inputs[5] is not None
        ):
            values_by_name[name] = inputs[5].shape[-1] == 4 * inputs[1].shape[-1]  # a fourth bias of GRUs
        elif attribute.required:
            raise Declined(f"kernels do not receive the attribute {attribute.name}")
        else:
            values_by_name[name] = default_of(attribute)
    return {name: value for name, value in values_by_name.items() if value is not None}


def signature(inputs: Inputs) -> tuple[Any, ...]:
    """Element types and shapes, the key of a compiled model."""
    return tuple(None if item is None else (element_type_of(item).name, item.shape) for item in inputs)


def one_op_model(
    op: Op,
    inputs: Sequence[Array],
    texts: Mapping[str, str],
    outputs: int,
    fixed: Mapping[int, Array],
    declared: Mapping[int, str] | None = None,
) -> tuple[str, bytes]:
    """The text of the model and its weights.

    texts: the attributes; fixed: the constant inputs by index; declared: the shapes that Parameters declare,
    by index, where they are not those of their arrays.
    """
    graph, weights, subject, declared = LayerGraph(), bytearray(), len(inputs), declared or {}
    for index, array in enumerate(inputs):
        kind, shape = element_type_of(array), declared.get(index, ",".join(map(str, array.shape)))
        port = Port(0, kind.precision, () if index in declared else array.shape)
        data = {"element_type": kind.name, "shape": shape}
        if index in fixed:
            raw = pack(array, kind) or b"\0"  # OpenVINO requires a byte for an empty tensor
            data |= {"offset": str(len(weights)), "size": str(len(raw))}
            weights.extend(raw)
        type_ = "Const" if index in fixed else "Parameter"
        graph.layers.append(Layer(index, f"input{index}", type_, "opset1", data, outputs=[port]))
        graph.edges.append(Edge(index, 0, subject, index))
    shapes = [() if k in declared else array.shape for k, array in enumerate(inputs)]
    kinds = [element_type_of(array).precision for array in inputs]
    ends = [Port(k, kind, shape) for k, (kind, shape) in enumerate(zip(kinds, shapes))]
    results = [Port(subject + k, "UNSPECIFIED") for k in range(outputs)]
    named = ("subject", op.definition.type, op.definition.version)
    graph.layers.append(Layer(subject, *named, dict(texts), ends, results))
    for k in range(outputs):
        graph.layers.append(
            Layer(subject + 1 + k, f"output{k}", "Result", "opset1", inputs=[Port(0, "UNSPECIFIED")])
        )
        graph.edges.append(Edge(subject, subject + k, subject + 1 + k, 0))
    return "".join(document(Model(op.id, 11, graph), lambda layer: layer.data)), bytes(weights)
