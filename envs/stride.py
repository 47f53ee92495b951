"""The step a walking task pays for: how high and how long a foot swings."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Stride:
    """A swing that rises and sinks like half a sine, and what still counts as one.

    The defaults are for a robot 12 cm high at the hips.
    """

    height: float = 0.025
    """Height of the swing's middle above the floor [m]."""
    period: float = 0.25
    """Duration of the half sine [s]."""
    ceiling: float = 0.045
    """Higher than this a foot is too high [m]."""
    width: float = 0.012
    """Error in height that costs most of the pay [m]."""
    longest: float = 0.31
    """Swings earn nothing after this [s]."""
    shortest: float = 0.175
    """Swings that land sooner than this are short [s]."""
    pause: float = 0.121
    """All feet on the floor earn half for this long [s]."""
    ahead: float = 0.0
    """How far ahead of a swinging foot, along the command, the ground counts too [m]."""
    below: float = 0.15
    """A swinging foot this much lower than the ground ahead earns nothing [m]."""
    balance: float = 0.02
    """Distance of the centre of mass from between the feet that costs most of a stand's pay [m]."""
    reach: float = 0.025
    """How far one sole should be ahead of and another behind the centre of mass in a stand [m]."""
