"""Inputs from files, saved results and loops stay within the limits; little memory gives a sentence."""

import io
import pickle
import resource
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from bodies import ITERATOR, gives, iterating, takes
from commands import python

import irops as package
from irops.cli.models import load_all, load_one
from irops.cli.values import BLOCK, exact, first_elements, minimum_mean_maximum
from irops.ir import numpy_files
from irops.ir.numpy_files import UnreadableFileError, member_name, save_all

ROOT = Path(__file__).parents[2]
SMALL = package.Limits(tensor_bytes=1 << 20)


def zip_bomb(path, arrays, elements):
    """An .npz file of zeros, which compress a thousandfold."""
    content = io.BytesIO()
    np.save(content, np.zeros(elements, np.uint8))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for k in range(arrays):
            archive.writestr(f"x{k}.npy", content.getvalue())
    return path


def declared(shape, kind="|u1"):
    """An .npy file that declares a shape, without the bytes."""
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(content, {"shape": shape, "fortran_order": False, "descr": kind})
    return content.getvalue()


@pytest.mark.parametrize("arrays", [1, 8])
def test_arrays_of_a_file_are_bounded_before_they_are_unpacked(arrays, tmp_path):
    path = zip_bomb(tmp_path / "b.npz", arrays, (2 << 20) // arrays)
    assert path.stat().st_size < 20_000
    with pytest.raises(package.DiagnosticError, match=r"IR605 the arrays of .* take .* \(tensor_bytes\)"):
        load_all(str(path), SMALL)


def test_arrays_of_a_small_file_are_bounded_by_what_it_has(irops, reversing, tmp_path, monkeypatch):
    monkeypatch.setattr(numpy_files, "UNPACKED_BYTES", 1 << 20)
    path = zip_bomb(tmp_path / "b.npz", 8, 1 << 18)
    message = "the arrays of .* take .* bytes, more than 100 times what the file has"
    with pytest.raises(package.DiagnosticError, match=message):
        load_all(str(path))
    assert numpy_files.load_member(str(path), "x7.npy").size == 1 << 18  # alone it is small
    result = irops("run", reversing, "--load-inputs", path)
    assert (result.status, "IR605" in result.err) == (1, True)
    assert "numpy.savez stores arrays as they are" in result.err


def test_a_header_is_bounded_before_it_is_unpacked(tmp_path):
    path, size = tmp_path / "h.npz", 1 << 26
    header = b"\x93NUMPY\x02\x00" + size.to_bytes(4, "little") + bytes(size)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", header)
    del header
    tracemalloc.start()
    with pytest.raises(UnreadableFileError, match="is not a valid"):
        numpy_files.load_all(str(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 23


@pytest.mark.parametrize("kind", ["|u1", "|V0", "<U1", "<f8"])
def test_a_declared_size_is_bounded_before_memory_is_taken(kind, tmp_path):
    path = tmp_path / "x.npy"
    path.write_bytes(declared((1 << 20, 1 << 19), kind))
    with pytest.raises(package.DiagnosticError, match="IR605"):
        load_one(str(path), SMALL)


NO_ARRAYS = (b"", b"# a text\n")
HEADERS = (b"{'descr': '<f4',   ", b"{1: 2, 'descr': 3} ", b"  1\n 2              ")
DAMAGED = (
    *(b"\x93NUMPY\x01\x00\x13\x00" + header for header in HEADERS),
    *(b"\x93NUMPY\x03\x00" + bytes(20), declared((9,)), b"PK\x03\x04damaged"),
    *(declared(shape) + bytes(9) for shape in ((True, 4), (-1, 4), (0, 1 << 70))),
    declared((1,), "|O") + pickle.dumps(np.array([{}], object)),
)


@pytest.mark.parametrize("content", NO_ARRAYS + DAMAGED)
def test_damaged_files_and_pickles_are_refused(irops, reversing, content, tmp_path):
    path = tmp_path / "x.npy"
    path.write_bytes(content)
    for option in (("--load-inputs", path), ("--input", f"x={path}")):
        result = irops("run", reversing, *option)
        assert (result.status, "internal" in result.err) == (2, False)
        assert str(path) in result.err
    (tmp_path / "stored").mkdir()
    (tmp_path / "stored" / "y.npy").write_bytes(content)
    stored = irops("compare", reversing, "--fill", "ones", "--b", tmp_path / "stored")
    assert (stored.status, stored.out, "internal" in stored.err) == (2, "", False)
    assert f"{tmp_path / 'stored' / 'y.npy'} is not a" in stored.err
    said = "is not an .npy or .npz file\n" if content in NO_ARRAYS else "is not a valid .npy or .npz file: "
    assert result.err.startswith(f"irops run: {path} {said}")


def test_a_run_reports_the_limit(irops, reversing, tmp_path):
    bomb = zip_bomb(tmp_path / "b.npz", 1, 9 << 20)
    result = irops("run", reversing, "--load-inputs", bomb, "--limit", "tensor_bytes=1000000")
    assert result.status == 1
    assert "IR605" in result.err
    assert "--limit tensor_bytes=N" in result.err


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("y", "y"),
        ("model/conv/out:0", "model/conv/out:0"),
        ("../../evil", "_/_/evil"),
        ("/etc/x", "_/etc/x"),
        ("C:\\x\\..\\y", "C__x_.._y"),
        ("aten::linear/MatMul:1", "aten::linear/MatMul:1"),
        ("a//b", "a/_/b"),
        ("", "_"),
        ("a\u202eb\0", "a\\u202eb\\x00".replace("\\", "_")),
    ],
)
def test_names_of_saved_results_stay_in_the_folder(name, member):
    assert member_name(name) == member


def test_saved_results_keep_apart_and_changes_are_reported(tmp_path):
    arrays = {name: np.array(k) for k, name in enumerate(("../x", "_/x", "n" * 70_000))}
    changed = save_all(str(tmp_path / "o.npz"), arrays)
    assert {name[:9]: new[:9] for name, new in changed.items()} == {
        "../x": "_/x",
        "_/x": "_/x#1",
        "n" * 9: "n" * 9,
    }
    assert [int(value) for value in load_all(str(tmp_path / "o.npz")).values()] == [0, 1, 2]


def test_a_run_says_under_which_names_it_saves(irops, reversing, tmp_path):
    reversing.write_text(reversing.read_text().replace('name="y"', 'name="../../evil"'))
    result = irops("run", reversing, "--fill", "ones", "-q", "--save-outputs", tmp_path / "o.npz")
    assert (result.status, result.err) == (0, "result '../../evil' is saved as '_/_/evil'\n")
    assert zipfile.ZipFile(tmp_path / "o.npz").namelist() == ["_/_/evil.npy"]


@pytest.mark.slow("measures the memory of a process")
def test_the_table_of_results_takes_little_memory_beside_them():
    array = np.arange(40 * BLOCK, dtype=np.float32)
    array[5] = np.nan
    code = "\n".join(
        [
            "import numpy as np, resource, sys",
            "from irops.cli.values import first_elements, minimum_mean_maximum",
            "array = np.zeros(1 << 26, np.uint8)",
            "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss",
            "print(first_elements(array), minimum_mean_maximum(array))",
            "sys.exit(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before > 100_000)",
        ]
    )
    assert python("-c", code).returncode == 0
    assert first_elements(array).endswith("(1 nan)")
    low, mean, high = minimum_mean_maximum(array)
    assert (low, high) == ("0", f"{float(array[-1]):.4g}")
    assert float(mean) == pytest.approx(float(np.nanmean(array, dtype=np.float64)), rel=1e-3)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("bits", [0x7F800001, 0x7FC00000, 0xFFC00000])
def test_nan_of_every_kind_are_shown_without_warnings(bits):
    array = np.full(9, bits, np.uint32).view(np.float32)
    assert first_elements(array) == "nan nan nan nan ... (9 nan)"
    assert minimum_mean_maximum(array) == ("", "", "")
    assert exact(array[:2]) == "[nan, nan]"


def test_nested_loops_share_the_limit_on_iterations():
    def once(body, part):
        inner = body.body()
        p = inner.parameter("p", "f32", "1")
        return body.apply(ITERATOR, part, body=(inner, takes(0, p) + gives(1, inner.result(p))))[0]

    def run(limit):
        model, limits = iterating("2", "1", work=once).model(), package.Limits(iterations=limit)
        return package.run(model, [np.ones(2, np.float32)], backends="reference", limits=limits)

    assert list(run(2 + 2 * 1)) == ["y"]
    with pytest.raises(package.EvaluationError, match=r"IR60\d the loops .* the limit is 3 \(iterations\)"):
        run(3)


@pytest.mark.slow("processes with little memory")
@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS bounds the memory on Linux only")
@pytest.mark.parametrize("command", [("run", "--fill", "ones", "-q"), ("check", "-q"), ("infer", "-q")])
@pytest.mark.parametrize("megabytes", [150, 250, 350])
def test_little_memory_is_reported_in_a_sentence(command, megabytes):
    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    model = ROOT / "examples" / "bidirectional_encoder" / "model.xml"
    words = ("-m", "irops", command[0], model, *command[1:])
    done = python(*words, env={"OPENBLAS_NUM_THREADS": "1"}, preexec_fn=bounded)
    assert done.returncode in (0, 1, 2), done.stderr
    assert "internal error" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 0 or "memory" in done.stderr + done.stdout
