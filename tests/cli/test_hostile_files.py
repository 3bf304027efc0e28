"""Every command on hostile files: a documented exit code, text to read of bounded length, no traceback."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from entry_points import call, command_faults, raw_errors
from hostile_models import GROWING, chain, layer, nested, net, parameter, relu, result
from libraries import needs

import irops

ROOT = Path(__file__).parents[2]
EVIL = "a\u202eb&#x85;" + "../" * 9
NAN = np.array([0x7F800001, 0x7FC00000], np.uint32).tobytes()


def with_constant(data, more=""):
    constant = layer(0, "c", "Const", f"<data {data}/>", (), (0,))
    return net([constant, result()], [(0, 0, 1, 0)], more)


TEXTS = {
    "nothing": lambda: "",
    "cut off": lambda: chain(9)[:700],
    "control characters": lambda: chain(2).replace('"n1"', f'"{EVIL}"').replace('name="g"', f'name="{EVIL}"'),
    "control characters in types": lambda: (
        chain(2)
        .replace('"ReLU"', f'"{EVIL}"')
        .replace('shape="2"', f'shape="{EVIL}"')
        .replace('version="opset1"', f'version="{EVIL}"')
    ),
    "control characters in ends": lambda: (
        chain(2).replace('name="x"', f'name="{EVIL}"').replace('element_type="f32"', f'element_type="{EVIL}"')
    ),
    "a long name": lambda: chain(30, lambda k: relu(k, "n" * 50_000)),
    "a long name of a result": lambda: chain(1).replace('name="y"', f'name="{"n" * 200_000}"'),
    "no layers": lambda: '<net name="g" version="11"><layers/><edges/></net>',
    "an edge from a Result": lambda: net(
        [parameter(), layer(1, "r", "Result", "", (0,), (1,)), relu(2), result(3)],
        [(0, 0, 1, 0), (1, 1, 2, 0), (2, 1, 3, 0)],
    ),
    "a port without an edge": lambda: net(
        [parameter(), layer(1, "c", "Concat", '<data axis="0"/>', (0, 1), (2,)), result(2)],
        [(0, 0, 1, 1), (1, 2, 2, 0)],
    ),
    "bodies within bodies": lambda: nested(50),
    "a body without edges": lambda: nested(1).replace(
        '<edges><edge from-layer="0" from-port="0" to-layer="1"', "<edges><edge", 1
    ),
    "signalling NaN": lambda: with_constant('element_type="f32" shape="2" offset="0" size="8"'),
    "a huge constant": lambda: with_constant(f'element_type="f32" shape="{2**62}" offset="0" size="8"'),
    "a huge input": lambda: chain(1).replace('shape="2"', f'shape="{2**40},{2**20}"'),
    "a deep input": lambda: chain(1).replace('shape="2"', f'shape="{",".join("2" * 900)}"'),
    "a mean image outside": lambda: chain(
        1,
        more='<pre-process reference-layer-name="x"><channel id="0"><mean offset="9" size="99"/></channel>'
        "</pre-process>",
    ),
    "an unknown op": lambda: chain(3).replace('"ReLU"', '"Nothing"'),
    **{f"many {name}": (lambda make=make: make(300)) for name, make in GROWING.items()},
}


@pytest.fixture(params=TEXTS)
def hostile(request, tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(TEXTS[request.param](), encoding="utf-8")
    path.with_suffix(".bin").write_bytes(NAN)
    return path


@pytest.fixture
def output(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


@pytest.mark.slow("every command with every hostile file")
def test_every_command_ends_with_a_sentence(hostile, output):
    assert list(command_faults(hostile, output)) == []


@pytest.mark.slow("every function with every hostile file")
def test_no_function_raises_what_it_does_not_document(hostile):
    assert list(raw_errors(hostile)) == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests" / "fuzz" / "found").glob("*.xml")), ids=lambda p: p.stem
)
def test_files_that_raised_once_do_not_raise_again(path, tmp_path):
    copy = tmp_path / "m.xml"
    copy.write_bytes(path.read_bytes())
    if path.with_suffix(".bin").exists():
        copy.with_suffix(".bin").write_bytes(path.with_suffix(".bin").read_bytes())
    assert list(raw_errors(copy)) == []
    assert call("infer", copy)[0] in (0, 1)


@needs("onnx")
@pytest.mark.parametrize("content", [b"", b"\x08\x07", b"\xff" * 99, b"<net/>", bytes(500)])
def test_every_command_ends_with_a_sentence_for_onnx(content, tmp_path, output):
    path = tmp_path / "m.onnx"
    path.write_bytes(content)
    assert list(command_faults(path, output)) == []
    assert list(raw_errors(path)) == []


@pytest.mark.parametrize(
    "path", ["", ".", "/", "..", "a\0b", "a\0.onnx", "x" * 5000, "/dev/null", "\udcff.xml"]
)
@pytest.mark.parametrize("function", [irops.check, irops.read, irops.infer, irops.run])
def test_paths_that_no_system_accepts_are_reported(function, path):
    if function is irops.check:
        report = irops.check(path)
        assert [d.code for d in report] in (["IR001"], ["IR002"], ["IR003"])
    else:
        with pytest.raises(irops.ReadError):
            function(path)


VERSIONS = ["x", "99999999999", "", "-1", "²", "opset9"]


@pytest.mark.parametrize("dialect", ["onnx", "graiphic"])
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("command", [("ops",), ("explain", "Foo-9"), ("check", "m.xml")])
def test_impossible_versions_of_definitions_are_reported(dialect, version, command, tmp_path):
    definition = (ROOT / "schemas" / "activation" / "SoftSign-9.xml").read_text()
    head = f'type="Foo" dialect="{dialect}" version="{version}"'
    (tmp_path / "Foo-9.xml").write_text(definition.replace('type="SoftSign" version="opset9"', head))
    words = [str(tmp_path / "m.xml") if word == "m.xml" else word for word in command]
    (tmp_path / "m.xml").write_text(chain(2).replace('"ReLU" version="opset1"', '"Foo" version="9"'))
    status, out, err = call(*words, "--definitions", tmp_path)
    assert status in (1, 2)
    assert "OD1" in out + err
    assert "internal error" not in err


@pytest.mark.parametrize("name", ["Foo-²", "Foo-" + "9" * 200, "onnx:Foo-9", "x:y-z"])
def test_impossible_file_names_of_definitions_are_reported(name, tmp_path):
    definition = (ROOT / "schemas" / "activation" / "SoftSign-9.xml").read_text()
    (tmp_path / f"{name}.xml").write_text(definition)
    status, _, err = call("ops", "--definitions", tmp_path)
    assert (status, "internal error" in err) == (1, False)


def test_a_position_in_other_digits_is_no_position(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(chain(1))
    for text in ("²", "9" * 5000):
        status, _, err = call("run", path, "--shape", f"{text}:2", "--fill", "ones")
        assert (status, "IR602" in err) == (2, True)


EXAMPLE = str(ROOT / "examples" / "digit_classifier" / "model.xml")
PIPES = {
    "a list of models": (["survey", "@list", "-o", "out"], 2, "list cannot be read: is a pipe"),
    "a model beside weights": (["check", "w.bin"], 1, "IR006"),
    "a model beside a target": (["run", EXAMPLE, "--fill", "ones", "--save-outputs", "w.bin", "-q"], 0, ""),
    "the manifest of a survey": (["survey", EXAMPLE, "-o", "report"], 2, "is not that of a survey"),
    "a definition": (["ops", "--definitions", "ops"], 1, "is a pipe"),
    "an index of values": (
        ["compare", EXAMPLE, "--fill", "ones", "--b", "values"],
        2,
        "values has no .npy files",
    ),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", PIPES)
def test_no_command_waits_for_a_pipe(name, irops, tmp_path, monkeypatch):
    words, status, text = PIPES[name]
    monkeypatch.chdir(tmp_path)
    Path("w.bin").write_bytes(bytes(64))
    for pipe in ("list", "w.xml", "report/survey.json", "values/values.json", "ops/A-1.xml"):
        Path(pipe).parent.mkdir(exist_ok=True)
        os.mkfifo(pipe)
    signal.alarm(60)  # a command that waits would not end
    try:
        result = irops(*words)
    finally:
        signal.alarm(0)
    assert (result.status, text in result.out + result.err) == (status, True)
