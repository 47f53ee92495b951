import pytest

from servogym.deploy.runner import Policy, Runner
from tests.deploy import nets
from tests.deploy.watched import Clock


@pytest.fixture
def policy(tmp_path) -> Policy:
    return Policy(nets.duck_file(tmp_path / "duck.onnx"))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def runner(policy, clock) -> Runner:
    return Runner(policy, rate_hz=50, clock=clock)
