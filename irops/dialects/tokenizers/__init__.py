"""The ops of the extension library openvino-tokenizers, in models of OpenVINO. See docs/tokenizers.md."""

from irops.dialects.dialect import Dialect
from irops.spec.definition import OPENVINO

VERSION = "extension"
"""The version of layers of the library."""
OTHER_VERSIONS = {"NumericToString": "openvino_tokenizers"}
"""The ops that the library registers under another version."""


class Tokenizers(Dialect):
    """Layers in models of OpenVINO; there are no files of their own. The library compares types exactly."""

    name, title, base = "tokenizers", "openvino-tokenizers", OPENVINO

    def owns(self, version: str) -> bool:
        return False  # custom ops of other libraries have the same version

    def layer_version(self, type: str, opset: int) -> str:
        return OTHER_VERSIONS.get(type, VERSION)

    def id_of(self, type: str, version: str) -> str | None:
        known = f"{self.name}:{type}"
        return known if known in self.paths and version == self.layer_version(type, 0) else None


DIALECT = Tokenizers()
"""The ops of openvino-tokenizers."""
