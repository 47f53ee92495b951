import pytest

from servogym.learning.callbacks.checkpoints import Checkpoints
from servogym.learning.callbacks.evaluations import Evaluations
from servogym.learning.callbacks.stop import Stop
from servogym.learning.evaluation import Evaluation


class Learner:
    """The calls PPO makes to its callbacks, without the learning."""

    num_timesteps = 0
    logger = type("Silent", (), {"record": lambda *_: None})()

    def run(self, callback, n_envs, n_steps=24, total=400_000):
        callback.init_callback(self)
        callback.on_training_start({}, {})
        while self.num_timesteps < total:
            callback.on_rollout_start()
            for _ in range(n_steps):
                self.num_timesteps += n_envs
                callback.on_step()
            callback.on_rollout_end()
        callback.on_training_end()


def assert_eight_in_time(steps, n_envs):
    assert len(steps) == 8
    for position, step in enumerate(steps, start=1):
        assert 0 <= step - 50_000 * position < n_envs * 24


@pytest.mark.parametrize("n_envs", [1, 8, 32])
def test_checkpoints_are_counted_in_environment_steps(n_envs):
    learner, saved = Learner(), []
    save = Checkpoints(50_000, lambda: saved.append(learner.num_timesteps), Stop())
    learner.run(save, n_envs)
    assert_eight_in_time(saved, n_envs)


@pytest.mark.parametrize("n_envs", [1, 8, 32])
def test_evaluations_are_counted_in_environment_steps(n_envs, tmp_path):
    learner, made = Learner(), []

    def evaluate():
        made.append(learner.num_timesteps)
        return Evaluation(episode_return=1.0, length=1.0, falls=0.0)

    learner.run(Evaluations(50_000, evaluate, tmp_path / "e.csv", Stop()), n_envs)
    assert_eight_in_time(made, n_envs)
