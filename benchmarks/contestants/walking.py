"""A case of ours on the CPUs it is given, making stretches that were rehearsed, so not timed."""

import os

from turns import serve


def make(case: str, robots: int, cpus: list[int]):
    """Return the walk; a turn is one stretch: as many turns, the same motion on any CPUs."""
    os.sched_setaffinity(0, cpus)
    from benchmarks.cases import CASES  # MuJoCo and NumPy count the CPUs when they load
    from benchmarks.walk import Walk

    walk = Walk(CASES[case], robots, len(cpus))

    def turn(_: float) -> dict:
        walk.rehearse()
        return {"steps": walk.steps, "seconds": walk.walk()}

    return {"env": CASES[case].env_id, "robots": robots, "threads": len(cpus)}, turn


if __name__ == "__main__":
    serve(make)
