"""A live robot goes where it is told, survives a swap, feels a push and gets up again."""

from dataclasses import replace

import numpy as np
import pytest

from servogym.viewer.choice import open_all
from servogym.viewer.live import LIES, Live
from tests.viewer.made_files import PLAIN, contract, file

FORWARD = {"command": np.array([0.3, 0.0, 0.0])}


def steps(live: Live, n: int) -> None:
    for _ in range(n):
        live.step()


def place(live: Live) -> np.ndarray:
    return live.core.state.base_pos[0].copy()


def counted(live: Live) -> dict[str, int]:
    """Count from now on how often each policy acts."""
    counts = dict.fromkeys(live.policies, 0)

    def spy(name, act):
        def asked(obs):
            counts[name] += 1
            return act(obs)

        return asked

    for name, subject in live.policies.items():
        live.policies[name] = replace(subject, act=spy(name, subject.act))
    return counts


def test_it_stands_where_it_is_until_it_is_told_to_walk(live):
    steps(live, 25)
    began = place(live)
    steps(live, 100)
    stood = place(live)
    assert np.linalg.norm(stood[:2] - began[:2]) < 0.1
    live.command(FORWARD)
    steps(live, 150)
    assert np.linalg.norm(place(live)[:2] - stood[:2]) > 0.5
    assert live.falls == 0


def test_it_walks_on_while_policies_swap_there_and_back(live):
    counts = counted(live)
    live.command(FORWARD)
    for name in ("microduck-walk-backlash", "microduck-walk", "microduck-walk-backlash"):
        live.swap(name)
        before = place(live)
        live.step()
        assert np.linalg.norm(place(live) - before) < 0.03
        steps(live, 99)
        assert np.linalg.norm(place(live)[:2] - before[:2]) > 0.2
    assert counts == {"microduck-walk-backlash": 200, "microduck-walk": 100}
    assert live.falls == 0 and live.time == pytest.approx(6.0)


def test_a_policy_that_is_not_there_is_refused_with_those_that_are(live):
    with pytest.raises(LookupError, match="'fly'; here are microduck-walk-backlash, mic"):
        live.swap("fly")


def test_a_push_changes_the_velocity_by_what_was_said_in_the_robots_own_heading(live):
    steps(live, 10)
    before = live.core.batch.bind("qvel")[0].copy()
    live.push(0.2, 0.5)
    change = live.core.batch.bind("qvel")[0] - before
    assert np.linalg.norm(change) == pytest.approx(np.hypot(0.2, 0.5))
    velocity = live.core.state.heading_vel[0].copy()
    live.core._read_state()
    np.testing.assert_allclose(
        live.core.state.heading_vel[0] - velocity, [0.2, 0.5, 0.0], atol=1e-9
    )


def test_a_robot_that_is_pushed_over_lies_a_moment_and_starts_again(live):
    steps(live, 10)
    live.push(0.0, 4.0)
    lying = 0
    for _ in range(150):
        before = live.falls
        live.step()
        lying += bool(before)
        if before and live.core.state.elapsed[0] == 0:
            break
    assert live.falls == 1
    assert lying == round(LIES / 0.02)
    steps(live, 50)
    assert live.falls == 1 and live.core.state.projected_gravity[0, 2] < -0.95


def test_nothing_but_the_button_pushes(live):
    steps(live, 10)
    assert live.core.task.randomization.push is None
    assert live.core.task.randomization.center_of_mass is not None


def test_what_other_threads_ask_is_done_at_the_next_step(live):
    live.ask(lambda: live.swap("microduck-walk"))
    assert live.name == "microduck-walk-backlash"
    live.step()
    assert live.name == "microduck-walk"


def test_in_a_pause_nothing_moves_and_wishes_are_heard(live):
    steps(live, 5)
    live.ask(lambda: setattr(live, "paused", True))
    before = place(live), live.time
    assert not live.step() and not live.step()
    np.testing.assert_array_equal(place(live), before[0])
    assert live.time == before[1]
    live.ask(lambda: setattr(live, "paused", False))
    assert live.step() and live.time > before[1]


def test_the_gears_lose_their_play_and_the_command_stays(live):
    assert live.backlash and live.core.at.play_qpos is not None
    live.command(FORWARD)
    live.set_backlash(False)
    began = place(live)
    assert not live.backlash and live.core.at.play_qpos is None
    np.testing.assert_array_equal(live.core.commander.twist[0], FORWARD["command"])
    steps(live, 100)
    assert np.linalg.norm(place(live)[:2] - began[:2]) > 0.3


def test_the_reading_is_the_joint_angle_through_a_noisy_encoder_and_the_target_leads(live):
    live.command(FORWARD)
    steps(live, 50)
    off = np.abs(live.reading - live.core.state.joint_pos[0])
    assert 0.0 < off.max() < 0.15
    action = live.core.state.action[0]
    np.testing.assert_allclose(live.target, live.core.contract.offset() + action)


def test_a_policy_that_wants_what_its_task_no_longer_gives_is_refused(tmp_path):
    today = contract(PLAIN)
    pose = (0.25, *today.default_pose[1:])
    path = file(tmp_path, "microduck-walk", today, default_pose=pose)
    with pytest.raises(ValueError, match=r"default_pose\[0\] is 0.25, not "):
        Live(open_all([path]))


def test_a_policy_of_an_unknown_task_is_refused_with_the_known_ones(tmp_path):
    path = file(tmp_path, "microduck-walk", contract(PLAIN), task="MicroDuck-Swim-v0")
    with pytest.raises(LookupError, match=r"'MicroDuck-Swim-v0'.*MicroDuck-Flat-v0"):
        Live(open_all([path]))
