"""What definitions say of other libraries: these compute the examples, and generated cases, too."""

import re
from functools import partial

import numpy as np
import pytest

import irops
from irops.conformance.kit import run_conformance
from irops.dialects.registry import default_registry

LIBRARIES = {"NumPy": "numpy", "PyTorch": "torch", "ONNX": "onnx.reference"}
REGISTRY = default_registry()
PEERS = [(op, peer) for op in REGISTRY.ids() for peer in REGISTRY.op(op).definition.peers]


class Calls:
    """A backend of the calls of a library that the definitions name. computed: whether one was the same"""

    def __init__(self, peer, library):
        self.name, self.peer, self.library, self.computed = peer.library, peer, library, False

    def kernel(self, op):
        return partial(self.call, op.definition)

    def call(self, definition, *inputs, **attributes):
        names = [port.name for port in definition.inputs]
        if attributes.get("auto_broadcast", "numpy") != "numpy":
            raise irops.Declined("it broadcasts by other rules")
        if any(x is not None and not (x.size and x.dtype.isbuiltin == 1) for x in inputs):
            raise irops.Declined("an array is empty, or of a type that NumPy has not")
        known = Names({"np": np, "torch": self.library, **dict.fromkeys(names), **attributes})
        try:
            known.update(zip(names, map(self.own, inputs)))
            if definition.inputs and definition.inputs[-1].variadic:
                known[names[-1]] = list(map(self.own, inputs[len(names) - 1 :]))
            if self.peer.where and not eval(self.peer.where, known):
                raise irops.Declined("it is not the same here")
            with np.errstate(all="ignore"):
                result = eval(self.peer.call, known)
        except (NotImplementedError, RuntimeError, TypeError) as error:
            if re.search("implement|type", str(error)) is None:
                raise
            raise irops.Declined("the library has no such types", str(error)) from error
        self.computed = True
        return tuple(map(np.asarray, result)) if isinstance(result, tuple | list) else np.asarray(result)

    def own(self, array):
        """An array as the library has it."""
        return (
            self.library.from_numpy(array.copy()) if self.name == "PyTorch" and array is not None else array
        )


class Names(dict):
    """Names of inputs and attributes; each other one is a node of ONNX."""

    def __missing__(self, name):
        import onnx.helper
        import onnx.reference

        if not name[0].isupper():
            raise KeyError(name)

        def compute(*arrays, **attributes):
            given = {f"x{i}": array for i, array in enumerate(arrays)}
            node = onnx.helper.make_node(name, list(given), ["y"], **attributes)
            opsets = {"": onnx.defs.onnx_opset_version()}
            return onnx.reference.ReferenceEvaluator(node, opsets).run(None, given)[0]

        return compute


def cases():
    """Each peer, every fortieth in the fast tier."""
    for number, (op, peer) in enumerate(PEERS):
        marks = pytest.mark.slow("computes an op in another library") if number % 40 else ()
        yield pytest.param(op, peer, marks=marks, id=f"{op}-{peer.library}")


@pytest.mark.parametrize(("op", "peer"), list(cases()))
def test_another_library_computes_the_same(op, peer):
    backend = Calls(peer, pytest.importorskip(LIBRARIES[peer.library]))
    [report] = run_conformance(backend, [op], examples=15).ops
    valid = [failure for failure in report.failures if failure.kind != "counterexample"]
    wrong = [failure for failure in valid if "violat" not in failure.verdict.reason.lower()]
    assert wrong == [], report
    assert backend.computed


def test_conditions_are_in_words_with_the_names_of_the_definition():
    words = {}
    for op, peer in PEERS:
        definition = REGISTRY.op(op).definition
        names = {*definition.attributes, *(port.name for port in definition.inputs)}
        assert set(re.findall("`(.*?)`", peer.when)) <= names, op
        assert words.setdefault(peer.where, peer.when) == peer.when
        assert bool(peer.when) == bool(peer.where)
