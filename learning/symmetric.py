"""A multilayer perceptron that cannot tell left from right, at half the price of one that can."""

import itertools
import math
from collections.abc import Sequence

import torch
from torch import nn
from torch.nn.functional import linear, silu

from servogym.learning.network import Reflection
from servogym.learning.perceptron import Perceptron


class SymmetricPerceptron(Perceptron):
    """`f` with `f(Mx) = A f(x)` for the reflections M of inputs and A of outputs, SiLU inside.

    Every vector is split into a part that a reflection leaves alone and one that it turns round:
    inputs and outputs by an orthogonal change of basis, hidden units, which come in pairs (h, k)
    that a reflection swaps, into h + k and h - k. A linear layer maps even parts to even ones and
    odd parts to odd ones: two matrices of half the size, so half the numbers and half the
    arithmetic of a plain layer. Averaging a plain network with its own reflection is symmetric as
    well, but costs four times as much for the same widths.
    """

    basis_in: torch.Tensor
    basis_out: torch.Tensor

    def __init__(
        self, sizes: Sequence[int], last_gain: float, into: Reflection, out: Reflection
    ) -> None:
        """Build it with fresh orthogonal weights and zero biases.

        Args:
            sizes: Widths from input to output; hidden ones are even.
            last_gain: Gain of the output layer's weights; hidden layers use sqrt(2).
            into: Reflection of the inputs.
            out: Reflection of the outputs.

        Raises:
            ValueError: A hidden width is odd, or a reflection does not have its width.
        """
        if odd := [width for width in sizes[1:-1] if width % 2]:
            raise ValueError(f"hidden widths {odd}: a symmetric network needs even ones")
        for what, (index, sign), width in (("input", into, sizes[0]), ("output", out, sizes[-1])):
            if not len(index) == len(sign) == width:
                raise ValueError(f"reflection of {len(index)} columns for {width} {what}s")
        (basis_in, even_in), (basis_out, even_out) = _basis(into), _basis(out)
        hidden = [(width // 2, width // 2) for width in sizes[1:-1]]
        ends = [(even_in, sizes[0] - even_in), *hidden, (even_out, sizes[-1] - even_out)]
        shapes = [
            (after[part], before[part])
            for before, after in itertools.pairwise(ends)
            for part in (0, 1)
        ]
        super().__init__(shapes, [even for even, _ in ends[1:]])
        self.register_buffer("basis_in", basis_in)
        self.register_buffer("basis_out", basis_out)
        self.even_in = even_in
        # Gains that make the plain matrices of `layers` orthogonal up to the usual gain.
        first, between, last = 1.0, math.sqrt(0.5), last_gain / math.sqrt(2.0)
        gains = [first] * 2 + [between] * (len(shapes) - 4) + [last] * 2
        for weight, gain in zip(self.weights, gains, strict=True):
            if weight.numel():
                nn.init.orthogonal_(weight, gain)

    def layers(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Give weight `(out, in)` and bias `(out,)` of the plain perceptron that computes this."""
        pairs = list(zip(self.weights[::2], self.weights[1::2], self.biases, strict=True))
        made = []
        for position, (even, odd, bias) in enumerate(pairs):
            if position == 0:
                left = even @ self.basis_in[: self.even_in]
                right = odd @ self.basis_in[self.even_in :]
            else:
                left, right = torch.cat((even, even), dim=1), torch.cat((odd, -odd), dim=1)
            if position == len(pairs) - 1:
                whole, middle = torch.cat((left, right)), torch.zeros(len(right))
                made.append(
                    (self.basis_out.T @ whole, self.basis_out.T @ torch.cat((bias, middle)))
                )
            else:
                made.append((torch.cat((left + right, left - right)), torch.cat((bias, bias))))
        return made

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map `(n, in)` to `(n, out)`."""
        x = linear(x, self.basis_in)
        even, odd = x[:, : self.even_in], x[:, self.even_in :]
        *hidden, last = zip(self.weights[::2], self.weights[1::2], self.biases, strict=True)
        for weight_even, weight_odd, bias in hidden:
            even, odd = linear(even, weight_even, bias), linear(odd, weight_odd)
            one, other = silu(even + odd), silu(even - odd)
            even, odd = one + other, one - other
        y = torch.cat((linear(even, last[0], last[2]), linear(odd, last[1])), dim=1)
        return linear(y, self.basis_out.T)


def _basis(reflection: Reflection) -> tuple[torch.Tensor, int]:
    """Give an orthogonal matrix whose first rows are even under a reflection, and how many are."""
    index, sign = reflection
    even, odd = [], []
    for column, (partner, turn) in enumerate(zip(index, sign, strict=True)):
        unit = torch.zeros(len(index))
        unit[column] = 1.0
        if partner == column:
            (even if turn > 0 else odd).append(unit)
        elif column < partner:
            unit[partner] = turn
            even.append(unit * math.sqrt(0.5))
            unit = unit.clone()
            unit[partner] = -turn
            odd.append(unit * math.sqrt(0.5))
    return torch.stack(even + odd), len(even)
