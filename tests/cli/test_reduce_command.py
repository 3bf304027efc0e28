"""irops reduce."""

import signal

import numpy as np
import pytest
from commands import python

import irops as library


@pytest.fixture
def chain(net, tmp_path):
    """A model of six layers, Elu among them."""
    layers = "a: Tanh x; b: Sin a; c: Sigmoid b; elu: Elu c alpha=0.5; d: Cos elu; e: Abs d; y: Result e"
    library.write(net("x: f32[?,4]", layers), tmp_path / "chain.xml")
    return tmp_path / "chain.xml"


@pytest.fixture
def script(tmp_path):
    """A command that exits with 0 if the model has an Elu, and if it gets inputs."""
    path = tmp_path / "interesting.sh"
    path.write_text(
        '#!/bin/sh\ntest "$1" = "$IROPS_MODEL" && test "$2" = "$IROPS_INPUTS" && test -f "$2" &&'
        ' grep -q \'type="Elu"\' "$1"\n'
    )
    path.chmod(0o755)
    return path


def test_a_command_says_what_is_interesting(irops, chain, script, tmp_path):
    folder = tmp_path / "small"
    result = irops("reduce", chain, "--command", script, "--fill", "random", "--shape", "x:3,4", "-o", folder)
    assert result.status == 0
    assert result.out.splitlines()[0].startswith(f"{folder}/reduced.xml: 1 of 6 layers after ")
    expected = ["fault: the command exits with 0", "also written: reduced.bin, inputs.npz, repro.py"]
    assert result.out.splitlines()[1:] == expected
    small = library.read(folder / "reduced.xml")
    assert [layer.type for layer in small.layers] == ["Parameter", "Elu", "Result"]
    with np.load(folder / "inputs.npz") as arrays:
        assert [array.shape for array in arrays.values()] == [(1, 1)]


def test_a_reduction_that_ended_early_is_reduced_further(irops, chain, script, tmp_path):
    words = ("reduce", chain, "--command", script, "--fill", "ones", "-o", tmp_path / "small")
    first = irops(*words, "--tries", "5")
    assert first.status == 0
    assert "the search ended early: the limit of 5 tries is reached" in first.out
    words = ("reduce", tmp_path / "small" / "reduced.xml", *words[2:-1], tmp_path / "smaller")
    again = irops(*words, "--load-inputs", tmp_path / "small" / "inputs.npz", "--output-format", "json")
    content = again.json
    assert content["schema_version"] == 1
    assert (content["layers"], content["stopped"]) == (1, None)
    assert content["of"] < 6
    assert content["files"] == ["reduced.xml", "reduced.bin", "inputs.npz", "repro.py"]


def test_a_fault_that_does_not_show_ends_with_1(irops, chain, tmp_path):
    result = irops("reduce", chain, "--command", "false", "--fill", "ones", "-o", tmp_path / "small")
    assert result.status == 1
    assert "the fault does not show in the whole model: the command does not exit with 0" in result.err
    assert not (tmp_path / "small").exists()


def test_a_command_that_hangs_is_ended(irops, chain, tmp_path):
    words = ("--command", "sleep 600", "--seconds-per-try", "1", "--fill", "ones", "-o", tmp_path / "small")
    assert irops("reduce", chain, *words).status == 1


def test_a_rule_needs_no_inputs(irops, broken, tmp_path):
    result = irops("reduce", broken, "--rule", "IR401", "-o", tmp_path / "small")
    assert result.status == 0
    assert "fault: IR401 ReverseSequence" in result.out
    assert irops("check", tmp_path / "small" / "reduced.xml").status == 1


@pytest.mark.slow("interrupts a process")
@pytest.mark.skipif(not hasattr(signal, "SIGINT"), reason="no signals")
def test_an_interruption_writes_the_best_so_far(chain, tmp_path):
    """The fifth try ends the search as Ctrl-C does."""
    count = tmp_path / "count"
    script = tmp_path / "interrupting.sh"
    script.write_text(
        f'#!/bin/sh\necho >> {count}\n[ "$(wc -l < {count})" = 5 ] && kill -INT $PPID && sleep 1\n'
        'grep -q \'type="Elu"\' "$1"\n'
    )
    script.chmod(0o755)
    words = ("reduce", chain, "--command", script, "--fill", "ones", "-o", tmp_path / "small")
    done = python("-m", "irops", *words)
    assert done.returncode == 130
    assert "the search ended early: it was interrupted" in done.stdout
    small = library.read(tmp_path / "small" / "reduced.xml")
    assert "Elu" in {layer.type for layer in small.layers}
    assert len(small.layers) < 8
