"""Writes pictures into an MP4 file as they come; says why when it cannot."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np


class Video:
    """An MP4 file that opens with its first picture."""

    def __init__(self, path: Path, fps: int) -> None:
        """Prepare a file; nothing is written before the first picture."""
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
            self._writer = imageio_ffmpeg.write_frames(
                str(self.path), (width, height), fps=self.fps, macro_block_size=1
            )
            self._writer.send(None)
        self._writer.send(np.ascontiguousarray(picture).tobytes())

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            self._writer.close()


@contextmanager
def video(path: Path, fps: int) -> Iterator[Video]:
    """Give a video that is finished when the block ends."""
    film = Video(path, fps)
    try:
        yield film
    finally:
        film.close()
