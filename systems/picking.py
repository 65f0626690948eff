"""Picking: the user selects an actor in a picture.

The picture shows a text and a mark, and the camera can follow the actor.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.components.character import Character
from ecs_anim.components.controller import Controller
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.maths.quaternion import rotate
from ecs_anim.systems.actor_ids import ActorRow
from ecs_anim.view.camera import OrbitCamera

MARK_COLOR = (1.0, 0.55, 0.02)  # linear RGB
# Radius of the mark, and height of the mark above the actor's middle, as fractions of the actor's height.
MARK_SIZE, MARK_HEIGHT = 0.055, 0.62


class Picking:
    """The picked actor of a world, if any. The camera can follow the actor."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._entity, self._id = -1, -1  # id of the picked actor, because its row can change
        self._box = np.zeros((2, 3))  # bounding box of the rest pose: lowest and highest corner, in rig units
        self._followed: NDArray[np.float64] | None = None  # [3] [m], last position; None = the camera does not follow

    @property
    def actor(self) -> ActorRow | None:
        """The current row of the picked actor. None if no actor is picked, or if the actor has left."""
        if self._id < 0:
            return None
        row = int(self._world.get(self._entity, Crowd).index.find(np.array([self._id]))[0])
        return ActorRow(self._entity, row) if row >= 0 else None

    @property
    def follows(self) -> bool:
        """True if the camera follows the actor."""
        return self._followed is not None

    def pick(self, actor: ActorRow | None) -> None:
        """Pick an actor. If `actor` is None or already picked, end the selection."""
        before = self.actor
        self.release()
        if actor is not None and actor != before:
            self._entity, self._id = actor.entity, int(self._world.get(actor.entity, Crowd).ids[actor.row])
            self._box = np.array(rest_bounds(self._world.get(actor.entity, Character).rig), np.float64)

    def release(self) -> bool:
        """End the selection. Return whether an actor was picked."""
        held = self.actor is not None
        self._id, self._followed = -1, None
        return held

    def toggle_follow(self, camera: OrbitCamera) -> None:
        """Turn the camera to the picked actor and follow the actor, or stop following."""
        if self.follows:
            self._followed = None
        elif (actor := self.actor) is not None:
            self._followed = self._position(actor, self._box.mean(axis=0))
            camera.target = self._followed.astype(np.float32)

    def move_camera(self, camera: OrbitCamera) -> None:
        """Move the camera by the movement of the followed actor. The user can still pan the camera."""
        actor = self.actor
        if actor is not None and self._followed is not None:
            now = self._position(actor, self._box.mean(axis=0))
            camera.target = (camera.target + (now - self._followed)).astype(np.float32)
            self._followed = now

    def text(self) -> str:
        """Return text such as "people, id 18: walk   at 3.2, 1.5 m", or empty text if no actor is picked."""
        actor = self.actor
        if actor is None:
            return ""
        entity, row = actor.entity, actor.row
        x, y = plan_from_space(self._world.get(entity, Transforms).translation[row])
        following = "   followed" if self.follows else ""
        name = f"{self._world.get(entity, Crowd).name}, id {self._id}"
        return f"{name}: {self._doing(entity, row)}   at {x:.1f}, {y:.1f} m{following}"

    def mark(self) -> NDArray[np.float32]:
        """Return the instance data of a ball above the actor's head, [1 or 0, 12] f32."""
        actor = self.actor
        if actor is None:
            return np.zeros((0, 12), np.float32)
        low, high = self._box
        height = high[1] - low[1]
        above = self._position(actor, (low + high) / 2 + [0.0, MARK_HEIGHT * height, 0.0])
        size = MARK_SIZE * height * self._world.get(actor.entity, Transforms).scale[actor.row]
        return np.array([[*above, size, 0, 0, 0, 1, *MARK_COLOR, 1]], np.float32)

    def _doing(self, entity: int, row: int) -> str:
        """Return the motion that was requested last, and the state of the controller if the actor has one."""
        playback = self._world.get(entity, Playback)
        names = tuple(self._world.get(entity, Character).motions.index)
        motion: str = names[playback.motion[row, playback.slot_count[row] - 1]]
        for component in self._world.components(entity):
            if isinstance(component, Controller):
                return f"{motion} ({component.machine.state_names[component.state[row]]})"
        return motion

    def _position(self, actor: ActorRow, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert a point of the rig in its rest pose to world space, [3] [m], by the transform of the actor."""
        transforms = self._world.get(actor.entity, Transforms)
        turned = rotate(transforms.rotation[actor.row].astype(np.float64), point)
        found: NDArray[np.float64] = transforms.translation[actor.row] + transforms.scale[actor.row] * turned
        return found
