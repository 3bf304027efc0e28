"""Damage files of every kind that irops reads, use them, and keep each file that shows a fault.

    python tests/fuzz/long_run.py --minutes 60 --seed 7
    IROPS_CORPUS=folder python tests/fuzz/long_run.py --minutes 30 --kinds promises --found faults

promises holds irops to the guarantees of docs/SECURITY.md on IR files; of the other kinds, every function and
command is called with the file, and a fault is an exception or an exit code that is not documented, output
without end or with control characters, or more than SECONDS for one file. Of messages to a server, a fault is
one that ends, complains or does not answer. Exit status 1 if there are any.
"""

import argparse
import io
import json
import resource
import signal
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from random import Random
from subprocess import PIPE
from threading import Thread
from time import monotonic
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

import numpy as np  # noqa: E402
from entry_points import EXAMPLE, call, command_faults, raw_errors  # noqa: E402
from mutations import Change, Seed, Stock, changed, drawn  # noqa: E402
from promises import Broken, hold_promises, sign_of  # noqa: E402
from seeds import corpus_seeds, own_seeds  # noqa: E402

from irops.work.python import start_python  # noqa: E402

MEMORY = 6 << 30
"""Bytes of address space: what takes more fails here, and is a fault."""
SECONDS = 60
"""For all functions and commands on one file."""
OWN = ROOT / "examples" / "my_reverse"
Fault = tuple[str, str]


class Late(BaseException):
    """The time for one file is up; no Exception, so that nothing in between catches it."""


def noise(content: bytes, chance: Random) -> bytes:
    """Bytes that are flipped, overwritten, inserted, removed or repeated in a few places."""
    damaged = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at, length = chance.randrange(len(damaged) + 1), chance.choice((1, 1, 2, 8, 64))
        match chance.randrange(5):
            case 0 if at < len(damaged):
                damaged[at] ^= 1 << chance.randrange(8)
            case 1:
                damaged[at : at + length] = chance.randbytes(length)
            case 2:
                damaged[at:at] = chance.choice((b"\xff", b"\0", b"\x80")) * length
            case 3:
                del damaged[at : at + length]
            case _:
                damaged[at:at] = damaged[at : at + length]
    return bytes(damaged)


def changed_message(content: bytes, chance: Random) -> bytes:
    """A model of ONNX in which a field of one message is gone, doubled, or has an odd value."""
    import onnx

    model = onnx.ModelProto.FromString(content)
    message: Any = model
    while inner := [part for _, value in message.ListFields() for part in _messages(value)]:
        message = chance.choice(inner)
        if chance.random() < 0.3:
            break
    field = chance.choice(message.DESCRIPTOR.fields)
    value = getattr(message, field.name)
    with suppress(TypeError, ValueError, AttributeError):  # a value that the field does not take: it stays
        match chance.randrange(3):
            case 0:
                message.ClearField(field.name)
            case 1 if hasattr(value, "extend"):
                value.extend(list(value) or [chance.choice(ODD)])
            case _:
                setattr(message, field.name, chance.choice(ODD))
    return bytes(model.SerializePartialToString())


def _messages(value: Any) -> list[Any]:
    return [part for part in (value if hasattr(value, "extend") else [value]) if hasattr(part, "ListFields")]


DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
ODD = (None, 10**400, "\ud800", *DATA["odd"])
"""Values that take the place of others."""


def other(value: object, chance: Random) -> object:
    """A value of JSON in which one part is odd, gone, doubled, or nested once more."""
    if isinstance(value, dict | list) and value and chance.random() < 0.9:
        items = list(value.items() if isinstance(value, dict) else enumerate(value))
        at = chance.randrange(len(items))
        name, part = items[at]
        match chance.randrange(8):
            case 0:
                del items[at]
            case 1:
                items.insert(at, (f"{name}x", part))
            case _:
                items[at] = name, other(part, chance)
        return dict(items) if isinstance(value, dict) else [part for _, part in items]
    return [value] if chance.random() < 0.1 else chance.choice(ODD)


def of_promises(folder: Path) -> Callable[[Random], Iterator[Fault]]:
    seeds = [*own_seeds(), *corpus_seeds()]
    stock = Stock(seeds)

    def broken_by(seed: Seed, changes: list[Change]) -> str:
        return sign_of(lambda: hold_promises(*changed(seed, changes, stock), folder))

    def attempt(chance: Random) -> Iterator[Fault]:
        seed, changes = chance.choice(seeds), drawn(chance)
        try:
            hold_promises(*changed(seed, changes, stock), folder)
        except Broken as broken:
            for change in tuple(changes):
                fewer = [one for one in changes if one is not change]
                if broken_by(seed, fewer) == broken.sign:
                    changes = fewer
            for suffix, content in zip((".xml", ".bin"), changed(seed, changes, stock)):
                (folder / f"least{suffix}").write_bytes(content)
            kinds = ", ".join(change.kind for change in changes)
            yield broken.sign, f"{broken}\nfrom {seed.name}\nby {kinds}"

    return attempt


def of_xml(folder: Path) -> Callable[[Random], Iterator[Fault]]:
    seeds = [*own_seeds(), *corpus_seeds()]
    stock = Stock(seeds)

    def attempt(chance: Random) -> Iterator[Fault]:
        path = folder / "m.xml"
        text, weights = changed(chance.choice(seeds), drawn(chance), stock)
        path.write_bytes(text)
        path.with_suffix(".bin").write_bytes(weights)
        return faults_of_model(path, folder)

    return attempt


def of_onnx(folder: Path) -> Callable[[Random], Iterator[Fault]]:
    import onnx

    data = Path(onnx.__file__).parent / "backend" / "test" / "data"
    seeds = [path.read_bytes() for path in sorted(data.rglob("*.onnx")) if path.stat().st_size < 20_000]

    def attempt(chance: Random) -> Iterator[Fault]:
        path = folder / "m.onnx"
        damaged = chance.choice((noise, changed_message))
        path.write_bytes(damaged(chance.choice(seeds), chance))
        return faults_of_model(path, folder)

    return attempt


def of_npz(folder: Path) -> Callable[[Random], Iterator[Fault]]:
    plain, packed, single = io.BytesIO(), io.BytesIO(), io.BytesIO()
    arrays = dict(np.load(EXAMPLE.with_name("inputs.npz")))
    name = next(iter(arrays))
    np.savez(plain, **arrays)
    np.savez_compressed(packed, **arrays, text=np.array(["a"], object).astype(str))
    np.save(single, arrays[name])
    seeds = [plain, packed, single, io.BytesIO(EXAMPLE.with_name("expected.npz").read_bytes())]

    def attempt(chance: Random) -> Iterator[Fault]:
        path = folder / "m.npz"
        path.write_bytes(noise(chance.choice(seeds).getvalue(), chance))
        yield from ended("run", EXAMPLE, "--load-inputs", path)
        yield from ended("run", EXAMPLE, "--fill", "ones", "--input", f"{name}={path}")
        yield from ended("infer", EXAMPLE, "--input", f"{name}={path}")
        yield from ended("run", EXAMPLE, "--fill", "ones", "--expect", path)
        yield from ended("compare", EXAMPLE, "--fill", "ones", "--b", path)

    return attempt


def toml(value: object) -> str:
    """A value as TOML has it; some are none."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {toml(part)}" for name, part in value.items()) + "}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else json.dumps(value)


def of_settings(folder: Path) -> Callable[[Random], Iterator[Fault]]:
    def attempt(chance: Random) -> Iterator[Fault]:
        content = other(DATA["settings"], chance)
        parts = content.items() if isinstance(content, dict) else [("limits", content)]
        path = folder / "irops.toml"
        text = "".join(f"{json.dumps(name)} = {toml(part)}\n" for name, part in parts).encode()
        path.write_bytes(noise(text, chance) if chance.random() < 0.3 else text)
        with chdir(folder):
            for words in (("check", EXAMPLE), ("infer", EXAMPLE, "-q"), ("explain", "IR202")):
                yield from ended(*words)
        yield from ended("check", EXAMPLE, "--config", path)

    return attempt


def of_baselines(folder: Path) -> Callable[[Random], Iterator[Fault]]:
    path, model = folder / "known.json", ROOT / "irops" / "diagnostics" / "rules" / "IR401.xml"
    call("check", model, "--write-baseline", path)
    known = json.loads(path.read_text())

    def attempt(chance: Random) -> Iterator[Fault]:
        path.write_text(json.dumps(other(known, chance)))
        yield from ended("check", model, "--baseline", path)
        yield from ended("check", model, "--write-baseline", path)

    return attempt


def of_surveys(folder: Path) -> Callable[[Random], Iterator[Fault]]:
    report, models = folder / "report", ROOT / "irops" / "diagnostics" / "rules"
    line = ("survey", models / "IR401.xml", models / "IR208.xml", "--tasks", "check", "-j", "1", "-o")
    call(*line, report)
    files = {path.name: path.read_text() for path in report.iterdir() if path.suffix in (".json", ".jsonl")}

    def attempt(chance: Random) -> Iterator[Fault]:
        for name, text in files.items():
            (report / name).write_text(text)
        name = chance.choice(("rows.jsonl", "rows.jsonl", "survey.json"))
        lines = files[name].splitlines() if name.endswith("l") else [files[name]]
        at = chance.randrange(len(lines))
        content = json.loads(lines[at])
        if name == "rows.jsonl" and at and chance.random() < 0.7:
            content[5] = json.dumps(other(json.loads(content[5]), chance))
        else:
            content = other(content, chance)
        lines[at] = json.dumps(content)
        (report / name).write_text("\n".join(lines))
        yield from ended(*line, folder / "new", "--against", report)
        yield from ended(*line, report)

    return attempt


def of_messages(folder: Path) -> Callable[[Random], Iterator[Fault]]:
    servers: list[Server] = []

    def attempt(chance: Random) -> Iterator[Fault]:
        if not servers:
            servers.append(Server(folder / "errors"))
        for message in servers[-1].session(chance):
            servers[-1].send(message)
        fault = servers[-1].fault()
        if fault:
            servers.pop().end()
            yield f"server: {fault.splitlines()[-1][:60]}", fault

    return attempt


class Server:
    """A server to which messages are sent. errors: the file of what it complains of"""

    def __init__(self, errors: Path) -> None:
        self._errors, self._number = errors, 0
        with errors.open("wb") as file:
            self._process = start_python("irops", "server", stdin=PIPE, stdout=PIPE, stderr=file)
        self._answers: SimpleQueue[dict[str, Any]] = SimpleQueue()
        Thread(target=self._read, daemon=True).start()
        self.ask("initialize", {"capabilities": {}, "processId": None, "rootUri": None})
        self.send({"jsonrpc": "2.0", "method": "initialized", "params": {}})

    def session(self, chance: Random) -> list[object]:
        """Messages about one document, one of which is odd."""
        text = json.dumps(DATA["messages"]).replace('"LINE"', str(chance.choice((0, 9, 2**31 - 1))))
        opened, edit, closed, *asked = json.loads(text.replace("URI", EXAMPLE.as_uri()))
        opened["params"]["textDocument"]["text"] = EXAMPLE.read_text()[:3000]
        sent: list[Any] = [opened]
        for request in chance.sample(asked, 4):
            self._number += 1
            sent += [{**request, "id": self._number}, edit]
        sent.append(closed)
        at = chance.randrange(len(sent))
        sent[at] = other(sent[at], chance)
        return chance.sample(sent, len(sent)) if chance.random() < 0.2 else sent

    def send(self, message: object) -> None:
        content = json.dumps(message).encode()
        with suppress(OSError):  # it has ended, which fault tells
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
            self._process.stdin.flush()

    def ask(self, method: str, params: object) -> bool:
        """Whether a request is answered, and nothing else is left to answer."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params, "id": 0})
        with suppress(Empty):
            while True:
                if self._answers.get(timeout=SECONDS / 2).get("id") == 0:
                    return True
        return False

    def fault(self) -> str:
        answers = self.ask("textDocument/hover", DATA["question"])
        said = self._errors.read_text("utf-8", "replace")
        if self._process.poll() is not None or not answers:
            return f"{said[-1500:]}\nends, or does not answer"
        return said[-1500:] if str(ROOT / "irops") in said else ""

    def end(self) -> None:
        self._process.kill()
        self._process.wait()

    def _read(self) -> None:
        with suppress(ValueError):  # the end
            while head := self._process.stdout.readline():
                if head.startswith(b"Content-Length:"):
                    size = int(head[15:])
                    while self._process.stdout.readline().strip():
                        pass
                    self._answers.put(json.loads(self._process.stdout.read(size)))


def of_definitions(folder: Path) -> Callable[[Random], Iterator[Fault]]:
    paths = [*(ROOT / "schemas").rglob("*-[0-9]*.xml"), *OWN.glob("MyReverse*.xml")]
    seeds = [Seed(str(path), path.read_bytes(), b"") for path in sorted(paths)]
    stock = Stock(seeds)
    (folder / "ops").mkdir()
    (folder / "ops" / "my_reverse.py").write_bytes((OWN / "my_reverse.py").read_bytes())

    def attempt(chance: Random) -> Iterator[Fault]:
        text, _ = changed(chance.choice(seeds[-1:] * 2 + seeds), drawn(chance), stock)
        (folder / "ops" / "MyReverse-extension.xml").write_bytes(text)
        custom = ("--definitions", folder / "ops")
        yield from ended("check", OWN / "model.xml", *custom)
        yield from ended("explain", "MyReverse", *custom)
        yield from ended("ops", *custom)
        yield from ended("docs", *custom, "--output", folder / "site", "--format", "markdown")

    return attempt


KINDS = {
    "promises": of_promises,
    "xml": of_xml,
    "onnx": of_onnx,
    "npz": of_npz,
    "settings": of_settings,
    "baselines": of_baselines,
    "surveys": of_surveys,
    "messages": of_messages,
    "definitions": of_definitions,
}


def faults_of_model(path: Path, folder: Path) -> Iterator[Fault]:
    for name, error in raw_errors(path):
        yield f"{name}: {type(error).__name__}", str(error)[:500]
    for command, fault in command_faults(path, folder):
        yield f"{command.split()[0]}: {fault[:60]}", fault


def ended(*words: object) -> Iterator[Fault]:
    """What is wrong with how a command ended, for any file: 0 to 2 are its exit codes, and 2 says why."""
    status, out, err = call(*words)
    if status not in (0, 1, 2):
        yield f"{words[0]}: exit code {status}", err[:500]
    if "internal error" in err or "Traceback" in err:
        yield f"{words[0]}: {err.splitlines()[-1][:60]}", err[-500:]
    if status and not (out.strip() or err.strip()):
        yield f"{words[0]}: says nothing", ""


def signs_of(attempt: Callable[[Random], Iterator[Fault]], chance: Random, kind: str) -> list[Fault]:
    """The faults of one attempt. Seconds in which this process is stopped do not count."""
    left = iter(range(SECONDS))

    def tick(*_: object) -> None:
        if next(left, None) is None:
            raise Late

    signal.signal(signal.SIGALRM, tick)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)
    try:
        return list(attempt(chance))
    except Late:
        return [(f"{kind}: more than {SECONDS} seconds", "")]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


KEPT = (".xml", ".bin", ".onnx", ".npz", ".npy", ".toml", ".json", ".jsonl")


def keep(folder: Path, source: Path, sign: str, detail: str) -> None:
    """Copy the damaged files, with what is broken beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{1 + sum(1 for _ in folder.iterdir()):03}"
    target.mkdir()
    for path in source.rglob("*"):
        if path.suffix in KEPT and path.stat().st_size < 1 << 20:
            (target / path.name).write_bytes(path.read_bytes())
    (target / "fault.txt").write_text(f"{sign}\n{detail}\n")
    print(f"{target}: {sign}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0, help="another number damages files otherwise")
    parser.add_argument(
        "--kinds", default=",".join(KINDS), help="of files, separated by commas; default: all"
    )
    parser.add_argument("--found", type=Path, default=Path("fuzz-found"), help="the folder for files")
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    signs, counts = Counter[str](), Counter[str]()
    chance, until = Random(args.seed), monotonic() + 60 * args.minutes
    with tempfile.TemporaryDirectory(prefix="irops-fuzz-") as parent:
        folders = {kind: Path(parent, kind) for kind in args.kinds.split(",")}
        for folder in folders.values():
            folder.mkdir()
        attempts = {kind: KINDS[kind](folder) for kind, folder in folders.items()}
        while monotonic() < until:
            kind = chance.choice(list(attempts))
            counts[kind] += 1
            for sign, detail in signs_of(attempts[kind], chance, kind):
                if not signs[sign]:
                    keep(args.found, folders[kind], sign, detail)
                signs[sign] += 1
    print(f"seed {args.seed}: {', '.join(f'{count:,} of {kind}' for kind, count in counts.items())}")
    for sign, count in signs.most_common():
        print(f"{count:8,}  {sign}")
    return bool(signs)


if __name__ == "__main__":
    sys.exit(main())
