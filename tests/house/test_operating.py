"""The benchmark of ops times what it says, and sees where results differ."""

import json
from pathlib import Path

import numpy as np
import pytest
from libraries import needs

pytestmark = [pytest.mark.slow("starts benchmarks"), needs("openvino")]
BENCHMARKS = Path(__file__).parents[2] / "tests" / "benchmarks"


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_one_case_has_the_times_of_irops_and_openvino(monkeypatch, tmp_path, capsys):
    import operating

    monkeypatch.setattr(operating, "ROUNDS", 1)
    words = ["operating.py", "--only", "^ReLU", "--json", str(tmp_path / "rows.json")]
    monkeypatch.setattr("sys.argv", words)
    assert operating.main() == 0
    (row,) = json.loads((tmp_path / "rows.json").read_text()).values()
    assert row["agrees"]
    assert row["seconds"].keys() >= {"irops", "openvino"}
    assert "openvino" in capsys.readouterr().out


def test_results_that_differ_in_many_elements_do_not_agree():
    import operating

    zeros, ones = np.zeros(10), np.ones(10)
    assert operating.agree(zeros, zeros)
    assert not operating.agree(zeros, ones)
    assert not operating.agree(zeros, np.zeros(9))


def test_cases_have_different_names():
    from operating_cases import cases, elementwise, layers, selections

    assert len(cases()) == sum(len(rows()) for rows in (elementwise, layers, selections))
