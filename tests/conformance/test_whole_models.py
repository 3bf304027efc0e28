"""irops check beside OpenVINO on small models with bodies, state, constants, strings and elements of models,
changed in every attribute, element and dimension.

Where OpenVINO refuses to read or compile, irops has an error, or a warning that says what OpenVINO does.
Where OpenVINO runs the model, irops has no error, except for what contradicts itself in the file.
"""

import os
import zlib

import pytest
from agreement import disagreement, findings
from ir_mutations import mutations
from libraries import needs
from whole_models import MODELS, WEIGHTS

PART = int(os.environ.get("IROPS_MUTATIONS", "12"))
"""One of so many changes is tested; 1 for all."""

pytestmark = [pytest.mark.slow("OpenVINO runs whole models"), needs("openvino")]


@pytest.mark.parametrize("name", MODELS)
def test_openvino_runs_the_models_and_irops_finds_nothing(openvino, name, tmp_path):
    assert openvino.verdict(MODELS[name], WEIGHTS).accepted
    assert findings(tmp_path, MODELS[name], WEIGHTS) == []


@pytest.mark.parametrize("name", MODELS)
def test_what_openvino_refuses_is_found_and_what_it_runs_is_not_refused(openvino, name, tmp_path):
    found = []
    for change, xml in mutations(MODELS[name]):
        if zlib.crc32(f"{name}{xml}".encode()) % PART == 0:
            reason = disagreement(openvino.verdict(xml, WEIGHTS), findings(tmp_path, xml, WEIGHTS))
            if reason:
                found.append(f"{change}: {reason}")
    assert not found, "\n".join(found)
