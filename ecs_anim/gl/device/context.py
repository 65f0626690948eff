"""Opening an OpenGL 3.3 core context: headless through EGL, or as a window; and the one that pictures share."""

import atexit
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import byref
from functools import cache
from typing import Any

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.capabilities import query_capabilities
from ecs_anim.gl.device.resource import Resource
from ecs_anim.support.errors import InputError

REQUIRED_VERSION = (3, 3)

_CONFIG = {
    "red_size": 8,
    "green_size": 8,
    "blue_size": 8,
    "major_version": REQUIRED_VERSION[0],
    "minor_version": REQUIRED_VERSION[1],
    "forward_compatible": True,
}
_INSTALL = "on Debian/Ubuntu: apt install libegl1 libgl1 libgl1-mesa-dri"
_NO_PICTURE = "--no-draw runs everything that needs no picture"

_here = threading.local()  # its `context` is the one that this thread's GL calls go to
_opening = threading.Lock()
_shared: list["Context"] = []  # none, or one


class Context(Resource):
    """An OpenGL context and the pyglet window, shown or not, that carries it.

    It is current on the thread that opened it. `free` (or leaving a `with` block) ends it. Resources
    that the context does not `keep` must be freed first. A context that is open at the exit of the
    interpreter is freed then.
    """

    def __init__(self, window: Any) -> None:
        self.window = window
        self._drawing = threading.RLock()
        self._thread: int | None = threading.get_ident()  # on which it is current, or was last; None = it was let go
        _here.context = self
        self.capabilities = query_capabilities()
        if self.capabilities.version < REQUIRED_VERSION:
            found = "{}.{}".format(*self.capabilities.version)
            self.free()
            raise InputError(_message(f"OpenGL 3.3 is needed and this machine offers {found}", "update the driver"))
        atexit.register(self.free)

    def make_current(self) -> None:
        """Direct this thread's GL calls that follow at this context. Raises RuntimeError where it is another thread's.

        A driver may not notice that: it then draws nothing, in silence.
        """
        gl.require_here()
        if self._thread not in (None, threading.get_ident()):
            raise RuntimeError("this OpenGL context is another thread's; draw with it there")
        if self.window.context.canvas is None:
            _app_windows().add(self.window)
            self.window.context.attach(self.window.canvas)
        else:
            self.window.switch_to()
        self._thread, _here.context = threading.get_ident(), self

    def let_go(self) -> None:
        """Release the context, so that any thread can make it current."""
        self.window.context.detach()
        _app_windows().discard(self.window)  # a loop that another window runs would switch to this one too
        self._thread = _here.context = None

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make the context current on this thread within a block. The context before is current again afterwards."""
        gl.require_here()
        with self._drawing:
            before = current_context()
            if before is self:
                yield
                return
            self.make_current()
            try:
                yield
            finally:
                if not self.freed:
                    self.let_go()
                if before is not None:
                    before.make_current()

    def finish(self) -> None:
        """Wait until all draws so far are complete."""
        gl.glFinish()

    def _release(self) -> None:
        atexit.unregister(self.free)
        if self._parts:
            with self.current():
                super()._release()
        _app_windows().add(self.window)  # whence pyglet takes it
        self.window.close()


def _app_windows() -> Any:
    """The windows that pyglet's event loop goes round."""
    import pyglet

    return pyglet.app.windows


def current_context() -> Context | None:
    """The context that this thread's GL calls go to."""
    context: Context | None = getattr(_here, "context", None)
    return None if context is None or context.freed else context


def shared_context() -> Context:
    """This thread's context; where it has none, one without a display that is opened at first use, for all threads.

    Draw within its `current`. Raises InputError as `open_headless` does.
    """
    here = current_context()
    if here is not None:
        return here
    with _opening:
        if not _shared or _shared[0].freed:
            _shared[:] = [open_headless()]
            _shared[0].let_go()
        return _shared[0]


def open_headless() -> Context:
    """A context without a display, through EGL where the process has no window yet.

    Raises InputError, in one line, where OpenGL 3.3 is not to be had.
    """
    if _pyglet_is_windowed():
        return _guarded(lambda: _create_window(1, 1, "ecs-anim", visible=False))
    import pyglet

    # EGL is Linux's; elsewhere an invisible window does the same.
    pyglet.options.headless = sys.platform.startswith("linux")
    return _guarded(_create_headless if pyglet.options.headless else lambda: _create_window(1, 1, "", visible=False))


def open_window(title: str, width: int, height: int) -> Context:
    """A context in a visible, resizable window of `width` x `height` (logical) pixels.

    Raises InputError, in one line, where no window can be opened.
    """
    if not display_available():
        raise InputError("no display to open a window on (DISPLAY and WAYLAND_DISPLAY are not set): use --headless")
    if _pyglet_is_headless():
        raise InputError("this process already draws headless, and cannot open a window: start another one")
    import pyglet

    pyglet.options.headless = False
    return _guarded(lambda: _create_window(width, height, title, visible=True))


def display_available() -> bool:
    """Whether a window can be opened, as far as the environment tells."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


def _pyglet_is_headless() -> bool:
    return "pyglet.gl" in sys.modules and bool(sys.modules["pyglet"].options.headless)


def _pyglet_is_windowed() -> bool:
    return "pyglet.gl" in sys.modules and not _pyglet_is_headless()


def _guarded(create: Callable[[], Any]) -> Context:
    """Run `create` with pyglet's options set and each of its many failures told as an InputError."""
    import pyglet

    pyglet.options.debug_gl = False  # a glGetError after every call
    pyglet.options.shadow_window = False
    try:
        return Context(create())
    except InputError:
        raise
    except Exception as error:
        raise InputError(explain(error)) from error
    except BaseException as error:  # pyglet's ShaderException is none of Exception's children
        if type(error).__name__ != "ShaderException":
            raise
        raise InputError(explain(error)) from error


def _create_window(width: int, height: int, title: str, *, visible: bool) -> Any:
    from pyglet.window import Window

    config = gl.Config(double_buffer=True, depth_size=0, **_CONFIG)
    return Window(width, height, caption=title, resizable=visible, visible=visible, config=config)


def _create_headless() -> Any:
    """A pbuffer of one pixel on the first EGL device that has OpenGL 3.3.

    The first device may be a card that this user must not open, with Mesa's software device after it.
    """
    from pyglet.window import Window

    config = gl.Config(**_CONFIG)
    errors: list[Exception] = []
    for device in range(max(1, _egl_device_count())):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the error that follows says more
                return Window(1, 1, display=headless_display(device), config=config)
        except Exception as error:
            errors.append(error)
    raise errors[0]


@cache
def headless_display(device: int) -> Any:
    """The display of an EGL device, one a process: one that is collected ends all others of its device."""
    import pyglet
    from pyglet.display.headless import HeadlessDisplay

    class Display(HeadlessDisplay):  # type: ignore[misc]
        def __del__(self) -> None:
            if not gl.is_lost():  # ending it would wait for the driver's threads, which a forked process has not
                super().__del__()

    pyglet.options.headless_device = device
    return Display()


def _egl_device_count() -> int:
    """EGL devices of this machine; pyglet's display for one past the last cannot even be deleted cleanly."""
    from pyglet.libs.egl import egl, eglext

    count = egl.EGLint()
    eglext.eglQueryDevicesEXT(0, None, byref(count))
    return int(count.value)


def explain(error: BaseException) -> str:
    """One line for a failure to open a context: what is missing, and what to install."""
    text, kind = str(error), type(error).__name__
    if 'Library "EGL"' in text:
        return _message("no EGL library, which headless drawing needs", _INSTALL)
    if 'Library "GL"' in text or 'Library "X11"' in text:
        return _message(f"no {text.split(chr(34))[1]} library, which drawing needs", _INSTALL)
    if kind == "NoSuchDisplayException":
        return _message("no display to open a window on", "use --headless")
    if kind in ("NoSuchConfigException", "IndexError", "ValueError"):
        return _message("no OpenGL driver", _INSTALL)
    if kind == "ContextException":
        return _message("the driver offers no OpenGL 3.3 core context", f"update it, or {_INSTALL}")
    return _message(f"OpenGL cannot be opened ({kind}: {text})", _INSTALL)


def _message(problem: str, fix: str) -> str:
    return f"{problem}; {fix}; {_NO_PICTURE}"
