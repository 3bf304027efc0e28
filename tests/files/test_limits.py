"""Every limit is met by a diagnostic that names it and says how to raise it; no sound file meets one."""

import numpy as np
import pytest
from raised import diagnostic_of

import irops
from irops import Limits
from irops.diagnostics.rules import rule
from irops.files.limits import LIMIT_OF_RULE
from irops.ir.read import load, loads

NET = b'<net version="11"><layers>%s</layers>%s</net>'
DIM = b"<dim>1</dim>"
LAYER = (
    b'<layer id="%d" name="x%d" type="Parameter" version="opset1"><data shape="1" element_type="f32"/>'
    b'<output><port id="0" precision="FP32"><dim>1</dim></port></output></layer>'
)


def refusal(raw, **limits):
    with pytest.raises(irops.ReadError) as error:
        loads(raw, limits=Limits(**limits))
    return error.value.diagnostics[0]


TEXTS = {
    "xml_bytes": ("oversized-file", NET % (LAYER % (0, 0), b""), 100),
    "depth": ("nesting-too-deep", NET % (b"", b"<rt_info><a><b><c/></b></a></rt_info>"), 4),
    "elements": ("too-many-elements", NET % (b"", b"<rt_info>" + b"<a/>" * 10 + b"</rt_info>"), 12),
    "attributes": ("too-many-attributes", NET % (b'<layer a="" b="" c=""/>', b""), 2),
    "layers": ("too-many-layers", NET % (LAYER % (0, 0) + LAYER % (1, 1), b""), 1),
    "dims": ("too-many-dimensions", NET % ((LAYER % (0, 0)).replace(DIM, DIM * 9), b""), 8),
}


@pytest.mark.parametrize("limit", TEXTS)
def test_a_text_that_meets_a_limit_is_refused_and_read_once_it_is_raised(limit):
    name, text, value = TEXTS[limit]
    found = refusal(text, **{limit: value})
    assert found.name == name
    assert found.message.endswith(f"the limit is {value} ({limit})")
    python, file = f"irops.Limits({limit}=N)", f"{limit} = N under [limits] in irops.toml"
    assert found.notes == (f"to raise the limit: --limit {limit}=N, {python}, or {file}",)
    assert name not in [d.name for d in loads(text, limits=Limits(**{limit: 10 * value}))[1]]


def test_comments_count_as_elements():
    assert refusal(NET % (b"", b"<!---->" * 10), elements=8).name == "too-many-elements"


def test_bodies_count_into_the_layers_of_the_model():
    body = (
        b'<layer id="0" name="f" type="If"'
        b' version="opset8"><then_body><layers>%s</layers></then_body></layer>'
    )
    assert refusal(NET % (body % (LAYER % (0, 0)), b""), layers=1).name == "too-many-layers"


def test_a_dim_may_be_long_but_not_be_kept():
    (found,) = loads(NET % ((LAYER % (0, 0)).replace(b"<dim>1<", b"<dim>" + b"1" * 300_000 + b"<"), b""))[1]
    assert found.name == "malformed-dimension"
    assert len(found.message) < 1000


def test_text_of_any_length_between_elements_is_kept_once():
    text = b"<rt_info><a>" + b"xy<b/>" * 50_000 + b"z" * 3_000_000 + b"</a></rt_info>"
    model, found = loads(NET % (b"", text))
    assert found == ()
    assert model.rt_info.children[0].text == "xy" * 50_000 + "z" * 3_000_000


def test_a_file_is_not_read_beyond_the_limit(tmp_path):
    path = tmp_path / "model.xml"
    path.write_bytes(NET % (b"", b" " * 1000))
    match = r"IR018 the file has 1,0\d\d bytes; the limit is 1,000 \(xml_bytes\)"
    with pytest.raises(irops.ReadError, match=match):
        load(path, limits=Limits(xml_bytes=1000))


def test_reading_ends_when_the_time_is_up():
    found = refusal(NET % (b"", b"<rt_info>" + b"<a/>" * 10_000 + b"</rt_info>"), seconds=1e-9)
    assert found.name == "checking-time-limit"
    assert found.message.endswith("(seconds)")


@pytest.fixture
def passing(net):
    """A model whose result is its input."""
    return net("x: f32[2]", "y: Result x")


def test_checking_ends_when_the_time_is_up(passing):
    report = irops.check(passing, limits=Limits(seconds=1e-9))
    assert {d.name for d in report} == {"checking-time-limit"}
    assert not report.ok


def test_inference_ends_when_the_time_is_up_and_knows_nothing_more(passing):
    facts = irops.infer(passing, limits=Limits(seconds=1e-9))
    assert [d.name for d in facts.errors] == ["checking-time-limit"]
    assert str(facts["x", 0]) == "dynamic[...]"


def test_an_evaluation_ends_when_the_time_is_up(passing):
    found = diagnostic_of(irops.run, passing, [np.zeros(2, np.float32)], limits=Limits(run_seconds=1e-9))
    assert found.code == "IR614"
    assert found.message == "the time is up before Parameter-1; the limit is 1e-09 (run_seconds)"
    assert "--limit run_seconds=N" in found.notes[0]


def test_findings_are_reported_up_to_a_number_errors_first(net):
    layers = [(f"w{k}", "Parameter", {"shape": "2", "element_type": "f32", "odd": "1"}, ()) for k in range(9)]
    model = net(*layers, "z: Abs w0 odd=1", "y: Result z", "q: Result")
    whole = irops.check(model)
    reported = irops.check(model, limits=Limits(findings=3))
    assert len(reported) == 4
    assert reported.errors == whole.errors
    expected = f"{len(whole) - 3} more findings are not reported; the limit is 3 (findings)"
    assert reported.diagnostics[-1].message == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("layers", 0),
        ("seconds", 10**400),
        ("seconds", "7"),
        ("dims", True),
        ("depth", 1001),
        ("dims", float("nan")),
    ],
)
def test_what_cannot_be_a_limit_is_refused(name, value):
    with pytest.raises(ValueError, match=f"the limit {name} is"):
        Limits(**{name: value})


def test_every_rule_about_a_limit_is_a_rule_about_a_limit_that_there_is():
    assert set(LIMIT_OF_RULE.values()) <= set(Limits.described())
    assert [rule(name).name for name in LIMIT_OF_RULE] == list(LIMIT_OF_RULE)
    for name, limit in LIMIT_OF_RULE.items():
        assert limit in rule(name).explanation


def test_limits_without_a_rule_say_what_happens_without_an_error():
    of_processes = {"process_bytes", "remote_seconds"}  # which are ended; which makes a file unreadable
    expected = set(Limits.described()) - set(LIMIT_OF_RULE.values()) - of_processes
    assert {name for name, what in Limits.described().items() if "without an error" in what} == expected


def test_values_that_take_long_to_compute_stay_unknown(net):
    def sums(size, filter):
        once = "strides=1,1 pads_begin=0,0 pads_end=0,0 dilations=1,1"
        model = net(
            "x: f32[2]",
            f"conv: Convolution image filter {once}",
            "sum: ReduceSum conv axes keep_dims=false; count: Convert sum destination_type=i64",
            "size: Reshape count one special_zero=false; y: Reshape x size special_zero=false",
            "result: Result y",
            image=np.ones((1, 1, size, size), np.float32),
            filter=np.ones((1, 1, filter, filter), np.float32),
            axes=np.arange(4),
            one=np.array([1]),
        )
        return irops.check(model)

    assert [d.code for d in sums(9, 3)] == ["IR401"]
    assert list(sums(1000, 900)) == []
