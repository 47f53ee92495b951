"""What a step costs on each kind of ground: Go2 swinging its legs, CPU time, ratios.

python -m benchmarks.ground
"""

import time

import numpy as np
from tqdm import tqdm

from servogym.envs.core import Core
from servogym.envs.tasks.go2_rough import TASK
from servogym.scenes.terrain import Field, Terrain

ROBOTS, STEPS, ROUNDS = 64, 50, 5
LEVEL_KINDS = tuple(kind for kind in TASK.terrain.kinds if "stairs" not in kind)
GROUNDS = {
    "plane": Terrain(),
    "field without stairs": Field(kinds=LEVEL_KINDS),
    "the same, cells of 4 cm": Field(kinds=LEVEL_KINDS, cell=0.04),
    "field of Go2-Rough-v0": TASK.terrain,
    "its stairs alone": Field(kinds=("stairs_down", "stairs_up")),
}
CONTACTS = ("C/elliptic", "B/elliptic")


def main() -> None:
    """Measure all grounds in turn, several rounds, and print medians as a table."""
    cases = [(name, contact) for name in GROUNDS for contact in CONTACTS]
    cores = {case: _core(*case) for case in cases}
    spent: dict[tuple[str, str], list[float]] = {case: [] for case in cases}
    for _ in tqdm(range(ROUNDS), desc="rounds"):
        for case in cases:
            spent[case].append(_step(cores[case]))
    medians = {case: float(np.median(times)) for case, times in spent.items()}
    first = medians[cases[0]]
    print(f"| ground | geoms | {' | '.join(CONTACTS)} |\n|---|---|{'---|' * len(CONTACTS)}")
    for name, terrain in GROUNDS.items():
        cells = [
            f"{1e6 * medians[name, contact]:.0f} µs (x {medians[name, contact] / first:.2f})"
            for contact in CONTACTS
        ]
        print(f"| {name} | {len(terrain.ground().geoms)} | {' | '.join(cells)} |")


def _core(name: str, contact: str) -> Core:
    core = Core("go2_rough", ROBOTS, threads=1, terrain=GROUNDS[name], contact=contact)
    rows = np.arange(ROBOTS)
    core.seed(rows, rows.astype(np.uint64))
    core.reset(rows)
    return core


def _step(core: Core) -> float:
    """CPU time of an environment step of one robot [s], its legs swinging in diagonals."""
    joints, dt = core.robot.joints, core.task.control_dt
    swing = [0.3 * (1 if j[:2] in ("FL", "RR") else -1) * ("hip" not in j) for j in joints]
    begin = time.process_time()
    for step in range(STEPS):
        action = np.sin(2 * np.pi * step * dt / 0.4) * np.array(swing)
        core.step(np.tile(action, (ROBOTS, 1)))
    return (time.process_time() - begin) / STEPS / ROBOTS


if __name__ == "__main__":
    main()
