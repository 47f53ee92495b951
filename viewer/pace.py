"""Keeps a loop at the speed of the clock on the wall, and says how well it does."""

import time
from collections import deque

AGO = 1.0
"""Time over which the speed is measured [s]."""


class Pace:
    """One call of `wait` a step; time lost is not made up for."""

    def __init__(self, dt: float) -> None:
        """Start the clock.

        Args:
            dt: Time of a step [s].
        """
        self._dt = dt
        self._due = time.perf_counter()
        self._times = deque([self._due], maxlen=max(2, round(AGO / dt)))

    @property
    def speed(self) -> float:
        """Simulated time over real time lately; 1 is real time."""
        passed = self._times[-1] - self._times[0]
        return (len(self._times) - 1) * self._dt / passed if passed else 1.0

    def wait(self) -> None:
        """Sleep until the next step is due."""
        now = time.perf_counter()
        self._due = max(self._due + self._dt, now - self._dt)
        if self._due > now:
            time.sleep(self._due - now)
        self._times.append(time.perf_counter())
