"""The physical quantities that may be randomised: unit, bounds, and where they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from servogym.envs.draw import Way

Kind = Literal["body", "joint", "gap", "servo", "geom", "supply", "world"]


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """What a number of this name means and which values it may have."""

    unit: str
    """Unit, for messages."""
    kind: Kind
    """What has such a quantity."""
    field: str = ""
    """Field of MuJoCo's model that holds it; empty: only the motors or the supply do."""
    axes: tuple[int, ...] = (0,)
    """Components of the field that are this quantity."""
    follower: str = ""
    """Field that is multiplied by the same factor as this one."""
    pair: str = ""
    """Field of explicit contact pairs, which overrides the geoms' own."""
    pair_axes: tuple[int, ...] = ()
    """Components of the pair's field that are this quantity."""
    live: tuple[str, ...] = ()
    """Live arrays of motors and supply that hold it; the first that exists counts."""
    ways: tuple[Way, ...] = ("scale", "offset", "value")
    """Ways in which it can be drawn."""
    least: Literal["any", "zero", "above zero", "two steps"] = "zero"
    """Smallest value that makes sense; MuJoCo silently lengthens what is below two steps."""
    condim: int = 0
    """Contacts of fewer dimensions do not know it."""

    @property
    def element(self) -> Literal["body", "joint", "geom"]:
        """The kind of model element whose name it goes by."""
        return self.kind if self.kind in ("body", "geom") else "joint"  # type: ignore[return-value]

    @property
    def all(self) -> str:
        """The group that "all" means."""
        return {"gap": "gaps", "servo": "servos"}.get(self.kind, "all")


QUANTITIES: dict[str, Quantity] = {
    "mass": Quantity(
        unit="kg", kind="body", field="body_mass", follower="body_inertia", least="above zero"
    ),
    "center_of_mass": Quantity(
        unit="m", kind="body", field="body_ipos", axes=(0, 1, 2), ways=("offset",), least="any"
    ),
    "inertia": Quantity(
        unit="kg·m²",
        kind="body",
        field="body_inertia",
        axes=(0, 1, 2),
        ways=("scale",),
        least="above zero",
    ),
    "sliding_friction": Quantity(
        unit="1",
        kind="geom",
        field="geom_friction",
        pair="pair_friction",
        pair_axes=(0, 1),
        condim=3,
    ),
    "torsional_friction": Quantity(
        unit="m",
        kind="geom",
        field="geom_friction",
        axes=(1,),
        pair="pair_friction",
        pair_axes=(2,),
        condim=4,
    ),
    "rolling_friction": Quantity(
        unit="m",
        kind="geom",
        field="geom_friction",
        axes=(2,),
        pair="pair_friction",
        pair_axes=(3, 4),
        condim=6,
    ),
    "contact_timeconst": Quantity(
        unit="s",
        kind="geom",
        field="geom_solref",
        pair="pair_solref",
        pair_axes=(0,),
        ways=("scale", "value"),
        least="two steps",
        condim=1,
    ),
    "friction": Quantity(
        unit="N·m", kind="joint", field="dof_frictionloss", live=("friction_scale",)
    ),
    "passive_damping": Quantity(
        unit="N·m·s/rad", kind="joint", field="dof_damping", live=("passive_damping",)
    ),
    "armature": Quantity(unit="kg·m²", kind="joint", field="dof_armature"),
    "gap_half_range": Quantity(
        unit="rad", kind="gap", field="jnt_range", axes=(1,), least="above zero"
    ),
    "stiffness": Quantity(unit="N·m/rad", kind="servo", live=("kp", "kp_fw")),
    "damping": Quantity(unit="N·m·s/rad", kind="servo", live=("kd",)),
    "effort_limit": Quantity(unit="N·m", kind="servo", live=("effort_limit",)),
    "volts": Quantity(unit="V", kind="supply", live=("volts",), least="above zero"),
    "sag": Quantity(unit="V/(N·m) or ohm", kind="supply", live=("sag",)),
    "gravity": Quantity(
        unit="m/s²",
        kind="world",
        field="opt.gravity",
        axes=(0, 1, 2),
        ways=("scale", "offset"),
        least="any",
    ),
}
"""Every quantity by the name it has in `Randomization`."""
