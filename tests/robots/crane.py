"""A model with every habit that has broken a model editor: the foreign file of the tests."""

import math

UNITS = ["none", "degree", "radian"]

CRANE = """
<mujoco model="crane">
  {compiler}
  <default>
    <joint damping="5" stiffness="3" frictionloss="2" armature="1" limited="true"
           range="{range}" solreflimit="0.2 1" margin="0.1" springref="{ref}" group="1"/>
    <default class="hoist"><joint axis="1 0 0" pos="0.1 0 0"/></default>
  </default>
  <worldbody>
    <body name="cart">
      <freejoint/>
      <geom size="0.1"/>
      <body name="slider" pos="0.2 0 0">
        <joint name="slide" type="slide" axis="1 0 0" range="-1 1"/>
        <geom size="0.05"/>
        <body name="chain" pos="0.2 0 0">
          <joint name="one" axis="0 1 0" ref="{ref}"/>
          <joint name="two" axis="0 0 1" range="{wide}"/>
          <joint axis="1 0 0"/>
          <geom size="0.05" pos="0.1 0 0"/>
          <frame euler="0 0 {turn}">
            <body name="arm" pos="0.2 0 0" childclass="hoist">
              <frame euler="0 0 {turn}"><joint name="three"/></frame>
              <geom size="0.05" pos="0 0.1 0"/>
              <body name="head" pos="0 0.2 0">
                <joint name="look" type="ball" range="0 {wide_high}"/>
                <geom size="0.05"/>
                <body name="wheel" pos="0 0.2 0">
                  <joint name="passive_wheel" class="hoist" limited="false"/>
                  <geom size="0.05" mass="0.3"/>
                  <site name="hub"/>
                </body>
              </body>
            </body>
          </frame>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="m1" joint="one"/>
    <position name="m3" joint="three" kp="3"/>
    <motor name="m2" joint="two"/>
    <motor name="ms" joint="slide"/>
    <general name="integrated" joint="one" dyntype="integrator"/>
  </actuator>
  <sensor><jointpos name="s1" joint="one"/><gyro name="g" site="hub"/></sensor>
  <equality><joint joint1="one" joint2="two" active="false"/></equality>
  <keyframe>
    <key name="start" time="2" qpos="1 2 3 1 0 0 0  .5  .11 .12 .13  .14  0.6 0.8 0 0  .15"
         ctrl="1 2 3 4 5" act="0.7"/>
    <key name="bare"/>
  </keyframe>
</mujoco>
"""


def crane(unit):
    turn = {"degree": 30.0, "radian": math.radians(30.0), "none": 30.0}[unit]
    compiler = "" if unit == "none" else f'<compiler angle="{unit}"/>'
    return CRANE.format(
        compiler=compiler,
        turn=turn,
        ref=turn / 10,
        range=f"{-turn} {turn}",
        wide=f"{-2 * turn} {2 * turn}",
        wide_high=2 * turn,
    )
