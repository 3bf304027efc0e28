"""irops as a backend of ONNX, with the class and the functions that backends have: what
onnx.backend.test.BackendTest runs tests on.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from unittest import SkipTest

from onnx.backend import base

from irops.diagnostics.diagnostic import ReadError
from irops.dialects.onnx.read import of_proto
from irops.dialects.onnx.tensors import number_of
from irops.dialects.registry import default_registry
from irops.ir.model import Model
from irops.runtime.session import Session
from irops.spec.op import NoOp
from irops.values.element import Array, element_type_of


class NotDefinedError(SkipTest):
    """A model has ops or types that irops does not define; the test that runs it is skipped.

    ONNX's runner has an exception of its own for that, and lets tests pass that raise it.
    """


class PreparedModel(base.BackendRep):
    """A model ready to run again and again."""

    def __init__(self, model: Model) -> None:
        self._session = Session(model, backends=("reference",))

    def run(self, inputs: Mapping[str, Any] | Sequence[Any], **_: Any) -> tuple[Array, ...]:
        """The outputs, in the order of the graph; inputs: arrays in the order of the graph, or by name."""
        return tuple(self._session.run(inputs).values())


class ReferenceBackend(base.Backend):
    """Runs models with the reference kernels."""

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **_: Any) -> PreparedModel:
        """A model ready to run.

        Raises:  NotDefinedError, naming the ops or types that irops does not define; ReadError
        """
        if not cls.supports_device(device):
            raise NotDefinedError(f"irops computes on the CPU, not on {device}")
        try:
            read = of_proto(model)
        except ReadError as error:
            if all(d.name == "unsupported-onnx-type" for d in error.diagnostics):
                raise NotDefinedError(str(error)) from None
            raise
        types = {(layer.type, layer.version) for _, layer in read.walk()}
        missing = sorted(
            {name for name, version in types if isinstance(default_registry().resolve(name, version), NoOp)}
        )
        if missing:
            raise NotDefinedError(f"irops does not define {', '.join(missing)}")
        return PreparedModel(read)

    @classmethod
    def is_compatible(cls, model: Any, device: str = "CPU", **_: Any) -> bool:
        try:
            cls.prepare(model, device)
        except NotDefinedError:
            return False
        return True

    @classmethod
    def run_node(
        cls,
        node: Any,
        inputs: Sequence[Any],
        device: str = "CPU",
        outputs_info: Any = None,  # noqa: ARG003
        **more: Any,
    ) -> tuple[Array, ...]:
        """The outputs of one node, by a model made of it; opset_version: of which opset it is, the newest if
        not said.
        """
        from onnx import TensorProto, defs, helper

        given = [(name, array) for name, array in zip(node.input, inputs) if name]
        kinds = ((name, number_of(element_type_of(array)), array.shape) for name, array in given)
        unknown = TensorProto.UNDEFINED
        infos = [helper.make_tensor_value_info(name, kind or unknown, shape) for name, kind, shape in kinds]
        outputs = [
            helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in node.output if name
        ]
        opset = helper.make_opsetid("", more.get("opset_version", defs.onnx_opset_version()))
        model = helper.make_model(helper.make_graph([node], "node", infos, outputs), opset_imports=[opset])
        return cls.prepare(model, device).run(dict(given))

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.partition(":")[0] == "CPU"


is_compatible, prepare = ReferenceBackend.is_compatible, ReferenceBackend.prepare
run_model, run_node = ReferenceBackend.run_model, ReferenceBackend.run_node
supports_device = ReferenceBackend.supports_device
