"""The adapter that Model Explorer loads: `model-explorer model.xml --extensions irops.viewing`."""

from __future__ import annotations

from typing import Any

from model_explorer import Adapter, AdapterMetadata
from model_explorer.graph_builder import Graph

from irops.analysis.checks.run import check
from irops.analysis.model_analysis import analyse
from irops.dialects import dialects
from irops.dialects.reading import read
from irops.viewing.graphs import graphs


class IropsAdapter(Adapter):  # type: ignore[misc]  # Model Explorer has no types
    """Shows the models that irops reads."""

    metadata = AdapterMetadata(
        id="irops",
        name="irops adapter",
        description="Models that irops reads, with inferred types and shapes, and its findings",
        fileExts=[suffix.lstrip(".") for dialect in dialects() for suffix in dialect.suffixes],
    )

    def convert(self, model_path: str, settings: dict[str, Any]) -> dict[str, list[Graph]]:  # noqa: ARG002
        """The graphs of a model. Raises: DiagnosticError, which Model Explorer shows, if it cannot be read"""
        analysis = analyse(read(model_path))
        return {"graphs": [Graph(**graph) for graph in graphs(analysis, check(analysis))]}
