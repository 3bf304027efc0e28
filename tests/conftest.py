"""What tests share: the tiers, and small models written in one line each."""

import os
import re
import signal
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

import irops
from irops.ir.read import loads
from irops.values.element import element_type_of

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
LONGEST_SECONDS = 2
"""A test that takes longer and is not marked as slow is named at the end of a run."""


def pytest_collection_modifyitems(items):
    bare = {item.nodeid.partition("[")[0] for item in items for m in item.iter_markers("slow") if not m.args}
    if bare:
        raise pytest.UsageError(f'say why they are slow, @pytest.mark.slow("..."): {", ".join(sorted(bare))}')


def skips_of_missing_libraries(terminalreporter):
    """The reasons of tests that were skipped because a library is missing. In CI there must be none."""
    reasons = (str(report.longrepr) for report in terminalreporter.stats.get("skipped", ()))
    return sorted({reason for reason in reasons if re.search(r"not installed|could not import", reason)})


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("IROPS_CI") and reporter is not None and skips_of_missing_libraries(reporter):
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    if os.environ.get("IROPS_CI"):
        for reason in skips_of_missing_libraries(terminalreporter):
            terminalreporter.write_line(f"skipped in CI, where nothing may be missing: {reason}", red=True)
    seconds = Counter()
    for report in (one for reports in terminalreporter.stats.values() for one in reports):
        if isinstance(report, pytest.TestReport) and "slow" not in report.keywords:
            seconds[report.nodeid] += report.duration
    found = [(count, name) for name, count in seconds.most_common() if count > LONGEST_SECONDS]
    if found:
        terminalreporter.section(f"tests over {LONGEST_SECONDS} s that are not marked as slow")
    for count, name in found:
        terminalreporter.write_line(f"{count:6.1f} s  {name}")


def pytest_configure():
    """Let signals end the processes that tests start, also where a shell started pytest in the background or
    nohup did: processes inherit that a signal is ignored, but not that a function handles it. pytest itself
    goes on as before.
    """
    for name in ("SIGINT", "SIGQUIT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def layer_text(number, name, kind, version, data, inputs, outputs):
    attributes = " ".join(f'{key}="{value}"' for key, value in data.items())
    ports = "".join(f'<port id="{k}"/>' for k in range(inputs))
    outs = "".join(
        f'<port id="{inputs + k}" precision="UNSPECIFIED" names="{name}.{k}"/>' for k in range(outputs)
    )
    return (
        f'<layer id="{number}" name="{name}" type="{kind}" version="{version}"><data'
        f" {attributes}/><input>{ports}</input><output>{outs}</output></layer>\n"
    )


def layer_of(text):
    """The layer of a text: "x: f32[?,3]" is a Parameter, "c: Const i64[2] offset=0 size=16" has elements,
    and "y: Concat-opset1 a b:1 axis=0" has two sources, of which b is used by its output 1.
    """
    name, _, rest = text.partition(": ")
    kind, *words = rest.split()
    if kind.endswith("]"):
        kind, words = "Parameter", [kind]
    data, sources = {}, []
    for word in words:
        if word.endswith("]"):
            data["element_type"], _, data["shape"] = word[:-1].partition("[")
        elif "=" in word:
            key, _, data[key] = word.partition("=")
        else:
            source, _, index = word.partition(":")
            sources.append((source, int(index or 0)))
    return name, kind, data, sources


def net_text(*layers):
    """The XML of layers (name, "Type" or "Type-opsetN", attributes, sources): a source is a name, or (name,
    output index). Layers may be texts, see layer_of, with "; " between them.
    """
    parts = [layer.split("; ") if isinstance(layer, str) else [layer] for layer in layers]
    layers = [layer_of(one) if isinstance(one, str) else one for some in parts for one in some]
    numbers = {layer[0]: k for k, layer in enumerate(layers)}
    counts = {layer[0]: len(layer[3]) for layer in layers}
    outputs = {layer[0]: 0 if layer[1] == "Result" else 1 for layer in layers}
    edges = []
    for name, _, _, sources in layers:
        for port, source in enumerate(sources):
            source, index = source if isinstance(source, tuple) else (source, 0)
            outputs[source] = max(outputs[source], index + 1)
            edges.append(
                f'<edge from-layer="{numbers[source]}" from-port="{counts[source] + index}" '
                f'to-layer="{numbers[name]}" to-port="{port}"/>\n'
            )
    texts = []
    for name, kind, data, sources in layers:
        kind, _, version = kind.partition("-")
        texts.append(
            layer_text(numbers[name], name, kind, version or "opset1", data, len(sources), outputs[name])
        )
    return (
        '<net name="m"'
        f' version="11"><layers>\n{"".join(texts)}</layers><edges>\n{"".join(edges)}</edges></net>'
    )


def model_of(*layers, weights=b"", **constants) -> irops.Model:
    """constants: arrays by the names of Const layers, which stand behind the others."""
    for name, array in constants.items():
        data = {"element_type": element_type_of(array), "shape": ",".join(map(str, array.shape))}
        layers = (*layers, (name, "Const", data | {"offset": len(weights), "size": array.nbytes}, []))
        weights += array.tobytes()
    model, found = loads(net_text(*layers).encode(), weights)
    assert not [d for d in found if d.severity == "error"], found
    return model


@pytest.fixture
def net():
    """A function that makes a Model: net("x: f32[2]; y: Add x one; z: Result y", one=np.float32([1]));
    see net_text.
    """
    return model_of


@pytest.fixture(scope="module")
def bucket():
    """A store of objects with the API of S3."""
    from object_store import object_store

    with pytest.MonkeyPatch.context() as patch, object_store(patch) as store:
        yield store
