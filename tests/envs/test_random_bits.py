"""What a seed draws stays what it was, row by row, whatever else is drawn beside it."""

import hashlib

import numpy as np
import pytest

from servogym.envs.core import Core
from servogym.envs.random import RowRandom

QUIET = {"sensing": False, "threads": 1}
SERVOS, GAPS = {"of": "servos", "each": True}, {"each": True}
EVERYTHING = {
    "mass": {"of": "all", "scale": (0.8, 1.2), "each": True},
    "center_of_mass": {"of": "all", "offset": 0.005, "each": True},
    "inertia": {"of": "feet", "scale": (0.8, 1.2)},
    "sliding_friction": {"of": "feet", "scale": (0.5, 1.5), "each": True},
    "contact_timeconst": {"of": "feet", "value": (0.01, 0.03)},
    "friction": SERVOS | {"scale": (0.5, 1.5)},
    "passive_damping": {"scale": (0.5, 1.5), "each": True},
    "armature": {"scale": (0.5, 1.5), "each": True},
    "gap_half_range": GAPS | {"scale": (0.5, 1.5)},
    "stiffness": SERVOS | {"scale": (0.9, 1.1)},
    "effort_limit": SERVOS | {"scale": (0.9, 1.1)},
    "volts": {"scale": (0.9, 1.1)},
    "sag": {"value": (0.0, 0.2)},
    "gravity": {"offset": 0.1},
}
"""All that MicroDuck with its own motors and gaps can draw."""


def core(keys, resets=1, **options):
    n = len(keys)
    made = Core("microduck_flat", n, **QUIET | options)
    made.seed(np.arange(n), np.array(keys, np.uint64))
    for _ in range(resets):
        made.reset(np.arange(n))
    return made


def physics(made):
    """Everything that differs from row to row before the first step."""
    motors = {k: v.copy() for k, v in made.drive.randomizable().items()}
    return motors | {k: v.copy() for k, v in made.randomizer.state().items()}


@pytest.mark.parametrize(
    ("options", "digest"),
    [
        ({}, "8d011a5447b696a15a13d50e5236eab461bd5802bd8024e410e68e454164df11"),
        ({"backlash": True}, "13f2f0df16ba7d70dc870c7d105f67132c3e6b677f399707c3e594a826dbeb62"),
        ({"actuator": "pd"}, "31b47069c53a60658b2d7cd09bc46f182f6ef873a5d6601eea7c36520db4c929"),
        (
            {"trained_steps": np.array(2e6)},
            "0affcb2d27ebe0b42f936db4b51e12e89c7c80ef770ccb5b85c4f8e2f69647a9",
        ),
        (
            {"randomization": False},
            "3a9349c5f68e2637fa52777b6477419878e9bfd05aa4bbcf6ebb8e099cff60ce",
        ),
    ],
)
def test_a_seed_draws_the_robots_it_drew_before_there_were_draws_by_name(options, digest):
    """Computed with the code of commit f50d769, on which the shipped policies were judged."""
    assert fingerprint(**options) == digest


def fingerprint(**options):
    made = core([3, 14, 15, 92, 65], resets=2, **options)
    made.reset(np.array([1, 3]))
    digest = hashlib.sha256()
    for name in ("geom_friction", "body_mass", "body_ipos", "dof_armature"):
        rows = made.batch.expanded(name)
        shared = getattr(made.model, name)
        digest.update(np.ascontiguousarray(shared[None] if rows is None else rows).tobytes())
    for name in ("friction_scale", "kp", "kd", "kp_fw", "volts", "sag", "encoder_bias"):
        if name in made.drive.randomizable():
            digest.update(np.ascontiguousarray(made.drive.randomizable()[name]).tobytes())
    for stream in made.rng.state().values():
        digest.update(stream.tobytes())
    return digest.hexdigest()


def test_inertia_is_multiplied_by_the_very_factor_of_the_mass():
    made = core([1, 2, 3])
    base = made.at.base_body
    factor = made.batch.expanded("body_mass")[:, base] / made.model.body_mass[base]
    inertia = made.batch.expanded("body_inertia")[:, base]
    assert np.allclose(inertia, made.model.body_inertia[base] * factor[:, None], rtol=4e-16)


@pytest.mark.parametrize("randomization", [None, EVERYTHING])
def test_a_row_draws_what_it_draws_alone(randomization):
    options = {"randomization": randomization, "backlash": True}
    keys = [7, 1, 7, 40, 3]
    together = physics(core(keys, resets=3, **options))
    for row, key in enumerate(keys):
        alone = physics(core([key], resets=3, **options))
        assert set(alone) == set(together)
        for name in alone:
            assert np.array_equal(alone[name][0], together[name][row]), name


def test_rows_differ_and_so_do_a_rows_episodes():
    made = core([1, 2, 3], randomization=EVERYTHING, backlash=True)
    first = physics(made)
    made.reset(np.array([0, 2]))
    second = physics(made)
    for name, before in first.items():
        if name == "encoder_bias":
            continue
        rows = before.reshape(3, -1)
        assert len(np.unique(rows, axis=0)) == 3, name
        assert np.array_equal(before[1], second[name][1]), f"{name} of a row that was not reset"
        assert not np.array_equal(before[0], second[name][0]), name


def test_every_part_draws_for_itself_when_each_is_asked_for_and_as_one_otherwise():
    each = core([5], randomization={"mass": {"of": "all", "scale": (0.5, 1.5), "each": True}})
    one = core([5], randomization={"mass": {"of": "all", "scale": (0.5, 1.5)}})
    bodies = np.flatnonzero(each.model.body_mass)
    spread, same = (
        c.batch.expanded("body_mass")[0, bodies] / c.model.body_mass[bodies] for c in (each, one)
    )
    assert len(np.unique(spread)) == len(bodies) > 10
    assert np.allclose(same, same[0], rtol=1e-15) and same[0] != 1.0


NEW = {
    "inertia": {"body_inertia"},
    "contact_timeconst": {"geom_solref"},
    "passive_damping": {"passive_damping", "dof_damping"},  # of the law, and of the gaps
    "gap_half_range": {"jnt_range"},
    "stiffness": {"kp_fw"},
    "effort_limit": {"effort_limit"},
    "gravity": {"opt.gravity"},
}


@pytest.mark.parametrize("quantity", NEW)
def test_to_draw_one_more_quantity_changes_no_other_number_of_the_episode(quantity):
    keys, options = [1, 2], {"backlash": True}
    plain = core(keys, **options)
    more = core(keys, randomization={quantity: EVERYTHING[quantity]}, **options)
    before, after = physics(plain), physics(more)
    changed = {k for k in after if not np.array_equal(after[k], before.get(k))}
    assert changed == NEW[quantity]
    for name in ("qpos", "qvel"):  # the start of the episode
        assert np.array_equal(plain.batch.bind(name), more.batch.bind(name))
    assert np.array_equal(plain.commander.twist, more.commander.twist)


def test_streams_apart_are_uniform_unlike_each_other_and_move_nothing():
    rng, rows = RowRandom(4000), np.arange(4000)
    rng.seed(rows, rows.astype(np.uint64))
    rng.begin_episode(rows)
    before = {k: v.copy() for k, v in rng.state().items()}
    a, b = rng.apart("a", 2, rows), rng.apart("b", 2, rows)
    assert np.array_equal(a, rng.apart("a", 2, rows)) and not np.array_equal(a, b)
    assert np.array_equal(a[[3, 9]], rng.apart("a", 2, np.array([3, 9])))
    assert all(np.array_equal(before[k], v) for k, v in rng.state().items())
    numbers = np.column_stack((a, b, rng.uniform(0.0, 1.0, 2, rows)))
    assert np.abs(np.corrcoef(numbers.T) - np.eye(6)).max() < 0.07
    assert np.abs(numbers.mean(axis=0) - 0.5).max() < 0.02
    for column in numbers.T:
        counts = np.histogram(column, 10, (0.0, 1.0))[0]
        assert ((counts - 400.0) ** 2 / 400.0).sum() < 33  # chi square, 9 degrees, p = 1e-4
