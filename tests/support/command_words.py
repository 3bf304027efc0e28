"""Arguments of every command: with which it succeeds, finds faults, and refuses to work.

Words in capital letters are files and folders, see in_folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

REVERSING = """<?xml version="1.0"?>
<net name="reversing" version="11">
  <layers>
    <layer id="0" name="x" type="Parameter" version="opset1">
      <data shape="?,3" element_type="f32"/>
      <output><port id="0" precision="FP32" names="x,data"><dim>-1</dim><dim>3</dim></port></output>
    </layer>
    <layer id="1" name="lengths" type="Parameter" version="opset1">
      <data shape="?" element_type="i32"/>
      <output><port id="0" precision="I32"><dim>-1</dim></port></output>
    </layer>
    <layer id="2" name="reversed" type="ReverseSequence" version="opset1">
      <data batch_axis="0" seq_axis="1"/>
      <input>
        <port id="0"><dim>-1</dim><dim>3</dim></port>
        <port id="1"><dim>-1</dim></port>
      </input>
      <output><port id="2" precision="FP32"><dim>-1</dim><dim>3</dim></port></output>
    </layer>
    <layer id="3" name="y" type="Result" version="opset1">
      <input><port id="0"><dim>-1</dim><dim>3</dim></port></input>
    </layer>
  </layers>
  <edges>
    <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
    <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
    <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
  </edges>
</net>
"""
"""A model of ReverseSequence with inputs x f32[?,3] and lengths i32[?], result y."""
FAULTY = '<layer type="Odd" version="extension" category="sort"><summary>Odd.</summary></layer>'
SUCCESS: Mapping[str, tuple[str, ...]] = {
    "check": ("MODEL",),
    "infer": ("MODEL",),
    "run": ("MODEL", "--fill", "ones"),
    "why": ("MODEL", "y"),
    "inspect": ("MODEL",),
    "weights": ("MODEL",),
    "translate": ("MODEL", "--to", "openvino", "--output", "OUT.xml"),
    "convert": ("MODEL", "--target", "2023.0", "--output", "OUT.xml"),
    "extract": ("MODEL", "--to", "y", "--output", "OUT.xml"),
    "gradient": ("MODEL", "--of", "y", "--wrt", "x", "--output", "OUT.xml"),
    "diff": ("MODEL", "MODEL"),
    "compare": ("MODEL", "--fill", "ones", "--b", "numpy"),
    "reduce": ("MODEL", "--command", "true", "--fill", "ones", "-o", "OUT"),
    "draw": ("MODEL", "--output", "OUT.svg"),
    "view": ("MODEL", "--no-open"),
    "survey": ("MODEL", "--output", "OUT", "-j", "1"),
    "backends": (),
    "conformance": ("--backend", "numpy", "--op", "Reverse-1", "--examples", "1"),
    "docs": ("--output", "OUT", "--format", "markdown", "--no-runtimes"),
    "explain": ("IR202",),
    "rules": (),
    "ops": (),
    "where": ("Reverse-1",),
    "new": ("CubeRoot", "--category", "arithmetic", "--output", "OUT"),
    "cache": (),
    "server": (),
    "trust": (),
    "completion": ("bash",),
}
FINDINGS: Mapping[str, tuple[str, ...]] = {
    "check": ("BROKEN",),
    "infer": ("BROKEN",),
    "run": ("BROKEN", "--fill", "ones"),
    "why": ("BROKEN", "0"),
    "inspect": ("MALFORMED",),
    "weights": ("MALFORMED",),
    "translate": ("MALFORMED", "--to", "onnx", "--output", "OUT.onnx"),
    "convert": ("MALFORMED", "--target", "2023.0", "--output", "OUT.xml"),
    "extract": ("MALFORMED", "--to", "y", "--output", "OUT.xml"),
    "gradient": ("MALFORMED", "--output", "OUT.xml"),
    "diff": ("MODEL", "BROKEN"),
    "compare": ("MALFORMED", "--fill", "ones"),
    "reduce": ("MALFORMED", "--rule", "IR401", "-o", "OUT"),
    "draw": ("MALFORMED", "--output", "OUT.svg"),
    "view": ("MALFORMED",),
    "survey": ("BROKEN", "-o", "OUT", "-j", "1"),
    "backends": ("--definitions", "FAULTY"),
    "conformance": ("--backend", "numpy", "--op", "Odd-extension", "--definitions", "FAULTY"),
    "docs": ("--output", "OUT", "--no-runtimes", "--definitions", "FAULTY"),
    "explain": ("Odd-extension", "--definitions", "FAULTY"),
    "ops": ("--definitions", "FAULTY"),
    "where": ("Odd-extension", "--definitions", "FAULTY"),
}
REFUSED: Mapping[str, list[tuple[str, ...]]] = {
    "check": [
        ("ABSENT",),
        ("--nonsense",),
        ("FOLDER",),
        ("MODEL", "ABSENT"),
        ("PIPE",),
        ("MODEL", "--baseline", "ABSENT"),
    ],
    "infer": [
        ("ABSENT",),
        ("MODEL", "--shape", "typo:1"),
        ("MODEL", "--shape", "x:a b"),
        ("MODEL", "--input", "x=ABSENT"),
    ],
    "run": [
        ("ABSENT",),
        ("MODEL",),
        ("MODEL", "--input", "x=ABSENT"),
        ("MODEL", "--fill", "ones", "--keep", "typo"),
    ],
    "why": [("ABSENT", "y"), ("MODEL",), ("MODEL", "typo"), ("MODEL", "y", "--axis", "9")],
    "weights": [("ABSENT",), ("FOLDER",), (), ("MODEL", "--sort", "typo")],
    "inspect": [("ABSENT",), ("FOLDER",), ()],
    "translate": [
        ("ABSENT", "--to", "onnx", "-o", "OUT.onnx"),
        ("MODEL", "--to", "onnx", "-o", "ABSENT/m.onnx"),
    ],
    "convert": [
        ("ABSENT", "--target", "2023.0", "-o", "OUT.xml"),
        ("MODEL", "--target", "typo", "-o", "OUT.xml"),
        ("MODEL", "--target", "2023.0", "-o", "OUT.onnx"),
        ("MODEL", "-o", "OUT.xml"),
    ],
    "extract": [("ABSENT", "-o", "OUT.xml"), ("MODEL",)],
    "gradient": [
        ("ABSENT", "-o", "OUT.xml"),
        ("MODEL",),
        ("MODEL", "--of", "typo", "-o", "OUT.xml"),
        ("MODEL", "--wrt", "typo", "-o", "OUT.xml"),
    ],
    "compare": [
        ("ABSENT", "--fill", "ones"),
        ("MODEL",),
        ("MODEL", "--fill", "ones", "--b", "typo"),
        ("MODEL", "--fill", "ones", "--b", "ABSENT.npz"),
    ],
    "reduce": [
        ("ABSENT", "--rule", "IR401", "-o", "OUT"),
        ("MODEL", "--rule", "IR4O1", "-o", "OUT"),
        ("MODEL", "--command", "true", "-o", "OUT"),
        ("MODEL", "--command", "./absent.sh", "--fill", "ones", "-o", "OUT"),
        ("MODEL", "--command", "true", "--rule", "IR401", "-o", "OUT"),
        ("MODEL", "--fill", "ones", "-o", "OUT"),
    ],
    "draw": [("ABSENT", "-o", "OUT.svg"), ("MODEL", "-o", "OUT.typo")],
    "view": [("ABSENT",), (), ("MODEL", "--port", "70000"), ("MODEL", "--node-data", "ABSENT")],
    "diff": [("MODEL", "ABSENT"), ("MODEL",), ("MODEL", "MODEL", "--ignore", "typo"), ("MODEL", "MALFORMED")],
    "backends": [("--op", "typo")],
    "conformance": [("--backend", "typo"), ()],
    "docs": [("--output", "FOLDER"), ()],
    "survey": [
        ("ABSENT", "-o", "OUT"),
        (),
        ("FOLDER", "-o", "OUT"),
        ("MODEL", "-o", "OUT", "--tasks", "typo"),
        ("MODEL", "-o", "OUT", "--tasks", "run", "--sources", "typo"),
        ("MODEL", "-o", "OUT", "--tasks", "target", "--targets", "typo"),
        ("MODEL", "-o", "MODEL"),
        ("MODEL", "-o", "OUT", "--against", "ABSENT"),
    ],
    "explain": [("typo",), ()],
    "rules": [("typo",)],
    "ops": [("--category", "typo"), ("--opset", "99"), ("--definitions", "ABSENT")],
    "where": [("typo",), ()],
    "new": [("1st", "--category", "sort"), ("CubeRoot", "--category", "typo")],
    "cache": [("typo",), ("clean", "typo")],
    "completion": [("typo",), ()],
    "trust": [("ABSENT",), ("MODEL",), ("--remove",), ("--remove", "FOLDER")],
    "server": [
        ("--tcp", "0.0.0.0:0"),
        ("--tcp", "typo"),
        ("--tcp", "localhost:65536"),
        ("--definitions", "ABSENT"),
    ],
}


def in_folder(words: Iterable[str], place: Path, model: Path, broken: Path) -> list[str]:
    """Words with paths in a folder in place of the words in capital letters; their files are made."""
    faulty, folder = place / "faulty", place / "folder"
    faulty.mkdir(exist_ok=True)
    (faulty / "Odd-extension.xml").write_text(FAULTY)
    folder.mkdir(exist_ok=True)
    (folder / "note.txt").write_text("a user's file")
    (place / "malformed.xml").write_text("<net><layers><layer id='0'/></layers>")
    places = {
        "MODEL": model,
        "BROKEN": broken,
        "MALFORMED": place / "malformed.xml",
        "ABSENT": place / "absent.xml",
        "PIPE": Path("/dev/null"),
        "FOLDER": folder,
        "FAULTY": faulty,
        "OUT": place / "out",
    }
    pattern = re.compile("|".join(places))
    return [pattern.sub(lambda found: str(places[found[0]]), word) for word in words]
