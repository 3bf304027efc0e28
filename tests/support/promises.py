"""What irops promises of any file whatever, and how it is found out that a promise is broken."""

import re
import resource
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any

import irops
from irops.analysis.checks.declared import fixed_text
from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import analyse
from irops.analysis.synthetic import synthetic_inputs
from irops.diagnostics.formats import render
from irops.ir.model import Layer
from irops.ir.weights import checked_region
from irops.values.fact import Fact

SECONDS = 5.0
"""Of the processor's time, for one file; far more than any of these small files may take, so that no busy
machine is a fault.
"""
KILOBYTES = 256 << 10
"""By so much at most may one file raise the memory that the process ever held."""
MODEST = irops.Limits(tensor_bytes=32 << 20, iterations=100, run_seconds=2)
"""What running one file may take."""
UNSURE = frozenset(("Squeeze",))
"""Ops of which the specification infers more than is sure, as the notes of their definitions say."""
PACKAGE = str(Path(irops.__file__).parent)


class Late(BaseException):
    """The time for one file is up; no Exception, so that nothing in between takes it for an answer."""


class Broken(AssertionError):
    """A promise is broken. sign: what is the same for all files that show one fault."""

    def __init__(self, sign: str, detail: str = "") -> None:
        super().__init__(f"{sign}\n{detail}" if detail else sign)
        self.sign = sign


def hold_promises(text: bytes, weights: bytes, folder: Path) -> str:
    """Check a file that has this text and these weights, and everything that irops promises of it.

    Returns: how far it went: "refused", or "clean" where all else was held, too
    Raises:  Broken
    """
    path = folder / "m.xml"
    path.write_bytes(text)
    path.with_suffix(".bin").write_bytes(weights)
    with _stage("check"):
        report = irops.check(path)
    with _stage("render"):
        for form in ("full", "json", "sarif"):
            render([report], form)
    if any(d.location.line is None for d in report):
        raise Broken("a finding without a line", str(report))
    if any(d.fix is not None for d in report):
        with _stage("fix"):
            _hold_fixes(text, path)
    if not report.ok:
        return "refused"
    with _stage("infer"):
        facts = irops.infer(path)
    if facts.errors:
        raise Broken("check is clean, infer is not", str(facts.errors[0]))
    with _stage("write"):
        _hold_copy(path, facts)
    with _stage("run", kilobytes=inf):  # what a kernel takes beside its tensors is bounded by nothing
        _hold_run(irops.read(path))
    return "clean"


@contextmanager
def _stage(name: str, kilobytes: float = KILOBYTES) -> Iterator[None]:
    """Lets nothing pass but a normal end, in time, without warnings."""
    before, peak = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    old = signal.signal(signal.SIGVTALRM, _late)
    signal.setitimer(signal.ITIMER_VIRTUAL, 4 * SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter(
                "ignore", ResourceWarning
            )  # a file is held open for as long as it is mapped
            yield
    except Broken:
        raise
    except (Exception, Late) as error:
        raise Broken(f"{name}: {_sign(error)}", "".join(traceback.format_exception(error)[-12:])) from None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)
    if time.process_time() - before > SECONDS:
        raise Broken(f"{name}: more than {SECONDS} seconds")
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak > kilobytes:
        raise Broken(f"{name}: more than {kilobytes} kilobytes")


def _late(*_: object) -> None:
    raise Late


def _sign(error: BaseException) -> str:
    """The error's type, and the last place in irops that it came through."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(PACKAGE)
    ]
    where = f"{frames[-1].filename[len(PACKAGE) + 1 :]}, {frames[-1].name}" if frames else "outside of irops"
    return type(error).__name__ if isinstance(error, Late) else f"{type(error).__name__} in {where}"


def _hold_fixes(text: bytes, path: Path) -> None:
    """What is fixed is no longer found, and fixing again changes nothing."""

    def check(content: bytes) -> irops.Report:
        return irops.check(path, text=content, limits=irops.Limits(findings=inf))

    found = fixed_text(text, check)
    left = [d for d in found.report if d.fix is not None]
    if left:
        raise Broken(f"fix: {left[0].code} is still found", str(left[0]))
    again = fixed_text(found.after, check)
    if again.after != found.after or again.report.fixed:
        raise Broken("fix: a second time changes more")
    if found.after == text or not found.report.fixed:
        raise Broken("fix: is found and not done")
    new = {d.code for d in found.report.errors} - {d.code for d in check(text)}
    if new and irops.check(path).ok:
        raise Broken(f"fix: makes {sorted(new)}", str(found.report))


def _hold_copy(path: Path, facts: Inferred) -> None:
    """What was written and read again is the same model, and the same follows from it."""
    model, copy = irops.read(path), path.with_name("copy.xml")
    irops.write(model, copy)
    report = irops.check(copy)
    if not report.ok:
        raise Broken(f"write: the copy has {report.errors[0].code}", str(report))
    other = irops.read(copy)
    found = irops.infer(other)
    for (_, one), (_, two) in zip(model.walk(), other.walk()):
        if one.type == two.type == "Const" and _bytes_of(model, one) != _bytes_of(other, two):
            raise Broken("write: another constant", one.name)
    for key, fact in facts.items():
        if _told(fact) != _told(found[key]):
            raise Broken("write: other facts", f"{key}: {fact}, then {found[key]}")
    for each in (model, other):
        _without_places(each)
    if model != other:
        raise Broken(f"write: another {_difference(model, other)}")


def _hold_run(model: irops.Model) -> None:
    """What is clean can be computed, or it is said why not; what comes out is what was inferred."""
    try:
        analysis = analyse(model, limits=MODEST)
        irops.run(analysis, [filled.array for filled in synthetic_inputs(analysis, "random")])
    except irops.DiagnosticError as error:
        first = error.diagnostics[0]
        op = re.search(r"\b(\w+)-\d+", first.message)
        if first.name == "incorrect-kernel-result" and (op is None or op[1] not in UNSURE):
            raise Broken(f"run: the kernel of {op and op[0]} is unfaithful", str(error)) from None


def _bytes_of(model: irops.Model, layer: Layer) -> bytes:
    region = checked_region(model, layer)
    assert model.weights is not None
    return bytes(model.weights.view(region.offset, region.size)) if region.elements else b""


def _without_places(model: irops.Model) -> None:
    """Take out where constants and mean images lie, which writing changes."""
    for _, layer in model.walk():
        if layer.type == "Const":
            layer.data = {name: text for name, text in layer.data.items() if name not in ("offset", "size")}
    ahead = list(model.legacy)
    while ahead:
        element = ahead.pop()
        ahead.extend(element.children)
        if element.tag == "mean":
            element.attributes.pop("offset", None)


def _difference(one: Any, other: Any) -> str:
    """The names of the fields that lead to where two models differ: graph.layers.extra."""
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return next((_difference(a, b) for a, b in zip(one, other) if a != b), "")
    names = (
        [name for name in getattr(one, "__slots__", ()) if name not in ("source", "weights")]
        if type(one) is type(other)
        else []
    )
    name = next((name for name in names if getattr(one, name) != getattr(other, name)), None)
    return (
        "" if name is None else f"{name}.{_difference(getattr(one, name), getattr(other, name))}".rstrip(".")
    )


def _told(fact: Fact) -> str:
    return re.sub(r"#\d+", "#", str(fact))


def sign_of(hold: Callable[[], object]) -> str | None:
    """What a call breaks; None where it keeps all promises."""
    try:
        hold()
    except Broken as broken:
        return broken.sign
    return None
