"""Offscreen OpenGL that works without being asked how: on a desktop and on a server alike."""

from __future__ import annotations

import atexit
import ctypes
import importlib
import os
import sys
import warnings
from ctypes.util import find_library
from functools import cache
from weakref import WeakSet

import mujoco

CURE = "on Debian and Ubuntu: apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri"
"""What brings EGL to a machine with or without a graphics card."""

_BACKENDS = ("glfw", "egl", "osmesa")
_OPEN: WeakSet[mujoco.Renderer] = WeakSet()
_FAILURE: list[str] = []
"""Why drawing failed in this process; MuJoCo aborts the process at a second attempt."""


class NoDisplay(RuntimeError):
    """Nothing here can draw; physics, training and export do not need it."""


def offscreen(model: mujoco.MjModel, height: int, width: int) -> mujoco.Renderer:
    """Return a renderer for pictures of this size.

    A MUJOCO_GL that the user set is obeyed. Without it, on Linux, the first of GLFW (where there is
    a screen), EGL and OSMesa that answers is taken. MuJoCo makes its own choice once, when it is
    imported; so the class of contexts that its renderer makes is exchanged, not the variable.

    Raises:
        NoDisplay: when nothing draws.
    """
    if _FAILURE:
        raise NoDisplay(_FAILURE[0])
    backend = os.environ.get("MUJOCO_GL") or _first_that_answers()
    try:
        if backend in _BACKENDS:
            _use(backend)
        renderer = mujoco.Renderer(model, height, width)
    except Exception as error:  # every backend fails in its own way
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        _FAILURE.append(f"no OpenGL to draw with ({backend or 'none answers'}: {reason}); {CURE}")
        raise NoDisplay(_FAILURE[0]) from None
    _OPEN.add(renderer)
    atexit.unregister(_close_all)  # the last to register is the first to run: before EGL's own
    atexit.register(_close_all)
    return renderer


def _use(backend: str) -> None:
    """Let MuJoCo's renderers make contexts of this backend; child processes choose anew."""
    platform = os.environ.get("PYOPENGL_PLATFORM")
    contexts = sys.modules[mujoco.Renderer.__module__].gl_context  # type: ignore[attr-defined]
    contexts.GLContext = importlib.import_module(f"mujoco.{backend}").GLContext
    if platform is None:
        os.environ.pop("PYOPENGL_PLATFORM", None)


def screen_answers() -> bool:
    """Whether a window could be opened."""
    if sys.platform == "linux" and not named_screen():
        return False
    import glfw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", glfw.GLFWError)
        return bool(glfw.init())


def named_screen() -> str:
    """Return the display server that the environment names, empty without one."""
    return os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or ""


@cache
def _first_that_answers() -> str:
    """Return a backend, empty for MuJoCo's own choice.

    Nothing is loaded that would tie this process to a backend that then fails: MuJoCo and PyOpenGL
    both take the first library they see.
    """
    if sys.platform != "linux":
        return ""
    answers = {"glfw": screen_answers, "egl": _egl_answers, "osmesa": _osmesa_answers}
    return next((name for name in _BACKENDS if answers[name]()), "")


def _egl_answers() -> bool:
    """Whether some EGL device can be initialised, as mujoco/egl/__init__.py will do it."""
    try:
        egl = ctypes.CDLL("libEGL.so.1", mode=ctypes.RTLD_LOCAL)
    except OSError:
        return False
    pointer, count, devices = ctypes.c_void_p, ctypes.c_int(), (ctypes.c_void_p * 16)()
    egl.eglGetProcAddress.restype = pointer
    query = egl.eglGetProcAddress(b"eglQueryDevicesEXT")
    display = egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
    if not query or not display:
        return False
    query = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_int, pointer, pointer)(query)
    display = ctypes.CFUNCTYPE(pointer, ctypes.c_uint, pointer, pointer)(display)
    query(len(devices), devices, ctypes.byref(count))
    egl.eglInitialize.argtypes = (pointer, pointer, pointer)
    device_platform = 0x313F  # EGL_PLATFORM_DEVICE_EXT, in EGL/eglext.h of Khronos
    return any(
        egl.eglInitialize(display(device_platform, device, None), None, None)
        for device in devices[: count.value]
    )


def _osmesa_answers() -> bool:
    return find_library("OSMesa") is not None


def _close_all() -> None:
    """Close what the user left open while there still is a context to close it in."""
    for renderer in list(_OPEN):
        renderer.close()
