"""Robots begin on the ground: not in it, not in the sky, wherever and however they face."""

import mujoco
import numpy as np
import pytest

from servogym import robots
from servogym.scenes.terrain import Field, Ground, Terrain, laws, soles
from servogym.scenes.terrain.solids import Hills, Plane

ROBOTS = {"go2": (robots.get("go2"), 1.0), "microduck": (robots.get("microduck"), 0.36)}
SOLES = {name: soles(robot) for name, (robot, _) in ROBOTS.items()}
PLACES = [
    ("flat", 1),
    *((k, n) for k in ("slope", "wave", "stairs", "obstacle") for n in laws.LEVELS),
]


class Stage:
    """A robot on a ground, with feet that report how far they are from it up to 6 cm."""

    def __init__(self, name, ground, feeler=0.06):
        self.robot, self.ground = ROBOTS[name][0], ground
        self.soles = SOLES[name]
        spec = self.robot.spec()
        feet = [foot.geom for foot in self.robot.feet]
        for foot in feet:
            spec.geom(foot).margin = feeler
        ground.lay(spec)
        spec.option.timestep = 0.005
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.feet = [self.model.geom(foot).id for foot in feet]
        self.floor = {self.model.geom(geom).id for geom in ground.geoms}

    def put(self, x, y, z, quat):
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:7] = (x, y, z, *quat)
        for joint, angle in self.robot.default_pose.items():
            self.data.joint(joint).qpos[0] = angle
            self.data.actuator(joint).ctrl[0] = angle
        mujoco.mj_forward(self.model, self.data)

    def put_upright(self, x, y, yaw):
        z = self.ground.spawn_height(x, y, yaw, self.soles)
        self.put(x, y, float(z), (np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)))

    def on_the_origin(self):
        """Distance of each foot from level ground [m]; Go2's hind feet are 9.6 mm above it."""
        self.put_upright(0.0, 0.0, 0.0)
        return self.clearances()

    def clearances(self):
        """Distance from the ground of each foot within reach [m], inf of the others."""
        found = dict.fromkeys(self.feet, np.inf)
        for contact in self.data.contact:
            pair = set(contact.geom)
            for foot in pair & found.keys():
                if pair & self.floor:
                    found[foot] = min(found[foot], contact.dist)
        return np.array(list(found.values()))

    def touching(self):
        """Names of parts other than feet that are in the ground."""
        return {
            self.model.geom(geom).name
            for contact in self.data.contact
            if contact.dist < 0 and set(contact.geom) & self.floor
            for geom in set(contact.geom) - self.floor - set(self.feet)
        }

    def peak_force(self, seconds):
        """Largest sum of all contact forces within some time, in weights of the robot."""
        peak, force = 0.0, np.empty(6)
        while self.data.time < seconds:
            mujoco.mj_step(self.model, self.data)
            total = 0.0
            for index in range(self.data.ncon):
                mujoco.mj_contactForce(self.model, self.data, index, force)
                total += np.linalg.norm(force[:3])
            peak = max(peak, total)
        return peak / (9.81 * self.model.body_mass.sum())


@pytest.mark.parametrize("name", ROBOTS)
def test_on_level_ground_the_height_is_the_one_the_robot_states(name):
    robot = ROBOTS[name][0]
    for yaw in (0.0, 1.0, -2.5):
        height = Terrain().ground().spawn_height(3.0, -2.0, yaw, SOLES[name])
        assert height == pytest.approx(robot.spawn_height, abs=2e-5)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize(("kind", "level"), PLACES)
def test_feet_are_neither_buried_nor_in_the_air_on_any_terrain(name, kind, level):
    """Pains 75: the lowest foot within -1 mm and +20 mm, 20 seeds, any heading."""
    terrain = Terrain(kind=kind, level=level, scale=ROBOTS[name][1])
    stage = Stage(name, terrain.ground())
    for seed in range(20):
        rng = np.random.default_rng(seed)
        start = terrain.start() if seed % 2 else terrain.middle()
        x, y = start + rng.uniform(-0.3, 0.3, 2) * terrain.scale
        stage.put_upright(x, y, rng.uniform(-np.pi, np.pi))
        assert -0.001 <= stage.clearances().min() <= 0.020


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize(("kind", "level"), PLACES)
def test_where_tests_begin_only_feet_touch_and_nobody_is_thrown(name, kind, level):
    """Pains 75: less than five weights in the first tenth of a second, upright or leaning."""
    terrain = Terrain(kind=kind, level=level, scale=ROBOTS[name][1])
    stage = Stage(name, terrain.ground(), feeler=0.0)
    for place in (terrain.start(), terrain.middle()):
        stage.put_upright(*place, 0.0)
        assert stage.touching() == set()
        assert stage.peak_force(0.1) < 5.0
        if kind in ("slope", "wave"):
            height, quat = stage.ground.spawn_pose(*place, 0.0, stage.soles)
            stage.put(*place, float(height), quat)
            assert stage.touching() == set()
            assert stage.peak_force(0.1) < 5.0


@pytest.mark.parametrize("name", ROBOTS)
def test_on_every_tile_of_a_field_all_feet_stand(name):
    field = Field(scale=ROBOTS[name][1])
    stage = Stage(name, field.ground())
    level_stance = Stage(name, Terrain().ground()).on_the_origin()
    rng = np.random.default_rng(5)
    for column in range(len(field.kinds)):
        for level in range(1, field.levels + 1):
            x, y = field.origin(level, column) + rng.uniform(-0.5, 0.5, 2) * field.scale
            stage.put_upright(x, y, rng.uniform(-np.pi, np.pi))
            np.testing.assert_allclose(stage.clearances(), level_stance, rtol=0, atol=2e-4)
            assert stage.touching() == set()


@pytest.mark.parametrize("level", [1, 10])
@pytest.mark.parametrize("yaw", [0.0, np.pi / 2, 2.5])
def test_a_leaning_dog_has_all_four_feet_on_a_slope_where_an_upright_one_has_not(level, yaw):
    terrain = Terrain(kind="slope", level=level)
    stage = Stage("go2", terrain.ground())
    stage.put_upright(*terrain.middle(), yaw)
    assert stage.clearances().max() > 0.025
    height, quat = stage.ground.spawn_pose(*terrain.middle(), yaw, stage.soles)
    stage.put(*terrain.middle(), float(height), quat)
    level_stance = Stage("go2", Terrain().ground()).on_the_origin()
    np.testing.assert_allclose(stage.clearances(), level_stance, rtol=0, atol=2e-4)
    ahead = stage.data.body("base").xmat.reshape(3, 3)[:, 0]
    up = stage.data.body("base").xmat.reshape(3, 3)[:, 2]
    assert np.degrees(np.arccos(up[2])) == pytest.approx(
        np.degrees(np.arctan(laws.slope(level))), abs=0.2
    )
    assert np.arctan2(ahead[1], ahead[0]) == pytest.approx(yaw, abs=0.15)


def test_heights_and_poses_of_many_robots_are_those_of_each_alone():
    ground, points = Terrain(kind="wave", level=7).ground(), SOLES["go2"]
    rng = np.random.default_rng(2)
    x, y, yaw = rng.uniform(1, 9, 6), rng.uniform(-4, 4, 6), rng.uniform(-3, 3, 6)
    z, quat = ground.spawn_pose(x, y, yaw, points)
    assert z.shape == (6,) and quat.shape == (6, 4)
    np.testing.assert_allclose(np.linalg.norm(quat, axis=1), 1.0)
    for i in range(6):
        alone = ground.spawn_pose(x[i], y[i], yaw[i], points)
        np.testing.assert_allclose(alone[0], z[i], atol=1e-12)
        np.testing.assert_allclose(alone[1], quat[i], atol=1e-12)
        one = ground.spawn_height(x[i], y[i], yaw[i], points)
        assert ground.spawn_height(x, y, yaw, points)[i] == pytest.approx(float(one), abs=1e-12)


def test_a_robot_beyond_the_edge_has_nothing_to_stand_on_and_is_told_where():
    field = Field(levels=1, kinds=("flat",))
    with pytest.raises(ValueError, match=r"no ground under a sole at x = 8\.1, y = 0"):
        field.ground().spawn_height(np.array([0.0, 8.1]), 0.0, 0.0, SOLES["go2"])


def level_hills():
    z = np.zeros((21, 21))
    hills = Hills(name="hills", corner=(-0.8, -0.8), cell=(0.08, 0.08), z=z, base=0.5)
    return Ground(solids=(hills,), bounds=((-0.8, 0.8), (-0.8, 0.8)))


@pytest.mark.parametrize(("name", "seconds"), [("go2", 5.0), ("microduck", 0.5)])
def test_on_a_level_height_field_a_robot_stands_as_on_a_plane(name, seconds):
    """Pains 70: height within 2 mm, drift under 5 mm, no foot 3 mm deep; the duck soon tips."""
    plane = Ground(solids=(Plane(name="floor"),), bounds=((-9, 9), (-9, 9)))
    ends = []
    for ground in (plane, level_hills()):
        stage = Stage(name, ground, feeler=0.001)
        stage.put_upright(0.0, 0.0, 0.0)
        deepest = 0.0
        while stage.data.time < seconds:
            mujoco.mj_step(stage.model, stage.data)
            deepest = min(deepest, *stage.data.contact.dist, 0.0)
        assert deepest > -0.003
        ends.append(stage.data.qpos[:3].copy())
    assert abs(ends[0][2] - ends[1][2]) < 0.002
    assert np.linalg.norm(ends[0][:2] - ends[1][:2]) < 0.005


def test_on_a_level_height_field_a_folded_duck_stands_for_five_seconds_as_on_a_plane():
    """Pains 70 again: of the duck's poses FOLD is the one that stands by itself."""
    plane = Ground(solids=(Plane(name="floor"),), bounds=((-9, 9), (-9, 9)))
    feeler = Stage("microduck", plane)
    mujoco.mj_resetDataKeyframe(feeler.model, feeler.data, feeler.model.key("FOLD").id)
    mujoco.mj_forward(feeler.model, feeler.data)
    above = feeler.clearances().min()
    assert 0.0 < above < 0.06
    ends = []
    for ground in (plane, level_hills()):
        stage, path = Stage("microduck", ground, feeler=0.001), []
        mujoco.mj_resetDataKeyframe(stage.model, stage.data, stage.model.key("FOLD").id)
        stage.data.qpos[2] -= above
        begun = stage.data.qpos[:2].copy()
        while stage.data.time < 5.0:
            mujoco.mj_step(stage.model, stage.data)
            path.append(min(*stage.data.contact.dist, 0.0))
        assert min(path) > -0.003 and len(stage.data.contact) >= 2
        assert stage.data.body("trunk_base").xmat[8] > np.cos(np.radians(10.0))
        assert np.linalg.norm(stage.data.qpos[:2] - begun) < 0.005
        ends.append(stage.data.qpos[:3].copy())
    assert abs(ends[0][2] - ends[1][2]) < 0.002
    assert np.linalg.norm(ends[0][:2] - ends[1][:2]) < 0.005


@pytest.mark.parametrize("name", ROBOTS)
def test_a_foot_that_falls_at_two_metres_a_second_is_stopped_by_a_height_field(name):
    """Pains 70: it does not tunnel, and goes no deeper than into a plane."""
    lowest = []
    for ground in (Terrain().ground(), level_hills()):
        stage = Stage(name, ground, feeler=0.001)
        stage.put_upright(0.0, 0.0, 0.3)
        stage.data.qpos[2] += 0.02
        stage.data.qvel[2] = -2.0
        path = []
        while stage.data.time < 0.2:
            mujoco.mj_step(stage.model, stage.data)
            path.append(stage.data.geom_xpos[stage.feet, 2])
        lowest.append(np.min(path))
        assert path[-1].min() > 0.0  # the middle of every foot is over the ground again
    assert lowest[1] > lowest[0] - 0.002
