"""schemas/releases.xml against the OpenVINO that is installed, and against releases in a folder.

IROPS_RELEASES names a folder with one folder for each release, made by `pip install --no-deps --target
FOLDER/2023.0.0 openvino==2023.0.0`, and a folder numpy1 with a NumPy below 2; without it the newest release
alone is compared.
"""

import os
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from libraries import needs
from releases.asking import installed_releases, refusals
from releases.features import feature_probes, type_probes, use_probes
from releases.probe import Probe
from releases.probes import op_probes

from irops.analysis.model_analysis import analyse
from irops.analysis.needs import oldest_release
from irops.spec.releases import opsets, releases

pytestmark = needs("openvino")
FOLDER = os.environ.get("IROPS_RELEASES")
OTHERS = installed_releases(Path(FOLDER)) if FOLDER else {}


def _newest() -> str:
    try:
        return ".".join(version("openvino").split(".")[:2])
    except PackageNotFoundError:
        return "none"


def _asked(probe: Probe) -> bool:
    """Whether it is of an op in an opset, or of a value that the table lists."""
    kind, *name = probe.name
    return kind == "op" or (kind == "value" and releases().of_value(*name) is not None)


def _probes() -> list[Probe]:
    """One for each op version and opset, each listed value, each element type, and each feature."""
    ops = [probe for each in opsets().all() for probe in op_probes(each) if _asked(probe)]
    return [*ops, *type_probes(), *feature_probes(), *use_probes()]


def _is_reordered(probe: Probe) -> bool:
    """Whether it is a constant that older releases read, but with its elements in another order."""
    kind, name, *how = probe.name
    return kind == "type" and how == ["constant"] and releases().of_order(name) != releases().oldest


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, str]:
    """The probes, and the oldest release that reads each of them according to the table."""
    folder = tmp_path_factory.mktemp("probes")
    written = [probe.write(folder) for probe in _probes() if not _is_reordered(probe)]
    return {path: oldest_release(analyse(path))[0] for path in written}


def disagreements(since: Mapping[Path, str], name: str) -> list[str]:
    """Where a release reads a model that irops says it refuses, or refuses one that irops says it reads.

    since: of each model, the oldest release that reads it according to irops
    """
    refused = refusals(list(since), OTHERS.get(name))
    return [
        f"{path}: since {oldest} according to irops, but {name} says {refused[path] or 'nothing'}"
        for path, oldest in since.items()
        if releases().reads(name, oldest) is not (refused[path] == "")
    ]


@pytest.mark.slow("OpenVINO reads many models")
@pytest.mark.parametrize("name", sorted({_newest(), *OTHERS}))
def test_a_release_reads_what_the_table_says(name: str, files: dict[Path, str]) -> None:
    if name not in releases().names:
        pytest.skip(f"the table does not list OpenVINO {name}")
    assert disagreements(files, name) == []


def test_the_releases_are_in_order_and_the_newest_is_the_last() -> None:
    numbers = [tuple(map(int, name.split("."))) for name in releases().names]
    assert numbers == sorted(numbers)
    assert releases().newest_of(releases().names) == releases().names[-1]


def test_the_table_has_every_opset() -> None:
    assert set(releases().opsets) == {f"opset{number}" for number in range(1, 18)}
