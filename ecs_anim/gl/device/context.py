"""OpenGL 3.3 core contexts. A context can draw in a window or, with EGL, without a display."""

import atexit
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ctypes import byref
from functools import cache, partial
from typing import Any

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.capabilities import query_capabilities
from ecs_anim.gl.device.resource import Resource
from ecs_anim.support.errors import InputError

REQUIRED_VERSION = (3, 3)
# OpenGL versions, in the order in which the program requests them. Compute shaders need version 4.3. The program must
# request this version, because NVIDIA's driver gives exactly the requested version. Mesa's drivers give the newest
# version that they have.
VERSIONS = ((4, 3), REQUIRED_VERSION)

_COLOR_BITS = {"red_size": 8, "green_size": 8, "blue_size": 8}
_INSTALL = "On Debian or Ubuntu, run: apt install libegl1 libgl1 libgl1-mesa-dri"
_NO_PICTURE = "Without pictures, use --no-draw."

# the attribute `context` of this object is the context that receives the OpenGL calls of the thread
_here = threading.local()
_opening = threading.Lock()
_shared: list["Context"] = []  # empty, or the shared context


class Context(Resource):
    """An OpenGL context and its pyglet window. The window can be visible or hidden.

    A new context is current on the thread that opens the context. The method `free` closes the context. The end of a
    `with` block also closes the context. Before you free the context, free all its resources, except resources that
    were passed to `Context.keep`. At the end of the Python process, all open contexts are freed automatically.
    """

    def __init__(self, window: Any) -> None:
        self.window = window
        self._drawing = threading.RLock()
        # Thread on which the context is current or was last current; None = the context was released.
        self._thread: int | None = threading.get_ident()
        _here.context = self
        self.capabilities = query_capabilities()
        if self.capabilities.version < REQUIRED_VERSION:
            found = "{}.{}".format(*self.capabilities.version)
            self.free()
            raise InputError(_message(f"OpenGL must be 3.3 or newer (got {found})", "Update the driver"))
        atexit.register(self.free)

    def make_current(self) -> None:
        """Make this context current. After the call, the context receives all OpenGL calls of this thread.

        Raise RuntimeError if the context is current on another thread. Without this check, some drivers would ignore
        the OpenGL calls and report no error.
        """
        gl.require_here()
        if self._thread not in (None, threading.get_ident()):
            raise RuntimeError("this OpenGL context must be used in the thread that created it. Draw in that thread.")
        if self.window.context.canvas is None:
            _app_windows().add(self.window)
            self.window.context.attach(self.window.canvas)
        else:
            self.window.switch_to()
        self._thread, _here.context = threading.get_ident(), self

    def let_go(self) -> None:
        """Release this context. After the call, any thread can make the context current."""
        self.window.context.detach()
        # without this call, the event loop of another window would also make this window's context current
        _app_windows().discard(self.window)
        self._thread = _here.context = None

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make this context current inside a `with` block. After the block, the previous context is current again."""
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
        """Wait until the GPU has completed all earlier draw calls."""
        gl.glFinish()

    def _release(self) -> None:
        atexit.unregister(self.free)
        if self._parts:
            with self.current():
                super()._release()
        _app_windows().add(self.window)  # `close` removes the window from this set
        self.window.close()


def _app_windows() -> Any:
    import pyglet

    return pyglet.app.windows


def current_context() -> Context | None:
    """Return the context that receives the OpenGL calls of this thread."""
    context: Context | None = getattr(_here, "context", None)
    return None if context is None or context.freed else context


def shared_context() -> Context:
    """Return the context of this thread. If this thread has no context, return the shared context without a window.

    All threads use one shared context. The first call opens the shared context. Draw inside a `with` block of
    `Context.current`. Raises InputError if OpenGL 3.3 is not available.
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
    """Open a context without a visible window. If the process has not opened a window before, the context uses EGL.

    Raises InputError with a message of one line if OpenGL 3.3 is not available.
    """
    if _pyglet_is_windowed():
        return _guarded(lambda: _create_window(1, 1, "ecs-anim", visible=False))
    import pyglet

    # EGL draws without a window, but exists only on Linux. On other systems, the program draws in a hidden window.
    pyglet.options.headless = sys.platform.startswith("linux")
    return _guarded(_create_headless if pyglet.options.headless else lambda: _create_window(1, 1, "", visible=False))


def open_window(title: str, width: int, height: int) -> Context:
    """Open a context in a visible window.

    The window has `width` x `height` logical pixels, and users can resize the window. Raises InputError with a message
    of one line if no window can be opened.
    """
    if not display_available():
        raise InputError("a window needs a display (DISPLAY and WAYLAND_DISPLAY are not set). Use --headless.")
    if _pyglet_is_headless():
        raise InputError("a process that draws headless cannot open a window. Open the window in another process.")
    import pyglet

    pyglet.options.headless = False
    return _guarded(lambda: _create_window(width, height, title, visible=True))


def display_available() -> bool:
    """Return whether a display for windows is available. On Linux, environment variables name the display."""
    if sys.platform.startswith("linux"):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True


def _pyglet_is_headless() -> bool:
    return "pyglet.gl" in sys.modules and bool(sys.modules["pyglet"].options.headless)


def _pyglet_is_windowed() -> bool:
    return "pyglet.gl" in sys.modules and not _pyglet_is_headless()


def _guarded(create: Callable[[], Any]) -> Context:
    """Set pyglet's options, and return the result of `create`. Convert an exception in `create` to InputError."""
    import pyglet

    pyglet.options.debug_gl = False  # with True, pyglet would call glGetError after every OpenGL call
    pyglet.options.shadow_window = False
    try:
        return Context(create())
    except InputError:
        raise
    except Exception as error:
        raise InputError(explain(error)) from error
    except BaseException as error:  # pyglet's ShaderException does not derive from Exception
        if type(error).__name__ != "ShaderException":
            raise
        raise InputError(explain(error)) from error


def _create_window(width: int, height: int, title: str, *, visible: bool) -> Any:
    from pyglet.window import Window

    def create(config: Any) -> Any:
        return Window(width, height, caption=title, resizable=visible, visible=visible, config=config)

    return _newest(create, double_buffer=True, depth_size=0)


def _create_headless() -> Any:
    """Create a pbuffer with one pixel on the first EGL device that supports OpenGL 3.3.

    The function tries all devices, because the user may have no access rights to the first graphics card. In this case,
    a later device can be Mesa's software renderer.
    """
    errors: list[Exception] = []
    for device in range(max(1, _egl_device_count())):
        try:
            return _newest(partial(_headless_window, device))
        except Exception as error:
            errors.append(error)
    raise errors[0]


def _headless_window(device: int, config: Any) -> Any:
    from pyglet.window import Window

    with warnings.catch_warnings():
        # pyglet's warning is hidden, because the exception that follows has more information
        warnings.simplefilter("ignore")
        return Window(1, 1, display=headless_display(device), config=config)


def _newest(create: Callable[[Any], Any], **options: Any) -> Any:
    """Return `create(config)` for the newest version in `VERSIONS` for which the call succeeds."""
    *newer, oldest = VERSIONS
    for version in newer:
        with suppress(Exception):
            return create(_config(version, options))
    return create(_config(oldest, options))


def _config(version: tuple[int, int], options: dict[str, Any]) -> Any:
    major, minor = version
    return gl.Config(major_version=major, minor_version=minor, forward_compatible=True, **_COLOR_BITS, **options)


@cache
def headless_display(device: int) -> Any:
    """Return the display of the EGL device with the number `device`. A process has one display object for each device.

    When Python deletes a display object, all other display objects of this device become invalid.
    """
    import pyglet
    from pyglet.display.headless import HeadlessDisplay

    class Display(HeadlessDisplay):  # type: ignore[misc]
        def __del__(self) -> None:
            # When a display object is deleted, the driver waits for its threads. A forked process does not have these
            # threads, so this call would never return there.
            if not gl.is_lost():
                super().__del__()

    pyglet.options.headless_device = device
    return Display()


def _egl_device_count() -> int:
    """Return the number of EGL devices.

    The program needs this number, because pyglet fails for a device number that does not exist.
    """
    from pyglet.libs.egl import egl, eglext

    count = egl.EGLint()
    eglext.eglQueryDevicesEXT(0, None, byref(count))
    return int(count.value)


def explain(error: BaseException) -> str:
    """Return one line of text that explains why the program cannot open a context.

    The line names the missing component and the package to install.
    """
    text, kind = str(error), type(error).__name__
    if 'Library "EGL"' in text:
        return _message("headless drawing needs an EGL library", _INSTALL)
    if 'Library "GL"' in text or 'Library "X11"' in text:
        return _message(f"drawing needs a {text.split(chr(34))[1]} library", _INSTALL)
    if kind == "NoSuchDisplayException":
        return _message("a window needs a display", "Use --headless")
    if kind in ("NoSuchConfigException", "IndexError", "ValueError"):
        return _message("drawing needs an OpenGL driver", _INSTALL)
    if kind == "ContextException":
        return _message("the driver must support an OpenGL 3.3 core context", f"Update the driver. {_INSTALL}")
    return _message(f"cannot open OpenGL ({kind}: {text})", _INSTALL)


def _message(problem: str, fix: str) -> str:
    return f"{problem}. {fix}. {_NO_PICTURE}"
