"""Networks as OpenVINO's converters write them, of PyTorch, its exporters and ONNX: tests/networks.tar.xz.

A folder each: model.xml, model.bin, inputs.npz, and io.json, which says which array is which input. Names say
what is converted, and behind two underscores how: export (torch.export), onnxdyn (by way of ONNX), int4, ptq.
Weights are random. IROPS_CORPUS names a folder of corpora; the networks in its folder arch are tried too.
"""

import atexit
import json
import os
import tarfile
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import numpy as np

import irops

ARCHIVE = Path(__file__).parents[1] / "networks.tar.xz"
CORPUS = Path(os.environ.get("IROPS_CORPUS", "/nonexistent")) / "arch"


@cache
def folders() -> dict[str, Path]:
    """The folders of the networks, by name."""
    unpacked = mkdtemp(prefix="irops-networks-")
    # no TemporaryDirectory: a forked process forgets what ends with this one, and would remove it
    atexit.register(rmtree, unpacked)
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(unpacked, filter="data")
    paths = [*CORPUS.glob("*/model.xml"), *Path(unpacked).glob("*/model.xml")]
    return {path.parent.name: path.parent for path in sorted(paths)}


def network(folder: Path) -> tuple[irops.Model, dict[str, Any]]:
    """A network and its inputs by name."""
    ports = json.loads((folder / "io.json").read_text("utf-8"))["inputs"]
    with np.load(folder / "inputs.npz") as arrays:
        return irops.read(folder / "model.xml"), {port["node"]: arrays[port["key"]] for port in ports}
