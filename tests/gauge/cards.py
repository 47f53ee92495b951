"""A card whose every number is known, because it was put there."""

from copy import deepcopy

from servogym.gauge.metrics.rules import OURS

NAMES = ("quality", *OURS)


def summary(mean=0.8):
    return {"mean": mean, "mean@50": mean - 0.1, "mean@25": mean - 0.2, "zeros": 3}


def number(unit="W", mean=2.0):
    return {"unit": unit, "mean": mean, "interval": [1.5, 2.5], "worst": 3.0, "robots": 2}


def goal(falls=0, success=None, **numbers):
    return {
        "episodes": 4,
        "falls": falls,
        "falls_interval": [0.0, 0.49],
        "diverged": 0,
        "metrics": {name: summary() for name in NAMES},
        "numbers": {"power": number(), **numbers},
        "success": success,
        "penetration": {"contacts": 9, "mean": 1e-3, "p95": 2e-3, "p99": 3e-3, "max": 4.5e-3},
        "deepest": 5.5e-3,
    }


def bin_of(command, achieved=0.9, score=0.85):
    asked = any(command)
    return {
        "command": list(command),
        "robots": 4,
        "achieved": achieved if asked else None,
        "achieved_interval": [0.8, 1.1] if asked else None,
        "upright": achieved if asked else None,
        "score": score,
        "score_interval": [0.7, 0.95],
    }


def episode(goal, part, robot, value=0.8, moments=200):
    metrics = {name: value for name in NAMES}
    return {
        "goal": goal,
        "part": part,
        "robot": robot,
        "fell": False,
        "success": None,
        "metrics": metrics,
        "moments": moments,
    }


def score(**changes):
    goals = {"command_grid": goal(falls=1), "target": goal(success=0.75)}
    found = {
        "cell": {
            "task": "MicroDuck-Flat-v0",
            "goals": list(goals),
            "rules": "servogym",
            "robots": 4,
            "seconds": 20.0,
            "seed": 7,
            "options": {"actuator": "bam"},
        },
        "subject": {
            "name": "walk",
            "file": "policies/walk.onnx",
            "sha256": "ab" * 32,
            "trained_task": "MicroDuck-Flat-v0",
            "trained_actuator": "bam",
        },
        "world": {
            "robot": "microduck",
            "actuator": "bam",
            "backlash": 0.0,
            "encoder": "output",
            "terrain": "flat",
            "contact": "Native()",
            "collides": ["left_foot_collision"],
            "feet_only": True,
            "differs": [],
            "scales": {"lin_vel": 0.5},
            "versions": {"mujoco": "4.0.0"},
        },
        "rules": "servogym",
        "metrics": {name: summary(0.1 * k) for k, name in enumerate(NAMES)},
        "goals": goals,
        "bins": [
            bin_of((0.0, 0.0, 0.0)),
            bin_of((0.2, 0.0, 0.0)),
            bin_of((0.0, -0.3, 0.0), 0.5),
            bin_of((0.0, 0.0, 1.0)),
        ],
        "flags": [],
        "bad": [
            {
                "goal": "target",
                "part": "ahead",
                "robot": 2,
                "time": 0.3,
                "quality": 0.25,
                "metric": "follow",
                "value": 0.0,
                "course": [None, 0.5, 0.25, 0.9],
            }
        ],
        "played": [episode("command_grid", "stand", k) for k in range(4)]
        + [episode("target", "ahead", k) for k in range(4)],
    }
    return {**found, **deepcopy(changes)}


def entry(label="walk", **changes):
    baseline = {"name": "zero", "quality": 0.1, "policy": 0.7, "falls": 3, "episodes": 4}
    return {"label": label, "score": score(**changes), "baselines": [baseline], "bar": None}


def card(*entries, moved=()):
    return {
        "format": "servogym-card-1",
        "command": "python evaluate.py policies/walk.onnx",
        "entries": list(entries) or [entry()],
        "moved": list(moved),
    }
