"""A rig in a notebook, with sliders for its pose."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import METHODS, Method
from ecs_anim.components.palette import Palette
from ecs_anim.rigs.exposed import PARTS, Part
from ecs_anim.scenes.rig_desk import NO_TURN, RigDesk
from ecs_anim.systems.live_view import LiveView, widget_class
from ecs_anim.systems.skinning import set_skinning

AXES = "xyz"
NONE = "none"


class RigView(LiveView):
    """A rig on a `RigDesk`, the user's camera, and a renderer. While the view plays, the clips of the rig repeat."""

    def __init__(self, rig: Rig, size: tuple[int, int], samples: int | None = None, *, paused: bool = False) -> None:
        self.desk = RigDesk(rig, aspect=size[0] / size[1])
        self.drawn: Callable[[], None] = lambda: None  # called after each picture
        super().__init__(self.desk.world, size, samples, paused=paused)

    def frame(self, elapsed: float) -> NDArray[np.uint8] | None:
        """Advance the clips by `elapsed` seconds, and return a picture. If the view is closed, return None."""
        picture = super().frame(elapsed)
        self.drawn()
        return picture

    def show_part(self, part: Part) -> None:
        """Show the surface, the skeleton, the skin weights or the normals of the bind pose."""
        method = self.method
        self.desk.show_part(part)
        self._world = self.desk.world
        self.set_method(method)

    @property
    def method(self) -> Method:
        """The skinning method of the shown rig."""
        ((_, (palette,)),) = self._world.query(Palette)
        return palette.method

    def set_method(self, method: Method) -> None:
        """Change the skinning method of the shown rig."""
        ((entity, _),) = self._world.query(Palette)
        set_skinning(self._world, entity, method)

    def _advance(self, dt: float) -> None:
        self.desk.settings.advance(dt)
        self.desk.update()

    def _release(self) -> None:
        super()._release()
        self.desk.close()


def rig_widget(view: RigView) -> Any:
    """Return a notebook widget with the picture of a view and its sliders.

    Raises InputError if the 'notebook' extra is missing.
    """
    picture = widget_class()(view)
    import ipywidgets  # part of the 'notebook' extra

    controls = RigControls(view, picture, ipywidgets)
    return ipywidgets.VBox([picture, *controls.rows])


class RigControls:
    """The sliders and menus below the picture of a rig. Each change draws the picture again."""

    def __init__(self, view: RigView, picture: Any, widgets: Any) -> None:
        self._view, self._settings, self._picture = view, view.desk.settings, picture
        self._follows = False  # whether the widgets follow the view, so that their changes do not come from the user
        rig = self._settings.rig
        clips = list(rig.clips)
        self.clip = widgets.Dropdown(options=clips or [NONE], description="clip")
        self.second = widgets.Dropdown(options=[NONE, *clips], description="blend with")
        self.weight = widgets.FloatSlider(max=1.0, step=0.01, description="weight")
        self.phase = widgets.FloatSlider(max=1.0, step=0.001, description="phase", readout_format=".2f")
        self.playing = widgets.ToggleButton(value=not view.playback.paused, description="play")
        self.joint = widgets.Dropdown(options=rig.skeleton.joint_names, description="joint")
        self.turn = [
            widgets.FloatSlider(min=-180.0, max=180.0, step=1.0, description=f"{axis} [degrees]") for axis in AXES
        ]
        self.reset = widgets.Button(description="reset joints")
        self.part = widgets.ToggleButtons(options=PARTS)
        self.method = widgets.ToggleButtons(options=METHODS)
        self.rows = [
            widgets.HBox([self.clip, self.second, self.weight]),
            widgets.HBox([self.playing, self.phase]),
            widgets.HBox([self.joint, *self.turn, self.reset]),
            widgets.HBox([self.part, self.method]),
        ]
        self._connect()

    def _connect(self) -> None:
        pairs = [
            (self.clip, self._set_clips),
            (self.second, self._set_clips),
            (self.weight, self._set_clips),
            (self.phase, self._set_phase),
            (self.playing, self._set_playing),
            (self.joint, self._set_joint),
            *((slider, self._set_turn) for slider in self.turn),
            (self.part, lambda: self._view.show_part(self.part.value)),
            (self.method, lambda: self._view.set_method(self.method.value)),
        ]
        for widget, act in pairs:
            widget.observe(lambda _, act=act: self._changed(act), "value")
        self.reset.on_click(lambda _: self._changed(self._reset))
        self._view.drawn = self._follow

    def _changed(self, act: Callable[[], None]) -> None:
        """Apply a change by the user, and draw the picture again."""
        if not (self._view.freed or self._follows):
            act()
            self._view.desk.update()
            self._picture.request_draw()

    def _set_clips(self) -> None:
        settings = self._settings
        settings.clip, settings.second = (own.value if own.value != NONE else "" for own in (self.clip, self.second))
        settings.weight = self.weight.value

    def _set_phase(self) -> None:
        self._settings.phase = self.phase.value

    def _set_playing(self) -> None:
        self._view.playback.paused = not self.playing.value

    def _set_joint(self) -> None:
        """Show the rotations of the selected joint on the sliders."""
        turn = self._settings.turns.get(self.joint.index, NO_TURN)
        for slider, angle in zip(self.turn, turn, strict=True):
            slider.value = angle

    def _set_turn(self) -> None:
        self._settings.turns[self.joint.index] = tuple(slider.value for slider in self.turn)

    def _reset(self) -> None:
        self._settings.turns.clear()
        self._set_joint()

    def _follow(self) -> None:
        """Show the state of the view, which the playback and keys change, on the widgets."""
        if self._view.freed:
            return
        self._follows = True
        self.phase.value = self._settings.phase
        self.playing.value = not self._view.playback.paused
        self.method.value = self._view.method
        self._follows = False
