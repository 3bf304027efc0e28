"""The page of a survey in Chromium: filters, sorting, findings, keys, its width, and the hash of its URL."""

import json
import re

import pytest
from built_site.browser import CHROMIUM, overflowing, result_of
from commands import process
from survey_rows import finding, many_rows, page_of, row, with_findings

from irops.editing.diff import Difference, LayerChange, page as diff_page

pytestmark = [
    pytest.mark.slow("a browser"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no browser here"),
    pytest.mark.timeout(300),
]
BEGIN = """
const made = await frame("/index.html" + %(hash)s, 1280);
const page = made.contentWindow, at = made.contentDocument;
const get = id => at.getElementById(id);
const text = element => element ? element.textContent.replace(/\\s+/g, " ").trim() : null;
const names = () => [...at.querySelectorAll("#grid tbody th")].map(text);
const field = name => get("controls").elements[name];
const set = (name, value) => {
  field(name).value = value;
  field(name).dispatchEvent(new page.Event("input", {bubbles: true}));
};
const tick = (group, name) => at.querySelector(`input[name=${group}][value=${name}]`).click();
const press = (key, target) => {
  const event = new page.KeyboardEvent("keydown", {key, bubbles: true, cancelable: true});
  target.dispatchEvent(event);
};
const hash = () => at.location.hash;
const sort = key => at.querySelector(`th[data-sort="${key}"] button`).click();
"""
HOSTILE = "<img src=x onerror=alert(1)>\u202e</script>"


def in_page(folder, profile, script, hash=""):
    return result_of(folder, BEGIN % {"hash": json.dumps(hash)} + script, profile, 120)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    at_relu = with_findings(finding("IR402", message="shapes [1] and [2] differ", layer="block/conv"))
    at_add = with_findings(finding("IR305", name="deprecated", severity="warning", op="Add-1", line=None))
    rows = [
        row("zoo/alpha.xml", seconds=3.0, ops={"ReLU-1": 1}),
        row("zoo/alpha.xml", "infer", seconds=1.0),
        row("zoo/beta.xml", status="fail", seconds=0.5, ops={"ReLU-1": 9, "Add-1": 2}, **at_relu),
        row("zoo/beta.xml", "infer", "crash", seconds=0.1, message="the process was killed by SIGSEGV"),
        row("zoo/gamma.xml", status="warn", seconds=9.0, ops={"Add-1": 2}, **at_add),
        row("zoo/gamma.xml", "infer"),
        row(f"zoo/{HOSTILE}.xml", status="fail", **with_findings(finding(message=HOSTILE, layer=HOSTILE))),
    ]
    earlier = [row("zoo/alpha.xml", status="fail"), row("zoo/beta.xml"), row("zoo/delta.xml")]
    now, before = (sorted(some, key=lambda one: one.place) for some in (rows, earlier))
    (folder / "index.html").write_text(page_of(now, against=before))
    return folder


ALPHA, BETA, DELTA, GAMMA = (f"zoo/{name}.xml" for name in ("alpha", "beta", "delta", "gamma"))


def test_filters_select_models_and_are_kept_in_the_url(report, tmp_path):
    script = """
    const out = {all: names().length, count: text(get("count"))};
    tick("status", "fail"); out.fail = names(); out.fail_hash = hash();
    tick("status", "crash"); out.fail_or_crash = names().length;
    set("task", "infer"); out.crash_of_infer = names(); get("clear").click();
    set("text", "SIGSEGV"); out.message = names();
    set("text", "alpha zoo"); out.words = names();
    set("text", "nothing of this"); out.nothing = [names(), text(get("count"))]; get("clear").click();
    set("rule", "IR402"); out.rule = names();
    set("rule", "deprec"); out.rule_name = names(); get("clear").click();
    set("text", "Add-1"); out.op = names(); get("clear").click(); out.cleared = [names().length, hash()];
    for (const change of ["better", "worse", "new", "gone"]) {
      tick("change", change); out[change] = names(); get("clear").click();
    }
    return out;
    """
    found = in_page(report, tmp_path, script)
    hostile = next(name for name in found["fail"] if "img" in name)
    assert (found["all"], found["count"]) == (5, "5 of 5 models")
    assert found["fail"] == [hostile, BETA]
    assert found["fail_hash"] == "#status=fail"
    assert found["fail_or_crash"] == 2
    assert found["crash_of_infer"] == [BETA]
    assert found["message"] == [BETA]
    assert found["words"] == [ALPHA]
    assert found["nothing"] == [[], "0 of 5 models"]
    assert found["rule"] == [hostile, BETA]
    assert found["rule_name"] == [GAMMA]
    assert found["op"] == [GAMMA]
    assert found["cleared"] == [5, ""]
    assert (found["better"], found["worse"], found["gone"]) == ([ALPHA], [BETA], [DELTA])
    assert found["new"] == [hostile, ALPHA, BETA, GAMMA]


def test_a_url_restores_the_view(report, tmp_path):
    script = """
    const ticked = at.querySelectorAll("[name=status]:checked").length;
    return {names: names(), text: get("text").value, ticked,
      sorted: at.querySelector("[aria-sort]").dataset.sort, panel: text(get("panel").querySelector("h3"))};
    """
    wanted = f"#text=zoo&status=warn&status=pass&sort=-findings&model={GAMMA}"
    found = in_page(report, tmp_path, script, wanted)
    view = {"names": [GAMMA, ALPHA], "text": "zoo", "ticked": 2, "sorted": "findings", "panel": GAMMA}
    assert found == view


def test_a_url_with_anything_else_is_no_error(report, tmp_path):
    script = 'return [names().length, text(get("count")), get("panel").hidden];'
    wanted = "#status=none&status=__proto__&sort=-__proto__&task=__proto__x&model=nothing&text=%E0%A4%A"
    assert in_page(report, tmp_path, script, wanted)[2] is True
    assert in_page(report, tmp_path / "b", script, "#sort=constructor") == [5, "5 of 5 models", True]


def test_columns_sort_in_both_directions(report, tmp_path):
    script = """
    const out = {};
    for (const key of ["name", "task check", "task infer", "findings"]) {
      sort(key); const first = [names(), at.querySelector("[aria-sort]").getAttribute("aria-sort")];
      sort(key); out[key] = [...first, names()];
    }
    return out;
    """
    found = in_page(report, tmp_path, script)
    in_order = found["name"][2]
    assert in_order == sorted(in_order)
    assert found["name"][:2] == [in_order[::-1], "descending"]
    assert found["findings"][1] == "descending"
    assert found["findings"][0][-2:] == [ALPHA, DELTA]
    assert found["findings"][2][:2] == [ALPHA, DELTA]
    assert found["task check"][2][0] == DELTA
    assert found["task infer"][0][0] == BETA


def test_a_model_opens_by_mouse_and_keys(report, tmp_path):
    script = """
    const out = {};
    press("/", at.body); out.focus = at.activeElement.id;
    const button = [...at.querySelectorAll("#grid tbody button")].find(one => text(one) === "zoo/beta.xml");
    button.focus(); button.click();
    out.panel = text(get("panel")); out.hash = hash();
    press("Escape", at.body); out.closed = [get("panel").hidden, hash()];
    at.querySelector("#grid tbody tr:last-child td").click();
    out.last = text(get("panel").querySelector("h3"));
    get("close").click(); out.closed_by_button = get("panel").hidden;
    return out;
    """
    found = in_page(report, tmp_path, script)
    assert found["focus"] == "text"
    assert "IR402 violated-constraint, error: shapes [1] and [2] differ" in found["panel"]
    assert "line 12, layer block/conv, ReLU-1" in found["panel"]
    assert "before: pass" in found["panel"]
    assert "the process was killed by SIGSEGV" in found["panel"]
    assert found["hash"] == "#model=zoo%2Fbeta.xml"
    assert found["closed"] == [True, ""]
    assert found["last"] == GAMMA
    assert found["closed_by_button"] is True


def test_texts_of_models_make_no_elements(report, tmp_path):
    script = """
    set("text", "img"); at.querySelector("#grid tbody th").click();
    return [at.querySelectorAll("img").length, text(get("panel").querySelector("li bdi")),
      at.querySelectorAll("script").length];
    """
    assert in_page(report, tmp_path, script) == [0, HOSTILE.replace("\u202e", "\\u202e"), 2]


def test_links_of_totals_set_the_filter(report, tmp_path):
    script = """
    at.querySelector("a[href='#task=infer&status=crash']").click();
    await new Promise(next => setTimeout(next, 300));
    const totals = [names(), field("task").value];
    at.querySelector("a[href='#rule=IR305']").click();
    await new Promise(next => setTimeout(next, 300));
    const rule = names();
    at.location.hash = "#rules";
    await new Promise(next => setTimeout(next, 300));
    return [...totals, rule, names()];
    """
    assert in_page(report, tmp_path, script) == [[BETA], "infer", [GAMMA], [GAMMA]]


def test_the_first_models_of_many_are_shown_and_more_on_request(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    (folder / "index.html").write_text(page_of(many_rows(1200, tasks=("check",))))
    script = """
    const out = [names().length, text(get("count")), get("more").hidden];
    get("more").click(); out.push(names().length);
    get("more").click(); out.push(names().length, get("more").hidden);
    return out;
    """
    found = in_page(folder, tmp_path / "profile", script)
    assert found == [500, "1,200 of 1,200 models", False, 1000, 1200, True]


def test_no_page_is_wider_than_a_phone_or_a_desktop(report, tmp_path):
    name = "folder-of-a-very-long-name" * 9
    rows = [row(f"{name}/{name}.xml", status="fail", **with_findings(finding(message=name)))]
    (report / "long.html").write_text(page_of(rows, {name: name}, against=[row(f"{name}/{name}.xml")]))
    change = LayerChange("changed", (name,), name, name, (name,))
    (report / "diff.html").write_text(diff_page(Difference(name, name, changed=(change,))))
    pages = ["index.html", "long.html", "diff.html"]
    assert overflowing(report, pages, [390, 1280], tmp_path, 120) == []


def test_the_page_works_from_a_file_without_a_server(report, tmp_path):
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom")
    profile, page = f"--user-data-dir={tmp_path}", f"{(report / 'index.html').as_uri()}#status=crash"
    done = process(str(CHROMIUM), *options, profile, page, check=True, timeout=120)
    assert 'data-ready="true"' in done.stdout
    assert re.search(r"<tbody><tr>.*zoo/beta\.xml", done.stdout)
    assert "1 of 5 models" in done.stdout
