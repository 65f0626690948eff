"""Control of the time and the camera by mouse and keys. The classes do not need a window."""

import copy
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

from ecs_anim.view.camera import OrbitCamera

MAX_STEP = 0.1  # [s], longest time step; if more real time has passed, the simulation skips the rest
SINGLE_STEP = 1 / 60  # [s]
ORBIT_PER_HEIGHT = math.pi  # [rad] for a drag of one window height
ZOOM_PER_NOTCH = 0.88  # factor of the distance for one notch of the wheel
CLICK_WAY = 4.0  # [window unit], largest movement during a click

SLOWEST, FASTEST = 1 / 8, 8.0  # limits of the playback speed for keys [world time / real time]
MESSAGE_SECONDS, ERROR_SECONDS = 3.0, 10.0  # [s], time for which the window shows a message, and an error


@dataclass
class Playback:
    """Playback state of the window: the pause, the speed, and the number of requested single time steps."""

    paused: bool = False
    single_steps: int = 0  # number of requested single time steps that the window has not done yet
    speed: float = 1.0  # world time / real time

    def toggle_pause(self) -> None:
        """Pause the simulation. If the simulation is already paused, continue the simulation."""
        self.paused = not self.paused
        self.single_steps = 0

    def pause(self) -> None:
        """Pause the simulation, and cancel the requested time steps."""
        self.paused, self.single_steps = True, 0

    def request_step(self) -> None:
        """Pause the simulation, and request one time step of 1/60 s."""
        self.paused = True
        self.single_steps += 1

    def faster(self) -> None:
        """Double the playback speed, up to 8. A speed that is already above 8 does not change."""
        self.speed = max(self.speed, min(2 * self.speed, FASTEST))

    def slower(self) -> None:
        """Halve the playback speed, down to 1/8. A speed that is already below 1/8 does not change."""
        self.speed = min(self.speed, max(self.speed / 2, SLOWEST))

    @property
    def text(self) -> str:
        """Return the playback state as a text such as "speed 0.5 paused"."""
        return f"speed {self.speed:g}" + ("   paused" if self.paused else "")

    def advance(self, elapsed: float) -> float | None:
        """Return the duration [s] of the next time step. `elapsed` is the real time since the last call in seconds.

        If the simulation does not advance, return None. The playback speed does not change the duration of requested
        single time steps.
        """
        if not self.paused:
            return self.speed * min(max(elapsed, 0.0), MAX_STEP)
        if self.single_steps:
            self.single_steps -= 1
            return SINGLE_STEP
        return None


class CameraHand:
    """Control of a camera by mouse drags (in window units) and by notches of the mouse wheel."""

    def __init__(self, camera: OrbitCamera) -> None:
        self.camera = camera
        self._start = copy.deepcopy(camera)

    def drag(self, dx: float, dy: float, window_height: float, *, pan: bool) -> None:
        """Orbit the camera after a mouse drag by `dx` to the right and `dy` up. If `pan` is True, pan the camera."""
        right, up = dx / max(window_height, 1), dy / max(window_height, 1)
        if pan:
            self.camera.pan(-right, -up)
        else:
            self.camera.orbit(right * ORBIT_PER_HEIGHT, -up * ORBIT_PER_HEIGHT)

    def scroll(self, notches: float) -> None:
        """Zoom the camera by a number of steps of the mouse wheel.

        Positive steps move the camera nearer to its target.
        """
        self.camera.zoom(ZOOM_PER_NOTCH**notches)

    def reset(self) -> None:
        """Move the camera back to its first position."""
        start = self._start
        self.camera.target = start.target.copy()
        self.camera.distance, self.camera.azimuth, self.camera.elevation = (
            start.distance,
            start.azimuth,
            start.elevation,
        )


class Click:
    """Detector of mouse clicks. In a click, the mouse hardly moves between the press and the release of the button.

    A press with more movement is a drag.
    """

    def __init__(self) -> None:
        self._way = math.inf  # [window unit], movement since the press

    def press(self) -> None:
        """Begin a click. The window calls this method when a mouse button is pressed."""
        self._way = 0.0

    def drag(self, dx: float, dy: float) -> None:
        """Add a mouse movement. The window calls this method while a mouse button is pressed."""
        self._way += abs(dx) + abs(dy)

    def release(self) -> bool:
        """End a click when the mouse button is released.

        Return whether the movement since `press` was short enough for a click.
        """
        clicked = self._way <= CLICK_WAY
        self._way = math.inf
        return clicked


@dataclass
class FrameMeter:
    """Meter of frame times. A frame time is the time between two pictures of the window.

    The meter shows the mean frame time over about half a second, so that the user can read the number.
    """

    frame_times: deque[float] = field(default_factory=lambda: deque(maxlen=30))  # [s]

    def add(self, elapsed: float) -> None:
        """Add one frame time [s]."""
        self.frame_times.append(elapsed)

    @property
    def text(self) -> str:
        """Return the frame time and the frame rate as a text such as "16.7 ms 60 fps". Before the first frame time, the
        text is empty.
        """
        if not self.frame_times or sum(self.frame_times) <= 0:
            return ""
        mean = sum(self.frame_times) / len(self.frame_times)
        return f"{1e3 * mean:.1f} ms   {1 / mean:.0f} fps"


@dataclass
class Message:
    """The last message for the user. The text becomes empty after some seconds."""

    clock: Callable[[], float] = perf_counter  # [s]
    _text: str = ""
    _end: float = -math.inf  # [s], time at which the text becomes empty

    def say(self, text: str, seconds: float = MESSAGE_SECONDS) -> None:
        """Replace the message. The window shows the message for `seconds`."""
        self._text, self._end = text, self.clock() + seconds

    @property
    def text(self) -> str:
        """Return the message, or an empty text."""
        return self._text if self.clock() < self._end else ""
