"""What runtimes do with unusual inputs of Reverse and ReverseSequence, as notes of the definitions say."""

import numpy as np
import pytest
from libraries import needs
from onnx_protos import proto_of
from probes import Probe
from runtimes import DeclinedError

pytestmark = [needs("openvino", "onnx", "onnxruntime"), pytest.mark.slow("real runtimes in a process")]
DATA = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_openvino_crashes_on_strings(runtimes, tmp_path):
    probe = Probe.parse("Reverse-1", "mode=index | ?string[2,3] ; ?i64[1] 1 -> reads")
    assert probe.ask(runtimes, "openvino", tmp_path) == "crashed"


@pytest.fixture
def onnx(runtimes, tmp_path):
    """The outputs of the reference, ONNX Runtime and OpenVINO for a node, the checker's first."""

    def outputs(data, lengths, **attributes):
        from onnx import checker, helper
        from onnx.reference import ReferenceEvaluator

        kinds = {name: helper.np_dtype_to_tensor_dtype(a.dtype) for name, a in (("x", data), ("n", lengths))}
        ends = {"x": (kinds["x"], data.shape), "n": (kinds["n"], lengths.shape)}
        node = ("ReverseSequence", ["x", "n"], ["y"], attributes)
        model = proto_of([node], ends, {"y": ends["x"]}, opset=18, ir_version=8)
        (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
        found = {name: outcome(runtimes, name, tmp_path / "m.onnx", (data, lengths)) for name in READERS}
        try:
            found["reference"] = ReferenceEvaluator(model).run(None, {"x": data, "n": lengths})[0].tolist()
        except Exception:  # the Python evaluator raises exceptions of any type
            found["reference"] = "refuses"
        try:
            checker.check_model(model, full_check=True)
        except Exception:
            found["checker"] = "refuses"
        return found

    return outputs


READERS = ("onnxruntime", "openvino")


def outcome(runtimes, runtime, path, arrays):
    try:
        return runtimes.run(runtime, path, arrays)[0].tolist()
    except DeclinedError as reason:
        return "crashes" if str(reason) == "crashed" else "refuses"


def of(*numbers, dtype=np.int64):
    return np.array(numbers, dtype)


def test_onnx_reference_cuts_lengths_off_and_takes_negative_ones_from_the_end(onnx):
    axes = {"batch_axis": 0, "time_axis": 1}
    long, negative = onnx(DATA, of(4, 3), **axes), onnx(DATA, of(-1, 3), **axes)
    assert long == {"reference": [[2, 1, 0], [5, 4, 3]], "onnxruntime": "refuses", "openvino": "refuses"}
    assert negative == {"reference": [[1, 0, 2], [5, 4, 3]], "onnxruntime": "refuses", "openvino": "refuses"}


def test_onnx_runtime_reverses_another_axis_than_the_one_that_is_counted_from_the_end(onnx):
    data = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    found = onnx(data, of(2, 2), batch_axis=0, time_axis=-1)
    assert found["onnxruntime"] == [[[3, 4, 5], [0, 1, 2]], [[9, 10, 11], [6, 7, 8]]]


def test_equal_axes_are_refused_by_onnx_runtime_and_pass_the_checker(onnx):
    found = onnx(DATA.reshape(3, 2), of(1, 2, 3), batch_axis=0, time_axis=0)
    assert found["onnxruntime"] == "refuses"
    assert "checker" not in found


def test_the_reader_of_openvino_takes_lengths_that_the_checker_refuses(onnx):
    found = onnx(DATA, of(2.7, 1.2, dtype=np.float32), batch_axis=0, time_axis=1)
    assert found["openvino"] == [[1, 0, 2], [3, 4, 5]]
    assert found["checker"] == "refuses"
