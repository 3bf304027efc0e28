"""irops.call and irops.run on torch tensors, and on arrays of any library that offers DLPack."""

import numpy as np
import pytest
from commands import python
from libraries import Late, needs

import irops

pytestmark = needs("torch")
torch = Late("torch")

LENGTHS = np.array([3, 2])
AXES = {"batch_axis": 0, "seq_axis": 1}


class Namespace:
    @staticmethod
    def asarray(array):
        return Other(array)


class Other:
    """An array of another library, in the memory of a device of DLPack."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device, 0

    def __array_namespace__(self):
        return Namespace


def data():
    return torch.arange(6.0).reshape(2, 3)


def test_a_tensor_comes_back_as_a_tensor():
    result = irops.call("ReverseSequence-1", data(), LENGTHS, **AXES)
    assert isinstance(result, torch.Tensor)
    assert result.tolist() == [[2, 1, 0], [4, 3, 5]]
    mixed = irops.call("ReverseSequence-1", data().numpy(), torch.tensor([3, 2]), **AXES)
    assert isinstance(mixed, torch.Tensor)


def test_views_in_any_order_and_several_outputs_come_back():
    turned = irops.call("Reverse-1", data().T, torch.tensor([0]), mode="index", backends="reference")
    assert turned.tolist() == [[2, 5], [1, 4], [0, 3]]
    parts = irops.call("Split-1", data(), torch.tensor(1), num_splits=3)
    assert [part.tolist() for part in parts] == [[[0], [3]], [[1], [4]], [[2], [5]]]
    assert irops.call("ReduceSum-1", data(), torch.tensor([0, 1]), keep_dims=False).item() == 15


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float64", "int8", "uint8", "bool", "int64"])
def test_types_are_kept(name):
    given = data().to(getattr(torch, name))
    result = irops.call("Transpose-1", given, torch.tensor([1, 0]))
    assert result.dtype == given.dtype
    assert torch.equal(result, given.T)


def test_a_type_that_torch_lacks_is_refused():
    with pytest.raises(ValueError, match="which torch does not have"):
        irops.call("Convert-1", data(), destination_type="u2")


def test_the_output_goes_to_the_tensor_that_is_given():
    out = torch.zeros(2, 3)
    assert irops.call("ReverseSequence-1", data(), LENGTHS, out=out, **AXES) is out
    assert out.tolist() == [[2, 1, 0], [4, 3, 5]]


def test_arrays_of_other_libraries_come_back_as_what_they_were():
    result = irops.call("ReverseSequence-1", Other(data().numpy()), LENGTHS, **AXES)
    assert isinstance(result, Other)
    assert result.array.tolist() == [[2, 1, 0], [4, 3, 5]]


def test_what_has_an_array_interface_is_accepted():
    class Image:
        kept = data().numpy()
        __array_interface__ = kept.__array_interface__

    assert irops.call("ReverseSequence-1", Image(), LENGTHS, **AXES).tolist() == [[2, 1, 0], [4, 3, 5]]


def test_arrays_on_other_devices_are_refused_by_name():
    with pytest.raises(ValueError, match=r"it is on CUDA \(DLPack device 2\), and irops computes on the CPU"):
        irops.call("Abs-1", Other(data().numpy(), device=2))
    with pytest.raises(ValueError, match="it is on meta, and irops computes on the CPU"):
        irops.call("Abs-1", torch.zeros(2, device="meta"))
    with pytest.raises(ValueError, match=r"it has the layout torch\.sparse_coo"):
        irops.call("Abs-1", data().to_sparse())


def test_tensors_whose_gradients_torch_records_are_refused():
    x = data().requires_grad_()
    with pytest.raises(ValueError, match=r"it requires a gradient, .*\.detach\(\)"):
        irops.call("ReverseSequence-1", x, LENGTHS, **AXES)
    with torch.no_grad():
        assert not irops.call("ReverseSequence-1", x, LENGTHS, **AXES).requires_grad


def test_run_takes_tensors_and_says_what_to_do_with_gradients(reverse):
    model, shape = reverse
    x, axes = torch.ones(shape), np.array([0])
    (of_torch,) = irops.run(model, [x, axes]).values()
    (of_numpy,) = irops.run(model, {"x": x.numpy(), "n": axes}).values()
    assert isinstance(of_torch, torch.Tensor)
    assert np.array_equal(of_torch.numpy(), of_numpy)
    with pytest.raises(irops.EvaluationError, match=r"IR603 .*it requires a gradient.*\.detach\(\)"):
        irops.run(model, [x.requires_grad_(), axes])


@pytest.fixture
def reverse(net):
    model = net("x: f32[2,3]", "n: i64[1]", "r: Reverse x n mode=index", "y: Result r")
    return model, (2, 3)


@pytest.mark.slow("starts a process")
def test_torch_is_imported_by_none_but_the_caller():
    code = (
        "import sys, numpy, irops; irops.call('Abs-1', numpy.ones(2, numpy.float32));"
        "print('torch' in sys.modules)"
    )
    assert python("-c", code).stdout == "False\n"


class Only:
    """An array that offers DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_one_array_of_any_library_is_the_only_input_and_gradients_are_of_its_library(net):
    model = net("x: f32[2,3]; exp: Exp x; y: Result exp")
    assert irops.run(model, Only(data().numpy()))[0].shape == (2, 3)
    gradients = irops.vjp(model, data(), torch.ones(2, 3))
    assert torch.allclose(gradients["x"], torch.exp(data()))
    assert isinstance(gradients.results[0], torch.Tensor)
