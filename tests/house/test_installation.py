"""The definitions are found however irops is installed: from the wheel, editable, and from a plain
checkout.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from commands import process, python_process
from libraries import needs

import irops

pytestmark = [pytest.mark.slow("installs irops"), needs("build", "twine")]

ROOT = Path(__file__).resolve().parent.parent.parent
ASK = (
    "import irops, pathlib; print(irops.__file__); print(irops.definition('ReverseSequence-1').path);"
    " print(irops.__version__)"
)
RUN = [
    str(ROOT / "examples" / "bidirectional_encoder" / "model.xml"),
    "--load-inputs",
    str(ROOT / "examples/bidirectional_encoder/inputs.npz"),
]


def answers(python, folder: Path, path: Path | None = None, *command: str) -> list[str]:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if path is not None:
        env["PYTHONPATH"] = str(path)
    done = process(python, *(command or ("-c", ASK)), env=env, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def copy(target: Path, *parts: str) -> None:
    for part in parts:
        shutil.copytree(ROOT / part, target / part, ignore=shutil.ignore_patterns("__pycache__"))


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """The sdist, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("distributions")
    python_process("-m", "build", "--no-isolation", "--outdir", folder, ROOT, check=True)
    return folder


@pytest.fixture(scope="module")
def wheel(distributions):
    return next(distributions.glob("*.whl"))


def test_both_distributions_are_accepted_by_an_index(distributions):
    files = sorted(map(str, distributions.iterdir()))
    assert [Path(file).suffix for file in files] == [".whl", ".gz"]
    done = python_process("-m", "twine", "check", "--strict", *files)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("suffix", [".whl", ".tar.gz"])
def test_a_distribution_installs_in_an_empty_environment(distributions, suffix, tmp_path):
    (file,) = distributions.glob(f"*{suffix}")
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    python = tmp_path / "env" / "bin" / "python"
    constraints = ROOT / "tests" / "constraints.txt"
    install = [python, "-m", "pip", "install", "-q", "-c", constraints, file]
    subprocess.run(install, check=True, capture_output=True)
    assert answers(python, tmp_path)[2] == irops.__version__
    assert any("encoded" in line for line in answers(python, tmp_path, None, "-m", "irops", "run", *RUN))


def test_the_wheel_carries_its_definitions(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    file, definition, _ = answers(sys.executable, tmp_path, tmp_path / "site")
    assert Path(file).is_relative_to(tmp_path)
    assert Path(definition).is_relative_to(tmp_path / "site" / "irops" / "schemas")


def test_the_wheel_contains_irops_alone_with_its_types_and_its_version(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith("METADATA"))).decode()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"irops"}
    assert "irops/py.typed" in names
    assert f"\nVersion: {irops.__version__}\n" in metadata


def test_a_plain_checkout_finds_its_definitions(tmp_path):
    copy(tmp_path / "checkout", "irops", "schemas")
    file, definition, _ = answers(sys.executable, tmp_path, tmp_path / "checkout")
    assert Path(file).is_relative_to(tmp_path)
    assert Path(definition).is_relative_to(tmp_path / "checkout" / "schemas")


def test_an_editable_install_finds_its_definitions(tmp_path):
    source = tmp_path / "source"
    copy(source, "irops", "schemas", "examples", "tests/house", "docs")
    for part in ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"):
        shutil.copy(ROOT / part, source / part)
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--ignore-installed")
    prefix = ("--prefix", tmp_path / "prefix")
    python_process("-m", "pip", "install", *options, *prefix, "--editable", source, check=True)
    site = next((tmp_path / "prefix").glob("lib/python*/site-packages"))
    peers = [p for p in sys.path if p.endswith("site-packages")]
    start = f"import site, sys; site.addsitedir({str(site)!r}); sys.path += {peers!r}; "
    file, definition, _ = answers(sys.executable, tmp_path, None, "-S", "-c", start + ASK)
    assert Path(file).is_relative_to(source)
    assert Path(definition).is_relative_to(source / "schemas")
