"""Damage files of every kind that irops reads, use them, and keep each file that shows a fault.

    python tests/fuzz/long_run.py --minutes 60 --seed 7
    IROPS_CORPUS=folder python tests/fuzz/long_run.py --minutes 30 --kinds promises --found faults

promises holds irops to the guarantees of docs/SECURITY.md on IR files; of the other kinds (xml, onnx, npz,
definitions), every function and command is called with the file, and a fault is an exception that is not
documented, an exit code that is not documented, output without end or with control characters, or more than
SECONDS for one file. Exit status 1 if there are any.
"""

import argparse
import io
import resource
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from time import monotonic

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

import numpy as np  # noqa: E402
from entry_points import EXAMPLE, call, command_faults, raw_errors  # noqa: E402
from mutations import Change, Seed, Stock, changed, drawn  # noqa: E402
from promises import Broken, hold_promises, sign_of  # noqa: E402
from seeds import corpus_seeds, own_seeds  # noqa: E402

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
        path.write_bytes(noise(chance.choice(seeds), chance))
        return faults_of_model(path, folder)

    return attempt


def of_npz(folder: Path) -> Callable[[Random], Iterator[Fault]]:
    plain, packed = io.BytesIO(), io.BytesIO()
    arrays = dict(np.load(EXAMPLE.with_name("inputs.npz")))
    np.savez(plain, **arrays)
    np.savez_compressed(packed, **arrays, text=np.array(["a"], object).astype(str))
    seeds = [plain.getvalue(), packed.getvalue(), EXAMPLE.with_name("expected.npz").read_bytes()]

    def attempt(chance: Random) -> Iterator[Fault]:
        path = folder / "m.npz"
        path.write_bytes(noise(chance.choice(seeds), chance))
        yield from ended("run", EXAMPLE, "--load-inputs", path)
        yield from ended("run", EXAMPLE, "--fill", "ones", "--expect", path)
        yield from ended("compare", EXAMPLE, "--fill", "ones", "--b", path)

    return attempt


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


def late(*_: object) -> None:
    raise Late


def signs_of(attempt: Callable[[Random], Iterator[Fault]], chance: Random, kind: str) -> list[Fault]:
    signal.alarm(SECONDS)
    try:
        return list(attempt(chance))
    except Late:
        return [(f"{kind}: more than {SECONDS} seconds", "")]
    finally:
        signal.alarm(0)


def keep(folder: Path, source: Path, sign: str, detail: str) -> None:
    """Copy the damaged files, with what is broken beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{1 + sum(1 for _ in folder.iterdir()):03}"
    target.mkdir()
    for path in source.rglob("*"):
        if path.suffix in (".xml", ".bin", ".onnx", ".npz") and path.stat().st_size < 1 << 20:
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
    signal.signal(signal.SIGALRM, late)
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
