"""MicroDuck walks on a flat floor where it is told to, and stands when told to stand.

Commands, sensors, randomisation and ends follow Microduck's velocity task
(pollen-robotics/microduck_rl). The reward is made for learning within minutes on two cores: steps
are paid for as contact events, progress is linear, and penalties grow once there is a gait.
"""

from servogym.actuators.supply import Supply
from servogym.envs import rewards, terminations
from servogym.envs.commands import Commands
from servogym.envs.draw import Draw
from servogym.envs.ramp import Ramp
from servogym.envs.randomize import Randomization
from servogym.envs.task import Task, Term
from servogym.learning.preset import PpoPreset


def _late(before: float, after: float) -> Ramp:
    """What grows once there is a gait to refine: penalties, disturbances."""
    return Ramp(before, after, 1.5e6, 3.0e6)


TASK = Task(
    name="Flat",
    robot="microduck",
    summary="Walk on a flat floor at a commanded velocity with the head where it is asked to be.",
    slot="walk",
    commands=Commands(
        twist=(0.45, 0.3, 1.0),
        standing=Ramp(0.05, 0.25, 1.2e6, 2.0e6),
        forward=0.26,
        sideways=0.2,
        head_share=_late(0.25, 1.0),
    ),
    randomization=Randomization(
        push=0.3,
        training_push=Ramp(0.0, 0.45, 0.8e6, 2.0e6),
        training_push_interval=(2.0, 5.0),
        center_of_mass=(
            Draw(of="base", offset=_late(0.003, 0.015)),
            Draw(of="head", offset=_late(0.003, 0.010), each=True),
        ),
        volts=Draw(value=(6.5, 8.2)),
        sag=Draw(value=(0.0, 0.2)),
    ),
    supply=Supply(volts=7.4, sag_gain=0.1, floor=6.0),
    rewards={
        "track_linear_velocity": Term(rewards.track_linear_velocity, 5.0),
        "pace": Term(rewards.pace, 5.0),
        "track_angular_velocity": Term(rewards.track_angular_velocity, 3.0),
        "heading": Term(rewards.heading, Ramp(0.0, 8.0, 0.6e6, 1.6e6)),
        "gait": Term(rewards.gait, _late(6.25, 0.6)),
        "underway": Term(rewards.underway, _late(0.0, 5.65)),
        "lingering": Term(rewards.lingering, _late(0.0, -2.0)),
        "stand": Term(rewards.stand, _late(12.0, 24.0)),
        "pose": Term(rewards.pose, 1.25),
        "head_pose_tracking": Term(rewards.head_pose_tracking, 5.0),
        "tilt": Term(rewards.tilt, -7.5),
        "vertical_velocity": Term(rewards.vertical_velocity, -1.25),
        "body_ang_vel": Term(rewards.body_ang_vel, -0.125),
        "dof_pos_limits": Term(rewards.dof_pos_limits, -7.5),
        "action_rate_l2": Term(rewards.action_rate_l2, _late(-0.05, -0.2)),
        "cost_of_transport": Term(rewards.cost_of_transport, _late(-0.01, -0.072)),
        "landing": Term(rewards.landing, -7.5),
        "short_swing": Term(rewards.short_swing, _late(0.0, -150.0)),
        "restless": Term(rewards.restless, _late(0.0, -0.0125)),
    },
    terminations={"fallen": terminations.fallen},
    ppo=PpoPreset(
        total_steps=8_000_000, final_learning_rate=1e-4, tipping=0.8, catch=(-0.1, 0.0, 0.0)
    ),
    truncations={"out_of_bounds": terminations.out_of_bounds},
)
