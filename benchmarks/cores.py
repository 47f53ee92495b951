"""Section: the same motion on one core and on two."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from benchmarks.cases import MAIN
from benchmarks.contestant import Contestant, rounds
from benchmarks.plan import Plan
from benchmarks.spread import ratios, speeds


def measure(plan: Plan) -> list[dict[str, Any]]:
    """Measure the main cases pinned to one CPU and to two, turn by turn."""
    if plan.threads < 2:
        return [{"case": case, "absent": f"only CPU {plan.cpus[0]} may be used"} for case in MAIN]
    results = []
    for case in MAIN:
        with ExitStack() as stack:
            one, two = (
                stack.enter_context(
                    Contestant(
                        f"{count}",
                        "walking.py",
                        {"case": case, "robots": plan.robots, "cpus": plan.cpus[:count]},
                    )
                )
                for count in (1, 2)
            )
            answers = rounds((one, two), plan.stretches, 0.0, f"one core, two cores: {case}")
        results.append(
            {
                "case": case,
                "robots": plan.robots,
                "one": speeds(answers["1"]),
                "two": speeds(answers["2"]),
                "ratio": ratios(answers["2"], answers["1"]),
            }
        )
    return results
