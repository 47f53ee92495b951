"""Section: the batch beside other ways to run such environments, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from statistics import median
from typing import Any

from benchmarks import peers
from benchmarks.cases import DOG, MAIN
from benchmarks.contestant import Absent, Contestant, rounds
from benchmarks.plan import Plan
from benchmarks.spread import ratios, speeds

ONE_A_PROCESS = {
    "Gymnasium AsyncVectorEnv": "async_vector.py",
    "SB3 SubprocVecEnv": "subproc.py",
}


def measure(plan: Plan) -> list[dict[str, Any]]:
    """Measure ours, one robot a process, and every peer; who is absent is listed with why."""
    absent: list[dict[str, Any]] = []
    with ExitStack() as stack:
        players = [stack.enter_context(each) for each in _ours(plan)]
        for name, peer in peers.PEERS.items():
            try:
                players.append(stack.enter_context(peers.start(name, peer.options(plan))))
            except Absent as reason:
                absent.append({"name": name, "absent": str(reason)})
        answers = rounds(players, plan.turns, plan.seconds, "beside others")
    return [_row(each, answers) for each in players] + absent


def _ours(plan: Plan) -> Iterator[Contestant]:
    """Yield the batch and the two ways to have one robot a process, for every main case; a dog."""
    for case in MAIN:
        options = {"case": case, "robots": plan.robots, "threads": plan.threads}
        yield Contestant(_batch(case), "ours.py", options)
        for count in plan.workers:
            for name, script in ONE_A_PROCESS.items():
                title = f"{name} of {count}, {case}"
                yield Contestant(title, script, {"case": case, "workers": count})
    yield Contestant(
        _batch(DOG), "ours.py", {"case": DOG, "robots": plan.robots, "threads": plan.threads}
    )


def _batch(case: str) -> str:
    return f"servogym, {case}"


def _row(who: Contestant, answers: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    mine = answers[who.name]
    ours = answers[_batch(who.facts.get("case", MAIN[0]))]
    return {
        "name": who.name,
        **who.facts,
        "speed": speeds(mine),
        "batch_over_this": ratios(ours, mine),
        "restarts": sum(a["ends"] for a in mine) / sum(a["steps"] for a in mine),
        **{key: round(median(a[key] for a in mine), 2) for key in ("cores", "busiest")},
    }
