"""Writes pictures into an MP4 or GIF file as they come; says why when it cannot."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

_PALETTE = (
    "[0:v]crop=440:480,scale=240:-1:flags=lanczos,split[picture][sample];"
    "[sample]palettegen=max_colors=128:stats_mode=diff[colours];"
    "[picture][colours]paletteuse=dither=none:diff_mode=rectangle"
)
"""ffmpeg's filter for a small GIF: the middle of the picture, and colours chosen for all of it."""

KINDS: dict[str, dict[str, Any]] = {
    ".mp4": {"codec": "libx264", "quality": 5},
    ".gif": {
        "codec": "gif",
        "pix_fmt_out": "pal8",
        "quality": None,
        "ffmpeg_log_level": "error",
        "output_params": ["-filter_complex", _PALETTE],
    },
}
"""How a file with this ending is written."""
RATE = {".mp4": 25.0, ".gif": 12.5}
"""Pictures a second that suit it."""


class Video:
    """A file that opens with its first picture."""

    def __init__(self, path: Path, fps: float) -> None:
        """Prepare a file; nothing is written before the first picture.

        Raises:
            ValueError: The ending is none of `KINDS`.
        """
        if path.suffix not in KINDS:
            raise ValueError(f"{path}: ending {path.suffix!r}; {', '.join(KINDS)} is accepted")
        self.path, self.fps = path, fps
        self._writer: Any = None

    def add(self, picture: np.ndarray) -> None:
        """Append a picture (height, width, 3) uint8.

        Raises:
            ImportError: The video extra is not installed.
        """
        if self._writer is None:
            import imageio_ffmpeg

            height, width = picture.shape[:2]
            how = {"fps": self.fps, "macro_block_size": 1, **KINDS[self.path.suffix]}
            self._writer = imageio_ffmpeg.write_frames(str(self.path), (width, height), **how)
            self._writer.send(None)
        self._writer.send(np.ascontiguousarray(picture).tobytes())

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            self._writer.close()


@contextmanager
def video(path: Path, fps: float) -> Iterator[Video]:
    """Give a video that is finished when the block ends."""
    film = Video(path, fps)
    try:
        yield film
    finally:
        film.close()
