"""Widgets that show worlds and rigs in a notebook."""

from typing import Any

from ecs_anim.assets.rig import Rig
from ecs_anim.ecs.world import World
from ecs_anim.scenes.live_box import close_replaced, live_box
from ecs_anim.scenes.notebook_cell import executed_count
from ecs_anim.scenes.playback_row import PlaybackRow
from ecs_anim.scenes.rig_view import rig_widget
from ecs_anim.support.checked import checked
from ecs_anim.systems.live_timeline import LiveHistory
from ecs_anim.systems.live_view import SIZE, LiveView, widget_class
from ecs_anim.systems.queries import stage_of


@checked
def show(
    subject: World | Rig, size: tuple[int, int] = SIZE, *, samples: int | None = None, paused: bool = False
) -> Any:
    """Return a notebook widget that runs a world, or that shows a rig with sliders.

    Call the function on the last line of a notebook cell. Below the picture are buttons, a timeline and a menu of
    playback speeds. The widget has the same keys and mouse drags as the window:

    - drag: Orbit the camera.
    - drag on the timeline: Pause and show a stored moment.
    - right-drag, shift-drag: Pan the camera.
    - wheel: Zoom.
    - Space: Pause or continue.
    - . or Right: Pause and take one step of 1/60 s.
    - , or Left: Pause and go back by one frame.
    - + or =: Double the playback speed, up to 8.
    - -: Halve the playback speed, down to 1/8.
    - R: Return to the first view.
    - B: Show or hide the skeletons.
    - T: Show or hide the paths of the last 4 seconds.
    - G: Show or hide the goals.
    - D: Show or hide the density of people on the ground.
    - K: Switch between linear skinning and dual quaternions.

    Click the picture before you use the wheel or a key. The widget of a world moves the camera of the world, and its
    timeline shows the stored frames of the world again. Each run of a notebook cell begins a new timeline, because the
    cell can change the world. The widget of a rig has menus and sliders for two clips, their blend weight, the phase in
    the clips, and the rotation of each joint. The widget of a rig also shows the skeleton, the skin weights and the
    normals.

    The method `close` of the widget ends the view and frees its memory. A new run of the cell, or another call with the
    same world, closes the previous widget. The world does not change when the widget closes.

    `samples` is the number of samples per pixel. The default is 4. If the CPU draws, the default of `samples` is 1. The
    function requires the 'notebook' extra. Raises the same errors as `render`. Also raises InputError if the 'notebook'
    extra is missing.
    """
    if isinstance(subject, Rig):
        return rig_widget(subject, size, samples, paused=paused)
    subject.require_open()
    return _world_widget(subject, size, samples, paused=paused)


def _world_widget(world: World, size: tuple[int, int], samples: int | None, *, paused: bool) -> Any:
    widget = widget_class()
    close_replaced(world)
    view = LiveView(world, size, samples, paused=paused, timeline=LiveHistory(world, executed_count))
    picture = widget(view, f"Running world: {stage_of(world).title}")
    playback = PlaybackRow(view, picture, "time [s]", digits=2)
    view.drawn = playback.follow
    return live_box(picture, [playback.row], world)
