"""Which op a layer's type and version mean, and custom ops."""

import os
import shutil
from pathlib import Path

import commands
import numpy as np
import pytest
from installing import install
from tables import table

import irops
from irops.dialects import dialect_named
from irops.dialects.registry import Registry, default_registry
from irops.spec.op import NoOp

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "my_reverse"


@pytest.mark.parametrize(
    ("kind", "version", "op"), table(__file__, "a_type_is_found_in_any_opset_that_holds_it")
)
def test_a_type_is_found_in_any_opset_that_holds_it(kind, version, op):
    assert default_registry().resolve(kind, version).id == op


@pytest.mark.parametrize(("kind", "version", "rule"), table(__file__, "what_no_opset_holds_has_a_reason"))
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
    return commands.python(*words, env={"PYTHONPATH": path})


def test_two_definitions_of_one_op_are_refused(tmp_path):
    for name in ("a", "b"):
        shutil.copytree(EXAMPLE, tmp_path / name)
    with pytest.raises(irops.DefinitionError, match="OD107"):
        Registry(folders=[tmp_path / "a", tmp_path / "b"]).ids()


FUNCTIONS, DEFINED = "my_reverse.py", "MyReverse-extension.xml"


def copied(tmp_path, *changes):
    """A folder with the example, whose files (name, old text, new text) are changed."""
    folder = Path(shutil.copytree(EXAMPLE, tmp_path / "ops"))
    for file, old, new in changes:
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1))
    return folder


def fault_of(tmp_path, *changes):
    """The first finding on the example with changes."""
    with pytest.raises(irops.DefinitionError) as caught:
        Registry(folders=[copied(tmp_path, *changes)]).op("MyReverse-extension")
    return caught.value.diagnostics[0]


IMPORT, SHAPE = "import annotations\n", "    return data.shape"
KERNEL, SHAPE_OF = '@kernel("MyReverse-extension")', (FUNCTIONS, '@shape("MyReverse-extension")', "")
NO_IMPORT = "my_reverse.py cannot be imported: "


@pytest.mark.parametrize(
    ("old", "new", "code", "part"), table(__file__, "a_faulty_definition_is_reported_with_file_and_line")
)
def test_a_faulty_definition_is_reported_with_file_and_line(tmp_path, old, new, code, part):
    found = fault_of(tmp_path, (DEFINED, old, new))
    assert found.code == code
    assert found.location.file.endswith(DEFINED)
    assert found.location.line
    assert part in found.message


@pytest.mark.parametrize(
    ("changes", "code", "line", "message"),
    [
        ([(FUNCTIONS, "data: Fact, *, block", "dtaa: Fact, *, block")], "OD105", 12, ""),
        ([(FUNCTIONS, KERNEL, "")], "OD104", None, "has no kernel"),
        ([SHAPE_OF], "OD104", None, "has no shape function, and names no shape rule"),
        (
            [SHAPE_OF, (DEFINED, 'name="output"', 'name="output" shape="sane data"')],
            *("OD106", None, " names the shape rule sane, must be one of same, "),
        ),
        (
            [(FUNCTIONS, IMPORT, f"{IMPORT}import nonesuch\n")],
            *("OD108", 4, f"{NO_IMPORT}ModuleNotFoundError: No module named 'nonesuch'"),
        ),
        ([(FUNCTIONS, SHAPE, "    retrun data.shape")], "OD108", 15, f"{NO_IMPORT}SyntaxError: invalid"),
    ],
)
def test_functions_that_do_not_fit_a_definition_are_reported(tmp_path, changes, code, line, message):
    found = fault_of(tmp_path, *changes)
    assert (found.code, message in found.message) == (code, True), found.message
    assert line is None or (found.location.line, Path(found.location.file).name) == (line, FUNCTIONS)
    assert code != "OD105" or DEFINED in found.notes[0]


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
    registry = Registry(folders=[copied(tmp_path, (FUNCTIONS, old, new))])
    found = irops.check(EXAMPLE / "model.xml", registry=registry).errors[0]
    assert (found.code, found.location.layer_name) == (code, "blocks")
    assert found.message == message.format("MyReverse-extension")


def test_an_unknown_type_with_a_custom_version_has_a_note_on_custom_ops():
    found = irops.check(EXAMPLE / "model.xml", registry=Registry(plugins=False)).errors[0]
    assert found.code == "IR301"
    assert "--definitions FOLDER, as MyReverse-extension.xml" in found.notes[0]


def my_ops(folder):
    """A package my_ops with the example's op, without an __init__.py."""
    install(folder, "my_ops", "irops.ops", my_ops="my_ops")
    return shutil.copytree(EXAMPLE, folder / "my_ops")


def test_a_package_of_ops_needs_no_init(tmp_path):
    my_ops(tmp_path)
    done = python(tmp_path, "-m", "irops", "check", EXAMPLE / "model.xml")
    assert (done.returncode, done.stdout) == (0, f"no findings in {EXAMPLE / 'model.xml'}\n")


def test_a_package_of_ops_that_cannot_be_imported_is_reported_by_name(tmp_path):
    (my_ops(tmp_path) / "__init__.py").write_text("1 / 0\n")
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
