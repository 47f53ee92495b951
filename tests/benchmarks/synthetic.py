"""A result of the benchmark with made-up numbers."""

from typing import Any

from benchmarks.spread import summary
from benchmarks.training import digest


def result(cores: int = 2, factor: float = 1.0) -> dict[str, Any]:
    """A whole result of a machine `factor` times as fast as the first one."""

    def speed(value: float) -> dict[str, Any]:
        return summary([factor * value * jitter for jitter in (0.99, 1.0, 1.02)])

    return {
        "machine": {
            "date": "2030-01-02 03:04",
            "minutes": 7.5,
            "cpu": "Example 9000",
            "cores": cores,
            "memory_gb": 16.0,
            "load_before": 0.1,
            "threads": {"physics": cores},
            "versions": {"mujoco": "9.9"},
        },
        "plan": {"robots": 512, "cpus": list(range(cores))},
        "bare": [
            {
                "case": case,
                "robots": 512,
                "ours": speed(8000.0),
                "bare": speed(10_000.0),
                "ratio": summary([0.79, 0.8, 0.81]),
            }
            for case in ("dc", "bam")
        ],
        "cores": [
            {
                "case": "bam",
                "one": speed(5000.0),
                "two": speed(9000.0),
                "ratio": summary([1.8, 1.8, 1.8]),
            }
        ],
        "others": [
            {
                "name": "servogym, bam",
                "env": "MicroDuck-Flat-v0",
                "robots": 512,
                "control_dt": 0.02,
                "physics_dt": 0.005,
                "speed": speed(7000.0),
                "restarts": 0.01,
                "cores": 1.9,
                "busiest": 1.9,
            },
            {"name": "mjlab", "absent": "not installed: python -m benchmarks.peers install mjlab"},
        ],
        "training": [{"case": "bam", **digest(**watched(factor))}],
    }


def watched(factor: float = 1.0) -> dict[str, Any]:
    """What a `Watch` of 60 iterations of 10 000 steps brings: 40 + 10 + 45 + 5 µs a step."""
    rows = [
        {
            "env_steps": 10_000 * (number + 1),
            "steps": 10_000,
            "seconds": (1.0 if number else 9.0) / factor,
            "environment": 0.4 / factor,
            "policy": 0.1 / factor,
            "update": 0.45 / factor,
            "alone": (0.0, 0.35, 0.0)[number % 3] / factor,
            "memory": 400.0 if number < 30 else 410.0,
        }
        for number in range(60)
    ]
    return {"rows": rows, "same_work": {"early": [0.4, 0.4, 0.5], "late": [0.5, 0.5, 0.6]}}
