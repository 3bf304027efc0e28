"""Which op a layer's type and version mean, and custom ops."""

import os
import shutil
from pathlib import Path

import numpy as np
import programs
import pytest

import irops
from irops.dialects import dialect_named
from irops.dialects.registry import Registry, default_registry
from irops.spec.op import NoOp

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "my_reverse"


@pytest.mark.parametrize(
    ("kind", "version", "op"),
    [
        ("ReverseSequence", "opset1", "ReverseSequence-1"),
        ("ReverseSequence", "opset16", "ReverseSequence-1"),
        ("reversesequence", "opset12", "ReverseSequence-1"),
        ("Const", "opset9", "Const-1"),
        ("PARAMETER", "opset17", "Parameter-1"),
    ],
)
def test_a_type_is_found_in_any_opset_that_holds_it(kind, version, op):
    assert default_registry().resolve(kind, version).id == op


@pytest.mark.parametrize(
    ("kind", "version", "rule"),
    [
        ("Reverse", "opset2", "op-not-in-opset"),
        ("ReverseSequence", "opset17", "op-not-in-opset"),
        ("ReverseSequence", "opset99", "unknown-opset"),
        ("ReverseSequence", "OPSET1", "unknown-opset"),
        ("Constant", "opset1", "misread-type-spelling"),
        ("Reverze", "opset1", "unknown-op"),
    ],
)
def test_what_no_opset_holds_has_a_reason(kind, version, rule):
    found = default_registry().resolve(kind, version)
    assert isinstance(found, NoOp)
    assert found.rule == rule


def test_a_near_name_is_suggested():
    assert default_registry().resolve("Reverze", "opset1").notes == ("did you mean Reverse?",)


def test_the_type_alone_means_the_newest_version():
    assert irops.definition("reversesequence").id == "ReverseSequence-1"


def test_a_custom_op_is_found_by_path():
    registry = Registry(folders=[EXAMPLE])
    model = irops.read(EXAMPLE / "model.xml")
    assert irops.check(model, registry=registry).diagnostics == ()
    assert str(irops.infer(model, registry=registry)["blocks", 0]) == "f32[?,6]"
    x = np.arange(6, dtype=np.float32).reshape(1, 6)
    assert irops.run(model, {"x": x}, registry=registry)["y"].tolist() == [[2, 1, 0, 5, 4, 3]]
    with pytest.raises(irops.EvaluationError, match="whole number of blocks"):
        irops.call("MyReverse-extension", x, block=4, registry=registry)


def test_a_custom_op_is_unknown_without_its_definition():
    assert [d.code for d in irops.check(EXAMPLE / "model.xml").errors] == ["IR301"]


def python(path, *words):
    """What Python does with another folder in its path."""
    path = os.pathsep.join(filter(None, (str(path), os.environ.get("PYTHONPATH"))))
    return programs.python(*words, env={"PYTHONPATH": path})


def test_two_definitions_of_one_op_are_refused(tmp_path):
    for name in ("a", "b"):
        shutil.copytree(EXAMPLE, tmp_path / name)
    with pytest.raises(irops.DefinitionError, match="OD107"):
        Registry(folders=[tmp_path / "a", tmp_path / "b"]).ids()


def faulty(tmp_path, old, new, file="MyReverse-extension.xml"):
    folder = tmp_path / "faulty"
    shutil.copytree(EXAMPLE, folder)
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    with pytest.raises(irops.DefinitionError) as caught:
        Registry(folders=[folder]).op("MyReverse-extension")
    return caught.value


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("<summary>", "<summary", "OD101"),
        ("<summary>", "<sumary>", "OD101"),
        ('type="int"', 'type="integer"', "OD102"),
        ('<type name="T">any</type>', '<type name="T">anything</type>', "OD103"),
        ('violates="C1"', 'violates="C2"', "OD103"),
        ('min="1"', 'min="1" default="0"', "OD103"),
        ('min="1"', 'min="one"', "OD103"),
        ('rank="1.."', 'rank="one"', "OD103"),
    ],
)
def test_a_faulty_definition_is_reported_with_file_and_line(tmp_path, old, new, code):
    found = faulty(tmp_path, old, new).diagnostics[0]
    assert found.code == code
    assert found.location.file.endswith("MyReverse-extension.xml")
    assert found.location.line


def test_a_misplaced_element_names_the_order(tmp_path):
    (found,) = faulty(tmp_path, "  <output>", "  <keywords>turn</keywords>\n  <output>").diagnostics
    assert (found.code, found.location.line) == ("OD102", 13)
    assert (
        "element keywords there, the order is summary, description, formula, source, keywords"
        in found.message
    )


def test_a_parameter_that_the_definition_does_not_name_is_reported_with_both_files(tmp_path):
    found = faulty(tmp_path, "data: Fact, *, block", "dtaa: Fact, *, block", "my_reverse.py").diagnostics[0]
    assert found.code == "OD105"
    assert found.location.file.endswith("my_reverse.py")
    assert "MyReverse-extension.xml" in found.notes[0]


@pytest.mark.parametrize(
    ("port", "code", "part"),
    [
        ('name="output" shape="sane data"', "OD106", " names the shape rule sane, must be one of same, "),
        ('name="output"', "OD104", "has no shape function, and names no shape rule"),
    ],
)
def test_an_output_of_no_shape_is_reported(tmp_path, port, code, part):
    shutil.copytree(EXAMPLE, tmp_path / "ops")
    for file, old, new in (
        ("my_reverse.py", '@shape("MyReverse-extension")', ""),
        ("MyReverse-extension.xml", 'name="output"', port),
    ):
        path = tmp_path / "ops" / file
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(irops.DefinitionError) as error:
        Registry(folders=[tmp_path / "ops"]).op("MyReverse-extension")
    assert error.value.diagnostics[0].code == code
    assert part in error.value.diagnostics[0].message


def test_a_missing_kernel_is_reported(tmp_path):
    found = faulty(tmp_path, '@kernel("MyReverse-extension")', "", "my_reverse.py").diagnostics[0].code
    assert found == "OD104"


IMPORT, SHAPE = "import annotations\n", "    return data.shape"


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (IMPORT, f"{IMPORT}import nonesuch\n", 4, "ModuleNotFoundError: No module named 'nonesuch'"),
        (SHAPE, "    retrun data.shape", 15, "SyntaxError: invalid syntax"),
    ],
)
def test_a_module_that_cannot_be_imported_is_reported_with_its_line(tmp_path, old, new, line, message):
    found = faulty(tmp_path, old, new, "my_reverse.py").diagnostics[0]
    message = f"my_reverse.py cannot be imported: {message}"
    assert (found.code, found.message, found.location.line) == ("OD108", message, line)
    assert found.location.file.endswith("my_reverse.py")


CITED = "a function of {} cites C2, must cite a requirement of its definition"
CITING = 'require((data.shape[-1] % block).can_be(0), "C1"'


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        (SHAPE, "    return 7", "OD109", "the shape function of {} gives 7, must give a Shape or a Fact"),
        (SHAPE, f"{SHAPE}, data.shape", "OD109", "the shape function of {} gives 2 shapes, must give 1"),
        (SHAPE, "    1 / 0", "OD109", "the shape function of {} failed: ZeroDivisionError: division by zero"),
        (CITING, 'require(False, "C2"', "OD110", CITED),
    ],
)
def test_a_custom_shape_function_that_fails_is_reported_at_the_layer(tmp_path, old, new, code, message):
    folder = tmp_path / "failing"
    shutil.copytree(EXAMPLE, folder)
    text = (folder / "my_reverse.py").read_text()
    assert old in text
    (folder / "my_reverse.py").write_text(text.replace(old, new))
    found = irops.check(EXAMPLE / "model.xml", registry=Registry(folders=[folder])).errors[0]
    assert (found.code, found.location.layer_name) == (code, "blocks")
    assert found.message == message.format("MyReverse-extension")


def test_an_unknown_type_with_a_custom_version_has_a_note_on_custom_ops():
    found = irops.check(EXAMPLE / "model.xml", registry=Registry(plugins=False)).errors[0]
    assert found.code == "IR301"
    assert "--definitions FOLDER, as MyReverse-extension.xml" in found.notes[0]


def install(tmp_path):
    """A package my_ops with the example's op, without an __init__.py."""
    package, info = tmp_path / "my_ops", tmp_path / "my_ops-1.0.dist-info"
    shutil.copytree(EXAMPLE, package)
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_ops\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[irops.ops]\nmy_ops = my_ops\n")
    return package


def test_a_package_of_ops_needs_no_init(tmp_path):
    install(tmp_path)
    done = python(tmp_path, "-m", "irops", "check", EXAMPLE / "model.xml")
    assert (done.returncode, done.stdout) == (0, f"no findings in {EXAMPLE / 'model.xml'}\n")


def test_a_package_of_ops_that_cannot_be_imported_is_reported_by_name(tmp_path):
    (install(tmp_path) / "__init__.py").write_text("1 / 0\n")
    done = python(tmp_path, "-m", "irops", "ops")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "my_ops: error OD108 the package my_ops (irops.ops: my_ops) cannot be imported: ZeroDivisionError:"
        " division by zero\n"
    )


def test_a_folder_of_definitions_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(NotADirectoryError, match="no such folder of definitions"):
        Registry(folders=[tmp_path / "gone"])
    assert "MyReverse-extension" in Registry(folders=EXAMPLE).ids()


@pytest.mark.parametrize(
    ("lacking", "error"),
    [("irops.ops.movement.reverse", irops.DefinitionError), ("turner", ModuleNotFoundError)],
)
def test_a_module_that_is_not_there_is_told_from_one_that_lacks_a_library(lacking, error, monkeypatch):
    def failing(name, *_):
        raise ModuleNotFoundError(f"No module named {lacking!r}", name=lacking)

    monkeypatch.setattr("irops.dialects.registry.importlib.import_module", failing)
    with pytest.raises(error, match=r"has no module irops\.ops\.movement|No module named 'turner'"):
        Registry(plugins=False).op("Reverse-1")


def test_all_versions_are_listed_without_an_opset():
    listed = [one.id for one in dialect_named("openvino").listed()]
    assert {"Reverse-1", "ReverseSequence-1", "Interpolate-11"} <= set(listed)
    assert len(listed) == len(set(listed)) > len(list(dialect_named("openvino").listed("opset1")))
