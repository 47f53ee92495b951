"""The pace is that of the wall's clock; time that was lost is not made up for."""

import pytest

from servogym.viewer import pace
from servogym.viewer.pace import Pace


class Clock:
    """A clock that moves only when somebody sleeps or works."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(pace, "time", clock)
    return clock


def loop(pace: Pace, clock: Clock, work: float, steps: int) -> None:
    for _ in range(steps):
        clock.now += work
        pace.wait()


def test_a_fast_loop_takes_real_time_and_no_more(clock):
    steady = Pace(0.02)
    loop(steady, clock, 0.005, 200)
    assert clock.now == pytest.approx(104.0)
    assert steady.speed == pytest.approx(1.0)


def test_a_slow_loop_never_sleeps_and_says_how_slow_it_is(clock):
    late = Pace(0.02)
    loop(late, clock, 0.04, 100)
    assert not clock.slept
    assert late.speed == pytest.approx(0.5)


def test_after_a_hiccup_it_goes_on_at_its_pace(clock):
    pace = Pace(0.02)
    loop(pace, clock, 0.001, 10)
    clock.now += 3.0
    before = clock.now
    loop(pace, clock, 0.001, 100)
    assert clock.now - before == pytest.approx(2.0, abs=0.05)
