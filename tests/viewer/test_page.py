"""In a real browser: the page loads, a slider moves the command, the robot moves."""

import socket
import threading

import numpy as np
import pytest

from servogym.viewer.choice import open_all
from servogym.viewer.live import Live
from servogym.viewer.page import Page
from tests.viewer.browser import browser, until

pytestmark = pytest.mark.xdist_group("browser")  # one worker opens it, once

COMMANDS = (
    *("forward [m/s]", "left [m/s]", "turn left [rad/s]"),
    *("neck_pitch", "head_pitch", "head_yaw", "head_roll"),
    *("forward [m]", "left [m]", "up [m]", "roll [rad]", "pitch [rad]", "yaw [rad]"),
)


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


@pytest.fixture(scope="module")
def page(twin, plain):
    page = Page(Live(open_all([twin, plain])), "127.0.0.1", free_port())
    loop = threading.Thread(target=page.run, daemon=True)
    loop.start()
    yield page
    assert loop.is_alive(), "the loop has ended by itself"
    page.stop()
    loop.join()
    page.close()


@pytest.fixture(scope="module")
def visitor(page):
    with browser() as opened:
        opened.open(page.url)
        yield opened


@pytest.fixture(autouse=True)
def _stands(page):
    yield
    page.sliders.zero()


def twist(page: Page) -> list[float]:
    return page.live.core.commander.twist[0].tolist()


def place(page: Page) -> np.ndarray:
    return page.live.core.state.base_pos[0, :2].copy()


def test_the_page_has_a_slider_for_each_of_the_13_commands_and_the_robots_name(page, visitor):
    for name in COMMANDS:
        assert visitor.slider(name).get_attribute("aria-valuenow") == "0"
    assert "MicroDuck" in visitor.text()


def test_sliders_reach_as_far_as_training_did(page, visitor):
    ranges = np.concatenate([*page.live.policy.contract.command_ranges.values()])
    for name, largest in zip(COMMANDS, ranges, strict=True):
        assert float(visitor.slider(name).get_attribute("aria-valuemax")) == largest
        assert float(visitor.slider(name).get_attribute("aria-valuemin")) == -largest


def test_nothing_is_loaded_from_anywhere_else(page, visitor):
    strangers = [url for url in visitor.requests() if not url.startswith((page.url, "blob:"))]
    assert not strangers


def test_a_slider_moves_the_command_and_the_robot_walks(page, visitor):
    began, shown = place(page), visitor.driver.get_screenshot_as_png()
    visitor.drag("forward [m/s]", "right")
    until(lambda: twist(page) == [0.45, 0.0, 0.0], "the command is 0.45 m/s forward")
    until(lambda: np.linalg.norm(place(page) - began) > 0.5, "half a metre was walked")
    until(lambda: "+0.45" in visitor.text(), "the page says what is asked")
    assert visitor.driver.get_screenshot_as_png() != shown


def test_head_and_body_sliders_reach_their_own_columns(page, visitor):
    visitor.drag("head_yaw", "right")
    visitor.press_folder("Body")
    visitor.drag("pitch [rad]", "left")
    commander = page.live.core.commander
    until(lambda: commander.head[0].tolist() == [0, 0, 0.49, 0], "the head is asked to turn")
    until(lambda: commander.body[0].tolist() == [0, 0, 0, 0, -0.05, 0], "the body, to lean")


def test_stop_asks_for_nothing(page, visitor):
    visitor.drag("turn left [rad/s]", "right")
    until(lambda: twist(page)[2] == 1.0, "it is asked to turn")
    visitor.press("Stop")
    until(lambda: not any(twist(page)), "it is asked for nothing")
    until(
        lambda: visitor.slider("turn left [rad/s]").get_attribute("aria-valuenow") == "0",
        "the slider is back in its middle",
    )


def test_the_push_button_pushes_the_way_it_says(page, visitor, monkeypatch):
    pushes = []
    push = page.live.push
    monkeypatch.setattr(page.live, "push", lambda *way: (pushes.append(way), push(*way)))
    visitor.choose("direction", "from behind")
    visitor.press("Push")
    until(lambda: pushes, "a push")
    assert pushes == [(0.3, 0.0)]


def test_a_menu_swaps_the_policy_there_and_back_while_it_walks(page, visitor):
    live = page.live
    first, second = live.policies
    falls = live.falls
    visitor.drag("forward [m/s]", "right")
    for name in (second, first):
        visitor.choose("policy", name)
        until(lambda name=name: live.name == name, f"{name} acts")
        began, time = place(page), live.time
        until(lambda began=began: np.linalg.norm(place(page) - began) > 0.3, "it walks on")
        assert live.time > time
    assert live.falls == falls


def test_pause_holds_the_robot_and_another_click_lets_it_go(page, visitor):
    visitor.row("pause", "self::input").click()
    until(lambda: "paused" in visitor.text(), "the page says so")
    held = page.live.time
    visitor.row("pause", "self::input").click()
    until(lambda: page.live.time > held, "time goes on")


def test_two_plots_draw_the_joint_that_is_chosen(page, visitor):
    assert len(visitor.driver.find_elements("css selector", ".uplot canvas")) == 2
    joint = page.live.core.contract.joints.index("right_ankle")
    visitor.choose("joint", "right_ankle")

    def drawn():
        _, target, reading = page.plots.angles.data
        history = page.history
        return (
            np.isin(target[-20:], history.target[:, joint]).all()
            and np.isin(reading[-20:], history.reading[:, joint]).all()
        )

    until(drawn, "target and encoder of the right ankle are plotted")
    for word in ("target", "encoder", "torque [N·m]"):
        assert word in visitor.text()


def test_the_gears_lose_their_play_and_get_it_back(page, visitor):
    visitor.row("gear play", "self::input").click()
    until(lambda: not page.live.backlash, "no play")
    visitor.row("gear play", "self::input").click()
    until(lambda: page.live.backlash, "play")


def test_the_robot_lives_on_when_a_browser_closes(page, visitor):
    clients = len(page.server.get_clients())
    with browser() as another:
        another.open(page.url)
        until(lambda: len(page.server.get_clients()) == clients + 1, "it came")
    until(lambda: len(page.server.get_clients()) == clients, "it left")
    time = page.live.time
    until(lambda: page.live.time > time + 0.2, "the robot lives on")


def test_a_port_that_is_taken_is_refused_in_one_line(page):
    port = int(page.url.rpartition(":")[2])
    with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1, port {port}: .*; --port"):
        Page(page.live, "127.0.0.1", port)
