"""A training field: every kind at every level in one model, from one seed."""

import mujoco
import numpy as np
import pytest

from servogym import robots
from servogym.scenes.terrain import Field, laws, soles

GO2 = robots.get("go2")
FIELD = Field()
GROUND = FIELD.ground()
HILLS = GROUND.solids[0]


def heights(kind, level, field=FIELD, ground=GROUND, count=161):
    """Heights of a tile over an even grid (y, x) [m], edges included."""
    x, y = field.origin(level, field.kinds.index(kind))
    line = np.linspace(-0.5, 0.5, count) * field.side
    return ground.height(x + line[None, :], y + line[:, None])


def test_the_same_seed_gives_the_same_bits_and_another_seed_other_ground():
    again, other = Field().ground().solids[0].z, Field(seed=1).ground().solids[0].z
    assert again.tobytes() == HILLS.z.tobytes()
    for kind in ("wave", "obstacle", "rough"):
        here = heights(kind, 5)
        there = heights(kind, 5, ground=Field(seed=1).ground())
        assert np.abs(here - there).max() > 0.01
    assert other.shape == again.shape


def test_a_tile_does_not_depend_on_how_many_levels_there_are():
    few = Field(levels=3)
    for kind in few.kinds:
        np.testing.assert_allclose(
            heights(kind, 3, few, few.ground()), heights(kind, 3), rtol=0, atol=1e-6
        )


def test_random_tiles_of_one_kind_differ_from_level_to_level_and_column_to_column():
    twice = Field(kinds=("obstacle", "obstacle"), levels=2)
    ground = twice.ground()
    line = np.linspace(-4, 4, 101)
    high = [
        ground.height(x + line[None, :], y + line[:, None]) > 0.03
        for x, y in (twice.origin(level, column) for level in (1, 2) for column in (0, 1))
    ]
    for i in range(4):
        for j in range(i):
            assert (high[i] != high[j]).mean() > 0.1


@pytest.mark.parametrize("kind", FIELD.kinds)
def test_tiles_meet_at_height_zero_and_have_a_level_platform_in_the_middle(kind):
    for level in laws.LEVELS:
        tile = heights(kind, level)
        for edge in (tile[0], tile[-1], tile[:, 0], tile[:, -1]):
            np.testing.assert_allclose(edge, 0.0, atol=1e-6)
        x, y = FIELD.origin(level, FIELD.kinds.index(kind))
        inner = np.linspace(-0.95, 0.95, 40)
        platform = GROUND.height(x + inner[None, :], y + inner[:, None])
        assert np.ptp(platform) < 1e-6


@pytest.mark.parametrize("kind", FIELD.kinds)
def test_each_level_is_harder_than_the_one_before(kind):
    ranges = [np.ptp(heights(kind, level)) for level in laws.LEVELS]
    assert (np.diff(ranges) > 0.002).all()


def test_slopes_and_stairs_go_down_or_up_from_the_middle_as_they_are_called():
    for level in (1, 10):
        way = np.linspace(1.05, 3.70, 400)
        for kind, sign in (("slope_down", -1), ("slope_up", 1)):
            x, y = FIELD.origin(level, FIELD.kinds.index(kind))
            line = GROUND.height(x + way, y)
            steep = np.polyfit(way, line, 1)[0]
            assert steep == pytest.approx(sign * laws.slope(level), rel=0.02)
            assert np.array_equal(np.sign(np.diff(line)), np.full(399, sign))
        for kind, sign in (("stairs_down", -1), ("stairs_up", 1)):
            x, y = FIELD.origin(level, FIELD.kinds.index(kind))
            line = GROUND.height(x + np.linspace(0.9, 4.0, 3000), y) / laws.training_riser(level)
            assert abs(line[-1] - line[0]) == pytest.approx(8, abs=1e-4)
            assert (sign * np.diff(line) >= -1e-9).all()
            assert np.abs(line - np.round(line)).max() < 1e-5  # upright: nothing between treads
            assert np.unique(np.round(line)).size == 9
            risers = np.linspace(0.9, 4.0, 3000)[np.abs(np.diff(line, append=line[-1])) > 0.5]
            np.testing.assert_allclose(np.diff(risers), laws.TREAD, atol=0.003)


def test_other_kinds_reach_the_heights_of_their_laws():
    for level in (1, 10):
        blocks = heights("obstacle", level)
        assert blocks.max() == pytest.approx(laws.block(level), abs=1e-5)
        assert blocks.min() == pytest.approx(0.0, abs=1e-6)
        waves = heights("wave", level) / laws.amplitude(level)
        assert 1.8 < waves.max() <= 2.0 + 1e-4 and -2.0 - 1e-4 <= waves.min() < -1.8
        bumps = heights("rough", level) / laws.bumps(level)
        assert 0.6 < bumps.max() <= 1.0 + 1e-4 and -1.0 - 1e-4 <= bumps.min() < -0.6
    assert np.ptp(heights("flat", 2, *level_ground())) == 0.0


def level_ground():
    field = Field(kinds=("flat",), levels=2)
    return field, field.ground()


def test_a_place_tells_its_tile():
    rng = np.random.default_rng(0)
    level, column = rng.integers(1, 11, 50), rng.integers(0, 7, 50)
    x, y = (FIELD.origin(level, column) + rng.uniform(-3.9, 3.9, (50, 2))).T
    found = FIELD.tile(x, y)
    np.testing.assert_array_equal(found[0], level)
    np.testing.assert_array_equal(found[1], column)
    margin = FIELD.tile(np.array([-4.1, 76.1, 0, 0]), np.array([0, 0, -4.1, 52.1]))
    np.testing.assert_array_equal(margin, [[0] * 4, [-1] * 4])


def test_there_is_level_ground_all_around_the_tiles_and_then_the_end():
    (west, east), (south, north) = GROUND.bounds
    np.testing.assert_allclose((west, east, south, north), (-8, 80, -8, 56), atol=1e-9)
    x = np.linspace(west, -4.0, 20)
    np.testing.assert_allclose(
        GROUND.height(x[:, None], np.linspace(south, north, 50)), 0, atol=1e-6
    )


def test_stairs_are_boxes_and_all_the_rest_is_one_geom():
    plain = Field(kinds=("slope_down", "slope_up", "wave", "obstacle", "rough")).ground()
    assert plain.geoms == ("field",)
    for kinds, boxes in (
        (("stairs_down",), 8),
        (("stairs_up",), 33),
        (("stairs_up", "wave", "stairs_down"), 41),
    ):
        first, *steps = Field(kinds=kinds, levels=3).ground().geoms
        assert first == "field" and len(set(steps)) == len(steps) == 3 * boxes
        assert all(name.startswith("step_") for name in steps)


def test_the_cells_suit_a_dogs_foot_and_make_whole_tiles():
    assert HILLS.cell == pytest.approx((0.08, 0.08))
    assert Field(cell=0.07).ground().solids[0].cell[0] == pytest.approx(8 / 114)


def test_a_scaled_field_is_the_same_field_smaller():
    toy = Field(scale=0.36, levels=2)
    full = Field(levels=2)
    for kind in toy.kinds:
        np.testing.assert_allclose(
            heights(kind, 2, toy, toy.ground()) / 0.36,
            heights(kind, 2, full, full.ground()),
            rtol=0,
            atol=1e-6,
        )
    np.testing.assert_allclose(toy.origin(2, 1), 0.36 * full.origin(2, 1))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"kinds": ("lava",)}, r"no kinds \['lava'\]; there are flat, slope_down"),
        ({"kinds": ()}, "needs kinds"),
        ({"levels": 0}, "levels are 1 to 10"),
        ({"levels": 11}, "levels are 1 to 10"),
        ({"cell": 0.5}, "cells of at most 0.4 m"),
        ({"cell": 0.0}, "cells of at most 0.4 m"),
        ({"scale": -1.0}, "positive scale"),
        ({"margin": -1.0}, "no negative margin"),
        ({"shares": (1.0, 2.0)}, r"shares \(1.0, 2.0\); needs a positive number for each of the 7"),
        ({"shares": (1.0,) * 6 + (0.0,)}, "needs a positive number for each"),
        ({"shares": (1.0,) * 6 + (np.nan,)}, "needs a positive number for each"),
    ],
)
def test_what_cannot_be_built_is_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        Field(**changed)


@pytest.mark.parametrize("scale", [1.0, 0.36])
def test_its_heights_are_those_a_ray_finds_on_the_compiled_ground(scale):
    field = Field(scale=scale, levels=4)
    ground = field.ground()
    model = ground.spec().compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    rng = np.random.default_rng(3)
    (west, east), (south, north) = ground.bounds
    places = rng.uniform((west, south), (east, north), (4000, 2))
    found = ground.height(*places.T)
    geom = np.zeros(1, np.int32)
    for (x, y), height in zip(places, found, strict=True):
        ray = mujoco.mj_ray(
            model, data, np.array([x, y, 20.0]), np.array([0, 0, -1.0]), None, 1, -1, geom
        )
        assert 20.0 - ray == pytest.approx(height, abs=1e-9)
    stairs = [field.kinds.index(kind) for kind in ("stairs_down", "stairs_up")]
    assert np.isin(field.tile(*places.T)[1], stairs).sum() > 500


def test_under_and_beside_a_pit_nothing_is_left_open():
    """At the edges of a tile nobody falls, and inside no foot reaches the height field below."""
    field = Field(kinds=("wave", "stairs_up", "slope_up"), levels=2)
    ground = field.ground()
    x, y = field.origin(1, 1)
    edge = np.linspace(-4.02, 4.02, 41)
    for side in (-4.0, 4.0):
        for inward in (0.0, 1e-9, 0.01, 0.05, 0.2):
            rim = side - np.sign(side) * inward
            np.testing.assert_allclose(ground.height(x + rim, y + edge), 0.0, atol=1e-6)
            np.testing.assert_allclose(ground.height(x + edge, y + rim), 0.0, atol=1e-6)
    hills, stairs = ground.solids
    inside = np.linspace(-3.9, 3.9, 200)
    over = stairs.height(x + inside[:, None], y + inside)
    assert (over - hills.height(x + inside[:, None], y + inside) > 0.02).all()


@pytest.mark.parametrize(("level", "column"), [(0, 0), (11, 0), (1, 7), (1, -1)])
def test_there_is_no_tile_beyond_the_field(level, column):
    with pytest.raises(IndexError, match="this field has"):
        FIELD.origin(level, column)


def test_robots_of_one_batch_stand_each_on_its_own_tile():
    """All robots share one model; where they begin is what differs."""
    from mujoco.batch import Batch

    spec = GO2.spec()
    GROUND.lay(spec)
    spec.option.timestep = 0.005
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model = spec.compile()
    level, column = (a.ravel() for a in np.meshgrid(np.arange(1, 11), np.arange(7)))
    x, y = FIELD.origin(level, column).T
    z = GROUND.spawn_height(x, y, 0.0, soles(GO2))
    assert np.ptp(z) > 3.0  # from the bottom of a pit to the top of a pyramid
    batch = Batch(model, len(level), 1)
    qpos, ctrl = batch.bind("qpos"), batch.bind("ctrl")
    qpos[:, :3] = np.stack((x, y, z), axis=1)
    qpos[:, 3:7] = [1, 0, 0, 0]
    order = [model.joint(joint).qposadr[0] for joint in GO2.joints]
    qpos[:, order] = GO2.pose()
    ctrl[:, [model.actuator(joint).id for joint in GO2.joints]] = GO2.pose()
    for _ in range(100):
        batch.step()
    sunk = z - qpos[:, 2]
    assert (sunk > 0.0).all() and (sunk < 0.15).all()  # soft servos sag, all alike
    assert np.ptp(sunk) < 0.005
