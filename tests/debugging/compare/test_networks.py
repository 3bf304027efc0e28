"""Answers about networks as converters write them: a planted fault is named, with its cause; nothing else is.

`python tests/debugging/compare/test_networks.py SEED COUNT` plants faults, in networks of IROPS_CORPUS too.
"""

import sys
from collections.abc import Iterator

import numpy as np
import pytest
from libraries import needs
from model_faults import ModelFault, draws, renamed
from networks import folders, network

import irops
from irops.diagnostics.printable import abridged


def misses(model, inputs, fault: ModelFault) -> Iterator[str]:
    """What compare and diff do not say of a fault."""
    for name, other in (("", fault.model), ("renamed ", renamed(fault.model))):
        for mode in ("propagated", "isolated"):
            yield from _misses(
                irops.compare(model, inputs, b=other, mode=mode), model, fault, f"{name}{mode}"
            )
    values = irops.run(fault.model, inputs, keep="all")
    stored = irops.compare(model, inputs, b=dict(values), mode="propagated")
    yield from _misses(stored, model, fault, "stored", is_stored=True)


def _misses(found, model, fault: ModelFault, mode: str, *, is_stored: bool = False) -> Iterator[str]:
    if found.ok:
        yield f"{mode}: ok"
    if all(result.is_compared and not result.is_fault for result in found.results):
        yield f"{mode}: no result differs"
    first, said = found.first, str(found)
    if first is not None and first.name == fault.layer:
        if not is_stored and not first.cause:
            yield f"{mode}: no cause"
    elif is_stored:  # of a layer that is missing, or whose output a further one changes, they have the users
        users = {user.name for output in irops.Graph(model)[fault.layer].outputs for user in output.users}
        if first is not None and first.name not in users:
            yield f"{mode}: first is {first.name}"
    elif fault.layer not in said and abridged(fault.layer, 60) not in said:
        yield f"{mode}: first is {None if first is None else first.name}, {fault.layer} is not in the report"


NAMES = sorted(folders())
FEW = ["torch_fft", "torch_lstm", "torch_script_if", "torch_kv_attention__stateful"]
PAIRS = [(a, b) for a in NAMES for b in NAMES if a < b and a.split("__")[0] == b.split("__")[0]]
EQUAL = [
    pair for pair in PAIRS if not any(way in name for name in pair for way in ("int", "nf4", "ptq", "fp16"))
]
"""Conversions of one network whose weights are the same."""


MANY = pytest.mark.slow("many planted faults")


@pytest.mark.parametrize(
    ("names", "seed"),
    [(FEW, 2), *(pytest.param(NAMES, seed, marks=MANY) for seed in range(3, 15))],
    ids=lambda value: str(value) if isinstance(value, int) else "",
)
def test_planted_faults_are_named(names, seed):
    found = {
        f"{name}: {fault.kind} in {fault.layer}": list(misses(model, inputs, fault))
        for name, inputs, model, fault in draws(names, seed, 5)
    }
    assert {what: missed for what, missed in found.items() if missed} == {}
    assert len(found) > 2


@pytest.mark.parametrize(
    "pair",
    [
        pair
        if pair[0] in ("torch_grid_sample", "torch_lstm")
        else pytest.param(pair, marks=pytest.mark.slow("pairs"))
        for pair in EQUAL
    ],
    ids="-".join,
)
def test_conversions_agree_if_their_results_are_equal(pair):
    (one, inputs), (other, _) = (network(folders()[name]) for name in pair)
    results = [irops.run(model, inputs.values()).values() for model in (one, other)]
    for mode in ("propagated", "isolated"):
        found = irops.compare(one, inputs.values(), b=other, mode=mode)
        assert found.ok == all(map(_is_close, *results)), str(found)


def _is_close(a, b) -> bool:
    return a.shape == b.shape and np.allclose(a, b, 1e-5, 1e-5 * (np.abs(a).max(initial=0) or 1))


@pytest.mark.parametrize("name", NAMES)
def test_a_network_is_itself_whatever_its_layers_are_called(name):
    model, inputs = network(folders()[name])
    for mode in ("propagated", "isolated"):
        found = irops.compare(model, inputs, b=renamed(model), mode=mode)
        assert found.ok  # no layer and no result is wrong
    assert irops.diff(model, renamed(model)).same


@pytest.mark.parametrize("seed", range(12))
def test_the_layer_of_a_fault_is_all_that_a_diff_lists(seed):
    *_, model, fault = next(draws(FEW, seed, 1))
    before = {layer.name for layer in model.layers}
    found = irops.diff(model, fault.model)
    assert not found.same
    listed = {
        change.name for part in (found.added, found.removed, found.changed, found.rewired) for change in part
    }
    users = {user.name for output in irops.Graph(model)[fault.layer].outputs for user in output.users}
    is_moved = "times" in fault.kind or fault.kind == "missing"
    assert (listed | {weight.name for weight in found.weights}) & before <= {
        fault.layer,
        *(users if is_moved else ()),
    }


COMPUTED_IN_INTEGERS = ("torch_lstm__ptq",)
"""Networks that OpenVINO computes in i8, so that results are 0.45 off PyTorch's, as irops reports."""


@pytest.mark.slow("OpenVINO with many networks")
@pytest.mark.parametrize("name", [name for name in NAMES if name not in COMPUTED_IN_INTEGERS])
@needs("openvino")
def test_a_device_agrees(name):
    model, inputs = network(folders()[name])
    found = irops.compare(model, inputs, b="openvino:CPU,INFERENCE_PRECISION_HINT=f32", mode="propagated")
    assert found.first is None, str(found)
    assert found.ok


if __name__ == "__main__":
    for place, arrays, right, wrong in draws(NAMES, int(sys.argv[1]), int(sys.argv[2])):
        print(
            f"{place}: {wrong.kind} in {wrong.layer}", *misses(right, arrays, wrong), sep="\n    ", flush=True
        )
