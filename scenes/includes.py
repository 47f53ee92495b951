"""Which descriptions a description reads in: only such as lie in its own folder.

`<include file>` and `<model file>` take any path, so that a stranger's model could bring along
whatever XML it can name, by `..`, links or whole paths. What MuJoCo reads beside that (meshes,
textures, height fields) is data, and nothing that it reads is run: a plugin has to be installed to
be named.
"""

from __future__ import annotations

import html
import os
import re
from pathlib import Path
from xml.parsers import expat

_READERS = ("include", "model")
_FILE = re.compile(r"file\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


def check(text: str, folder: Path, name: str) -> None:
    """Refuse a description that reads in one from outside its folder, itself or in what it reads.

    Args:
        text: The description.
        folder: Where its own file lies; for a text, the working directory.
        name: What to call it; begins the message.

    Raises:
        ValueError: A path leads out of the folder.
    """
    _check(text, folder.resolve(), folder.resolve(), name, set())


def _check(text: str, folder: Path, home: Path, name: str, seen: set[tuple[Path, Path]]) -> None:
    for written in _files(text):
        path = folder / written.replace("\\", "/")
        for place in (path, Path(os.path.normpath(path))):  # links make them two places
            if not place.resolve().is_relative_to(home):
                raise ValueError(
                    f"{name} reads {written!r}, which lies outside of its folder {str(home)!r}; "
                    "put it there, or, if you trust it, add mujoco.MjSpec.from_file(...)"
                )
        for start in (folder, path.parent):  # MuJoCo looks beside the first file and beside this
            if (path, start) not in seen and path.is_file():
                seen.add((path, start))
                _check(path.read_bytes().decode("utf-8", "replace"), start, home, name, seen)


def _files(text: str) -> list[str]:
    """Paths of the descriptions that one reads in, perhaps with others where it is no proper XML.

    MuJoCo reads XML that no other parser takes, with `--` in comments for instance.
    """
    found: list[str] = []

    def begin(tag: str, attributes: dict[str, str]) -> None:
        if tag in _READERS and "file" in attributes:
            found.append(attributes["file"])

    def doctype(*_: object) -> None:
        raise expat.ExpatError("MuJoCo knows no document types")

    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler, parser.StartDoctypeDeclHandler = begin, doctype
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError:
        if not any(f"<{tag}" in text for tag in _READERS):
            return []
        return [html.unescape(double or single) for double, single in _FILE.findall(text)]
    return found
