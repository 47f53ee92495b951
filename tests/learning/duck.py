"""A MicroDuck contract and policy written by hand, so that these tests need no simulator."""

from dataclasses import asdict, replace

import numpy as np
import torch

from servogym import robots
from servogym.deploy.contract import Contract, Slot
from servogym.learning.bundle import Bundle
from servogym.learning.network import Network
from servogym.learning.policy import ServoPolicy, rebuild
from servogym.learning.preset import PpoPreset

PRIVILEGED_SLOTS = {"base_lin_vel": 3, "foot_height": 2, "foot_force": 2}
PRIVILEGED = 7
PRESET = PpoPreset(hidden=(16, 16), n_envs=4, batch_size=24)
SLOTS = (
    ("base_ang_vel", 3, "rad/s", 20.0),
    ("projected_gravity", 3, "1", 1.1),
    ("joint_pos", 14, "rad", 4.0),
    ("joint_vel", 14, "rad/s", 30.0),
    ("actions", 14, "rad", 2.0),
    ("command", 3, "m/s, rad/s", 3.0),
    ("head_command", 4, "rad", 2.0),
    ("body_command", 6, "m, rad", 1.0),
)


def contract(**changes) -> Contract:
    robot = robots.get("microduck")
    base = Contract(
        task="MicroDuck-Flat-v0",
        robot=robot.name,
        joints=robot.joints,
        default_pose=tuple(robot.pose().tolist()),
        slots=tuple(
            Slot(name=n, size=s, unit=u, frame="-", sensor="-", low=-b, high=b)
            for n, s, u, b in SLOTS
        ),
        action_scale=1.0,
        action_clip=2.0,
        command="position",
        control_dt=0.02,
        sim_dt=0.005,
        decimation=4,
        firmware={"kp_fw": 200.0},
        actuator="bam",
        actuator_hash="0" * 64,
    )
    return replace(base, **changes)


def network(preset: PpoPreset = PRESET) -> Network:
    return Network.of(contract(), preset, robots.get("microduck"), PRIVILEGED_SLOTS)


def policy(seed: int = 0, preset: PpoPreset = PRESET) -> ServoPolicy:
    """A policy with lively weights: a fresh one would hardly move."""
    torch.manual_seed(seed)
    record = asdict(network(preset))
    fresh = rebuild(record, 61 + PRIVILEGED, weights(blank(record)))
    with torch.no_grad():
        for parameter in fresh.actor.net.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return fresh


def blank(record: dict) -> ServoPolicy:
    from gymnasium import spaces

    box = spaces.Box(-np.inf, np.inf, (61 + PRIVILEGED,), np.float32)
    return ServoPolicy(box, spaces.Box(-1.0, 1.0, (14,)), lambda _: 1e-3, network=record)


def weights(policy: ServoPolicy) -> dict[str, np.ndarray]:
    return {name: tensor.numpy().copy() for name, tensor in policy.state_dict().items()}


def bundle(policy: ServoPolicy) -> Bundle:
    return Bundle(
        task="MicroDuck-Flat-v0",
        overrides={},
        seed=0,
        preset=PRESET,
        network=asdict(policy.network),
        obs_width=61 + PRIVILEGED,
        contract=contract(),
        versions={"servogym": "0"},
        counters={"env_steps": 96, "updates": 1, "best_return": None},
        weights={f"policy/{name}": array for name, array in weights(policy).items()},
        state={"last_obs": np.zeros((4, 61 + PRIVILEGED), np.float32)},
    )
