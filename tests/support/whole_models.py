"""Small models of what single ops do not show: bodies, state, constants, inputs, results, elements of models.

OpenVINO reads, compiles and runs each of them as it stands.
"""

import struct
from pathlib import Path

WEIGHTS = struct.pack("<4f4q4i2s2x", 1, 2, 3, 4, 1, 0, 2, 3, 2, 0, 1, 2, b"ab")
"""Four f32 at 0, four i64 at 16, two strings (a, b) of 14 bytes at 48, and the booleans of a 1 at 16."""
MODELS = {
    path.stem: path.read_text()
    for path in sorted((Path(__file__).parents[1] / "conformance" / "models").glob("*.xml"))
}
