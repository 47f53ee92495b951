"""The actor-critic that stable-baselines3's PPO trains: a mirrored actor, a privileged critic."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.distributions import DiagGaussianDistribution, Distribution
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import nn

from servogym.learning.actor import Actor
from servogym.learning.network import Network
from servogym.learning.perceptron import Perceptron
from servogym.learning.symmetric import SymmetricPerceptron

_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


class ServoPolicy(ActorCriticPolicy):
    """PPO policy on flat observations whose first columns are the actor's.

    Columns `[0:len(network.low)]` are what the robot can measure and reach actor and critic; the
    remaining ones are privileged, already of order 1, and reach the critic only. The exploration
    noise does not depend on the state. The mean is not clipped here: the environment and the
    exported graph clip it.
    """

    def __init__(
        self,
        observation_space: spaces.Space,
        action_space: spaces.Box,
        lr_schedule: Schedule,
        *,
        network: dict[str, Any],
        use_sde: bool = False,
        optimizer_kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Build it with fresh weights.

        Args:
            observation_space: Flat box, actor columns first.
            action_space: Box of one column a joint.
            lr_schedule: Remaining progress (1 to 0) -> learning rate.
            network: A `Network` as a dictionary.
            use_sde: Must be false; stable-baselines3 passes it.
            optimizer_kwargs: Passed on to Adam.
        """
        if use_sde:
            raise ValueError("use_sde: state-dependent exploration is not supported")
        self.network = Network(**network)
        super().__init__(
            observation_space, action_space, lr_schedule, optimizer_kwargs=optimizer_kwargs
        )

    def _build(self, lr_schedule: Schedule) -> None:
        network, width = self.network, self.observation_space.shape[0]  # type: ignore[index]
        width += network.inputs - len(network.low)
        self.actor = Actor(network)
        sizes = [width, *network.hidden, 1]
        if network.mirrored:
            into = network.reflection(privileged=True)
            self.critic = SymmetricPerceptron(sizes, 1.0, into, ([0], [1.0]))
        else:
            self.critic = Perceptron.plain(sizes, 1.0)
        self.log_std = nn.Parameter(torch.full((network.actions,), math.log(network.initial_std)))
        self.action_dist = DiagGaussianDistribution(network.actions)
        self.optimizer = torch.optim.Adam(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Give actions `(n, j)`, values `(n, 1)` and log-probabilities `(n,)`."""
        seen, values = self._seen_and_valued(obs)
        mean = self.actor.mean(seen)
        noise = torch.zeros_like(mean) if deterministic else torch.randn_like(mean)
        actions = mean + self.log_std.exp() * noise
        return actions, values, self._log_prob(noise)

    def evaluate_actions(
        self, obs: PyTorchObs, actions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Give values `(n, 1)`, log-probabilities `(n,)` and entropies `(n,)`."""
        seen, values = self._seen_and_valued(obs)
        log_prob = self._log_prob((actions - self.actor.mean(seen)) / self.log_std.exp())
        entropy = self.log_std.sum() + len(self.log_std) * (0.5 + _HALF_LOG_TWO_PI)
        return values, log_prob, entropy.expand_as(log_prob)

    def get_distribution(self, obs: PyTorchObs) -> Distribution:
        """Give the Gaussian over actions."""
        mean = self.actor(obs[:, : len(self.network.low)])  # type: ignore[index]
        return self.action_dist.proba_distribution(mean, self.log_std)

    def predict_values(self, obs: PyTorchObs) -> torch.Tensor:
        """Give the value of each observation, `(n, 1)`."""
        return self._seen_and_valued(obs)[1]

    def _seen_and_valued(self, obs: PyTorchObs) -> tuple[torch.Tensor, torch.Tensor]:
        split, limit = len(self.network.low), self.network.limit
        seen = self.actor.scaled(obs[:, :split])  # type: ignore[index]
        privileged = obs[:, split:].clamp(-limit, limit)  # type: ignore[index]
        return seen, self.critic(torch.cat((seen, privileged), dim=1))

    def _log_prob(self, deviation: torch.Tensor) -> torch.Tensor:
        """Density of actions these many standard deviations `(n, j)` from the mean, `(n,)`."""
        constant = self.log_std.sum() + len(self.log_std) * _HALF_LOG_TWO_PI
        return -0.5 * (deviation**2).sum(dim=1) - constant

    def _predict(self, observation: PyTorchObs, deterministic: bool = False) -> torch.Tensor:
        return self.get_distribution(observation).get_actions(deterministic=deterministic)


def rebuild(network: dict[str, Any], width: int, weights: dict[str, np.ndarray]) -> ServoPolicy:
    """Build a policy from its record and weights, ready for inference.

    Args:
        network: A `Network` as a dictionary.
        width: Observation columns, the privileged ones included.
        weights: Policy state, parameter or buffer name -> array.

    Raises:
        ValueError: An array is missing, unknown or of the wrong shape; the message names it.
    """
    policy = ServoPolicy(
        spaces.Box(-np.inf, np.inf, (width,), np.float32),
        spaces.Box(-1.0, 1.0, (network["actions"],), np.float32),
        lambda _: 0.0,
        network=network,
    )
    load_weights(policy, weights)
    policy.set_training_mode(False)
    return policy


def acting(policy: ServoPolicy) -> Callable[[np.ndarray], np.ndarray]:
    """Give the deterministic policy as a function of observations `(n, obs)`, NumPy in and out."""

    def act(obs: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return policy.actor(torch.from_numpy(np.ascontiguousarray(obs, np.float32))).numpy()

    return act


def load_weights(policy: nn.Module, weights: dict[str, np.ndarray]) -> None:
    """Copy arrays into a policy, input scales included; every one must be there and fit.

    Raises:
        ValueError: An array is missing, unknown or of the wrong shape; the message names it.
    """
    state = policy.state_dict()
    for problem, names in (
        ("missing", sorted(set(state) - set(weights))),
        ("not understood", sorted(set(weights) - set(state))),
        (
            "of the wrong shape",
            sorted(k for k in set(state) & set(weights) if state[k].shape != weights[k].shape),
        ),
    ):
        if names:
            raise ValueError(f"weights {problem}: {', '.join(names)}")
    policy.load_state_dict({name: torch.from_numpy(weights[name].copy()) for name in state})
