"""The part of the policy that leaves for the robot: observation in, mean action out."""

import torch
from torch import nn

from servogym.learning.network import Network
from servogym.learning.perceptron import Perceptron
from servogym.learning.symmetric import SymmetricPerceptron


class Actor(nn.Module):
    """Mean action `g f(Sx)`.

    `x` is the observation clipped to the slot bounds, `S` centres, scales and clips it and appends
    min(gain sum |twist command|, 1), so that standing and walking are told apart from the first
    update on; `f` is the multilayer perceptron, symmetric if the robot has a mirror map; `g` is
    the output gain. The numbers of `S` are buffers: they are saved with the weights, and a policy
    without them does not load.
    """

    low: torch.Tensor
    high: torch.Tensor
    center: torch.Tensor
    scale: torch.Tensor
    asked: torch.Tensor

    def __init__(self, network: Network) -> None:
        """Build it with fresh weights."""
        super().__init__()
        for name in ("low", "high", "center", "scale"):
            values = getattr(network, name)
            self.register_buffer(name, torch.tensor(values, dtype=torch.float32))
        self.register_buffer("asked", torch.tensor(network.asked, dtype=torch.int64))
        self.limit = network.limit
        self.asked_gain = network.asked_gain
        self.output_gain = network.output_gain
        sizes = [network.inputs, *network.hidden, network.actions]
        if network.mirrored:
            into, out = network.reflection(privileged=False), network.action_reflection
            self.net = SymmetricPerceptron(sizes, 0.1, into, out)
        else:
            self.net = Perceptron.plain(sizes, 0.1)

    def scaled(self, obs: torch.Tensor) -> torch.Tensor:
        """Clip raw observations `(n, obs)` to their bounds, centre, scale and clip them."""
        bounded = torch.minimum(torch.maximum(obs, self.low), self.high)
        scaled = ((bounded - self.center) / self.scale).clamp(-self.limit, self.limit)
        if not self.asked.numel():
            return scaled
        size = bounded[:, self.asked].abs().sum(dim=1, keepdim=True)
        return torch.cat((scaled, (size * self.asked_gain).clamp(max=1.0)), dim=1)

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        """Map raw observations `(n, obs)` to mean actions `(n, j)`, not yet clipped."""
        return self.mean(self.scaled(obs))

    def mean(self, scaled: torch.Tensor) -> torch.Tensor:
        """Map what `scaled` returns to mean actions `(n, j)`."""
        return self.output_gain * self.net(scaled)
