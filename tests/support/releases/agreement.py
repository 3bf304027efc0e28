"""Compare what irops says of a release with what the release does, on every model of a folder.

    python tests/support/releases/agreement.py RELEASES MODELS

RELEASES is a folder as survey.py describes it; MODELS a folder with model.xml files, at any depth.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from releases.asking import installed_releases, refusals

from irops.analysis.model_analysis import analyse
from irops.analysis.needs import oldest_release
from irops.spec.releases import releases


def disagreements(since: Mapping[Path, str], name: str, packages: Path | None) -> list[str]:
    """Where a release reads a model that irops says it refuses, or refuses one that irops says it reads.

    since: of each model, the oldest release that reads it according to irops
    """
    refused = refusals(list(since), packages)
    return [
        f"{path}: since {oldest} according to irops, but {name} says {refused[path] or 'nothing'}"
        for path, oldest in since.items()
        if releases().reads(name, oldest) is not (refused[path] == "")
    ]


def main(folder: Path, models: Path) -> None:
    """Print the number of disagreements of each release, and where they are."""
    since = {path: oldest_release(analyse(path))[0] for path in sorted(models.rglob("model.xml"))}
    for name, packages in installed_releases(folder).items():
        wrong = disagreements(since, name, packages)
        print(f"{name}: {len(since) - len(wrong)} of {len(since)} agree", *wrong, sep="\n  ", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
