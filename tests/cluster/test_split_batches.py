"""A batch that is split among the workers of a Dask cluster."""

from __future__ import annotations

import pytest
from batch_networks import classifier, meeting, random
from libraries import needs

import irops

pytestmark = [needs("distributed"), pytest.mark.xdist_group("cluster")]


def test_the_results_are_those_of_one_process(client, tmp_path):
    path, image = tmp_path / "classifier.xml", random(12, 3, 8, 8)
    irops.write(classifier().model(), path)
    plain = irops.run(path, {"image": image})["logits"]
    for model in (path, irops.read(path)):
        split = irops.run(model, {"image": image}, client=client, items_per_block=4)
        assert split["logits"].tobytes() == plain.tobytes()
        assert split.batching.sizes == (4, 4, 4)


def test_a_model_in_which_items_meet_is_refused_before_anything_is_sent(client):
    with pytest.raises(irops.EvaluationError, match="ReduceSum does not keep items apart"):
        irops.run(meeting().model(), {"data": random(8, 3)}, client=client)


def test_a_model_that_changed_after_it_was_read_here_is_refused(client, tmp_path, monkeypatch):
    from irops.editing.splitting import worker

    path = tmp_path / "classifier.xml"
    irops.write(classifier().model(), path)
    monkeypatch.setattr(worker, "_digest", lambda _: "of another file")
    with pytest.raises(irops.EvaluationError) as caught:
        irops.run(path, {"image": random(8, 3, 8, 8)}, client=client, items_per_block=4)
    assert "is not the same file as on the machine that sends the work" in str(caught.value)
