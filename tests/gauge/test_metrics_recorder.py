"""What the recorder writes down is what MuJoCo's robots do, whoever they are."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from mujoco.batch import Batch

from servogym.envs.core import Core
from servogym.gauge.metrics import feet, power, zmp
from servogym.gauge.metrics.footing import beside as footings_beside
from servogym.gauge.metrics.footing import widen
from servogym.gauge.metrics.friction import friction_margin
from servogym.gauge.metrics.outcome import falls
from servogym.gauge.metrics.penetration import penetration
from servogym.gauge.metrics.rules import DEFAULT, ROBOGAUGE, Scales
from servogym.gauge.metrics.samples import Samples
from servogym.gauge.metrics.samples import beside as samples_beside
from servogym.gauge.metrics.scored import scored, summaries
from servogym.gauge.recorder import Recorder, physique
from servogym.scenes import world
from servogym.scenes.addresses import Addresses
from tests.gauge.animals import BALL, HEIGHT, dog, place, push, trot

EVERY = 4


def record(robot, model, data, seconds, motion=trot, **options):
    """Let a robot move for a while and write down what it does, once in 20 ms."""
    at = Addresses.of(model, robot)
    recorder = Recorder(robot, model, [data], 0.02, every=5, **options)
    for _ in range(round(seconds / 0.02)):
        for _ in range(EVERY):
            push(data, at, motion(robot, data.time))
            mujoco.mj_step(model, data)
        recorder.look(
            action=np.zeros((1, len(robot.joints))),
            command=np.zeros((1, 3)),
            alive=np.ones(1, bool),
        )
    return recorder


@pytest.fixture(scope="module", params=[3, 6], ids=["sliding", "rolling"])
def trotting(request, tmp_path_factory):
    robot = dog(tmp_path_factory.mktemp("dog"), condim=request.param)
    model = world.build(robot)
    data = place(model, robot, Addresses.of(model, robot))
    return robot, model, record(robot, model, data, 4.0)


def test_the_zmp_of_a_trot_is_the_centre_of_pressure_of_its_contacts(trotting):
    _, _, recorder = trotting
    footing = recorder.footing()
    point, pressure = zmp.zmp(footing, DEFAULT)[0], zmp.cop(footing, DEFAULT)
    stands = np.isfinite(point[:, 0, 0])
    assert stands.sum() >= 30
    assert np.ptp(point[stands, 0], axis=0).min() > 0.02  # it moves
    assert np.abs(point - pressure)[stands].max() < 1e-5
    down = footing.touching & (footing.dist < 1e-3)
    pairs = {tuple(sorted(feet)) for feet in (f[d].tolist() for f, d in _moments(footing, down))}
    assert {(0, 3), (1, 2)} <= pairs  # both diagonals bore alone


def _moments(footing, chosen):
    return zip(footing.foot[:, 0], chosen[:, 0], strict=True)


def test_a_trot_steps(trotting):
    robot, model, recorder = trotting
    samples = recorder.samples()
    assert not falls(samples).any() and samples.position[:, 0, 2].min() > 0.7 * HEIGHT
    assert feet.step_frequency(samples) == pytest.approx(2.0, rel=0.15)
    assert feet.clearance(samples) > 0.01
    assert 0 < penetration(recorder.footing()).max < 0.02
    body = physique(model, robot)
    margin = friction_margin(recorder.footing(), body, DEFAULT)
    assert 0.0 <= np.nanmin(margin) < np.nanmax(margin) <= 1.0
    inside = zmp.zmp_margin(recorder.footing(), body, DEFAULT)
    assert 0.0 <= np.nanmin(inside) < np.nanmax(inside) <= 1.0


def test_newton_and_euler_agree_with_what_mujoco_says_of_every_body(trotting):
    robot, model, _ = trotting
    at = Addresses.of(model, robot)
    data = place(model, robot, at)
    for _ in range(150):
        push(data, at, trot(robot, data.time))
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    mujoco.mj_rnePostConstraint(model, data)
    force, moment, centre = np.zeros(3), np.zeros(3), data.subtree_com[at.base_body]
    for body in range(at.base_body, model.nbody):
        found, spin = np.zeros(6), np.zeros(6)
        code = mujoco.mjtObj.mjOBJ_BODY
        mujoco.mj_objectAcceleration(model, data, code, body, found, 0)
        mujoco.mj_objectVelocity(model, data, code, body, spin, 0)
        axes = data.ximat[body].reshape(3, 3)
        inertia = axes @ np.diag(model.body_inertia[body]) @ axes.T
        own = model.body_mass[body] * found[3:]  # at the centre of mass, with -g in it
        force += own
        moment += np.cross(data.xipos[body] - centre, own)
        moment += inertia @ found[:3] + np.cross(spin[:3], inertia @ spin[:3])
    recorder = Recorder(robot, model, [data], 0.02, every=1)
    recorder.look(action=np.zeros((1, 12)), command=np.zeros((1, 3)), alive=np.ones(1, bool))
    footing = recorder.footing()
    assert footing.needed_force[0, 0] == pytest.approx(force, abs=1e-9)
    assert footing.needed_moment[0, 0] == pytest.approx(moment, abs=1e-9)
    assert footing.force[0, 0].sum(axis=0) == pytest.approx(force, abs=1e-6)


def test_the_feet_of_a_standing_robot_carry_its_weight(tmp_path):
    robot = dog(tmp_path)
    model = world.build(robot)
    at = Addresses.of(model, robot)
    data = place(model, robot, at)
    recorder = record(robot, model, data, 2.0, lambda robot, time: robot.pose())
    body, footing = physique(model, robot), recorder.footing()
    assert body.mass == pytest.approx(12.1) and body.spread == pytest.approx(np.hypot(0.4, 0.2))
    last = footing.normal[-1, 0]
    assert last.sum() == pytest.approx(body.weight, rel=1e-3) and (last > 10).all()
    assert sorted(footing.foot[-1, 0].tolist()) == [0, 1, 2, 3]
    side = np.sign(footing.point[-1, 0])[np.argsort(footing.foot[-1, 0]), :2]
    assert side.tolist() == [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    samples = recorder.samples()
    assert samples.loaded[-1].all() and np.abs(samples.lin_vel[-1]).max() < 1e-2
    torque = samples.torque[-1, 0]
    assert torque == pytest.approx(data.qfrc_actuator[at.servo_dof]) and np.abs(torque).max() > 0.5
    spent = np.abs(torque * samples.joint_vel[-1, 0]).sum()
    assert power.mechanical_power(samples)[-1, 0] == pytest.approx(spent)


def test_history_another_free_body_in_front_of_the_robot_shifts_nothing(tmp_path):
    """RoboGauge once read the columns of another free joint."""
    found = []
    for before in ("", BALL):
        robot = dog(tmp_path, before=before)
        model = world.build(robot)
        data = place(model, robot, Addresses.of(model, robot))
        recorder = record(robot, model, data, 0.6)
        found.append((recorder.samples(), recorder.footing(), physique(model, robot)))
    (alone, stands, body), (beside, stands_too, body_too) = found
    for name in Samples.__dataclass_fields__:
        np.testing.assert_allclose(getattr(alone, name), getattr(beside, name), atol=1e-6)
    np.testing.assert_allclose(stands.normal, stands_too.normal, atol=1e-3)
    np.testing.assert_allclose(stands.needed_moment, stands_too.needed_moment, atol=1e-3)
    assert body.mass == body_too.mass and stands_too.foot.max() == 3


def test_velocities_are_those_of_a_velocimeter_and_a_gyro(tmp_path):
    robot = dog(tmp_path)
    text = (tmp_path / "dog.xml").read_text()
    sensors = '<sensor><velocimeter site="imu"/><gyro site="imu"/></sensor></mujoco>'
    (tmp_path / "dog.xml").write_text(text.replace("</mujoco>", sensors))
    model = world.build(robot)
    at = Addresses.of(model, robot)
    data = place(model, robot, at)
    data.qpos[at.base_qpos] = [0, 0, 2, 0.5, -0.5, 0.1, 0.7]
    data.qvel[at.base_dof] = [1.0, -2.0, 0.5, 0.3, -0.7, 1.1]
    mujoco.mj_normalizeQuat(model, data.qpos)
    mujoco.mj_forward(model, data)
    recorder = Recorder(robot, model, [data], 0.02)
    recorder.look(action=np.zeros((1, 12)), command=np.zeros((1, 3)), alive=np.ones(1, bool))
    samples = recorder.samples()
    assert samples.lin_vel[0, 0] == pytest.approx(data.sensordata[:3])
    assert samples.ang_vel[0, 0] == pytest.approx(data.sensordata[3:6])


# Batches


def play(core, policy, steps, watch=True, **options):
    rows = np.arange(core.n)
    core.seed(rows, rows.astype(np.uint64))
    core.hold(rows, (0.2, 0.0, 0.0))
    core.reset(rows)
    recorder = Recorder(core.robot, core.model, core.batch, core.task.control_dt, **options)
    alive = np.ones(core.n, bool)
    for step in range(steps):
        action = policy(step)
        out = core.step(action)
        alive &= ~out.terminated
        if watch:
            recorder.look(
                action=action,
                command=core.commander.twist,
                alive=alive,
                torque=core.state.torque,
            )
    return recorder


def shaking(step):
    return np.random.default_rng(step).normal(0.0, 0.2, (3, 14))


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "backlash"])
def ducks(request):
    core = Core("microduck_flat", 3, backlash=request.param, threads=1)
    return core, play(core, shaking, 40, every=5)


def test_recorded_robots_do_what_they_do_unwatched(ducks):
    core, _ = ducks
    alone = Core("microduck_flat", 3, backlash=core.backlash, threads=1)
    play(alone, shaking, 40, watch=False)
    for name, array in core.get_state().items():
        np.testing.assert_array_equal(array, alone.get_state()[name], err_msg=name)


def test_a_batch_of_randomised_ducks_stands_on_what_newton_and_euler_ask_for(ducks):
    core, recorder = ducks
    footing = recorder.footing()
    point, pressure = zmp.zmp(footing, DEFAULT)[0], zmp.cop(footing, DEFAULT)
    assert np.isfinite(point).all(axis=-1).sum() >= 10
    assert np.nanmax(np.abs(point - pressure)) < 1e-5
    masses = [core.batch.get_model(k).body_subtreemass[core.at.base_body] for k in range(3)]
    assert len(set(masses)) == 3  # or this would say nothing of the randomised
    friction = np.where(footing.touching, footing.friction[..., 0], np.nan)
    assert len(set(np.nanmax(friction, axis=(0, 2)).tolist())) == 3


def test_samples_are_the_state_of_the_batch(ducks):
    core, recorder = ducks
    samples, state = recorder.samples(), core.state
    seen = {
        "position": state.base_pos,
        "quat": state.base_quat,
        "ang_vel": state.base_ang_vel,
        "joint_pos": state.joint_pos,
        "joint_vel": state.servo_vel,
        "torque": state.torque,
        "foot_pos": state.foot_pos,
        "foot_vel": state.foot_vel,
        "command": core.commander.twist,
        "action": shaking(39),
    }
    for name, wanted in seen.items():
        np.testing.assert_array_equal(getattr(samples, name)[-1], wanted, err_msg=name)
    # A task's pushes come after its own reading of the velocity.
    where = ~np.isclose(samples.lin_vel[-1], state.base_lin_vel).all(axis=1)
    assert where.sum() < 3 and len(samples) == 40 and len(recorder.footing()) == 8
    np.testing.assert_array_equal(samples.loaded[-1], core.gait.loaded)


def test_a_batch_and_single_simulations_are_read_alike(tmp_path):
    robot = dog(tmp_path)
    model = world.build(robot)
    at = Addresses.of(model, robot)
    batch = Batch(model, 2, 1)
    datas = [place(model, robot, at) for _ in range(2)]
    for row, data in enumerate(datas):
        data.qpos[at.base_qpos[0]] = 0.3 * row
        batch.bind("qpos")[row] = data.qpos
    how = {
        "action": np.zeros((2, 12)),
        "command": np.zeros((2, 3)),
        "alive": np.array([True, True]),
    }
    both = [Recorder(robot, model, source, 0.02, every=2) for source in (batch, datas)]
    for step in range(12):
        for row, data in enumerate(datas):
            push(data, at, trot(robot, 0.02 * step))
            batch.bind("ctrl")[row] = data.ctrl
            mujoco.mj_step(model, data)
        batch.step()
        for recorder in both:
            recorder.look(**how)
    one, other = (recorder.samples() for recorder in both)
    for name in Samples.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    one, other = (recorder.footing() for recorder in both)
    for name in type(one).__dataclass_fields__:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert (one.normal.sum(axis=2) > 0).all()


def test_a_shaken_duck_can_be_scored_by_either_rules(ducks):
    core, recorder = ducks
    body = physique(core.model, core.robot)
    scales = Scales.of(body, (0.4, 0.2, 1.0))
    for rules in (DEFAULT, ROBOGAUGE):
        if rules is ROBOGAUGE:
            with pytest.raises(ValueError, match="the footing is of samples"):
                scored(recorder.samples(), body, scales, footing=play_less(core), rules=rules)
        found = scored(recorder.samples(), body, scales, footing=recorder.footing(), rules=rules)
        summed = summaries([found])
        assert 0.0 < summed["quality"]["mean"] < 1.0
        assert 0.0 < summed["zmp_margin"]["mean"] < 1.0, rules.name
        assert 0.0 < summed["dof_power"]["mean"] < 1.0


def play_less(core):
    """Contacts looked at twice as often as they are scored."""
    other = Core("microduck_flat", 3, backlash=core.backlash, threads=1)
    return play(other, shaking, 4, every=2).footing()


def test_the_fallen_stay_fallen_and_stand_on_nothing(tmp_path):
    robot = dog(tmp_path)
    model = world.build(robot)
    data = place(model, robot, Addresses.of(model, robot))
    recorder = Recorder(robot, model, [data], 0.02, every=1)
    for alive in (True, False, True):
        mujoco.mj_step(model, data)
        recorder.look(action=np.zeros((1, 12)), command=np.zeros((1, 3)), alive=np.array([alive]))
    assert recorder.samples().alive[:, 0].tolist() == [True, False, False]
    assert recorder.footing().touching.any(axis=2)[:, 0].tolist() == [True, False, False]


def test_nothing_is_made_of_nothing(tmp_path):
    robot = dog(tmp_path)
    model = world.build(robot)
    empty = Recorder(robot, model, [mujoco.MjData(model)], 0.02)
    with pytest.raises(ValueError, match="0 moments"):
        empty.samples()
    with pytest.raises(ValueError, match="every is 0"):
        empty.footing()
    with pytest.raises(ValueError, match="every is -1"):
        Recorder(robot, model, [mujoco.MjData(model)], 0.02, every=-1)


def test_a_robot_that_falls_before_the_first_look_at_contacts_scores_0_for_all_of_the_plan(
    tmp_path,
):
    robot = dog(tmp_path)
    model = world.build(robot)
    recorder = Recorder(robot, model, [mujoco.MjData(model)], 0.02, every=5)
    recorder.look(action=np.zeros((1, 12)), command=np.zeros((1, 3)), alive=np.zeros(1, bool))
    footing, body = recorder.footing(), physique(model, robot)
    assert len(footing) == 0
    scales = Scales.of(body, (1.0, 0.5, 1.0))
    found = scored(recorder.samples(), body, scales, footing=footing, planned=20.0)
    assert found.quality.shape == (200, 1) and (found.quality == 0.0).all()
    assert "zmp_margin" in found.metrics


def test_parts_of_a_robot_that_touch_each_other_are_no_footing(tmp_path):
    robot = dog(tmp_path)
    model = world.build(robot)
    at = Addresses.of(model, robot)
    data = place(model, robot, at)
    data.qpos[at.base_qpos[2]] = 1.0
    for name, angle in {"fl_hip": -0.32, "fr_hip": 0.32}.items():
        data.qpos[at.servo_qpos[robot.joints.index(name)]] = angle
    mujoco.mj_forward(model, data)
    assert data.ncon > 0
    recorder = Recorder(robot, model, [data], 0.02, every=1)
    recorder.look(action=np.zeros((1, 12)), command=np.zeros((1, 3)), alive=np.ones(1, bool))
    assert not recorder.footing().touching.any()


def test_robots_of_several_batches_are_put_side_by_side(ducks):
    core, recorder = ducks
    samples, footing = recorder.samples(), recorder.footing()
    both = samples_beside([samples.only([2]), samples.only([0, 1])])
    for name in ("quat", "torque", "loaded"):
        wanted = getattr(samples, name)[:, [2, 0, 1]]
        np.testing.assert_array_equal(getattr(both, name), wanted)
    blank = widened(footing, 3)
    pair = footings_beside([footing, blank])
    assert pair.foot.shape == (8, 6, footing.foot.shape[2] + 3)
    body, margin = physique(core.model, core.robot), friction_margin
    one, two = margin(footing, body, DEFAULT), margin(pair, body, DEFAULT)
    np.testing.assert_array_equal(two, np.concatenate((one, one), axis=1))
    with pytest.raises(ValueError, match="needs one"):
        footings_beside([footing, replace(footing, first=0)])
    with pytest.raises(ValueError, match="needs one"):
        samples_beside([])
    with pytest.raises(ValueError, match="needs one"):
        samples_beside([samples, samples.at(slice(1, None))])


def widened(footing, by):
    slots = footing.foot.shape[2] + by
    names = set(type(footing).__dataclass_fields__) - {"every", "first", "cone"}
    arrays = {name: widen(name, getattr(footing, name), slots, axis=2) for name in names}
    return replace(footing, **arrays)
