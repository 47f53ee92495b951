"""The pictures of the grounds on the pages are what the command draws."""

import numpy as np
import pytest

from servogym.envs.opengl import NoDisplay
from servogym.viewer import terrains

iio = pytest.importorskip("imageio.v3", reason="pictures need the extra 'video'")


def coarse(pixels, block=8):
    """Means of blocks of pixels, so that rounding of drivers and of JPEG does not count."""
    h, w = (side // block * block for side in pixels.shape[:2])
    parts = pixels[:h, :w].reshape(h // block, block, w // block, block, 3)
    return parts.mean(axis=(1, 3))


def test_the_pages_pictures_are_of_these_grounds(checkout, tmp_path):
    try:
        terrains.write(tmp_path)
    except NoDisplay as error:
        pytest.skip(f"nothing here draws: {error}")
    for name in ("terrains.jpg", "field.jpg"):
        drawn, kept = (iio.imread(at / name) for at in (tmp_path, checkout / "docs" / "images"))
        assert drawn.shape == kept.shape
        off = np.abs(coarse(drawn) - coarse(kept))
        assert off.mean() < 2.0 and np.quantile(off, 0.99) < 16.0
    panels = np.array(
        [
            coarse(panel)
            for row in np.vsplit(iio.imread(tmp_path / "terrains.jpg"), 2)
            for panel in np.hsplit(row, 3)
        ]
    )
    for one in range(6):
        for other in range(one):
            assert np.abs(panels[one] - panels[other]).mean() > 4.0, (one, other)


def test_where_nothing_draws_the_command_says_so_and_the_old_pictures_stay(
    tmp_path, monkeypatch, capsys
):
    def nothing(*_):
        raise NoDisplay("no GL here")

    (tmp_path / "field.jpg").write_bytes(b"old")
    monkeypatch.setattr(terrains.opengl, "offscreen", nothing)
    assert terrains.main([str(tmp_path)]) == 1
    assert "no GL here" in capsys.readouterr().err
    assert (tmp_path / "field.jpg").read_bytes() == b"old"
