"""Section: training beside the environment alone, and whether it slows down or grows."""

from __future__ import annotations

from statistics import median
from typing import Any

from benchmarks.cases import MAIN
from benchmarks.contestant import Contestant
from benchmarks.plan import Plan
from benchmarks.spread import summary

EARLY, LATE = 50_000, 500_000
"""Environment steps at which speed and memory are compared."""
WINDOW = 6
"""PPO iterations around each."""
PARTS = ("environment", "policy", "update")


def measure(plan: Plan) -> list[dict[str, Any]]:
    """Train the main cases for a minute each."""
    results = []
    for case in MAIN:
        options = {
            "case": case,
            "steps": plan.train_steps,
            "every": plan.replay_every,
            "early": EARLY,
            "late": LATE,
        }
        with Contestant(case, "training.py", options, capped=False) as training:
            answer = training.turn(0.0)
            results.append({"case": case, **training.facts, **digest(**answer)})
    return results


def digest(
    rows: list[dict[str, float]], same_work: dict[str, list[float]], **_: float
) -> dict[str, Any]:
    """Sum up what a `Watch` saw; the first two iterations warm up and do not count."""
    counted = rows[2:]
    again = [row for row in counted if row["alone"]]
    each = {part: [1e6 * row[part] / row["steps"] for row in counted] for part in PARTS}
    whole = [1e6 * row["seconds"] / row["steps"] for row in counted]
    rest = [total - sum(parts) for total, *parts in zip(whole, *each.values(), strict=True)]
    early, late = around(rows, EARLY), around(rows, LATE)
    again_early, again_late = median(same_work["early"]), median(same_work["late"])
    return {
        "speed": summary([row["steps"] / row["seconds"] for row in counted]),
        "alone": summary([row["steps"] / row["alone"] for row in again]),
        "ratio": summary([row["alone"] / row["seconds"] for row in again]),
        "microseconds": {
            name: round(median(values), 2)
            for name, values in {**each, "rest": rest, "all": whole}.items()
        },
        "early": early,
        "late": late,
        "later_speed": round(late["speed"] / early["speed"], 3),
        "later_same_work": round(again_early / again_late, 3),
        "later_memory": round(late["memory"] / early["memory"], 3),
        "curve": [
            [row["env_steps"], round(row["steps"] / row["seconds"]), round(row["memory"], 1)]
            for row in rows
        ],
    }


def around(rows: list[dict[str, float]], env_steps: int) -> dict[str, float]:
    """Give median speed and memory of the iterations nearest to a number of steps."""
    nearest = sorted(rows[1:], key=lambda row: abs(row["env_steps"] - env_steps))[:WINDOW]
    return {
        "env_steps": env_steps,
        "speed": median(row["steps"] / row["seconds"] for row in nearest),
        "memory": median(row["memory"] for row in nearest),
    }
