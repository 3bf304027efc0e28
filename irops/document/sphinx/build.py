"""Runs Sphinx over a folder of Markdown pages."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from irops.work.python import start_python

CONFIGURATION = Path(__file__).resolve().parent


class BuildError(RuntimeError):
    """Sphinx fails, or warns; the message is what it prints."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """title: of the site; url: where it will be served, for the sitemap and the canonical links, or '';
    jobs: processes; api: whether pages may include docstrings of irops.
    """

    title: str = "irops"
    url: str = ""
    jobs: int = 1
    api: bool = False


def build_html(sources: Path, output: Path, options: BuildOptions) -> None:
    """Build a site; every warning is an error.

    Raises:  BuildError
    """
    more = {
        "IROPS_DOCS_TITLE": options.title,
        "IROPS_DOCS_URL": options.url,
        "IROPS_DOCS_API": "1" if options.api else "",
    }
    settings = ("-b", "html", "-W", "--keep-going", "-q", "-j", str(options.jobs), "-c", str(CONFIGURATION))
    places = ("-d", str(sources.with_name(f"{sources.name}.doctrees")), str(sources), str(output))
    process = start_python(
        "sphinx", *settings, *places, more=more, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    printed, errors = process.communicate()
    if process.returncode:
        raise BuildError(f"Sphinx reports:\n{(errors or printed).replace(str(sources), '')}")
    (output / ".buildinfo").unlink(missing_ok=True)
