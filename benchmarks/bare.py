"""Section: what is left of bare physics once motors, sensors, rewards and resets are added."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from benchmarks.cases import CASES, MAIN
from benchmarks.contestant import Contestant, rounds
from benchmarks.plan import Plan
from benchmarks.spread import ratios, speeds


def measure(plan: Plan) -> list[dict[str, Any]]:
    """Measure every case, and the main ones with many robots, beside bare `mujoco.batch`."""
    return [
        *_together(list(CASES), plan.robots, plan.threads, plan.stretches),
        *_together(list(MAIN), plan.many, plan.threads, plan.many_stretches),
    ]


def _together(names: list[str], robots: int, threads: int, turns: int) -> list[dict[str, Any]]:
    with ExitStack() as stack:
        players = [
            stack.enter_context(
                Contestant(
                    name,
                    "beside_physics.py",
                    {"case": name, "robots": robots, "threads": threads},
                )
            )
            for name in names
        ]
        answers = rounds(players, turns, 0.0, f"beside bare physics, {robots} robots")
    return [
        {
            "case": each.name,
            **each.facts,
            "ours": speeds(answers[each.name]),
            "bare": speeds(answers[each.name], "bare_seconds"),
            "ratio": ratios(answers[each.name], answers[each.name], "bare_seconds"),
        }
        for each in players
    ]
