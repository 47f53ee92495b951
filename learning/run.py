"""A run in memory: PPO, its robots, its judge and the numbers worth keeping."""

import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.utils import LinearSchedule

from servogym.envs.sb3 import Sb3VecEnv
from servogym.learning import folder
from servogym.learning.bundle import WEIGHTS, Bundle
from servogym.learning.callbacks.table import append
from servogym.learning.checkpoint import capture, restore, start
from servogym.learning.evaluation import Evaluation, evaluate
from servogym.learning.network import Network
from servogym.learning.policy import ServoPolicy
from servogym.learning.preset import PpoPreset

EVALUATION_SEED = 1_000_003
"""First seed of every evaluation: far from the training seeds, the same for every run."""


class Run:
    """One training run and its folder.

    The judge is a second environment with fixed seeds. Evaluating on it leaves the training
    environment, the random streams and the policy's input scales (which never change) alone.
    """

    def __init__(
        self,
        path: Path,
        task: str,
        *,
        seed: int,
        overrides: Mapping[str, Any],
        preset: PpoPreset | None,
        envs: int | None = None,
        steps: int | None = None,
        threads: int = 0,
        judges: int = 16,
    ) -> None:
        """Build environments and PPO with fresh weights; nothing is written yet.

        Args:
            path: The run folder.
            task: Environment id.
            seed: Seed of everything random.
            overrides: Environment keyword arguments that differ from the task's own.
            preset: Hyper-parameters; None: the task's own.
            envs: Robots, if not the preset's.
            steps: Environment steps of the whole run, if not the preset's.
            threads: Physics threads; 0: every core.
            judges: Episodes of one evaluation.

        Raises:
            LookupError: Unknown task or motor law; the message lists the known ones.
            ValueError: The preset does not fit the task; the message names the field.
        """
        self.path, self.seed, self.overrides = path, seed, dict(overrides)
        how = {**overrides, "privileged": True, "threads": threads}
        self.judge = Sb3VecEnv(task, judges, **how)
        core = self.judge.core
        preset = preset or core.task.ppo
        self.preset = preset = preset.sized(envs=envs, steps=steps)
        network = Network.of(core.contract, preset, core.robot, core.privileged_slots)
        self.contract = core.contract
        self.counters: dict[str, float | None] = {"best_return": None}
        self.begun: dict[str, str | int] | None = None
        env = Sb3VecEnv(task, preset.n_envs, seed=seed, stagger=True, **how)
        env.core.trained_steps[...] = 0.0
        self.model = PPO(
            ServoPolicy,
            env,
            LinearSchedule(preset.learning_rate, preset.final_learning_rate, 1.0),
            n_steps=preset.n_steps,
            batch_size=preset.batch_size,
            n_epochs=preset.n_epochs,
            gamma=preset.gamma,
            gae_lambda=preset.gae_lambda,
            clip_range=preset.clip_range,
            ent_coef=preset.ent_coef,
            vf_coef=preset.vf_coef,
            max_grad_norm=preset.max_grad_norm,
            policy_kwargs={
                "network": asdict(network),
                "optimizer_kwargs": {"eps": preset.adam_eps},
            },
            seed=seed,
            device="cpu",
        )

    @property
    def env_steps(self) -> int:
        """Environment steps made so far, all robots together."""
        return self.model.num_timesteps

    def restore(self, bundle: Bundle) -> None:
        """Continue from a checkpoint, to the bit."""
        restore(self.model, bundle)
        self.counters = dict(bundle.counters)

    def start(self, checkpoint: Path) -> None:
        """Begin with the policy of a checkpoint; robots, optimiser and random streams are fresh."""
        bundle = Bundle.load(checkpoint)
        start(self.model, bundle)
        digest = hashlib.sha256((checkpoint / WEIGHTS).read_bytes()).hexdigest()
        self.begun = {"from": str(checkpoint), "weights": digest, "env_steps": self.env_steps}

    def measure_baselines(self) -> None:
        """Note what the action 0 and uniformly random actions earn on the judge's episodes."""
        shape, clip = (self.judge.num_envs, self.contract.action_size), self.contract.action_clip
        rng = np.random.default_rng(EVALUATION_SEED)
        for name, act in (
            ("zero", lambda _: np.zeros(shape)),
            ("random", lambda _: rng.uniform(-clip, clip, shape)),
        ):
            found = evaluate(self.judge, act, EVALUATION_SEED)
            self.counters[f"{name}_return"] = found.episode_return
            append(self.path / folder.EVALUATIONS, found.row(0, name))

    def evaluate(self) -> Evaluation:
        """Play the judge's episodes with the deterministic policy; keep it if it is the best."""
        found = evaluate(
            self.judge,
            lambda obs: self.model.policy.predict(obs, deterministic=True)[0],
            EVALUATION_SEED,
        )
        self.counters["last_return"] = found.episode_return
        best = self.counters["best_return"]
        if best is None or found.episode_return > best:
            self.counters["best_return"] = found.episode_return
            self._save_best()
        return found

    def save(self) -> None:
        """Write a checkpoint named after the environment steps."""
        self._snapshot().save(folder.checkpoint(self.path, self.env_steps))

    def _save_best(self) -> None:
        best, fresh = self.path / folder.BEST, self.path / f".{folder.BEST}"
        shutil.rmtree(fresh, ignore_errors=True)
        self._snapshot().save(fresh)
        shutil.rmtree(best, ignore_errors=True)
        os.rename(fresh, best)

    def _snapshot(self) -> Bundle:
        return capture(
            self.model,
            seed=self.seed,
            preset=self.preset,
            overrides=self.overrides,
            counters=self.counters,
        )
