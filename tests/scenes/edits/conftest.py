"""What the tests of edits share: everything a spec holds, to the last digit, for comparing."""

import mujoco
import numpy as np
import pytest


def _held(element):
    names = [name for name in dir(element) if not name.startswith("_")]
    values = {name: getattr(element, name) for name in names}
    return {
        name: value.tobytes() if isinstance(value, np.ndarray) else repr(value)
        for name, value in values.items()
        if name not in ("id", "signature")  # numbered when a text is written
        and not callable(value)
        and "object at" not in repr(value)
    }


def everything(spec: mujoco.MjSpec):
    """Text of the model and every attribute of every element, unrounded."""
    kinds = ("bodies", "geoms", "joints", "actuators", "pairs", "keys")
    elements = {kind: [_held(element) for element in getattr(spec, kind)] for kind in kinds}
    return spec.to_xml(), elements, _held(spec.option), _held(spec.compiler)


@pytest.fixture
def held():
    """A function that reads everything a spec holds."""
    return everything
