"""The part of the policy that leaves for the robot: observation in, mean action out."""

import torch
from torch import nn

from servogym.learning.network import Network
from servogym.learning.perceptron import Perceptron
from servogym.learning.symmetric import SymmetricPerceptron


class Actor(nn.Module):
    """Mean action `g f(Sx)`.

    `x` is the observation clipped to the slot bounds, `S` centres, scales and clips it and appends
    c = min(gain sum |twist command|, 1), so that standing and walking are told apart from the first
    update on; `f` is the multilayer perceptron, symmetric if the robot has a mirror map; `g` is
    the output gain. The numbers of `S` are buffers: they are saved with the weights, and a policy
    without them does not load.

    To a symmetric `f` a standing robot needs a side as well: pushed straight backward with its feet
    side by side, what is best for the left leg would be best for the right one, and there is no
    step. So `S` also appends 1 - c as a column that a reflection turns round: asked to stand, the
    robot may have a favourite leg; asked to walk, it may not.

    And it needs to know how to step, which walking robots do: pushed by 0.3 m/s they hardly ever
    fall, standing ones do. So where the twist command is zero and roll and pitch rate together
    exceed the network's `tipping`, `S` puts its `catch` in the place of the command.
    """

    low: torch.Tensor
    high: torch.Tensor
    center: torch.Tensor
    scale: torch.Tensor
    asked: torch.Tensor
    rolling: torch.Tensor
    catch: torch.Tensor

    def __init__(self, network: Network) -> None:
        """Build it with fresh weights."""
        super().__init__()
        for name in ("low", "high", "center", "scale"):
            values = getattr(network, name)
            self.register_buffer(name, torch.tensor(values, dtype=torch.float32))
        for name in ("asked", "rolling"):
            columns = torch.tensor(getattr(network, name), dtype=torch.int64)
            self.register_buffer(name, columns)
        catch = torch.zeros(len(network.low))
        catch[self.asked] = torch.tensor(network.catch[: len(network.asked)])
        self.register_buffer("catch", catch)
        self.limit = network.limit
        self.asked_gain, self.tipping = network.asked_gain, network.tipping
        self.output_gain = network.output_gain
        self.sided = network.mirrored
        sizes = [network.inputs, *network.hidden, network.actions]
        if network.mirrored:
            into, out = network.reflection(privileged=False), network.action_reflection
            self.net = SymmetricPerceptron(sizes, 0.1, into, out)
        else:
            self.net = Perceptron.plain(sizes, 0.1)

    def scaled(self, obs: torch.Tensor) -> torch.Tensor:
        """Clip raw observations `(n, obs)`, centre, scale and clip them, append what is asked."""
        bounded = torch.minimum(torch.maximum(obs, self.low), self.high)
        if not self.asked.numel():
            return self._normal(bounded)
        size = bounded[:, self.asked].abs().sum(dim=1, keepdim=True)
        side = 1.0 - (size * self.asked_gain).clamp(max=1.0)
        if self.rolling.numel():
            rate = bounded[:, self.rolling].square().sum(dim=1, keepdim=True)
            caught = ((size == 0.0) & (rate > self.tipping**2)).float()
            bounded = bounded + caught * self.catch
            size = size + caught * self.catch.abs().sum()
        share = (size * self.asked_gain).clamp(max=1.0)
        scaled = self._normal(bounded)
        return torch.cat((scaled, share, side) if self.sided else (scaled, share), dim=1)

    def _normal(self, bounded: torch.Tensor) -> torch.Tensor:
        return ((bounded - self.center) / self.scale).clamp(-self.limit, self.limit)

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        """Map raw observations `(n, obs)` to mean actions `(n, j)`, not yet clipped."""
        return self.mean(self.scaled(obs))

    def mean(self, scaled: torch.Tensor) -> torch.Tensor:
        """Map what `scaled` returns to mean actions `(n, j)`."""
        return self.output_gain * self.net(scaled)
