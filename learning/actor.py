"""The part of the policy that leaves for the robot: observation in, mean action out."""

import itertools
import math
from collections.abc import Sequence

import torch
from torch import nn

from servogym.learning.network import Network


def mlp(sizes: Sequence[int], last_gain: float) -> nn.Sequential:
    """Build linear layers with ELU between them, orthogonal weights and zero biases.

    Args:
        sizes: Widths from input to output.
        last_gain: Gain of the output layer's weights; hidden layers use sqrt(2).
    """
    layers: list[nn.Module] = []
    for position, (width, following) in enumerate(itertools.pairwise(sizes)):
        linear = nn.Linear(width, following)
        last = position == len(sizes) - 2
        nn.init.orthogonal_(linear.weight, last_gain if last else math.sqrt(2.0))
        nn.init.zeros_(linear.bias)
        layers += [linear] if last else [linear, nn.ELU()]
    return nn.Sequential(*layers)


class Actor(nn.Module):
    """Mean action `g/2 * (f(Sx) + A f(SMx))`, exactly equivariant under reflection.

    `x` is the observation clipped to the slot bounds, `S` centres, scales and clips it and appends
    min(gain sum |twist command|, 1), so that standing and walking are told apart from the first
    update on; `f` is the multilayer perceptron, `M` and `A` reflect observations and actions, `g`
    is the output gain. A robot without a mirror map gets `g * f(Sx)`. The numbers of `S`, `M` and
    `A` are buffers: they are saved with the weights, and a policy without them does not load.
    """

    low: torch.Tensor
    high: torch.Tensor
    center: torch.Tensor
    scale: torch.Tensor
    asked: torch.Tensor
    obs_index: torch.Tensor
    obs_sign: torch.Tensor
    action_index: torch.Tensor
    action_sign: torch.Tensor

    def __init__(self, network: Network) -> None:
        """Build it with fresh weights."""
        super().__init__()
        for name in ("low", "high", "center", "scale", "obs_sign", "action_sign"):
            values = getattr(network, name)
            self.register_buffer(name, torch.tensor(values, dtype=torch.float32))
        for name in ("asked", "obs_index", "action_index"):
            self.register_buffer(name, torch.tensor(getattr(network, name), dtype=torch.int64))
        self.limit = network.limit
        self.asked_gain = network.asked_gain
        self.output_gain = network.output_gain
        self.mirrored = bool(network.obs_index)
        self.net = mlp([network.inputs, *network.hidden, network.actions], last_gain=0.1)

    def scaled(self, obs: torch.Tensor) -> torch.Tensor:
        """Clip raw observations `(n, obs)` to their bounds, centre, scale and clip them."""
        return self._scaled(self._bounded(obs))

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        """Map raw observations `(n, obs)` to mean actions `(n, j)`, not yet clipped."""
        obs = self._bounded(obs)
        if not self.mirrored:
            return self.output_gain * self.net(self._scaled(obs))
        mirror = obs[:, self.obs_index] * self.obs_sign
        here, there = self.net(self._scaled(torch.cat((obs, mirror)))).chunk(2)
        there = there[:, self.action_index] * self.action_sign
        return (0.5 * self.output_gain) * (here + there)

    def _bounded(self, obs: torch.Tensor) -> torch.Tensor:
        return torch.minimum(torch.maximum(obs, self.low), self.high)

    def _scaled(self, bounded: torch.Tensor) -> torch.Tensor:
        scaled = ((bounded - self.center) / self.scale).clamp(-self.limit, self.limit)
        if not self.asked.numel():
            return scaled
        size = bounded[:, self.asked].abs().sum(dim=1, keepdim=True)
        return torch.cat((scaled, (size * self.asked_gain).clamp(max=1.0)), dim=1)
