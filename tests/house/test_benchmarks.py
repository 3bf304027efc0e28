"""The benchmark of ops times what it says."""

import json
from pathlib import Path

import pytest
from libraries import needs

pytestmark = [pytest.mark.slow("starts benchmarks"), needs("openvino")]


def test_one_case_has_the_times_of_irops_and_openvino(monkeypatch, tmp_path, capsys):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    import operating

    monkeypatch.setattr(operating, "ROUNDS", 1)
    words = ["operating.py", "--only", "^ReLU", "--json", str(tmp_path / "rows.json")]
    monkeypatch.setattr("sys.argv", words)
    assert operating.main() == 0
    (row,) = json.loads((tmp_path / "rows.json").read_text()).values()
    assert row["agrees"]
    assert row["seconds"].keys() >= {"irops", "openvino"}
    assert "openvino" in capsys.readouterr().out
