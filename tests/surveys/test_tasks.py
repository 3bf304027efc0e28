"""What is asked of each model."""

import pytest

from irops.surveys.tasks import SurveyError, parted_sources, tasks_of


def texts(*arguments):
    return [task.text for task in tasks_of(*arguments)]


def test_tasks_have_a_variant_for_each_source_and_release():
    assert texts(["target", "check"], [], ["2023.3", "2025.0.1"]) == [
        "check",
        "target:2023.3",
        "target:2025.0",
    ]
    assert texts(["run", "infer", "run"], ["numba", "reference"], []) == [
        "infer",
        "run:numba",
        "run:reference",
    ]
    assert texts(["compare"], ["reference", "numba"], []) == ["compare:reference,numba"]


def test_run_takes_the_reference_by_default():
    assert texts(["run"], [], []) == ["run:reference"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((["chek"], [], []), "unknown task 'chek'; did you mean check"),
        (([], [], []), "no tasks; expected some of check, infer"),
        ((["check"], ["numba"], []), "sources are for the tasks run and compare"),
        ((["check"], [], ["2023.3"]), "targets are for the task target"),
        ((["target"], [], []), "the task target needs releases"),
        ((["target"], [], ["1999.1"]), "'1999.1' is no known release"),
        ((["compare"], ["numba"], []), "needs two sources; there is only numba"),
        ((["run"], ["refernce"], []), "no source of a survey; did you mean reference. A source is"),
        ((["run"], ["model:other.xml"], []), "'model:other.xml' is no source of a survey; a source is"),
    ],
)
def test_what_does_not_exist_is_refused(arguments, reason):
    with pytest.raises(SurveyError, match=reason):
        tasks_of(*arguments)


def test_a_comma_before_a_property_belongs_to_the_source():
    text = "reference, openvino:CPU,PERFORMANCE_HINT=LATENCY,NUM_STREAMS=1,numba"
    assert parted_sources(text) == [
        "reference",
        "openvino:CPU,PERFORMANCE_HINT=LATENCY,NUM_STREAMS=1",
        "numba",
    ]
    assert parted_sources("") == []
