import csv
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from servogym.deploy.runner import Policy
from servogym.envs.sb3 import Sb3VecEnv
from servogym.export import export
from servogym.learning import folder
from servogym.learning.bundle import Bundle
from servogym.learning.callbacks.finite import NotFinite
from servogym.learning.evaluation import evaluate
from servogym.learning.options import TrainOptions
from servogym.learning.policy import rebuild
from servogym.learning.preset import PpoPreset
from servogym.learning.run import EVALUATION_SEED, Run
from servogym.learning.training import train

TASK = "MicroDuck-Flat-Backlash-v0"
TINY = PpoPreset(n_envs=4, n_steps=8, batch_size=16, n_epochs=2, hidden=(8,), total_steps=128)
SHORT = {"max_episode_steps": 20}


def tiny(out, **options):
    options = {"task": TASK, "eval_envs": 2, "threads": 1, "save_every": 32} | options
    return train(TrainOptions(out=out, **options), TINY, SHORT)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """Four iterations without a break."""
    return tiny(tmp_path_factory.mktemp("runs") / "whole").run


def test_stopping_halfway_and_resuming_changes_no_bit(run, tmp_path, monkeypatch):
    interrupt_after(monkeypatch, 64)
    assert tiny(tmp_path / "broken").status == "interrupted"
    assert folder.latest(tmp_path / "broken").name == "0000000064"
    monkeypatch.undo()
    torch.manual_seed(999)
    np.random.seed(999)
    again = train(TrainOptions(resume=tmp_path / "broken", eval_envs=2, threads=1, save_every=32))
    assert again.status != "interrupted" and again.env_steps == 128
    same_weights(run, tmp_path / "broken")
    last = Bundle.load(folder.latest(tmp_path / "broken"))
    assert (last.counters["env_steps"], last.counters["updates"]) == (128, 4 * TINY.n_epochs)
    config = json.loads((tmp_path / "broken" / "config.json").read_text())
    assert [later["from"] for later in config["continued"]] == [64]
    steps = [int(row["env_steps"]) for row in rows(tmp_path / "broken" / "progress.csv")]
    assert steps == [32, 64, 96, 128]


def interrupt_after(monkeypatch, env_steps):
    made, step = [0], Sb3VecEnv.step_wait

    def counting(self):
        if self.num_envs == TINY.n_envs:
            made[0] += self.num_envs
            if made[0] == env_steps:
                signal.raise_signal(signal.SIGINT)
        return step(self)

    monkeypatch.setattr(Sb3VecEnv, "step_wait", counting)


def same_weights(one: Path, other: Path):
    a, b = (Bundle.load(folder.latest(path)) for path in (one, other))
    assert a.weights.keys() == b.weights.keys()
    assert all(np.array_equal(a.weights[name], b.weights[name]) for name in a.weights)
    assert all(np.array_equal(a.state[name], b.state[name]) for name in a.state)


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def test_the_run_folder_explains_itself(run):
    readme = (run / "README.md").read_text()
    for name in ("progress.csv", "evaluations.csv", "checkpoints", "best", "config.json"):
        assert (run / name).exists() and name in readme
    assert list((run / "tensorboard").glob("events*"))
    row = rows(run / "progress.csv")[-1]
    assert {"env_steps", "falls_per_min", "tracking", "reward/gait", "approx_kl"} <= set(row)
    assert [p.name for p in sorted((run / "checkpoints").iterdir())] == [
        f"{steps:010d}" for steps in (32, 64, 96, 128)
    ]


def test_doing_nothing_and_acting_at_random_are_measured_before_training(run):
    found = rows(run / "evaluations.csv")
    assert [(row["env_steps"], row["policy"]) for row in found] == [
        ("0", "zero"),
        ("0", "random"),
        ("128", "trained"),
    ]
    result = json.loads((run / "result.json").read_text())
    assert result["zero_return"] == pytest.approx(float(found[0]["return"]), rel=1e-4)
    assert result["status"] == (
        "ok" if result["last_return"] >= result["zero_return"] else "below_baseline"
    )


def test_a_run_below_the_do_nothing_baseline_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(
        Run,
        "measure_baselines",
        lambda self: self.counters.update(zero_return=1e9, random_return=0.0),
    )
    assert tiny(tmp_path / "bad", steps=32).status == "below_baseline"


def test_evaluating_changes_neither_the_policy_nor_the_training_robots(tmp_path):
    judged = Run(tmp_path, TASK, seed=0, overrides=SHORT, preset=TINY, judges=2)
    judged.model.learn(32)

    def digest():
        bundle = judged._snapshot()
        parts = sorted({**bundle.weights, **bundle.state}.items())
        return hashlib.sha256(b"".join(k.encode() + v.tobytes() for k, v in parts)).hexdigest()

    before = digest()
    judged.measure_baselines()
    found = judged.evaluate()
    assert digest() == before
    assert judged.evaluate() == found


def test_an_evaluation_judges_the_policy_as_it_is_now(tmp_path):
    judged = Run(tmp_path, TASK, seed=0, overrides=SHORT, preset=TINY, judges=2)
    judged.model.learn(32)
    before = judged.evaluate()
    judged.model.learn(32, reset_num_timesteps=False)
    found = judged.evaluate()
    assert found != before
    assert found == evaluate(
        judged.judge,
        lambda obs: judged.model.predict(obs, deterministic=True)[0],
        EVALUATION_SEED,
    )


def test_more_evaluations_train_the_same_policy(run, tmp_path):
    tiny(tmp_path / "often", eval_every=32)
    same_weights(run, tmp_path / "often")


EARN = """
import sys
from pathlib import Path
from servogym.envs.sb3 import Sb3VecEnv
from servogym.learning.bundle import Bundle
from servogym.learning.evaluation import evaluate
from servogym.learning.policy import rebuild
b = Bundle.load(Path(sys.argv[1]))
policy = rebuild(dict(b.network), b.obs_width, b.policy_weights())
env = Sb3VecEnv(b.task, 5, privileged=True, threads=1, **b.overrides)
print(evaluate(env, lambda obs: policy.predict(obs, deterministic=True)[0], 7).episode_return)
"""


def test_a_trained_policy_earns_the_same_after_a_reload_in_a_new_process(tmp_path):
    trained = Run(tmp_path / "run", TASK, seed=0, overrides=SHORT, preset=TINY, judges=5)
    trained.model.learn(64)
    wanted = evaluate(
        trained.judge, lambda obs: trained.model.predict(obs, deterministic=True)[0], 7
    ).episode_return
    trained.save()
    command = [sys.executable, "-c", EARN, folder.latest(trained.path)]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert float(found) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("poison", [np.inf, np.nan])
def test_a_number_that_is_not_finite_stops_the_run_before_it_is_learnt(
    tmp_path, monkeypatch, poison
):
    step, calls = Sb3VecEnv.step_wait, [0]

    def poisoned(self):
        obs, rewards, dones, infos = step(self)
        if self.num_envs == TINY.n_envs:
            calls[0] += 1
            if calls[0] == 12:
                obs[3, 17] = poison
        return obs, rewards, dones, infos

    monkeypatch.setattr(Sb3VecEnv, "step_wait", poisoned)
    with pytest.raises(NotFinite, match=r"env 3, slot joint_pos\[11\], .*environment step 48"):
        tiny(tmp_path / "poisoned")
    (only,) = (tmp_path / "poisoned" / "checkpoints").iterdir()
    weights = Bundle.load(only).weights
    assert only.name == "0000000032"
    assert all(np.isfinite(array).all() for array in weights.values())


def test_an_existing_folder_is_never_overwritten(run):
    before = sorted(p.name for p in run.rglob("*"))
    with pytest.raises(FileExistsError, match="--resume"):
        tiny(run)
    assert sorted(p.name for p in run.rglob("*")) == before


def test_a_minute_limit_stops_cleanly_with_everything_saved(tmp_path):
    done = tiny(tmp_path / "brief", minutes=1e-4)
    assert done.status != "interrupted" and done.env_steps == 32
    assert folder.latest(done.run).name == "0000000032"
    assert done.last_return is not None


def test_the_exported_policy_is_the_trained_one(run, tmp_path):
    done = export(run, tmp_path / "policy.onnx")
    bundle = Bundle.load(folder.find(run))
    policy = rebuild(dict(bundle.network), bundle.obs_width, bundle.policy_weights())
    obs = bundle.state["last_obs"]
    wanted = policy.predict(obs, deterministic=True)[0]
    exported = Policy(done.path)
    assert np.abs(exported(obs[:, :61]) - np.clip(wanted, -np.pi, np.pi)).max() < 1e-5
    assert exported.contract.task == TASK


def test_an_unknown_task_lists_the_known_ones(tmp_path):
    done = command_line("MicroDuck-Flot-v0")
    assert done.returncode == 1
    assert "MicroDuck-Flat-v0" in done.stderr and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_training_and_export_need_neither_display_nor_gpu(tmp_path):
    headless = {
        k: v
        for k, v in os.environ.items()
        if k not in ("DISPLAY", "WAYLAND_DISPLAY", "MUJOCO_GL", "PYOPENGL_PLATFORM")
    } | {"CUDA_VISIBLE_DEVICES": ""}
    done = command_line(
        TASK,
        "--envs",
        "2",
        "--steps",
        "48",
        "--eval-envs",
        "1",
        "--out",
        "r",
        "--threads",
        "1",
        env=headless,
    )
    assert done.returncode == 0, done.stderr
    assert "doing nothing" in done.stdout
    exported = subprocess.run(
        [sys.executable, "-m", "servogym.export", "r"], env=headless, capture_output=True, text=True
    )
    assert exported.returncode == 0, exported.stderr
    assert Path("r/policy.onnx").is_file() and exported.stderr == ""


def test_training_stays_on_the_cpu_where_torch_sees_a_gpu(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    made = Run(tmp_path, TASK, seed=0, overrides=SHORT, preset=TINY, judges=1)
    assert made.model.device.type == "cpu"


def command_line(*arguments, **how):
    return subprocess.run(
        [sys.executable, "-m", "servogym.train", *arguments], capture_output=True, text=True, **how
    )


def test_ctrl_c_keeps_what_was_learnt(tmp_path):
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "servogym.train",
            TASK,
            "--envs",
            "4",
            "--steps",
            "10000000",
            "--eval-envs",
            "1",
            "--out",
            "r",
            "--threads",
            "1",
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 90.0
    while not Path("r/progress.csv").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60.0)
    assert process.returncode == 130
    assert "what was learnt" in output and "--resume r" in output
    assert Bundle.load(folder.latest(Path("r"))).counters["env_steps"]


def test_a_torque_policy_is_exported_without_a_promise_to_a_microduck(tmp_path):
    done = tiny(tmp_path / "ideal", actuator="ideal", steps=32)
    exported = export(done.run)
    assert Policy(exported.path).contract.command == "torque"
    assert exported.unfit
    assert Bundle.load(folder.latest(done.run)).overrides["actuator"] == "ideal"
