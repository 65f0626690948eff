"""The targets system: it moves the points at which actors look and for which they reach."""

from typing import ClassVar, assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.parameters import Parameters
from ecs_anim.components.targets import Eye, FromParameters, Orbit, Other, Path, Still, Target, Targets
from ecs_anim.components.transforms import Transforms
from ecs_anim.runtime.records import Frame
from ecs_anim.systems.chunk import Chunk, Columns


class MoveTargets:
    """Move the targets that depend on the time, on parameters, or on the position of their own actor.

    The watching system moves targets at the camera and on other actors.
    """

    name: ClassVar[str] = "targets"
    components: ClassVar[tuple[type, ...]] = (Targets, Transforms, Parameters)

    def run(self, chunk: Chunk, targets: Targets, transforms: Transforms, parameters: Parameters) -> None:
        """Write `phase` and `position` of the targets."""
        for target in targets.targets:
            if not _is_moved(target):
                continue
            _advance(target, chunk, 1)
            _move(target, chunk, parameters)
            if target.in_actor_space:
                to_world(chunk.read_all(transforms.placement), targets.frame, chunk.write(target.position))

    def can_skip(self, targets: Targets, transforms: Transforms, parameters: Parameters) -> bool:
        """Return True.

        The position of a target depends only on its phase, the actors and the parameters in the same step.
        """
        return True

    def skip(self, chunk: Chunk, steps: int, targets: Targets, transforms: Transforms, parameters: Parameters) -> None:
        """Write `phase` of the targets."""
        for target in targets.targets:
            _advance(target, chunk, steps)


def _is_moved(target: Target) -> bool:
    """Return whether the targets system moves a target.

    The watching system moves targets at the camera and on other actors. User code moves targets that are fixed in the
    world.
    """
    match target.motion:
        case Eye() | Other():
            return False
        case Still():
            return target.in_actor_space
        case Orbit() | Path() | FromParameters():
            return True
        case _:
            assert_never(target.motion)


def _advance(target: Target, chunk: Chunk, steps: int) -> None:
    """Write `phase` of the target."""
    from ecs_anim.kernels.playback import advance_phases

    if isinstance(target.motion, Orbit | Path):
        advance_phases(target.motion.rate, chunk.dt, steps, True, target.phase[chunk.rows])


def _move(target: Target, chunk: Chunk, parameters: Parameters) -> None:
    """Write `position` of the target in the coordinate frame of `target.motion`."""
    from ecs_anim.kernels.targets import follow_circle, follow_parameters, follow_path, stay

    rows = chunk.rows
    phase, position = target.phase[rows], target.position[rows]
    match target.motion:
        case Still(at):
            stay(at, position)
        case FromParameters(columns):
            follow_parameters(parameters.value[rows], columns, position)
        case Orbit(center, first, second):
            follow_circle(center, first, second, phase, position)
        case Path(points):
            follow_path(points, phase, position)
        case Eye() | Other():
            pass  # the watching system moves the target
        case _:
            assert_never(target.motion)


def to_world(placement: Columns, frame: Frame, positions: NDArray[np.float32]) -> None:
    """Convert positions [actor, 3] from the frame of each actor to world space.

    `placement` contains the columns of `Placement`.
    """
    from ecs_anim.kernels.targets import into_world

    into_world(placement, frame, positions)
