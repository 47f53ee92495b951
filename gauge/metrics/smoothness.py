"""How calm torques and actions are."""

from __future__ import annotations

import numpy as np

from servogym.gauge.metrics.rules import Rules, Scales
from servogym.gauge.metrics.samples import Samples


def torque_smoothness(samples: Samples, scales: Scales, rules: Rules) -> np.ndarray:
    """1 - sqrt(mean over joints of (torque now - torque 0.1 s ago)²) / torque, not below 0.

    1 while there is no torque of 0.1 s ago. Higher is better, in [0, 1]; (t, n). Source: RoboGauge
    v1.1.3, torque_smoothness, 30 N·m for Go2.

    Raises:
        ValueError: when `sample_dt` is no whole number of samples.
    """
    lag = samples.steps(rules.sample_dt)
    out = np.ones(samples.alive.shape)
    change = samples.torque[lag:] - samples.torque[:-lag]
    rms = np.sqrt((change**2).mean(axis=-1))
    out[lag:] = np.maximum(0.0, 1.0 - rms / scales.torque)
    return out


def action_rate(samples: Samples) -> np.ndarray:
    """Mean over joints of (action - action before)².

    Raw [units of action²], lower is better; (t, n). 0 at the first sample, which has none before.
    """
    out = np.zeros(samples.alive.shape)
    out[1:] = (np.diff(samples.action, axis=0) ** 2).mean(axis=-1)
    return out
