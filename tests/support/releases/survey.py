"""Ask releases of OpenVINO what they read, and write schemas/releases.xml.

    python tests/support/releases/survey.py FOLDER

FOLDER holds one folder for each release, made by `pip install --no-deps --target FOLDER/2023.0.0
openvino==2023.0.0`, and a folder numpy1 with a NumPy below 2; the newest release is that of the environment.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from releases.asking import installed_releases, refusals
from releases.probes import all_probes

from irops.dialects.registry import default_registry
from irops.spec.releases import opsets, schemas_folder

Name = tuple[str, ...]
Answers = Mapping[str, Mapping[Name, str]]
"""Of each release, oldest first: why it refuses each probe, "" for those that it reads."""
ORDER = '  <order types="i4 u4" since="2023.2"/>'
"""What reading does not show: constants of these types give other values in older releases."""
OTHER_REASONS = ("zero dimension", "Attribute and shape size are inconsistent")
"""Beginnings of refusals that are not about the op of a probe."""


def survey(folder: Path, newest: str) -> Answers:
    """The oldest and the newest release read all probes; others those that one of these refuses."""
    packages = {**installed_releases(folder), newest: None}
    oldest = next(iter(packages))
    with TemporaryDirectory() as place:
        files = {probe.write(Path(place)): probe.name for probe in all_probes()}
        ends = {name: refusals(list(files), packages[name]) for name in (oldest, newest)}
        asked = [file for file in files if any(answers[file] for answers in ends.values())]
        answers: dict[str, dict[Name, str]] = {}
        for name, package in packages.items():
            given = ends.get(name) or refusals(asked, package)
            answers[name] = {probe: given.get(file, "") for file, probe in files.items()}
            print(name, sum(map(bool, answers[name].values())), "refused", flush=True)
        paths = {probe: file for file, probe in files.items()}
        for name, doubtful in _doubtful(answers).items():
            again = refusals([paths[probe] for probe in doubtful], packages[name])
            answers[name].update({probe: again[paths[probe]] for probe in doubtful})
    return answers


def _doubtful(answers: Answers) -> dict[str, list[Name]]:
    """What a release refuses though an older one reads it; a loaded machine may be the cause."""
    doubtful: dict[str, list[Name]] = {}
    read: set[Name] = set()
    for name, given in answers.items():
        doubtful[name] = [probe for probe in given if given[probe] and probe in read]
        read.update(probe for probe in given if not given[probe])
    return {name: probes for name, probes in doubtful.items() if probes}


def since_of(answers: Answers) -> dict[Name, str]:
    """The oldest release from which on all read a probe; probes that the newest refuses are left out."""
    since: dict[Name, str] = {}
    later: str | None = None
    for release in reversed(answers):
        for probe, why in answers[release].items():
            if not why and since.get(probe) == later:
                since[probe] = release
        later = release
    return since


def table(answers: Answers) -> str:
    """The text of schemas/releases.xml."""
    since = since_of(answers)
    types = {name[1]: since[name] for name in since if name[0] == "type" and name[2] != "constant"}
    constants = {name[1]: since[name] for name in since if name[0] == "type" and name[2] == "constant"}
    oldest = next(iter(answers))
    lines = [
        '<?xml version="1.0"?>',
        "<!-- What releases of OpenVINO read, as tests/support/releases/survey.py finds. since: the oldest",
        "     release that reads it, as do all later ones; what is not listed is read by all of them.",
        "     ops: those of an opset that came before or after it; order: the order of elements in a",
        "     constant. -->",
        "<releases>",
        *(f'  <release name="{name}"/>' for name in answers),
        *_opsets(since),
        *(f'  <type name="{name}" since="{of}"/>' for name, of in types.items() if of != oldest),
        *(f'  <constant type="{name}" since="{of}"/>' for name, of in constants.items() if of != types[name]),
        *_inputs(answers, since, types),
        *_values(answers, since, types),
        ORDER,
        *(
            f'  <feature name="{name[1]}" since="{of}"/>'
            for name, of in since.items()
            if name[0] == "feature" and of != oldest
        ),
        "</releases>",
    ]
    return "\n".join(lines) + "\n"


def _opsets(since: Mapping[Name, str]) -> list[str]:
    """Each opset with the release that completes it, and the ops that it has in other releases."""
    by_opset: dict[str, dict[str, str]] = defaultdict(dict)
    for version in opsets().all():
        for opset in version.opsets:
            found = since.get(("op", version.id, opset))
            if found is None and version.type == "Parameter":
                found = since[("opset", opset)]
            if found is not None:
                by_opset[opset][version.type] = found
    lines = []
    for opset in sorted(by_opset, key=lambda opset: int(opset.removeprefix("opset"))):
        ops = by_opset[opset]
        usual = Counter(ops.values()).most_common(1)[0][0]
        others = sorted({of for of in ops.values() if of != usual})
        begin = f'  <opset name="{opset}" since="{usual}"'
        if not others:
            lines.append(begin + "/>")
            continue
        lines.append(begin + ">")
        for of in others:
            named = " ".join(sorted(name for name, found in ops.items() if found == of))
            lines.append(f'    <ops since="{of}">{named}</ops>')
        lines.append("  </opset>")
    return lines


def _inputs(answers: Answers, since: Mapping[Name, str], types: Mapping[str, str]) -> list[str]:
    """Element types that an input takes only in later releases than the op and the type are in."""
    found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for probe, of in since.items():
        if probe[0] != "typed" or of == next(iter(answers)):
            continue
        _, op, variable, taken = probe
        number = op.rpartition("-")[2]
        expected = max(since[("op", op, f"opset{number}")], types[taken])
        if of > expected and _is_about_the_op(answers, probe, of):
            found[op, variable, of].append(taken)
    return [
        f'  <input op="{op}" type="{variable}" since="{of}">{" ".join(types)}</input>'
        for (op, variable, of), types in found.items()
    ]


def _values(answers: Answers, since: Mapping[Name, str], types: Mapping[str, str]) -> list[str]:
    """Values of attributes that came later than the op; element types that came with the op too."""
    lines = []
    for probe, of in since.items():
        if probe[0] != "value":
            continue
        _, op, attribute, value = probe
        expected = since[("op", op, f"opset{op.rpartition('-')[2]}")]
        if default_registry().op(op).definition.attributes[attribute].type == "element_type":
            expected = max(expected, types[value])
        if of < expected or (of > expected and _is_about_the_op(answers, probe, of)):
            lines.append(f'  <value op="{op}" attribute="{attribute}" since="{of}">{value}</value>')
    return lines


def _is_about_the_op(answers: Answers, probe: Name, since: str) -> bool:
    """Whether the release before refuses a probe for the op, and not for what features are about."""
    names = list(answers)
    why = answers[names[names.index(since) - 1]][probe]
    return not any(reason in why for reason in OTHER_REASONS)


def main(arguments: list[str], write: Callable[[str], object]) -> None:
    from importlib.metadata import version

    newest = ".".join(version("openvino").split(".")[:2])
    write(table(survey(Path(arguments[0]), newest)))


if __name__ == "__main__":
    main(sys.argv[1:], lambda text: (schemas_folder() / "releases.xml").write_text(text, "utf-8"))
