"""irops.run with workers: equal results, or a refusal that names the layer."""

from __future__ import annotations

import numpy as np
import pytest
from batch_networks import Loop, classifier, masked, meeting, random, two_inputs

import irops
from irops.editing.splitting import split as splitting
from irops.editing.splitting.starting import threads
from irops.editing.splitting.worker import Numerics
from irops.files.process_setting import THREADS
from irops.work.cluster.workers import LocalWorkers
from irops.work.processes.pool import Died


def equal(model, inputs, **options):
    """The split run, after a check that its results are those of a plain run, bit for bit."""
    plain = irops.run(model, inputs, keep=options.get("keep", ()))
    split = irops.run(model, inputs, client=Loop(), **options)
    assert plain.keys() == split.keys()
    for name, array in plain.items():
        assert split[name].dtype == array.dtype
        assert split[name].tobytes() == array.tobytes(), name
    return split


def refusal(model, inputs, **options):
    with pytest.raises(irops.EvaluationError) as caught:
        irops.run(model, inputs, client=Loop(), **options)
    return caught.value.diagnostics[0]


@pytest.mark.parametrize(("size", "sizes"), [(4, (4, 4)), (3, (3, 3, 2)), (2, (2, 2, 2, 2))])
def test_results_are_those_of_a_plain_run_in_blocks_of_any_size(size, sizes):
    split = equal(classifier().model(), {"image": random(8, 3, 8, 8)}, items_per_block=size)
    assert split.batching.sizes == sizes
    assert split.batching.distributed >= 3


def test_a_number_of_threads_set_after_numpy_was_loaded_does_not_count(monkeypatch):
    before = threads()
    for name in THREADS:
        monkeypatch.setenv(name, "17")
    assert threads() == before
    assert "17" not in before.values()


def test_no_block_has_one_item_alone():
    split = equal(classifier().model(), {"image": random(7, 3, 8, 8)}, items_per_block=3)
    assert split.batching.sizes == (3, 4)


def test_a_batch_of_few_items_is_not_split():
    split = equal(classifier().model(), {"image": random(3, 3, 8, 8)})
    assert split.batching.sizes == (3,)
    assert split.batching.share == 0


def test_a_layer_that_rounds_otherwise_in_blocks_is_computed_here(monkeypatch):
    monkeypatch.setattr(splitting.Rounding, "_agrees", lambda *_: False)
    split = equal(classifier().model(), {"image": random(8, 3, 8, 8)}, items_per_block=4)
    assert split.batching.uneven == ("head",)
    assert split.batching.here == ("head",)
    assert 0.9 < split.batching.share < 1


def test_exact_false_distributes_layers_that_round_otherwise(monkeypatch):
    monkeypatch.setattr(splitting.Rounding, "_agrees", lambda *_: False)
    model, inputs = classifier().model(), {"image": random(8, 3, 8, 8)}
    split = irops.run(model, inputs, client=Loop(), exact=False)
    assert split.batching.here == ()
    np.testing.assert_allclose(split["logits"], irops.run(model, inputs)["logits"], rtol=1e-5, atol=1e-6)


def test_kept_layers_are_gathered_as_results_are():
    split = equal(classifier().model(), {"image": random(8, 3, 8, 8)}, keep=["relu", "pooled"])
    assert split["relu"].shape == (8, 4, 8, 8)


def test_an_input_of_another_length_is_sent_whole():
    equal(two_inputs().model(), {"data": random(8, 3), "scale": random(1, 3)}, items_per_block=4)


def test_inputs_of_the_batch_may_be_named():
    model = two_inputs().model()
    equal(model, {"data": random(8, 3), "scale": random(8, 3)}, batched=["data", "scale"])
    found = refusal(model, {"data": random(8, 3), "scale": random(1, 3)}, batched=["data", "scale"])
    assert found.message == (
        "the inputs of a batch must have equally many items along their first axis;"
        " 'data' has 8, 'scale' has 1"
    )


def test_an_input_in_another_order_in_memory_keeps_it():
    image = np.asfortranarray(random(8, 3, 8, 8))
    equal(classifier().model(), {"image": image}, items_per_block=4)


def test_a_model_that_declares_its_batch_is_split_too():
    split = equal(classifier(batch=8).model(), {"image": random(8, 3, 8, 8)}, items_per_block=4)
    assert split.batching.sizes == (4, 4)


def test_indices_by_the_number_of_the_item_are_followed():
    split = equal(masked().model(), {"mask": np.arange(40).reshape(8, 5)}, items_per_block=3)
    assert split.batching.distributed > 0


def test_a_layer_at_which_items_meet_is_named_with_its_place(tmp_path):
    path = tmp_path / "meeting.xml"
    irops.write(meeting().model(), path)
    found = refusal(path, {"data": random(8, 3)})
    assert found.code == "IR651"
    assert found.location.layer_name == "over_items"
    assert str(found.location).startswith(f"{path}:")
    assert found.message == (
        "ReduceSum does not keep items apart: it reduces axis 0, which carries the batch"
    )


def test_random_numbers_and_ops_without_a_rule_are_refused():
    g = irops.Graph("random")
    data = g.parameter("data", "f32[N,3]")
    noise = g.ops.RandomUniform([1, 3], np.float32(0), np.float32(1), output_type="f32", global_seed=1)
    g.result(data + noise, name="y")
    assert "depend on what ran before it" in refusal(g.model(), {"data": random(8, 3)}).message
    g = irops.Graph("sparse")
    g.result(g.ops.NonZero(g.parameter("data", "f32[N,3]"), output_type="i64"), name="y")
    assert "it has no rule" in refusal(g.model(), {"data": random(8, 3)}).message


def test_a_fault_of_an_item_is_that_of_a_plain_run_with_its_block():
    g = irops.Graph("bags")
    indices = g.parameter("indices", "i64[N,2]")
    g.result(g.ops.EmbeddingBagPackedSum(random(4, 3), indices, name="bags"), name="y")
    inputs = {"indices": np.array([[0, 1]] * 5 + [[0, 9]] + [[0, 1]] * 2)}
    with pytest.raises(irops.EvaluationError) as plain:
        irops.run(g.model(), inputs)
    found = refusal(g.model(), inputs, items_per_block=3)
    expected = plain.value.diagnostics[0]
    assert (found.constraint, found.location) == (expected.constraint, expected.location)
    assert found.message.startswith("EmbeddingBagPackedSum-3 requires: ")
    assert "in the block of the batch that begins with item 3" in found.notes


def test_a_worker_that_computes_otherwise_is_refused_unless_rounding_may_differ(monkeypatch):
    monkeypatch.setattr(splitting, "numerics", lambda: Numerics("0.1", "other"))
    model, inputs = classifier().model(), {"image": random(8, 3, 8, 8)}
    assert refusal(model, inputs).code == "IR652"
    assert irops.run(model, inputs, client=Loop(), exact=False)["logits"].shape == (8, 5)


def test_a_block_without_a_result_is_an_error():
    class Dying(Loop):
        def run(self, prepare, arguments, items, **bounds):
            yield from ((number, Died("was killed")) for number, _ in super().run(prepare, arguments, items))

    with pytest.raises(irops.EvaluationError) as caught:
        irops.run(classifier().model(), {"image": random(8, 3, 8, 8)}, client=Dying(), items_per_block=4)
    assert caught.value.diagnostics[0].code == "IR653"
    assert "was killed" in caught.value.diagnostics[0].message


def test_what_measures_this_process_is_refused_with_workers():
    with pytest.raises(ValueError, match="cannot be given with client"):
        irops.run(classifier().model(), [random(8, 3, 8, 8)], client=Loop(), profile=True)
    with pytest.raises(ValueError, match="items_per_block is 1, must be 2 or greater"):
        irops.run(classifier().model(), [random(8, 3, 8, 8)], client=Loop(), items_per_block=1)


def test_processes_read_the_model_themselves(tmp_path):
    path = tmp_path / "classifier.xml"
    irops.write(classifier().model(), path)
    image = random(8, 3, 8, 8)
    split = irops.run(path, {"image": image}, client=LocalWorkers(2), items_per_block=4)
    assert split["logits"].tobytes() == irops.run(path, {"image": image})["logits"].tobytes()
    assert repr(split.batching).startswith("<Batching 8 items in 2 blocks, ")
    assert irops.run(path, {"image": image}).batching is None
