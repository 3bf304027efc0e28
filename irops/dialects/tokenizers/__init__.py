"""The ops of the extension library openvino-tokenizers, in models of OpenVINO. See docs/tokenizers.md."""

from __future__ import annotations

from irops.dialects.tokenizers.dialect import Tokenizers

DIALECT = Tokenizers()
"""The ops of openvino-tokenizers."""
