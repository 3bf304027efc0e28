"""Rows of a made-up survey: many models, all statuses, names and messages of any kind."""

import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from irops.surveys.survey import STATUSES, Row, SurveyTable, differences, report_page
from irops.surveys.tasks import detail_text

TASKS = ("check", "compare:reference,openvino:CPU", "infer", "run:reference", "target:2023.3")
FAMILIES = ("resnet", "bert", "whisper", "llama", "yolo", "deeplab", "wav2vec", "t5", "mobilenet", "sam")
OPS = (
    "Parameter-1", "Result-1", "Const-1", "ReLU-1", "MatMul-1", "Convolution-1", "Add-1", "SoftMax-8",
    "Reshape-1", "ReverseSequence-1", "Transpose-1", "Gather-8", "Interpolate-11", "Concat-1", "TopK-11",
)  # fmt: skip
UNDEFINED = ("PagedAttention-16", "FancyAttention-3")
RULES = (
    ("IR402", "shape-mismatch"),
    ("IR305", "attribute"),
    ("IR210", "dangling-edge"),
    ("IR501", "weights"),
)


def row(model: str, task: str = "check", status: str = "pass", seconds: float = 0.1, **detail: Any) -> Row:
    return Row(model, task, status, seconds, 1000, detail_text(detail))


def page_of(
    rows: Iterable[Row], settings: Mapping[str, Any] | None = None, *, against: Iterable[Row] | None = None
) -> str:
    """The page of a survey with these rows."""
    found = tuple(rows)
    changes = None if against is None else differences(against, found)
    return report_page(SurveyTable(found, differences=changes), settings or {}, len(found))


def finding(
    code: str = "IR402",
    *,
    name: str = "violated-constraint",
    severity: str = "error",
    message: str = "a message",
    layer: str | None = "layer",
    op: str | None = "ReLU-1",
    line: int | None = 12,
) -> dict[str, Any]:
    return {
        "code": code, "name": name, "severity": severity, "message": message, "layer": layer, "op": op,
        "line": line, "column": 4,
    }  # fmt: skip


def with_findings(*findings: Mapping[str, Any]) -> dict[str, Any]:
    """The detail of a cell with some findings, all of which are listed."""
    counts: dict[str, int] = {}
    for one in findings:
        counts[one["code"]] = counts.get(one["code"], 0) + 1
    return {"findings": list(findings), "counts": counts}


def many_rows(models: int, seed: int = 0, tasks: tuple[str, ...] = TASKS) -> Iterator[Row]:
    """Rows of some models, sorted by model and task. About a quarter of the models has findings."""
    source = random.Random(seed)
    width = len(str(models))
    names = sorted(
        f"zoo/{FAMILIES[number % 10]}/{FAMILIES[number % 7]}-variant-{number:0{width}}/openvino_model.xml"
        for number in range(models)
    )
    for name in names:
        yield from _rows_of(name, source, tasks)


def _rows_of(name: str, source: random.Random, tasks: tuple[str, ...]) -> Iterator[Row]:
    ops = {op: source.randrange(1, 300) for op in source.sample(OPS, source.randrange(3, len(OPS)))}
    if source.random() < 0.1:
        ops[source.choice(UNDEFINED)] = source.randrange(1, 30)
    is_sound = source.random() < 0.75
    for task in tasks:
        status = "pass" if is_sound or source.random() < 0.5 else source.choice(STATUSES)
        detail: dict[str, Any] = {"ops": ops} if task in ("check", "infer") else {}
        if status in ("warn", "fail"):
            detail |= with_findings(*(_finding(source, ops, status) for _ in range(source.randrange(1, 9))))
        elif status != "pass":
            detail["message"] = f"the {task} ended as {status} because of reason {source.randrange(40)}"
        if task.startswith("compare") and status == "fail":
            detail["first"] = {"layer": "encoder/layer.3/attention", "op": "MatMul-1", "verdict": "wrong"}
        yield Row(name, task, status, source.lognormvariate(-3, 2), 4096, detail_text(detail))


def _finding(source: random.Random, ops: Mapping[str, int], status: str) -> dict[str, Any]:
    code, name = source.choice(RULES)
    op, place = source.choice(sorted(ops)), source.randrange(900)
    severity, layer = "error" if status == "fail" else "warning", f"encoder/layers.{place}/self_attn/{op}"
    message = f"the inputs of {op} have shapes [1,{place},224,224] and [64,3,7,7]; expected equal channels"
    more = {"message": message, "layer": layer, "op": op, "line": place * 17}
    return finding(code, name=name, severity=severity, **more)
