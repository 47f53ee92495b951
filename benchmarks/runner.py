"""Measures what a robot's computer feels of the runner: cold start and time of one step.

    python -m benchmarks.runner FILE [--steps 20000]

Prints JSON. `cold_start_s` is a fresh Python process, without Gymnasium as on a robot, from its
start to the first action, the best of five; `imports_s` is what Python, NumPy and onnxruntime alone
take of it. `inference_ms` is the network alone (`Policy`), `step_ms` everything (`Runner`): names,
checks, network, targets. One thread. `wall` is what a clock on the wall says and `cpu` what the
processor worked: on a busy machine only the latter means anything.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

import servogym
from servogym.deploy.contract import Contract
from servogym.deploy.runner import Policy, Runner
from servogym.learning.origin import commit, processor

STARTS = 5
"""Fresh processes."""
WARM = 200
"""Calls before the clock counts."""
COLD = """
import sys
sys.modules["gymnasium"] = None
import numpy
from servogym.deploy.runner import Policy
policy = Policy(sys.argv[1])
policy(numpy.zeros(policy.contract.obs_size))
"""
IMPORTS = "import numpy, onnxruntime"


def measure(file: Path, steps: int) -> dict[str, Any]:
    """Measure one policy file."""
    policy = Policy(file)
    runner = Runner(policy, rate_hz=1.0 / policy.contract.control_dt, clock=None)
    readings = standing(policy.contract)
    rng = np.random.default_rng(0)
    obs = rng.normal(size=(steps + WARM, policy.contract.obs_size)).astype(np.float32)
    return {
        "file": str(file),
        "cold_start_s": starts(COLD, str(file)),
        "imports_s": starts(IMPORTS),
        "inference_ms": percentiles(lambda k: policy(obs[k]), steps),
        "step_ms": percentiles(lambda _: runner.step(**readings), steps),
        "steps": steps,
        "cpu": processor(),
        "load": round(os.getloadavg()[0], 2),
        "versions": {
            "servogym": f"{servogym.__version__} {commit()}".strip(),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "onnxruntime": onnxruntime.__version__,
        },
    }


def standing(contract: Contract) -> dict[str, Any]:
    """Give what a robot at rest in its default pose measures, as `Runner.step` takes it."""
    pose = zip(contract.joints, contract.default_pose, strict=True)
    readings: dict[str, Any] = {"joints": {joint: (angle, 0.0) for joint, angle in pose}}
    for slot, name, value in (
        ("base_ang_vel", "gyro", (0.0, 0.0, 0.0)),
        ("projected_gravity", "gravity", (0.0, 0.0, -1.0)),
        ("base_lin_vel", "base_lin_vel", (0.0, 0.0, 0.0)),
    ):
        if slot in contract.slices():
            readings[name] = value
    return readings


def starts(code: str, *words: str) -> dict[str, float]:
    """Time fresh processes that run some code; give the best [s]."""
    wall, cpu = [], []
    for _ in range(STARTS):
        begun, before = time.perf_counter(), os.times()
        subprocess.run([sys.executable, "-c", code, *words], check=True)
        after = os.times()
        wall.append(time.perf_counter() - begun)
        cpu.append(
            after.children_user
            - before.children_user
            + after.children_system
            - before.children_system
        )
    return {"wall": round(min(wall), 3), "cpu": round(min(cpu), 3)}


def percentiles(call: Callable[[int], Any], steps: int) -> dict[str, float]:
    """Time calls one by one; give their distribution [ms]."""
    wall, cpu = np.empty(steps), np.empty(steps)
    for k in range(WARM):
        call(k)
    for k in range(steps):
        begun, worked = time.perf_counter_ns(), time.thread_time_ns()
        call(WARM + k)
        cpu[k] = time.thread_time_ns() - worked
        wall[k] = time.perf_counter_ns() - begun
    return {
        f"{name} p{share}": round(float(np.percentile(taken, share)) / 1e6, 4)
        for name, taken in (("wall", wall), ("cpu", cpu))
        for share in (50, 99)
    }


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.runner",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, help="a policy file with its contract inside")
    parser.add_argument("--steps", type=int, default=20_000, help="calls to time")
    args = parser.parse_args()
    try:
        found = measure(args.file, args.steps)
    except (OSError, ValueError) as error:
        sys.exit(f"benchmarks.runner: {error}")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
