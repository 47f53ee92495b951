"""Watches that a control loop keeps its rate: not late, and not at another rate than it said."""

import math
from collections import deque
from collections.abc import Callable

RATE_TOLERANCE = 0.01
"""Largest share by which a rate may differ from the trained one."""
WINDOW = 10
"""Calls over which the rate is measured."""
FAST = 0.75
"""Mean time between calls, in periods, below which a loop runs at another rate."""


class Deadline:
    """Notes when the steps of a loop come, and says what is wrong with that."""

    def __init__(
        self, period: float, late_s: float | None, clock: Callable[[], float] | None
    ) -> None:
        """Begin.

        Args:
            period: Time from one step to the next [s].
            late_s: How much later than that a step may come [s]; None: half a period.
            clock: Time now [s], never going back; None: nothing is watched.

        Raises:
            ValueError: `late_s` is no time.
        """
        self.period = period
        self.late_s = 0.5 * period if late_s is None else late_s
        if not (math.isfinite(self.late_s) and self.late_s >= 0):
            raise ValueError(f"late_s {late_s!r}: a finite number, 0 or above, is needed [s]")
        self._clock, self._steps = clock, 0
        self._calls: deque[float] = deque(maxlen=WINDOW + 1)

    def now(self) -> float:
        """Give the time [s]; without a clock every step takes one period."""
        return self._steps * self.period if self._clock is None else self._clock()

    def forget(self) -> None:
        """Begin anew: the next step is the first one."""
        self._calls.clear()

    def missed(self, now: float) -> str:
        """Say that no step has come for too long; empty when all is well."""
        if self._clock is None or not self._calls:
            return ""
        gap, most = now - self._calls[-1], self.period + self.late_s
        if gap <= most:
            return ""
        return f"deadline missed: {_ms(gap)} since the last step, at most {_ms(most)} is accepted"

    def step(self, now: float) -> str:
        """Note a step; say that it came too late, or that steps come at another rate."""
        trouble = self.missed(now)
        self._steps += 1
        self._calls.append(now)
        if trouble or self._clock is None or len(self._calls) <= WINDOW:
            return trouble
        mean = (self._calls[-1] - self._calls[0]) / WINDOW
        if mean < FAST * self.period:
            return f"steps come every {_ms(mean)}; every {_ms(self.period)} was promised"
        return ""

    def took(self, since: float, now: float) -> str:
        """Say that computing a step took longer than a period; empty when it did not."""
        if self._clock is None or now - since <= self.period:
            return ""
        return f"deadline missed: the step took {_ms(now - since)}, {_ms(self.period)} is accepted"


def same_rate(rate_hz: float, control_dt: float, *, allowed: bool) -> float:
    """Give the period of a rate [s], if policies may be run at it.

    Args:
        rate_hz: Rate of the loop [Hz].
        control_dt: Time between two actions in training [s].
        allowed: Whether another rate than that is accepted.

    Raises:
        ValueError: It is another rate, and not allowed, or no rate at all.
    """
    if not (math.isfinite(rate_hz) and rate_hz > 0):
        raise ValueError(f"rate_hz {rate_hz!r}: a finite number above 0 is needed [Hz]")
    if not abs(rate_hz * control_dt - 1.0) <= RATE_TOLERANCE and not allowed:
        raise ValueError(
            f"rate_hz {rate_hz:g}: the policy was trained at {1.0 / control_dt:g} Hz; call it at"
            " that rate, or say allow_rate=True"
        )
    return 1.0 / rate_hz


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.1f} ms"
