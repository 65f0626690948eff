"""The body system: the gait and the footsteps of an actor follow the movement of its root."""

from typing import ClassVar

from ecs_anim.components.body import Body
from ecs_anim.components.movers import Movers
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk, FunctionOfTime
from ecs_anim.systems.movers import are_all_on_paths


class WalkBodies(FunctionOfTime):
    """Compute the gait and the footsteps of each actor from the movement of its root. Select the clips for the gait."""

    name: ClassVar[str] = "body"
    components: ClassVar[tuple[type, ...]] = (Body, Movers, Transforms, Playback, Parameters)

    def run(
        self,
        chunk: Chunk,
        body: Body,
        movers: Movers,
        transforms: Transforms,
        playback: Playback,
        parameters: Parameters,
    ) -> None:
        """Write `body.state`, and the phases and parameters of the clips for the gait."""
        from ecs_anim.kernels.bodies import walk_bodies  # compiled at first use

        walk_bodies(
            body.table,
            body.plan,
            chunk.read_all(transforms.placement),
            chunk.read_all(movers.columns),
            movers.ways,
            movers.clock.now,
            chunk.dt,
            chunk.write_all(playback.queue),
            chunk.write_all(parameters.columns),
            chunk.write_all(body.columns),
        )

    def can_skip(self, body: Body, movers: Movers, *_: object) -> bool:
        """Return whether all actors move on paths, so that their state depends only on the time."""
        return are_all_on_paths(movers)
