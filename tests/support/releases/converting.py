"""Convert the models of corpora to older releases, let these read and run them, and compare the results.

    python tests/support/releases/converting.py RELEASES CORPUS... --json FILE

RELEASES is a folder as survey.py describes it; a corpus is a folder of folders with model.xml, io.json,
inputs.npz, and results of OpenVINO in ov.npz or ref.npz. Models that need no conversion are run as well: what
fails with them is of the release and not of the conversion.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from releases.asking import answers, installed_releases

import irops
from irops.analysis.model_analysis import analyse
from irops.editing.conversion.convert import converted
from irops.editing.conversion.targets import target_named

TARGETS = ("2023.0", "2024.0", "2025.0")
CHUNK = 64


@dataclass(frozen=True)
class Outcome:
    """What became of a model.

    verdict: refused, equal, unlike (other results), unread, unrun; changed: how many layers were converted;
    why: of a refusal or a difference
    """

    corpus: str
    case: str
    target: str
    verdict: str
    changed: int
    why: str = ""


@dataclass(frozen=True)
class Case:
    """A folder of a corpus."""

    corpus: str
    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name


def cases(corpora: Sequence[Path], target: str, every: int = 1) -> list[Case]:
    """The models that the target does not read as they are, and one in so many of the others."""
    reader = target_named(target)
    chosen: list[Case] = []
    others = 0
    for corpus in corpora:
        for folder in sorted(corpus.iterdir()):
            if not (folder / "model.xml").exists():
                continue
            analysis = analyse(irops.read(folder / "model.xml"))
            is_read = next(reader.unread(analysis), None) is None
            others += is_read
            if not is_read or others % every == 0:
                chosen.append(Case(corpus.name, folder))
    return chosen


def outcomes(chosen: Sequence[Case], target: str, packages: Path | None) -> Iterator[Outcome]:
    """The outcome of each case at a target. packages: the folder of that release"""
    for start in range(0, len(chosen), CHUNK):
        with TemporaryDirectory() as place:
            yield from _chunk(chosen[start : start + CHUNK], target, packages, Path(place))


def _chunk(chosen: Sequence[Case], target: str, packages: Path | None, place: Path) -> Iterator[Outcome]:
    requests: list[tuple[Case, int, dict[str, Any]]] = []
    for case in chosen:
        path = place / f"{case.name}.xml"
        try:
            conversion = converted(analyse(irops.read(case.folder / "model.xml")), target)
            irops.write(conversion.model, path)
        except irops.DiagnosticError as error:
            yield Outcome(case.corpus, case.name, target, "refused", 0, error.diagnostics[0].message)
            continue
        request, changed = _request(case, path), len(conversion.changes)
        if request is None:
            yield Outcome(case.corpus, case.name, target, "without inputs", changed)
        else:
            requests.append((case, changed, request))
    found = answers((request for _, _, request in requests), packages)
    for (case, changed, request), why in zip(requests, found):
        verdict = "unread" if why.startswith("read") else "unrun"
        if not why:
            why = _difference(case, Path(request["outputs"]))
            verdict = "unlike" if why else "equal"
            if why and changed:
                why += f"; on the reference evaluator: {_on_reference(case, Path(request['xml']))}"
        yield Outcome(case.corpus, case.name, target, verdict, changed, why[-300:])


def _request(case: Case, path: Path) -> dict[str, Any] | None:
    inputs, io = case.folder / "inputs.npz", case.folder / "io.json"
    if not inputs.exists() or not io.exists():
        return None
    entries = json.loads(io.read_text())["inputs"]
    with np.load(inputs, allow_pickle=False) as stored:
        if any(entry["key"] not in stored.files for entry in entries):
            return None
        ordered = {entry["key"]: stored[entry["key"]] for entry in entries}
    copied = path.with_suffix(".inputs.npz")
    np.savez(copied, **ordered)
    shapes = [entry.get("value_shape") or entry.get("shape") for entry in entries]
    return {
        "xml": str(path),
        "action": "run",
        "inputs": str(copied),
        "types": [e.get("value_type") or e.get("type") or e["element_type"] for e in entries],
        "shapes": [shape or array.shape for shape, array in zip(shapes, ordered.values())],
        "outputs": str(path.with_suffix(".outputs.npz")),
    }


def _on_reference(case: Case, converted_file: Path) -> str:
    """How much the results of a converted model differ from those of the original on the reference."""
    entries = json.loads((case.folder / "io.json").read_text())["inputs"]
    with np.load(case.folder / "inputs.npz", allow_pickle=False) as stored:
        arrays = {
            e["node"]: stored[e["key"]].reshape(e.get("shape") or stored[e["key"]].shape) for e in entries
        }
    try:
        before = irops.run(case.folder / "model.xml", arrays)
        after = irops.run(converted_file, arrays)
    except (irops.DiagnosticError, irops.EvaluationError, ValueError) as error:
        return str(error)[:100]
    pairs = [(np.asarray(before[name], np.float64), np.asarray(after[name], np.float64)) for name in before]
    return f"{max(float(np.nanmax(np.abs(a - b), initial=0)) for a, b in pairs):.3g}"


TOLERANCES = {"bf16": (2e-2, 1e-2), "f16": (5e-3, 2e-3), "f8e4m3": (0.13, 0.02), "f8e5m2": (0.26, 0.02)}
"""Relative and absolute; 1e-3 and 1e-5 for other types."""


def _difference(case: Case, outputs: Path) -> str:
    """Why the outputs equal none of the stored results; "" where they equal one."""
    entries = json.loads((case.folder / "io.json").read_text())["outputs"]
    with np.load(outputs, allow_pickle=False) as stored:
        ours = [stored[f"out{index}"] for index in range(len(stored.files))]
    reasons = []
    for name in ("ov", "ref", "expected", "torch"):
        truth = case.folder / f"{name}.npz"
        if not truth.exists():
            continue
        with np.load(truth, allow_pickle=False) as stored:
            if any(entry["key"] not in stored.files for entry in entries):
                continue
            theirs = [(stored[entry["key"]], entry.get("type") or entry["element_type"]) for entry in entries]
        why = next((w for a, (b, kind) in zip(ours, theirs) if (w := _unequal(a, b, kind))), "")
        if not why:
            return ""
        reasons.append(f"{name}: {why}")
    return "; ".join(reasons)


def _unequal(ours: np.ndarray, theirs: np.ndarray, kind: str) -> str:
    if ours.size != theirs.size:
        return f"shape {ours.shape}, not {theirs.shape}"
    ours = ours.reshape(theirs.shape)
    if kind == "bf16":
        ours, theirs = _from_bits(ours), _from_bits(theirs)
    if theirs.dtype.kind in "USbiu":
        same = ours.astype(theirs.dtype) == theirs
        narrow = theirs.dtype.itemsize == 8 and theirs.dtype.kind in "iu"
        if narrow:  # the plug-in computes them in 32 bits
            same = ours.astype(np.int32) == theirs.astype(np.int32)
        return "" if np.all(same) else f"{np.sum(~same)} of {same.size} elements differ"
    relative, absolute = TOLERANCES.get(kind, (1e-3, 1e-5))
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    close = np.isclose(a, b, rtol=relative, atol=absolute, equal_nan=True)
    if close.all():
        return ""
    with np.errstate(all="ignore"):
        return f"{np.sum(~close)} of {close.size} elements differ, by up to {np.nanmax(np.abs(a - b)):.3g}"


def _from_bits(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def table(results: Sequence[Outcome]) -> str:
    """How many of each verdict, by corpus, target, and whether layers were converted."""
    counts = Counter(
        (o.corpus, o.target, "changed" if o.changed else "as it was", o.verdict) for o in results
    )
    return "\n".join(f"{' | '.join(key)}: {count}" for key, count in sorted(counts.items()))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("releases", type=Path)
    parser.add_argument("corpora", type=Path, nargs="+")
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--every", type=int, default=1, help="run one in so many of the unconverted models")
    parser.add_argument("--json", type=Path, required=True)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    installed = installed_releases(arguments.releases)
    results: list[Outcome] = []
    for target in arguments.targets.split(","):
        for outcome in outcomes(cases(arguments.corpora, target, arguments.every), target, installed[target]):
            results.append(outcome)
            with arguments.json.open("a") as lines:
                lines.write(json.dumps(asdict(outcome)) + "\n")
    print(table(results))


if __name__ == "__main__":
    main()
