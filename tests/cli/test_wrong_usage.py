"""Lines that no command accepts end with 2 and a sentence, suggest a mistyped word, and write nothing."""

import re

import pytest
from programs import python

from irops.cli.main import COMMANDS

NEEDED = "the following arguments are required: "
NO_SOURCE = "there is no source "
NO_VALUE = "no value for 'x', 'lengths': use --load-inputs FILE, --input NAME=FILE, or --fill"
UNKNOWN = "irops explain: unknown rule or op "
OF_PAGES = (
    "the pages cannot be made: jinja2, sphinx, myst_parser, furo, sphinx_copybutton and sphinx_sitemap are"
)
LIKE_NUMBA = "expected one of reference, numba, openvino, onnxruntime; did you mean numba?"
LIKE_REFERENCE = NO_SOURCE + "'referense'; did you mean reference? A source is one of"
WORKERS = "; a run is not split over workers any more; irops survey examines many models on many machines"
NUMBER = "is not a number such as 1000, 16G, 512M or inf"
NOT_OF_IT = ": --upgrade and --ir-version are for releases and opsets of OpenVINO, not for "
# fmt: off
REFUSED = [
    ("chekc", "unknown command 'chekc'; did you mean check?; irops --help lists all commands"),
    ("help insepct", "did you mean inspect?"),
    ("--verison", "did you mean --version?"),
    ("MODEL", "checks this model"),
    ("check", "usage: irops check"),
    ("check --nonsense", "unrecognized arguments: --nonsense; did you mean --baseline?"),
    ("check MODEL --ouput-format json", "did you mean --output-format?"),
    ("check MODEL --output-format=jsno", "did you mean json?"),
    ("check MODEL --ignore dead-lair", "there is no rule 'dead-lair'; did you mean dead-layer?"),
    ("check MODEL --debgu", "did you mean --debug?"),
    ("check MODEL --target 2022.1", "'2022.1' is no known release of OpenVINO; known are 2023.0, 2023.1"),
    ("check MODEL --target 2023.9", "did you mean 2023.3?"),
    ("check MODEL --select IR2O2", "did you mean IR202?"),
    ("check model.xml --select IR4x", "there is no rule 'IR4x'; did you mean IR4?"),
    ("check model.xml --select IRR4", "there is no rule 'IRR4'; did you mean IR4?"),
    ("check model.xml --select 'IR 4'", "there is no rule 'IR 4'; did you mean IR4?"),
    ("check model.xml --select R4", "there is no rule 'R4'; did you mean IR4?"),
    ("check model.xml --select IR40x", "there is no rule 'IR40x'; did you mean IR40?"),
    ("check model.xml --select IR-401", "there is no rule 'IR-401'; did you mean IR401?"),
    ("check MODEL --config absent.toml", "absent.toml cannot be read: No such file or directory"),
    ("check MODEL --baseline ABSENT", "does not exist; --write-baseline"),
    ("check MODEL --baseline /dev/zero", "the baseline /dev/zero is a device, must be a file"),
    ("check MODEL MODEL2 --weights w.bin", "--weights"),
    ("check FOLDER MODEL --stdin-filename a.xml", "--stdin-filename"),
    ("check --stdin-filename MODEL --fix", "--fix"),
    ("check -", "--stdin-filename FILE"),
    ("check MODEL --limit depth", "'depth' is not of the form NAME=VALUE"),
    ("check MODEL --limit dpth=3", "did you mean depth?"),
    ("check MODEL --limit depth=x", "'x' is not a number"),
    ("check MODEL --limit depth=-3", "'-3' is not a number"),
    ("check MODEL --limit depth=0", "must be a number above 0"),
    ("check MODEL --limit depth=1001", "must be at most 1000"),
    ("check MODEL --limit seconds=\N{ARABIC-INDIC DIGIT TWO}", "is not a number"),
    ("infer ABSENT", "error IR001"),
    ("infer MODEL --shape typo:1", "error IR602"),
    ("infer MODEL --shape 'x:a b'", "error IR407"),
    ("infer MODEL --shape lenghts:3", "did you mean 'lengths'?"),
    ("infer MODEL --shape x=a.npy", "'x=a.npy' is not of the form NAME:SHAPE; --input NAME=FILE gives"),
    ("infer MODEL --input x", "usage: irops infer"),
    ("infer MODEL --input z:1", "error IR602"),
    ("infer MODEL --input 'x:a b'", "error IR407"),
    ("infer MODEL --input x=ABSENT", "does not exist"),
    ("run ABSENT", "error IR001"),
    ("run MODEL", NO_VALUE),
    ("run MODEL --input x=ABSENT", "does not exist"),
    ("run MODEL --input x:2,3", "'x:2,3' is not of the form NAME=FILE; --shape NAME:SHAPE gives a shape"),
    ("run MODEL --load-inputs absent.npz", "absent.npz does not exist"),
    ("run MODEL --fill sevens", "usage: irops run"),
    ("run MODEL --fill zeroes", "did you mean zeros?"),
    ("run MODEL --fill random --seed -1", "argument --seed: '-1' is not an integer of 0 or more"),
    ("run MODEL --fill random --seed 1.5", "argument --seed: '1.5' is not an integer of 0 or more"),
    ("run MODEL --fill random --seed x", "argument --seed: 'x' is not an integer of 0 or more"),
    ("run MODEL --fill ones --shape x:2,4", "the shape [2,4] does not fit input 'x', which is f32[?,3]"),
    ("run MODEL --fill ones --shape x:?,3", "must be sizes alone"),
    ("run MODEL --fill ones --shape z:2", "the model has no input 'z'"),
    ("run MODEL --fill ones --shape lenghts:3", "did you mean 'lengths'?"),
    ("run MODEL --fill ones --input lenghts=a.npy", "a.npy does not exist"),
    ("run MODEL --fill ones --keep revresed", "there is no layer 'revresed'; did you mean 'reversed'?"),
    ("run MODEL --fill ones --backend nubma", f"unknown backend 'nubma'; {LIKE_NUMBA}"),
    ("run MODEL --fill ones --save-outputs OUT/y.npz", "irops run: {OUT}/y.npz: there is no folder {OUT}\n"),
    ("run MODEL --fill ones --profile t.txt", "is no .json file for the trace"),
    ("run MODEL --fill ones -j2", "irops run: error: unrecognized arguments: -j2\n"),
    ("run MODEL --fill ones --jobs 2", f"unrecognized arguments: --jobs 2{WORKERS}\n"),
    ("run MODEL --fill ones --jobs=2", f"unrecognized arguments: --jobs=2{WORKERS}\n"),
    ("run MODEL --fill ones --scheduler tcp://h:87", f"unrecognized arguments: --scheduler tcp://h:87{WORKERS}\n"),
    ("run MODEL --fill ones --cluster dask.C", f"unrecognized arguments: --cluster dask.C{WORKERS}\n"),
    ("run MODEL --fill ones --worker-wait 5", f"unrecognized arguments: --worker-wait 5{WORKERS}\n"),
    ("run MODEL --fill ones --allow-rounding", f"unrecognized arguments: --allow-rounding{WORKERS}\n"),
    ("why ABSENT y", "error IR001"),
    ("why MODEL", NEEDED + "LAYER"),
    ("why MODEL revresed", "there is no layer 'revresed'; did you mean 'reversed'?"),
    ("why MODEL y --axis 9", "has no axis 9: its shape is [N,M]"),
    ("why MODEL y --path y/body", "has no body 'body'; its bodies are none"),
    ("inspect", NEEDED + "MODEL"),
    ("inspect ABSENT", "error IR001"),
    ("inspect FOLDER", "error IR002"),
    ("inspect ABSENT --weights", "error IR001"),
    ("inspect FOLDER --weights", "error IR002"),
    ("inspect --weights MODEL", "is a model, not a file of weights; write MODEL first"),
    ("inspect MODEL --weights --sort typo", "argument --sort: invalid choice: 'typo' (choose from 'bytes',"),
    ("inspect MODEL --weights --sort byts", "did you mean bytes?"),
    ("inspect MODEL --sort zeros", "--sort is given without --weights, which examines the constants"),
    ("convert MODEL -o o.xml", NEEDED + "--target"),
    ("convert ABSENT --target 2023.0 -o o.xml", "error IR001"),
    ("convert ABSENT --target onnx -o o.onnx", "error IR001"),
    ("convert MODEL --target typo -o o.xml", "opset:1 to opset:17, newest, onnx, openvino"),
    ("convert MODEL --target newst -o o.xml", "did you mean newest?"),
    ("convert MODEL --target onxx -o o.onnx", "did you mean onnx?"),
    ("convert MODEL --target 2022.1 -o o.xml", "--target: '2022.1' is no known release of OpenVINO"),
    ("convert MODEL --target opset:99 -o o.xml", "--target: opset 99 is not one of opset:1 to opset:"),
    ("convert MODEL --target 2023.0 -o o.onnx", "--output o.onnx is not a path for an OpenVINO model, must"),
    ("convert MODEL --target openvino -o o.onnx", "not a path for an OpenVINO model, must end with .xml\n"),
    ("convert MODEL --target onnx -o m.xml", "m.xml is not a path for an ONNX model, must end with .onnx\n"),
    ("convert MODEL --target onnx -o OUT/m.onnx", "{OUT}/m.onnx: there is no folder {OUT}\n"),
    ("convert MODEL --target onnx:99 -o o.onnx", "ONNX has no opset '99'; expected onnx:1 to onnx:28"),
    ("convert MODEL --target onnx:0 -o m.onnx", "ONNX has no opset '0'; expected onnx:1 to onnx:28\n"),
    ("convert MODEL --target onnx: -o m.onnx", "ONNX has no opset ''; expected onnx:1 to onnx:28\n"),
    ("convert MODEL --target openvino --upgrade -o o.xml", NOT_OF_IT + "openvino\n"),
    ("convert MODEL --target onnx --ir-version 10 -o m.onnx", NOT_OF_IT + "onnx\n"),
    ("convert MODEL --target 2023.0 -o o.xml --ir-version 9", "invalid choice: 9"),
    ("extract MODEL", NEEDED + "--output/-o"),
    ("extract ABSENT -o o.xml", "no part is named"),
    ("extract MODEL --around reversed --to y -o o.xml", "give it alone"),
    ("extract MODEL --to y --path loop/body -o o.xml", "there is no layer 'loop'"),
    ("extract MODEL --to y -o part.onnx", "another format"),
    ("diff MODEL", NEEDED + "B"),
    ("diff MODEL ABSENT", "error IR001"),
    ("diff MODEL MODEL --ignore typo", "ignore has 'typo', must be of names, rt_info, ids, weights"),
    ("diff MODEL MODEL --ignore wieghts", "did you mean 'weights'?"),
    ("compare ABSENT --fill ones", "error IR001"),
    ("compare ABSENT --b referense", LIKE_REFERENCE),
    ("compare ABSENT --a referense --b reference", LIKE_REFERENCE),
    ("compare MODEL --b referense", NO_SOURCE + "'referense'; did you mean reference?"),
    ("compare MODEL", NO_VALUE),
    ("compare MODEL --fill ones --b typo", "model:OTHER.xml; VALUES.npz or a folder of stored values"),
    ("compare MODEL --fill ones --b ABSENT.npz", "absent.xml.npz does not exist"),
    ("compare MODEL --fill ones --b m.xml", NO_SOURCE + "'m.xml'"),
    ("compare MODEL --fill ones --b opnevino:CPU", NO_SOURCE + "'opnevino:CPU'; did you mean openvino:CPU?"),
    ("compare MODEL --fill ones --b modl:y.xml", "did you mean model:y.xml?"),
    ("compare MODEL --fill ones --mode isolate", "did you mean isolated?"),
    ("compare MODEL --fill ones --a V.npz --b V.npz --mode isolated", "cannot compute single layers"),
    ("compare MODEL --fill ones --rtol nothere=1", "rtol is for 'nothere', which is no layer and no tensor"),
    ("compare MODEL --fill ones --repeat 2 --save-values recorded", "save-values records one set of values"),
    ("compare MODEL --fill ones --repeat 2", "--repeat needs --fill random, since other values are the same"),
    ("compare MODEL --fill ones --atol 1e", "argument --atol: '1e' is not a number"),
    ("reduce ABSENT --rule IR401 -o OUT", "error IR001"),
    ("reduce MODEL --rule IR4O1 -o OUT", "unknown rule 'IR4O1'; did you mean IR401?"),
    ("reduce MODEL --rule IR501 -o OUT", "is not a rule about the layers of a model"),
    ("reduce MODEL --differs reference -o OUT", "is not of the form A,B"),
    ("reduce MODEL --differs reference,numbers --fill ones -o OUT", NO_SOURCE + "'numbers'; did you mean"),
    ("reduce MODEL --crashes openvin --fill ones -o OUT", NO_SOURCE + "'openvin'; did you mean"),
    ("reduce MODEL --crashes nunba --fill ones -o OUT", "did you mean numba?"),
    ("reduce MODEL --command ./absent.sh --fill ones -o OUT", "cannot be run: No such file or directory"),
    ("""reduce MODEL --command "'" --fill ones -o OUT""", "is not a command"),
    ("reduce MODEL --command true -o OUT", NO_VALUE),
    ("reduce MODEL --command true --rule IR401 -o OUT", "--rule: not allowed with argument --command"),
    ("reduce MODEL --fill ones -o OUT", "one of the arguments --differs --crashes --rule --command is"),
    ("reduce MODEL --command true --fill ones --tries 0 -o OUT", "is not an integer of 1 or more"),
    ("draw MODEL", NEEDED + "--output/-o"),
    ("draw ABSENT -o o.svg", "error IR001"),
    ("draw MODEL -o x.png", "--output x.png is no .svg, .html or .dot file"),
    ("draw MODEL -o x.svg --hops 2", "--hops is given without --around; name a layer with --around"),
    ("draw MODEL -o x.svg --path loop", "the path loop ends with a layer, must end with a body of it"),
    ("draw MODEL -o x.svg --path reversd/body", "there is no layer 'reversd'; did you mean 'reversed'?"),
    ("backends --op Revers-1", "unknown op 'Revers-1'; did you mean Reverse-1"),
    ("conformance", NEEDED + "--backend"),
    ("conformance --backend nunba", f"unknown backend 'nunba'; {LIKE_NUMBA}"),
    ("conformance --backend reference --op Reverze-1", "unknown op 'Reverze-1'; did you mean"),
    ("conformance --backend numba --op ReverseSeqence", "did you mean ReverseSequence-1"),
    ("conformance --backend reference --examples none", "'none' is not an integer of 1 or more"),
    ("conformance --backend reference --seconds -1", "'-1' is not a number of seconds above 0"),
    ("conformance --backend reference --seconds 0", "'0' is not a number of seconds above 0"),
    ("docs", NEEDED + "--output/-o"),
    ("docs --output FOLDER", "exists and is not a folder of irops documentation; choose another, or"),
    ("docs --output OUT --format htlm", "did you mean html?"),
    ("docs --output OUT --custom-only", "--custom-only needs --definitions FOLDER"),
    ("docs --output OUT --pages nowhere", "--pages nowhere: no such folder"),
    ("docs --output OUT --jobs 0", "'0' is not an integer of 1 or more"),
    ("survey", NEEDED + "PATH"),
    ("survey absent", "there is no file or folder absent"),
    ("survey FOLDER/*.onnx", "no model matches"),
    ("survey FOLDER -o OUT", "contains no models"),
    ("survey MODEL --tasks chek", "unknown task 'chek'; did you mean check?"),
    ("survey MODEL --tasks typo", "unknown task 'typo'; expected one of check, infer, run, compare, target"),
    ("survey MODEL --tasks run --sources typo", "'typo' is no source of a survey; a source is a backend"),
    ("survey MODEL --tasks run --sources numby", "did you mean num"),
    ("survey MODEL --tasks target --targets 2030.0", "no known release"),
    ("survey MODEL --again failed", "--again: unknown status 'failed'"),
    ("survey MODEL --select IR9999", "--select: there is no rule 'IR9999'; did you mean IR9?"),
    ("survey MODEL --seconds 0", "'0' is not a number of seconds above 0"),
    ("survey MODEL --memory much", f"'much' {NUMBER}"),
    ("survey MODEL -o FOLDER", "holds other files and no survey.json"),
    ("survey MODEL -o MODEL", "is a file, must be a folder"),
    ("survey MODEL --against ABSENT", "there is no report"),
    ("survey MODEL --against FOLDER", "is not the report of a survey"),
    ("survey MODEL -o /proc/report", "the report /proc/report cannot be written: "),
    ("explain Qwertyuiop", UNKNOWN + "'Qwertyuiop'; irops ops lists all ops"),
    ("explain dead-lair", UNKNOWN + "'dead-lair'; did you mean dead-layer?\n"),
    ("explain Revers-1", "did you mean Reverse-1"),
    ("explain ReverseSequense", "did you mean ReverseSequence-1"),
    ("explain ReverseSequence-1:C99", "it has C1, C2"),
    ("explain IR2O2", "did you mean IR202?"),
    ("explain ir20l", "did you mean IR201?"),
    ("explain IR4x", UNKNOWN + "'IR4x'; did you mean IR4?\n"),
    ("explain IR4999", UNKNOWN + "'IR4999'; did you mean IR4?\n"),
    ("explain od1_", UNKNOWN + "'od1_'; did you mean OD1?\n"),
    ("explain IRR4", UNKNOWN + "'IRR4'; did you mean IR4"),
    ("explain 'IR 4'", UNKNOWN + "'IR 4'; did you mean IR4"),
    ("explain R4", UNKNOWN + "'R4'; did you mean IR4"),
    ("explain IR40x", UNKNOWN + "'IR40x'; did you mean IR40"),
    ("explain IR-401", UNKNOWN + "'IR-401'; did you mean IR401"),
    ("explain onnx:Softmax-13", "irops does not define ONNX's Softmax yet"),
    ("explain onnx:Softmax-13 --files", "irops does not define ONNX's Softmax yet"),
    ("explain onnx:Gathr", "did you mean onnx:Gather-13"),
    ("explain onnx:Transpos", "did you mean onnx:Transpose-25?"),
    ("explain onnx:Transpos --files", "did you mean onnx:Transpose-25?"),
    ("explain onnx:Nope", "irops ops --dialect onnx lists all"),
    ("explain onnx:Nope --files", "irops ops --dialect onnx lists all"),
    ("explain graiphic:Nope", "irops ops --dialect graiphic lists all"),
    ("explain graiphic:Nope --files", "irops ops --dialect graiphic lists all"),
    ("explain --files", "--files is given without an op; name one: irops explain ReverseSequence-1 --files"),
    ("explain typo --files", "unknown op 'typo'; irops ops lists all ops"),
    ("explain IR202 --files", "unknown op 'IR202'; irops ops lists all ops"),
    ("explain softmx --files", "did you mean SoftMax-8"),
    ("explain ReverseSequence-7 --files", "did you mean ReverseSequence-1"),
    ("ops --category activations", "unknown category 'activations'; did you mean activation?"),
    ("ops --opset 99", "OpenVINO has no opset '99'; there are opset1 to opset17"),
    ("ops --dialect graiphic --undefined", "graiphic has no opsets"),
    ("ops --dialect onnx --opset 99", "ONNX has no opset '99'; there are 1 to"),
    ("ops --dialect onx", "did you mean onnx?"),
    ("ops --attribute keep_dimz", "did you mean keep_dims?"),
    ("ops --definitions no/such", "--definitions no/such: no such folder"),
    ("ops --module no_such_module_of_ops", "no module of this name"),
    ("new 'a/../b' --category sort -o OUT", "'a/../b' is not a valid type"),
    ("new '' --category sort -o OUT", "'' is not a valid type"),
    ("new 'My Op' --category sort -o OUT", "'My Op' is not a valid type"),
    ("new 1st --category sort -o OUT", "'1st' is not a valid type of an op; use letters and digits"),
    ("new CubeRoot --category zzz -o OUT", "unknown category 'zzz'; expected one of activation"),
    ("new CubeRoot --category arithmetc -o OUT", "did you mean arithmetic?"),
    ("new CubeRoot --category arithmetic --version opset99 -o OUT", "there is no opset99"),
    ("new CubeRoot --category arithmetic --version Opset3 -o OUT", "there is no Opset3"),
    ("new CubeRoot --category arithmetic --version opset17 -o OUT", "in a checkout of irops"),
    ("new ReverseSequence --category movement --version opset1 -o OUT", "already defines ReverseSequence-1"),
    ("server --tcp localhost:1", "the server opens no port any more"),
    ("server --stdoi", "did you mean --stdio?"),
    ("server --definitions ABSENT", "no such folder"),
]
# fmt: on


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_a_wrong_line_is_refused_with_a_sentence_and_nothing_is_written(
    line, said, irops, words, places, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "500")
    (tmp_path / "V.npz").write_bytes(b"PK\5\6" + bytes(18))
    before = sorted(tmp_path.rglob("*"))
    result = irops(*words(line))
    assert (result.status, result.out) == (2, "")
    assert said.format(**places) in result.err
    assert result.err.count("did you mean") == said.count("did you mean")
    assert not {"Traceback", "internal error"} & set(result.err.split(":"))
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("check ABSENT", "error IR001"),
        ("check MODEL ABSENT", "error IR001"),
        ("check ABSENT --fix --output-format concise", "error IR001"),
        ("check FOLDER", "error IR001 the folder {FOLDER} contains no models\n"),
        ("check PIPE", "error IR002 /dev/null is a device, must be an .xml file"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_finding_of_check(line, said, irops, words, places):
    result = irops(*words(line))
    assert result.status == 2
    assert said.format(**places) in result.out
    assert result.out.count("error IR") == 1


@pytest.mark.parametrize(
    ("line", "missing", "extra"),
    [
        ("docs --output OUT", OF_PAGES, "docs"),
        ("survey FOLDER", "pyarrow and jinja2 are", "survey"),
        ("conformance --backend numba", "hypothesis is", "conformance"),
        ("server", "pygls and lsprotocol are", "server"),
        ("compare a.xml --output-format html", "jinja2 is", "html"),
        ("diff a.xml b.xml --output-format html", "jinja2 is", "html"),
    ],
)
def test_a_missing_library_is_named_with_its_extra_before_any_work(
    line, missing, extra, irops, words, monkeypatch
):
    monkeypatch.setattr("irops.environment._is_installed", lambda library: False)
    result = irops(*words(line))
    assert (result.status, result.out) == (2, "")
    said = f"irops {line.split()[0]}: {missing} not installed; pip install 'irops[{extra}]' installs "
    assert re.fullmatch(rf"{re.escape(said)}(it|them)\n", result.err)


def test_every_command_refuses_something():
    assert {line.split()[0] for line, _ in REFUSED if line} >= COMMANDS.keys()


@pytest.mark.parametrize(
    "line", ["draw MODEL --around revresed -o y.svg", "extract MODEL --to revresed -o y.xml"]
)
def test_a_mistyped_part_of_a_model_is_a_finding_with_a_suggestion(line, irops, words):
    result = irops(*words(line))
    assert (result.status, result.out) == (1, "")
    assert "did you mean 'reversed'?" in result.err


def test_a_module_run_by_python_gives_the_same_suggestions():
    done = python("-m", "irops", "explane", "IR202")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("irops explane: unknown command 'explane'; did you mean explain?")


def test_a_file_with_a_similar_name_is_suggested(irops, reversing, tmp_path):
    result = irops("check", tmp_path / "revresing.xml")
    assert result.status == 2
    assert f"note: did you mean {reversing}?" in result.out
    (tmp_path / "inputs.npz").write_bytes(b"")
    result = irops("run", reversing, "--load-inputs", tmp_path / "input.npz")
    assert result.status == 2
    assert f"did you mean {tmp_path / 'inputs.npz'}?" in result.err


def test_help_describes_a_command(irops):
    assert irops("help", "check") == irops("check", "--help")
    assert irops("help").out == irops("--help").out
    assert irops().status == 2
