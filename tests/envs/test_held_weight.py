"""Weight that an edit holds up is no load to a motor whose friction depends on its load."""

import numpy as np
import pytest

from servogym import robots
from servogym.envs.core import Core
from servogym.scenes import world

TRUNK = "/world/microduck/trunk_base"


def load_in_the_air(*edits):
    """What a duck's gears bear when it is let go a metre above the floor, (j,) [N·m]."""
    core = Core(
        "microduck_flat",
        n=1,
        actuator="bam",
        randomization=False,
        sensing=False,
        spawn=False,
        threads=1,
        edits=edits,
    )
    row = np.arange(1)
    core.rng.seed(row, row.astype(np.uint64))
    core.reset(row)
    core.batch.bind("qpos")[0, 2] += 1.0
    core.batch.forward(row)
    core.step(np.zeros((1, len(core.robot.joints))))
    return core._load.external[0], core.batch.bind("qpos")[0, 2]


@pytest.mark.parametrize("held", [1.0, 0.5])
def test_a_duck_without_weight_bears_none_in_its_gears(held):
    scene = world.assemble(robots.get("microduck"))
    bodies = [path for path in scene.paths("body") if path.startswith(TRUNK)]
    values = {"paths": bodies, "gravcomp": held}
    external, height = load_in_the_air(("set_bodies_physics_properties", values))
    weight, _ = load_in_the_air(
        ("set_scene_physics_properties", {"gravity": [0, 0, -9.81 * (1 - held)]})
    )
    np.testing.assert_allclose(external, weight, atol=1e-9)
    assert (height == pytest.approx(1.0 + robots.get("microduck").spawn_height, abs=1e-3)) == (
        held == 1.0
    )
    full, _ = load_in_the_air()
    assert np.abs(full).max() > 0.02 and np.abs(full - external).max() > 0.01 * held
