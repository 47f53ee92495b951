"""Measures how fast servogym is on this machine, beside what it could be and what others are.

    python -m benchmarks [--out FILE] [--against FILE]

Four sections, about eight minutes on two cores; keep the machine quiet meanwhile:
every motor law beside bare `mujoco.batch` making the same motion; the same motion on one core and
on two; the batch beside AsyncVectorEnv, SubprocVecEnv and, where `python -m benchmarks.peers` has
installed them, other projects' environments; and a training beside its environment alone. Whoever
is compared takes turns, so that a machine that slows down slows all of them down. The result is a
JSON file with every turn, and a picture beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import bare, compare, cores, machine, others, plot, report, training
from benchmarks.contestant import Absent
from benchmarks.plan import Plan

RESULTS = Path(__file__).resolve().parent / "results"
BUSY = 0.5
"""Load average above which the machine is not quiet."""
SECTIONS = {
    "bare": bare.measure,
    "cores": cores.measure,
    "others": others.measure,
    "training": training.measure,
}


def run(plan: Plan) -> dict[str, Any]:
    """Measure every section."""
    started = time.monotonic()
    result: dict[str, Any] = {"machine": machine.describe(plan), "plan": asdict(plan)}
    for name, measure in SECTIONS.items():
        result[name] = measure(plan)
        print(report.SECTIONS[name](result[name]), flush=True)
    result["machine"]["minutes"] = round((time.monotonic() - started) / 60.0, 1)
    return result


def own_name(plan: Plan) -> str:
    """Return a file name for results of this machine."""
    words = re.findall(r"[a-z0-9]+", machine.processor().lower())
    return f"{'-'.join(words)}-{plan.threads}-cores.json"


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="JSON to write; default: one for this processor, or latest.json with --against",
    )
    parser.add_argument(
        "--against", type=Path, help="earlier result; exit status 1 if a ratio fell by over 20 %%"
    )
    args = parser.parse_args()
    if not sys.platform.startswith("linux"):
        sys.exit("benchmarks: cores and memory are read from /proc; Linux is needed")
    if os.getloadavg()[0] > BUSY:
        print(f"load is {os.getloadavg()[0]:.1f}: others use the cores too, expect wide spreads")
    plan = Plan()
    out = args.out or RESULTS / ("latest.json" if args.against else own_name(plan))
    try:
        before = compare.load(args.against) if args.against else None
        result = run(plan)
    except (Absent, OSError, ValueError) as error:
        sys.exit(f"benchmarks: {error}")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(result, indent=1) + "\n")
    plot.draw(result, out.with_suffix(".png"))
    print(f"written: {out} and {out.with_suffix('.png').name}")
    if before is not None:
        sys.exit(compare.verdict(before, result))


if __name__ == "__main__":
    main()
