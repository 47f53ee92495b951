"""Learning curves of several runs share one picture."""

import matplotlib.image
import pytest

from servogym.learning import curve, folder
from servogym.learning.callbacks.table import append


def made_up_run(path, slope: float):
    path.mkdir()
    for k in range(1, 6):
        row = {"env_steps": k * 1000, "reward": slope * k, "falls_per_min": 1 / k, "tracking": 0.5}
        append(path / folder.PROGRESS, row)
        found = {"env_steps": k * 1000, "policy": "trained", "return": slope * k}
        append(path / folder.EVALUATIONS, found)
    return path


def colours(path) -> set[tuple[int, ...]]:
    picture = (matplotlib.image.imread(path)[..., :3] * 255).round().astype(int)
    return {tuple(pixel) for pixel in picture.reshape(-1, 3)}


def test_each_run_has_a_colour_of_its_own(tmp_path):
    runs = [made_up_run(tmp_path / name, slope) for name, slope in (("a", 1.0), ("b", 2.0))]
    blue, orange = (31, 119, 180), (255, 127, 14)
    one = colours(curve.draw(runs[:1], tmp_path / "one.png"))
    two = colours(curve.draw(runs, tmp_path / "new" / "two.png"))
    assert blue in one and orange not in one
    assert {blue, orange} <= two


def test_a_folder_without_progress_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing.*progress\.csv"):
        curve.draw([tmp_path / "nothing"], tmp_path / "x.png")
    assert not (tmp_path / "x.png").exists()
