"""Ask the CPU plug-in of the OpenVINO that is installed what it compiles, and write schemas/cpu_plugin.xml.

    python tests/support/compiling/survey.py ANSWERS.json

ANSWERS.json keeps the answers, so that a survey that is interrupted goes on where it was. A new one compiles
some 8,000 small models, on one processor: the table names its instructions.
"""

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from compiling.probes import CONSTANT_ONLY, Name, all_probes
from compiling.processor import instructions
from compiling.table import PLAIN, Answers, is_refused, table
from releases.asking import refusals
from releases.probe import Probe

from irops.spec.releases import schemas_folder

BATCH = 200


def survey(answers: Answers, keep: Callable[[Answers], object]) -> None:
    """Add the answers that are missing. keep: is called with all answers after each batch."""
    for first in (True, False):
        missing = [*all_probes(partial(is_missing, answers=answers, first=first))]
        for start in range(0, len(missing), BATCH):
            answers.update(ask(missing[start : start + BATCH]))
            keep(answers)
            print(f"{min(start + BATCH, len(missing))} of {len(missing)}", flush=True)


def is_missing(name: Name, answers: Answers, first: bool) -> bool:
    """Whether a probe has no answer and is asked in the first round: static inputs of the model, or constants
    where there can be no such inputs; or in the second round: what is refused there in the other ways, and
    the types of the example, to see whether these ways mean anything.
    """
    op, variable, kind, way = name
    usual = "folded" if set(CONSTANT_ONLY) & {variable, kind} else PLAIN
    if " ".join(name) in answers:
        return False
    if first or kind != "own":
        asked = way == usual if first else is_refused(answers.get(f"{op} {variable} {kind} {usual}"))
        return kind != "own" and asked
    alike = [why for text, why in answers.items() if text.startswith(f"{op} {variable} ")]
    return any(map(is_refused, alike)) and (way != PLAIN or "" not in alike)


def ask(probes: Sequence[Probe]) -> Answers:
    """The answers of the plug-in to some probes."""
    with TemporaryDirectory() as folder:
        files = {probe.write(Path(folder)): " ".join(probe.name) for probe in probes}
        return {files[file]: why for file, why in refusals(list(files), action="compile").items()}


def main(path: Path) -> None:
    answers: Answers = json.loads(path.read_text("utf-8")) if path.exists() else {}
    survey(answers, lambda kept: path.write_text(json.dumps(kept), "utf-8"))
    release = ".".join(version("openvino").split(".")[:2])
    (schemas_folder() / "cpu_plugin.xml").write_text(table(answers, release, instructions()), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
