"""What every Go2 task shares: commands, sensors, physics, pay, ends and how it is learnt.

Commands, sensor noise and randomisation are in the spirit of Unitree's examples (unitree_rl_gym,
unitree_rl_lab); the pay is MicroDuck's, in a larger robot's units: contact events of a trot, linear
progress, and penalties that grow once there is a gait.
"""

from dataclasses import replace

from servogym.envs import rewards, terminations
from servogym.envs.commands import Commands
from servogym.envs.draw import Draw
from servogym.envs.ramp import Ramp
from servogym.envs.randomize import Randomization
from servogym.envs.sensing import Sensing
from servogym.envs.spawn import Spawn
from servogym.envs.stride import Stride
from servogym.envs.task import Task, Term
from servogym.learning.preset import PpoPreset
from servogym.scenes.contact import DEFAULT, Compromise
from servogym.scenes.terrain import Field, Terrain

_STRIDE = Stride(
    height=0.06,
    period=0.3,
    ceiling=0.12,
    width=0.03,
    longest=0.37,
    shortest=0.2,
    balance=0.04,
)
_HIGH = replace(_STRIDE, height=0.08, ceiling=0.25, width=0.04, ahead=0.12)


def task(name: str, summary: str, terrain: Terrain | Field) -> Task:
    """Return the task of following a twist command over some ground.

    Contacts are MuJoCo's own on a plane; on height fields they are as stiff as a physics step of
    5 ms allows, `solref` 0.01: what scheme A's 0.006 would act as. On a field of tiles robots are
    asked to go forward more often: nobody learns stairs backward or sideways first.
    """
    level_ground = not isinstance(terrain, Field)

    def ramp(before: float, after: float, start: float, end: float) -> Ramp:
        soon = 0.75 if level_ground else 1.0  # the gait comes sooner there
        return Ramp(before, after, soon * start, soon * end)

    def late(before: float, after: float) -> Ramp:
        """What grows once there is a gait to refine."""
        return ramp(before, after, 1.5e6, 3.0e6)

    turning = -8.0 if level_ground else -6.0
    return Task(
        name=name,
        robot="go2",
        summary=summary,
        slot="walk",
        terrain=terrain,
        contact=DEFAULT if level_ground else Compromise(),
        commands=Commands(
            twist=(1.0, 0.5, 1.0),
            standing=ramp(0.05, 0.15, 0.8e6, 1.6e6),
            forward=0.15 if level_ground else 0.65,
            backward=0.1 if level_ground else 0.05,
            sideways=0.12 if level_ground else 0.05,
            turning=0.1 if level_ground else 0.08,
            straight=0.15 if level_ground else 0.05,
            head=(),
            body=(),
        ),
        sensing=Sensing(
            gyro_noise=0.2,
            gravity_noise=0.05,
            joint_pos_noise=0.01,
            joint_vel_noise=1.5,
            imu_mounting=0.02,
        ),
        randomization=Randomization(
            sliding_friction=Draw(of="feet", value=(0.4, 1.25)),
            mass=Draw(of="base", scale=(0.86, 1.43)),
            center_of_mass=Draw(of="base", offset=late(0.01, 0.03)),
            friction=Draw(of="servos", scale=(0.5, 1.5)),
            passive_damping=Draw(of="servos", scale=(0.5, 2.0)),
            command_delay=(0, 4),
            push=ramp(0.0, 0.5, 0.8e6, 2.0e6),
            push_interval=(5.0, 10.0),
        ),
        spawn=Spawn(drop=(0.0, 0.02), joint_pos=0.1, lin_vel=0.3),
        stride=_STRIDE if level_ground else _HIGH,
        rewards={
            "follow_velocity": Term(rewards.follow_velocity, 6.0),
            "progress": Term(rewards.progress, 4.0),
            "keep_velocity": Term(rewards.keep_velocity, ramp(0.0, 6.0, 2.0e6, 3.0e6)),
            "track_angular_velocity": Term(rewards.track_angular_velocity, 4.0),
            "yaw_error": Term(rewards.yaw_error, ramp(0.0, turning, 2.0e6, 3.0e6)),
            "heading": Term(rewards.heading, ramp(0.0, 2.0, 0.6e6, 1.6e6)),
            "gait": Term(rewards.gait, 7.5),
            "stand": Term(rewards.stand, late(6.25, 12.5)),
            "pose": Term(rewards.pose, 1.25),
            "tilt": Term(rewards.tilt, -7.5),
            "vertical_velocity": Term(rewards.vertical_velocity, -1.25),
            "body_ang_vel": Term(rewards.body_ang_vel, late(-0.125, -0.4)),
            "dof_pos_limits": Term(rewards.dof_pos_limits, -7.5),
            "action_rate_l2": Term(rewards.action_rate_l2, late(-0.05, -0.2)),
            "energy": Term(rewards.energy, late(-0.0015, -0.004)),
            "landing": Term(rewards.landing, -2.0),
            "short_swing": Term(rewards.short_swing, late(0.0, -60.0)),
            "restless": Term(rewards.restless, late(0.0, -0.05)),
        },
        terminations={"fallen": terminations.fallen, "collapsed": terminations.collapsed},
        truncations={"out_of_bounds": terminations.out_of_bounds},
        ppo=PpoPreset(
            total_steps=3_400_000 if level_ground else 12_000_000,
            final_learning_rate=2e-4 if level_ground else 4e-5,
            obs_scale={
                "base_lin_vel": 0.5,
                "base_ang_vel": 0.8,
                "projected_gravity": (0.15, 0.15, 0.05),
                "joint_pos": 0.3,
                "joint_vel": 5.0,
                "actions": 0.4,
                "command": (0.5, 0.3, 0.5),
            },
        ),
    )
