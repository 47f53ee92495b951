"""Go2's twin: a gap of 0.005 rad behind each of its twelve motors, made by the same tool."""

import mujoco
import numpy as np

from servogym import robots
from servogym.robots.backlash import add_backlash, main, passive_name
from servogym.scenes.world import build

GO2 = robots.get("go2")
GAPS = [passive_name(joint) for joint in GO2.joints]


def posed(model, key):
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(key).id)
    mujoco.mj_forward(model, data)
    return data


def test_each_motor_is_followed_by_a_gap_of_0_005_rad_each_way():
    plain = GO2.spec().compile()
    twin = add_backlash(GO2.spec(), half_range=GO2.backlash).compile()
    assert (plain.nv, twin.nv, twin.nu) == (18, 30, 12)
    for joint, gap in zip(GO2.joints, GAPS, strict=True):
        servo, play = twin.joint(joint), twin.joint(gap)
        assert (play.id, play.bodyid[0]) == (servo.id + 1, servo.bodyid[0])
        np.testing.assert_array_equal(play.axis, servo.axis)
        np.testing.assert_array_equal(play.range, [-0.005, 0.005])
        assert twin.jnt_limited[play.id]
        assert joint in {twin.joint(int(driven)).name for driven in twin.actuator_trnid[:, 0]}
    np.testing.assert_array_equal(twin.body_mass, plain.body_mass)
    np.testing.assert_array_equal(twin.body_inertia, plain.body_inertia)


def test_every_keyframe_keeps_its_angles_and_its_feet_on_the_floor():
    plain, twin = build(GO2), build(GO2, backlash=GO2.backlash)
    for k in range(plain.nkey):
        before, after = (posed(model, plain.key(k).name) for model in (plain, twin))
        for joint in ("base_freejoint", *GO2.joints):
            np.testing.assert_array_equal(after.joint(joint).qpos, before.joint(joint).qpos)
        assert all(after.joint(gap).qpos[0] == 0.0 for gap in GAPS)
        for foot in GO2.feet:
            np.testing.assert_allclose(
                after.geom(foot.geom).xpos, before.geom(foot.geom).xpos, atol=1e-12
            )


def test_the_command_writes_a_twin_that_mujoco_opens(tmp_path, capsys):
    target = tmp_path / "go2_backlash.xml"
    assert main([str(GO2.path()), str(target), "--half-range", "0.005"]) == 0
    assert "12 joints with backlash" in capsys.readouterr().out
    written = mujoco.MjModel.from_xml_path(str(target))
    wanted = add_backlash(GO2.spec(), half_range=0.005).compile()
    assert written.names == wanted.names
    np.testing.assert_array_equal(written.key_qpos, wanted.key_qpos)
    np.testing.assert_array_equal(written.body_inertia, wanted.body_inertia)


def _sway(backlash):
    """Angles of the links while the legs swing in the air, (t, 12) [rad]."""
    model = build(GO2, backlash=backlash)
    model.opt.gravity[:] = 0.0
    data = posed(model, "STAND")
    data.qpos[2] = 1.0
    home, path = data.ctrl.copy(), []
    for _ in range(800):
        swing = 0.2 * min(data.time, 1.0)  # no jump at the start
        data.ctrl[:] = home + swing * np.sin(np.pi * data.time + np.arange(12))
        mujoco.mj_step(model, data)
        link = np.array([data.joint(joint).qpos[0] for joint in GO2.joints])
        gap = [data.joint(gap).qpos[0] for gap in GAPS] if backlash else 0.0
        path.append(link + gap)
    return np.array(path)


def test_a_vanishing_gap_moves_like_the_plain_robot_and_a_real_one_does_not():
    plain, tiny, real = _sway(None), _sway(1e-5), _sway(GO2.backlash)
    assert np.abs(tiny - plain).max() < 1e-3
    assert np.abs(real - plain).max() > GO2.backlash
