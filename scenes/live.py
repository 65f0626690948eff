"""Worlds and rigs in a notebook."""

from typing import Any

from ecs_anim.assets.rig import Rig
from ecs_anim.ecs.world import World
from ecs_anim.scenes.rig_view import RigView, rig_widget
from ecs_anim.support.checked import checked
from ecs_anim.systems.live_view import SIZE, LiveView, widget_class


@checked
def show(
    subject: World | Rig, size: tuple[int, int] = SIZE, *, samples: int | None = None, paused: bool = False
) -> Any:
    """Return a notebook widget that runs a world, or that shows a rig with sliders.

    Call the function on the last line of a notebook cell. The widget has these keys and drags, as the window has:

    - drag: Orbit the camera.
    - right-drag, shift-drag: Pan the camera.
    - wheel: Zoom.
    - Space: Pause or continue.
    - . or Right: Pause and take one step of 1/60 s.
    - + or =: Double the playback speed, up to 8.
    - -: Halve the playback speed, down to 1/8.
    - R: Return to the first view.
    - B: Show or hide the skeletons.
    - T: Show or hide the paths of the last 4 seconds.
    - G: Show or hide the goals.
    - D: Show or hide the density of people on the ground.
    - K: Switch between linear skinning and dual quaternions.

    The widget of a world moves the camera of the world. The widget of a rig has menus and sliders for two clips, their
    blend weight, the phase in the clips, and the rotation of each joint. It also shows the skeleton, the skin weights
    and the normals. Click the picture before you use the wheel or a key.

    `samples` is the number of samples per pixel. The default is 4. If the CPU draws, the default is 1. The world does
    not change when the widget is closed. The function requires the 'notebook' extra. Raises the same errors as
    `render`. Raises InputError if the 'notebook' extra is missing.
    """
    if isinstance(subject, Rig):
        return rig_widget(RigView(subject, size, samples, paused=paused))
    subject.require_open()
    return widget_class()(LiveView(subject, size, samples, paused=paused))
