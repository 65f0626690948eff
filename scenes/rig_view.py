"""A rig in a notebook, with sliders for its pose."""

from collections.abc import Callable
from typing import Any

from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import METHODS, Method
from ecs_anim.components.palette import Palette
from ecs_anim.gl.window.controls import SINGLE_STEP
from ecs_anim.rigs.exposed import PARTS, Part
from ecs_anim.scenes.live_box import close_replaced, live_box
from ecs_anim.scenes.playback_row import PlaybackRow
from ecs_anim.scenes.rig_desk import NO_TURN, RigDesk
from ecs_anim.systems.live_view import LiveView, widget_class
from ecs_anim.systems.skinning import set_skinning

AXES = "xyz"
NONE = "none"


class PhaseTimeline:
    """The timeline of a `RigDesk`. Moments are phases of the clips, from 0 to 1. The clips repeat."""

    span = 0.0, 1.0

    def __init__(self, desk: RigDesk) -> None:
        self._desk = desk

    @property
    def time(self) -> float:
        """Return the present phase."""
        return self._desk.settings.phase

    def refresh(self) -> None:
        """Do nothing, because a rig has no stored moments that can become invalid."""

    def play(self, dt: float) -> None:
        """Advance the clips by `dt` seconds."""
        self._desk.settings.advance(dt)
        self._desk.update()

    step = play

    def step_back(self) -> bool:
        """Go back by one single step."""
        self.play(-SINGLE_STEP)
        return True

    def seek(self, time: float) -> None:
        """Show the phase `time`."""
        self._desk.settings.phase = time
        self._desk.update()


class RigView(LiveView):
    """A rig on a `RigDesk`, the user's camera, and a renderer. While the view plays, the clips of the rig repeat."""

    def __init__(self, rig: Rig, size: tuple[int, int], samples: int | None = None, *, paused: bool = False) -> None:
        self.desk = RigDesk(rig, aspect=size[0] / size[1])
        super().__init__(self.desk.world, size, samples, paused=paused, timeline=PhaseTimeline(self.desk))

    def show_part(self, part: Part) -> None:
        """Show the surface, the skeleton, the skin weights or the normals of the bind pose."""
        method = self.method
        self.desk.show_part(part)
        self._world = self.desk.world
        self.set_method(method)

    @property
    def method(self) -> Method:
        """Return the skinning method of the shown rig."""
        ((_, (palette,)),) = self._world.query(Palette)
        return palette.method

    def set_method(self, method: Method) -> None:
        """Change the skinning method of the shown rig."""
        ((entity, _),) = self._world.query(Palette)
        set_skinning(self._world, entity, method)

    def _release(self) -> None:
        super()._release()
        self.desk.close()


def rig_widget(rig: Rig, size: tuple[int, int], samples: int | None, *, paused: bool) -> Any:
    """Return a notebook widget with the picture of a rig and its sliders.

    Raises InputError if the 'notebook' extra is missing.
    """
    widget = widget_class()
    close_replaced()
    view = RigView(rig, size, samples, paused=paused)
    picture = widget(view, f"Rig: {rig.name}")
    return live_box(picture, RigControls(view, picture).rows)


class RigControls:
    """The sliders and menus below the picture of a rig. Each change draws the picture again."""

    def __init__(self, view: RigView, picture: Any) -> None:
        import ipywidgets as widgets  # part of the 'notebook' extra

        self._view, self._settings, self._picture = view, view.desk.settings, picture
        self._follows = False  # whether the widgets follow the view, so that their changes do not come from the user
        rig = self._settings.rig
        clips = list(rig.clips)
        self.playback = PlaybackRow(view, picture, "phase", digits=3)
        self.clip = widgets.Dropdown(options=clips or [NONE], description="clip")
        self.second = widgets.Dropdown(options=[NONE, *clips], description="blend with")
        self.weight = widgets.FloatSlider(max=1.0, step=0.01, description="weight")
        self.joint = widgets.Dropdown(options=rig.skeleton.joint_names, description="joint")
        self.turn = [
            widgets.FloatSlider(min=-180.0, max=180.0, step=1.0, description=f"{axis} [degrees]") for axis in AXES
        ]
        self.reset = widgets.Button(description="reset joints")
        self.part = widgets.ToggleButtons(options=PARTS)
        self.method = widgets.ToggleButtons(options=METHODS)
        groups = [[self.clip, self.second, self.weight], [self.joint, *self.turn, self.reset], [self.part, self.method]]
        self.rows = [self.playback.row, *(widgets.HBox(group, layout={"flex_flow": "row wrap"}) for group in groups)]
        self._connect()

    def _connect(self) -> None:
        pairs = [
            (self.clip, self._set_clips),
            (self.second, self._set_clips),
            (self.weight, self._set_clips),
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
        if not (self._view.freed or self._follows):
            act()
            self._view.desk.update()
            self._picture.request_draw()

    def _set_clips(self) -> None:
        settings = self._settings
        settings.clip, settings.second = (own.value if own.value != NONE else "" for own in (self.clip, self.second))
        settings.weight = self.weight.value

    def _set_joint(self) -> None:
        turn = self._settings.turns.get(self.joint.index, NO_TURN)
        for slider, angle in zip(self.turn, turn, strict=True):
            slider.value = angle

    def _set_turn(self) -> None:
        self._settings.turns[self.joint.index] = tuple(slider.value for slider in self.turn)

    def _reset(self) -> None:
        self._settings.turns.clear()
        self._set_joint()

    def _follow(self) -> None:
        """Show the state of the view on the widgets. The state also changes without the widgets, by playback and
        keys.
        """
        self.playback.follow()
        self._follows = True
        self.method.value = self._view.method
        self._follows = False
