"""Picking: the user selects an actor in a picture.

The picture shows a text and a mark for a selected actor. The camera can follow the selected actor.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.controller import Controller
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.systems.actor_ids import ActorRow
from ecs_anim.systems.actor_points import middle_of, point_of, rest_box
from ecs_anim.systems.overlay_shapes import ball_rows
from ecs_anim.view.camera import OrbitCamera

MARK_COLOR = (1.0, 0.55, 0.02)  # linear RGB
# The radius of the mark, and its height above the middle of the actor, as fractions of the actor's height.
MARK_SIZE, MARK_HEIGHT = 0.055, 0.62


class Picking:
    """The actor that the user has selected in a world.

    If no actor is selected, the text and the mark are empty. The camera can follow the selected actor.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._entity, self._id = -1, -1  # entity of the crowd, and id of the selected actor
        self._followed: NDArray[np.float64] | None = None  # [3] [m], last position; None = the camera does not follow

    @property
    def actor(self) -> ActorRow | None:
        """The current row of the selected actor.

        The result is None if no actor is selected, or if the actor has left.
        """
        if self._id < 0:
            return None
        row = int(self._world.get(self._entity, Crowd).index.find(np.array([self._id]))[0])
        return ActorRow(self._entity, row) if row >= 0 else None

    @property
    def follows(self) -> bool:
        """True if the camera follows the selected actor."""
        return self._followed is not None

    def pick(self, actor: ActorRow | None) -> None:
        """Select an actor. If `actor` is None or is already selected, end the selection."""
        before = self.actor
        self.release()
        if actor is not None and actor != before:
            self._entity, self._id = actor.entity, int(self._world.get(actor.entity, Crowd).ids[actor.row])

    def release(self) -> bool:
        """End the selection. Return whether an actor was selected."""
        held = self.actor is not None
        self._id, self._followed = -1, None
        return held

    def toggle_follow(self, camera: OrbitCamera) -> None:
        """Turn the camera to the selected actor, and follow this actor.

        If the camera already follows the actor, stop following the actor.
        """
        if self.follows:
            self._followed = None
        elif (actor := self.actor) is not None:
            self._followed = middle_of(self._world, actor)
            camera.target = self._followed.astype(np.float32)

    def move_camera(self, camera: OrbitCamera) -> None:
        """Move the camera together with the followed actor. The user can still pan the camera."""
        actor = self.actor
        if actor is not None and self._followed is not None:
            now = middle_of(self._world, actor)
            camera.target = (camera.target + (now - self._followed)).astype(np.float32)
            self._followed = now

    def text(self) -> str:
        """Return a text such as "people, id 18: walk at 3.2, 1.5 m". If no actor is selected, the text is empty."""
        actor = self.actor
        if actor is None:
            return ""
        entity, row = actor.entity, actor.row
        x, y = plan_from_space(self._world.get(entity, Transforms).translation[row])
        following = "   followed" if self.follows else ""
        name = f"{self._world.get(entity, Crowd).name}, id {self._id}"
        return f"{name}: {self._doing(entity, row)}   at {x:.1f}, {y:.1f} m{following}"

    def mark(self) -> NDArray[np.float32]:
        """Return the instance data of a ball above the head of the selected actor, [1 or 0, 12] f32."""
        actor = self.actor
        if actor is None:
            return np.zeros((0, 12), np.float32)
        low, high = rest_box(self._world.get(actor.entity, Character).rig)
        height = high[1] - low[1]
        above = point_of(self._world, actor, (low + high) / 2 + [0.0, MARK_HEIGHT * height, 0.0])
        size = MARK_SIZE * height * self._world.get(actor.entity, Transforms).scale[actor.row]
        return ball_rows(above[None], size, np.array([MARK_COLOR]))

    def _doing(self, entity: int, row: int) -> str:
        """Return the last requested motion of an actor, and the actor's state if the actor has a state machine."""
        playback = self._world.get(entity, Playback)
        names = tuple(self._world.get(entity, Character).motions.index)
        motion: str = names[playback.motion[row, playback.slot_count[row] - 1]]
        for component in self._world.components(entity):
            if isinstance(component, Controller):
                return f"{motion} ({component.machine.state_names[component.state[row]]})"
        return motion
