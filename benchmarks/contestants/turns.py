"""What every contestant does: say what it is, then make one turn for each line it is sent.

Contestants are processes of their own, some in environments of their own, so this needs nothing but
NumPy. Options come as JSON in the first argument; each answer is one line of JSON.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Turn = Callable[[float], dict[str, Any]]
AMPLITUDE = 0.2
"""Random actions are uniform within plus and minus this, in the environment's own units."""


def serve(make: Callable[..., tuple[dict[str, Any], Turn]]) -> None:
    """Make the contestant and let it have its turns until there are no more lines.

    Whatever libraries print goes to standard error: standard output belongs to the answers.

    Args:
        make: Options -> (facts about the contestant, a turn of so many seconds).
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(what: dict[str, Any]) -> None:
        print(json.dumps(what), file=answers, flush=True)

    facts, turn = make(**json.loads(sys.argv[1]))
    answer(facts)
    for line in sys.stdin:
        answer(turn(float(line)))


def stepping(step: Callable[[], Any], robots: int) -> Turn:
    """Return a turn that calls `step` until the time is over.

    Args:
        step: Moves all the robots once and returns how many episodes ended.
        robots: How many there are.
    """

    def turn(seconds: float) -> dict[str, Any]:
        calls, ends, start = 0, 0, time.perf_counter()
        while (passed := time.perf_counter() - start) < seconds:
            ends += step()
            calls += 1
        return {"steps": calls * robots, "seconds": passed, "ends": int(ends)}

    return turn


def random_actions(*shape: int) -> Iterator[np.ndarray]:
    """Yield small random actions without end, drawn beforehand so that drawing costs nothing."""
    rng = np.random.default_rng(0)
    return itertools.cycle(rng.uniform(-AMPLITUDE, AMPLITUDE, (64, *shape)).astype(np.float32))
