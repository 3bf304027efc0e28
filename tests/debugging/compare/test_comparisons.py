"""Reports of irops compare, as they are stored."""

import re

import numpy as np
import pytest
from stored import check_stored
from tables import array_of, model_of_texts, table

import irops
from irops.cli.main import main


@pytest.mark.parametrize("compared", table(__file__, "compared"), ids=lambda compared: compared["about"])
def test_reports_are_as_stored(compared, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(tmp_path)
    for name, layers in compared["models"].items():
        irops.write(model_of_texts(layers, compared["constants"]), name)
    files = {**compared.get("values", {}), "in.npz": compared["inputs"]}
    for name, arrays in files.items():
        np.savez(name, **{key: array_of(*given) for key, given in arrays.items()})
    text = ""
    for line in compared["lines"]:
        words = f"compare a.xml {'' if '--fill' in line else '--load-inputs in.npz '}{line}"
        status = main(words.split())
        out = re.sub(r"\d+\.\d{7,}", lambda found: f"{float(found[0]):.6f}", "".join(capsys.readouterr()))
        text += f"$ irops {words}  # {status}\n{out}\n"
    check_stored(__file__, compared["about"], text)
