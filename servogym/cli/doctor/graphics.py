"""Which OpenGL backends draw a picture here. Training never needs one; pictures do."""

import os
from collections.abc import Iterator

from servogym.cli.doctor.finding import Finding
from servogym.cli.doctor.probe import probe

BACKENDS = ("egl", "osmesa", "glfw")
DRAW = """
import mujoco
scene = "<mujoco><worldbody><light/><geom size='1'/></worldbody></mujoco>"
model = mujoco.MjModel.from_xml_string(scene)
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
with mujoco.Renderer(model, 32, 32) as renderer:
    renderer.update_scene(data)
    assert renderer.render().any()
"""


def check() -> Iterator[Finding]:
    """Draw a small picture with every backend, each in a process of its own."""
    results = {name: probe(DRAW, {"MUJOCO_GL": name}) for name in BACKENDS}
    usable = [name for name, (works, _) in results.items() if works]
    if usable:
        yield Finding(subject="rendering", state="ok", detail=f"works with {', '.join(usable)}")
    else:
        reasons = "; ".join(f"{name}: {said}" for name, (_, said) in results.items())
        yield Finding(
            subject="rendering",
            state="note",
            detail=f"training and export work, pictures do not ({reasons})",
            cure="apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri",
        )
    chosen = os.environ.get("MUJOCO_GL")
    if chosen and usable and chosen not in usable:
        yield Finding(
            subject="MUJOCO_GL",
            state="note",
            detail=f"set to {chosen!r}, which does not draw here",
            cure=f"export MUJOCO_GL={usable[0]}",
        )
