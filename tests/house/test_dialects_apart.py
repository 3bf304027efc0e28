"""What differs between dialects is in irops.dialects, in the translation between them and in what runs ONNX
Runtime; other files ask the dialect object and name no dialect but OpenVINO's.
"""

import re
from pathlib import Path

import irops

PACKAGE = Path(irops.__file__).parent
HOMES = ("dialects/", "backends/onnx", "debugging/sources/onnx", "editing/translation/")
NAMED = re.compile(rb"onnx|graiphic", re.IGNORECASE)
ALLOWED = {
    "backends/catalogue.py": "the catalogue of backends, one of which is called onnxruntime",
    "cli/compare.py": "lists the sources of values, one of which is ONNX Runtime",
    "cli/convert.py": "the examples of the command, and the target that is an opset of ONNX",
    "conformance/onnx_backend.py": "is a backend in ONNX's own sense, for its tests",
    "debugging/reduce/reproduction.py": "programs that run a model with OpenVINO or ONNX Runtime alone",
    "debugging/sources/parse.py": "the texts of sources, one of which is onnxruntime:model.onnx",
    "document/declared.py": "lays the same op in three dialects side by side",
    "document/templates/comparison.md": "introduces that page",
    "editing/graiphic.py": "builds and exports graphs as Graiphic's toolkit does",
    "files/output.py": "knows how files of models end, so that no report replaces one",
    "ops/image/interpolate.py": "linear_onnx is a value of an attribute of OpenVINO's Interpolate",
}
ASKED_AFTER = re.compile(
    r"""\.type(?:\.lower\(\))? (?:==|!=|in|not\ in) \(?["'](?:parameter|result|const|constant|assign)["']""",
    re.IGNORECASE,
)


def sources():
    for path in sorted(PACKAGE.rglob("*")):
        name = path.relative_to(PACKAGE).as_posix()
        made = "__pycache__" in name or name.endswith(".pyi")  # of sources, of definitions
        if path.is_file() and not made and not name.startswith(("schemas/", "diagnostics/rules/IR")):
            yield name, path.read_bytes()


def test_few_files_name_a_dialect_and_each_has_its_reason():
    naming = {
        name for name, text in sources() if not name.startswith(HOMES) and NAMED.search(name.encode() + text)
    }
    assert naming == set(ALLOWED)
    assert len(ALLOWED) <= 12


def test_layers_are_asked_for_their_kind_not_for_their_type():
    asking = [
        f"{name}: {found[0]}"
        for name, text in sources()
        if name.endswith(".py") and not name.startswith(HOMES)
        for found in ASKED_AFTER.finditer(text.decode())
        if "definition" not in text.decode()[max(0, found.start() - 12) : found.start()]
    ]
    assert asking == []
