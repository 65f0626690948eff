"""The row of playback controls in a notebook: play, steps, timeline, speed, first view."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

from ecs_anim.gl.window.controls import FASTEST, SLOWEST
from ecs_anim.systems.live_view import LiveView

REFRESH_SECONDS = 0.1  # [s], shortest time between two changes of the timeline while the view plays
SPEEDS = [SLOWEST * 2**power for power in range(round(FASTEST / SLOWEST).bit_length())]  # speeds of the keys + and -
BUTTON_WIDTH = {"play": "90px", "step": "40px", "view": "100px"}


class PlaybackRow:
    """Widgets that control the playback of a `LiveView`. Each change draws the picture again.

    `row` is the widget with all controls. `timeline` is a slider. The values of the slider are moments of the view's
    timeline, multiplied by 10**digits and rounded to integers. A browser would round other numbers, and would report
    the rounding as a change by the user.
    """

    def __init__(self, view: LiveView, picture: Any, description: str, digits: int) -> None:
        import ipywidgets as widgets  # part of the 'notebook' extra

        self._view, self._picture, self._digits = view, picture, digits
        self._per_unit = 10**digits  # slider unit per unit of the timeline
        self._follows = False  # whether the widgets follow the view, so that their changes do not come from the user
        self._followed = 0.0  # [s], time of the last change of the timeline by the view
        self.play = widgets.Button(tooltip="Pause or continue (Space)", layout={"width": BUTTON_WIDTH["play"]})
        self.back = _step_button(widgets, "step-backward", "Pause and go back by one frame (, or Left)")
        self.step = _step_button(widgets, "step-forward", "Pause and take one step (. or Right)")
        self.timeline = widgets.IntSlider(
            description=description,
            readout=False,
            tooltip=f"Timeline: {description}. Drag to pause and to show a stored moment",
            layout={"flex": "1 1 200px", "width": "auto", "min_width": "160px"},
            style={"description_width": "initial"},
        )
        self.readout = widgets.Label(layout={"width": "100px"})
        self.speed = widgets.Dropdown(
            options=[(_speed_text(speed), speed) for speed in SPEEDS],
            value=1.0,
            description="speed",
            tooltip="Playback speed (+ and -)",
            layout={"width": "120px"},
            style={"description_width": "initial"},
        )
        self.reset = widgets.Button(
            description="first view", tooltip="Return to the first view (R)", layout={"width": BUTTON_WIDTH["view"]}
        )
        parts = [self.play, self.back, self.step, self.timeline, self.readout, self.speed, self.reset]
        self.row = widgets.HBox(parts, layout={"flex_flow": "row wrap", "align_items": "center"})
        self._connect()
        self.follow()

    def _connect(self) -> None:
        view = self._view
        for button, act in (
            (self.play, view.playback.toggle_pause),
            (self.back, view.step_back),
            (self.step, view.playback.request_step),
            (self.reset, view.reset_camera),
        ):
            button.on_click(lambda _, act=act: self._changed(act))
        self.timeline.observe(lambda change: self._changed(lambda: view.select(change.new / self._per_unit)), "value")
        self.speed.observe(lambda change: self._changed(lambda: setattr(view.playback, "speed", change.new)), "value")

    def _changed(self, act: Callable[[], object]) -> None:
        if not (self._view.freed or self._follows):
            act()
            self._show_state()
            self._picture.request_draw()

    def follow(self) -> None:
        """Show the state of the view on the widgets. The state also changes without the widgets, by playback and
        keys.
        """
        self._show_state()
        now = perf_counter()
        if self._view.playback.paused or now - self._followed >= REFRESH_SECONDS:
            self._followed = now
            self._show_moment()

    def _show_state(self) -> None:
        playback = self._view.playback
        self._follows = True
        self.play.description = "Play" if playback.paused else "Pause"
        self.play.icon = "play" if playback.paused else "pause"
        self.speed.value = min(SPEEDS, key=lambda speed: abs(speed - playback.speed))
        self._follows = False

    def _show_moment(self) -> None:
        """Move the slider to the present moment, unless the user selected this moment with the slider.

        The method changes the upper limit, the value and the lower limit in this order. The value is therefore always
        between the limits. A browser would correct a value outside the limits, and would report the correction as a
        change by the user.
        """
        timeline, slider = self._view.timeline, self.timeline
        now, first, last = (round(self._per_unit * moment) for moment in (timeline.time, *timeline.span))
        self._follows = True
        slider.max = max(last, first + 1)  # sliders need two different ends
        if not self._view.is_selected:
            slider.value = now
        slider.min = first
        self.readout.value = f"{timeline.time:.{self._digits}f} of {timeline.span[1]:.{self._digits}f}"
        self._follows = False


def _step_button(widgets: Any, icon: str, tooltip: str) -> Any:
    return widgets.Button(icon=icon, tooltip=tooltip, layout={"width": BUTTON_WIDTH["step"]})


def _speed_text(speed: float) -> str:
    """Return a text such as "1/8 x" or "2 x"."""
    return f"{speed:g} x" if speed >= 1 else f"1/{1 / speed:g} x"
