import pytest
import torch

from servogym.learning.perceptron import Perceptron
from servogym.learning.symmetric import SymmetricPerceptron

INTO = [1, 0, 2, 4, 3], [1.0, 1.0, -1.0, -1.0, -1.0]
OUT = [1, 0, 2], [-1.0, -1.0, -1.0]


def reflect(x, reflection):
    index, sign = reflection
    return x[:, index] * torch.tensor(sign)


def lively(sizes=(5, 8, 6, 3)):
    torch.manual_seed(0)
    made = SymmetricPerceptron(list(sizes), 1.0, INTO, OUT)
    for bias in made.biases:
        torch.nn.init.normal_(bias)
    return made


def test_the_reflected_input_gives_the_reflected_output():
    network, x = lively(), torch.randn(100, 5)
    with torch.no_grad():
        y = network(x)
        assert (network(reflect(x, INTO)) - reflect(y, OUT)).abs().max() < 1e-5
        assert y.std() > 0.1


def test_the_plain_matrices_compute_the_same():
    network, x = lively(), torch.randn(100, 5)
    plain = Perceptron.plain([5, 8, 6, 3], 1.0)
    with torch.no_grad():
        for (weight, bias), mine, my_bias in zip(
            network.layers(), plain.weights, plain.biases, strict=True
        ):
            mine.copy_(weight)
            my_bias.copy_(bias)
        assert (plain(x) - network(x)).abs().max() < 1e-5


def test_a_fresh_one_keeps_the_size_of_what_passes_through():
    torch.manual_seed(0)
    network = SymmetricPerceptron([5, 64, 64, 3], 0.1, INTO, OUT)
    weight = network.layers()[1][0]
    assert (weight @ weight.T - 2 * torch.eye(64)).abs().max() < 1e-5
    assert (network.layers()[2][0].norm(dim=1) - 0.1).abs().max() < 1e-6


def test_an_odd_width_or_a_reflection_of_another_width_is_refused():
    with pytest.raises(ValueError, match=r"\[7\].*even"):
        SymmetricPerceptron([5, 7, 3], 1.0, INTO, OUT)
    with pytest.raises(ValueError, match="reflection of 3 columns for 4 outputs"):
        SymmetricPerceptron([5, 8, 4], 1.0, INTO, OUT)
