"""A case of ours and bare `mujoco.batch`, taking turns over the same motion."""

import itertools

from turns import serve

from benchmarks.cases import CASES
from benchmarks.pair import Pair
from benchmarks.walk import Walk


def make(case: str, robots: int, threads: int):
    """Return both; a turn is one stretch by each, whoever begins."""
    pair = Pair(Walk(CASES[case], robots, threads))
    turns = itertools.count()

    def turn(_: float) -> dict:
        pair.rehearse()
        if next(turns) % 2:
            bare, ours = pair.physics(), pair.walk.walk()
        else:
            ours, bare = pair.walk.walk(), pair.physics()
        return {"steps": pair.walk.steps, "seconds": ours, "bare_seconds": bare}

    return {"env": CASES[case].env_id, "robots": robots, "threads": threads}, turn


if __name__ == "__main__":
    serve(make)
