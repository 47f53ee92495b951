"""What the ground looks like: a light checkerboard with half-metre tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import mujoco


MATERIAL = "tiles"
"""Name of the ground's material and of its texture."""


def paint(spec: mujoco.MjSpec) -> str:
    """Add the material to a spec that will be attached; return its name."""
    import mujoco

    spec.add_texture(
        name=MATERIAL,
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        mark=mujoco.mjtMark.mjMARK_EDGE,
        rgb1=[0.84, 0.88, 0.89],
        rgb2=[0.75, 0.81, 0.83],
        markrgb=[0.92, 0.94, 0.95],
        width=256,
        height=256,
    )
    tiles = spec.add_material(name=MATERIAL, texrepeat=[5, 5], texuniform=True)
    tiles.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = MATERIAL
    return MATERIAL
