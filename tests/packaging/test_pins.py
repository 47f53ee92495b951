"""constraints.txt pins one set of versions that fits pyproject.toml and needs no GPU."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version


@pytest.fixture
def pins(checkout: Path) -> dict[str, str]:
    lines = (checkout / "constraints.txt").read_text("utf-8").splitlines()
    kept = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.+-]+", line) for line in kept)
    return {canonicalize_name(line.split("==")[0]): line.split("==")[1] for line in kept}


def _requirements(checkout: Path) -> list[Requirement]:
    project = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    return [Requirement(line) for lines in (project["dependencies"], *extras) for line in lines]


def test_every_dependency_is_pinned_inside_its_range(pins, checkout):
    for need in _requirements(checkout):
        pin = pins[canonicalize_name(need.name)]
        assert need.specifier.contains(pin), f"{need} is pinned to {pin}"


def test_no_pin_asks_for_a_gpu(pins):
    assert not [name for name in pins if re.match(r"nvidia|cuda|triton|cupy|jax", name)]


def test_torch_is_pinned_without_a_local_tag_so_that_every_index_can_serve_it(pins):
    assert Version(pins["torch"]).local is None


def test_make_asks_pytorch_for_its_cpu_wheels_before_anything_depends_on_torch(checkout):
    recipe = (checkout / "Makefile").read_text("utf-8")
    cpu = recipe.index("-c constraints.txt $$links torch")
    assert "download.pytorch.org/whl/cpu" in recipe
    assert cpu < recipe.index("-e '.[video,viewer,dev]'")
