"""`servogym verify FILE`: whether a policy file does alone what it did in training."""

import argparse
import sys
from collections.abc import Iterator
from math import isfinite
from pathlib import Path

from servogym.cli.text import show, table
from servogym.deploy.trial.population import Population
from servogym.deploy.trial.proof import Proof, prove, write


def main() -> int:
    """Verify a file and print what was found.

    Returns:
        0 when nothing speaks against it, else 1.
    """
    parser = argparse.ArgumentParser(prog="servogym verify", description=__doc__)
    parser.add_argument("file", metavar="FILE", type=Path, help="an ONNX file from export.py")
    parser.add_argument("--json", action="store_true", help="print a record for machines instead")
    words = parser.parse_args()
    try:
        if words.file.is_dir():
            raise IsADirectoryError(
                f"{words.file} is a folder; an ONNX file is needed: python export.py makes it"
            )
        if not words.file.exists():
            raise FileNotFoundError(f"{words.file}: no such file")
        proof = prove(words.file)
    except (LookupError, OSError, RuntimeError, ValueError) as error:
        said = error.args[0] if isinstance(error, LookupError) else error
        print(f"verify: {said}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("verify: interrupted; nothing is known", file=sys.stderr)
        return 130
    if words.json:
        print(write(proof), end="")
    else:
        show(page(proof))
    return int(not proof.passed)


def page(proof: Proof) -> str:
    """Write what was found as Markdown: a table, then a verdict."""
    verdict = "**verified**" if proof.passed else "**NOT verified**"
    failures = "".join(f"\n\n* {why}" for why in proof.failures)
    rows = table(("what", "found", ""), [*_rows(proof)])
    return f"{rows}\n\n{proof.path}: {verdict}{failures}"


def _rows(proof: Proof) -> Iterator[tuple[str, str, str]]:
    for name, why in proof.checks.items():
        yield name, why or "nothing wrong", _mark(not why)
    task, differences = proof.contract.task, len(proof.differences)
    told = f"{differences} fields differ" if differences else "every field agrees"
    yield f"contract beside {task}", told, _mark(not differences)
    if proof.chosen:
        yield "the file's own choice", ", ".join(proof.chosen), "not judged"
    found = proof.replay
    yield (
        f"replay beside {task}, noise off, {found.needed} steps",
        f"largest difference: observations {found.observation:.1e}, actions {found.action:.1e};"
        f" agreed for {found.steps} steps, {found.falls} falls",
        _mark(found.passed),
    )
    if proof.noisy is not None:
        noisy = proof.noisy
        yield "noise on, training environment", _walked(noisy.training), ""
        yield "noise on, clean room", _walked(noisy.room), _mark(noisy.falls_agree)
        if noisy.difference is not None:
            middle, half = noisy.difference
            yield "clean room - training", f"{middle:+.3f} ± {half:.3f}", _mark(noisy.speeds_agree)
    if proof.robot is not None:
        yield "clean room with the robot's software", _walked(proof.robot), "not judged"


def _walked(found: Population) -> str:
    speed = f"{found.speed:.2f}" if isfinite(found.speed) else "-"
    return f"{found.fell.sum()} of {len(found.fell)} fall, achieved/commanded {speed}"


def _mark(good: bool) -> str:
    return "ok" if good else "NO"
