"""What the tests of scenes share: two arms to edit, and every bit of a model to compare."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from servogym.scenes.scene import Scene

ARM = """
<mujoco model="arm">
  <compiler angle="degree"/>
  <default>
    <default class="link"><geom type="capsule" size="0.02" friction="0.8 0.01 0.001"/></default>
  </default>
  <worldbody>
    <geom name="plate" type="box" size="0.2 0.2 0.01" pos="0 0 -0.01"/>
    <body name="base">
      <geom name="pedestal" type="cylinder" size="0.04 0.02"/>
      <geom name="skin" type="sphere" size="0.05" contype="0" conaffinity="0" mass="0"/>
      <body name="upper" pos="0 0 0.05" childclass="link">
        <joint name="shoulder" axis="0 1 0" range="-90 90"/>
        <geom name="upper_link" fromto="0 0 0 0 0 0.3"/>
        <geom fromto="0 0 0.3 0 0.05 0.3"/>
        <body name="lower" pos="0 0 0.3">
          <joint name="elbow" axis="0 1 0" range="-120 120"/>
          <geom name="lower_link" fromto="0 0 0 0 0 0.2"/>
          <body name="tip" pos="0 0 0.2"><joint name="push" type="slide" axis="0 0 1"/>
            <geom name="tip_ball" type="sphere" size="0.02"/></body>
        </body>
      </body>
      <body name="eye" pos="0 0 0.1">
        <geom name="glass" type="sphere" size="0.01" contype="0" conaffinity="0"/>
      </body>
      <body><joint name="wobble" type="ball"/><geom name="bob" size="0.01" pos="0 0 -0.1"/></body>
    </body>
  </worldbody>
  <actuator>
    <position name="turn" joint="shoulder" kp="20" kv="2"/>
    <velocity name="spin" joint="elbow" kv="3"/>
    <motor name="shove" joint="push"/>
  </actuator>
</mujoco>
"""


@pytest.fixture
def arm() -> str:
    """An arm as MJCF text, its angles in degrees: a position and a velocity servo, a motor."""
    return ARM


@pytest.fixture
def scene() -> Scene:
    """Two such arms, half a metre apart; the second has prefixed names in the model."""
    scene = Scene()
    scene.add("left", ARM)
    scene.add("right", ARM, pos=[0.0, -0.5, 0.0])
    return scene


@pytest.fixture
def image():
    """A function that gives every bit of a compiled model."""

    def bits(model: mujoco.MjModel) -> bytes:
        buffer = np.empty(mujoco.mj_sizeModel(model), np.uint8)
        mujoco.mj_saveModel(model, None, buffer)
        return buffer.tobytes()

    return bits


@pytest.fixture
def gripper(checkout: Path) -> Path:
    """The arm of docs/scenes.md."""
    return checkout / "docs" / "gripper_arm.xml"
