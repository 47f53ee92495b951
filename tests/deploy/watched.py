"""A runner whose clock, policy and readings a test has in its hand."""

from pathlib import Path

from servogym.deploy.runner import Answer, Policy, Runner
from tests.deploy import nets

PERIOD = 0.02


class Clock:
    """Time that passes only when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Odd(Policy):
    """A policy with something done to its answers."""

    def __init__(self, folder: Path, then=lambda actions: actions) -> None:
        self.then = then
        super().__init__(nets.duck_file(folder / "odd.onnx"))

    def __call__(self, obs):
        return self.then(super().__call__(obs))


def walk(runner: Runner, clock: Clock, steps: int = 3) -> Answer:
    for step in range(steps):
        clock.now += PERIOD
        answer = runner.step(**nets.duck_readings(step))
        assert not answer.fault
    return answer


def with_joint(name: str, pair) -> dict:
    given = nets.duck_readings(7)
    given["joints"][name] = pair
    return given
