"""A multilayer perceptron with SiLU between its layers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import torch
from torch import nn
from torch.nn.functional import linear, silu


class Perceptron(nn.Module):
    """Linear layers with SiLU between them; `layers` gives them as plain matrices."""

    def __init__(self, shapes: Sequence[tuple[int, ...]], biases: Sequence[int]) -> None:
        """Allocate weights of these shapes, not yet filled, and zero biases of these widths."""
        super().__init__()
        self.weights = nn.ParameterList(nn.Parameter(torch.empty(shape)) for shape in shapes)
        self.biases = nn.ParameterList(nn.Parameter(torch.zeros(width)) for width in biases)

    @classmethod
    def plain(cls, sizes: Sequence[int], last_gain: float) -> Perceptron:
        """Build one with fresh orthogonal weights.

        Args:
            sizes: Widths from input to output.
            last_gain: Gain of the output layer's weights; hidden layers use sqrt(2).
        """
        made = cls([(b, a) for a, b in itertools.pairwise(sizes)], sizes[1:])
        for weight in made.weights[:-1]:
            nn.init.orthogonal_(weight, math.sqrt(2.0))
        nn.init.orthogonal_(made.weights[-1], last_gain)
        return made

    def layers(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Give weight `(out, in)` and bias `(out,)` of every layer, input side first."""
        return list(zip(self.weights, self.biases, strict=True))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map `(n, in)` to `(n, out)`."""
        *hidden, last = self.layers()
        for weight, bias in hidden:
            x = silu(linear(x, weight, bias))
        return linear(x, *last)
