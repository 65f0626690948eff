"""Trajectories of recorded people. Each actor follows one path in a file, and exists only during this path."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from ecs_anim.body.gait_plan import first_stance
from ecs_anim.body.movers import PATH, VELOCITY
from ecs_anim.components.body import Body
from ecs_anim.components.movers import Movers
from ecs_anim.components.presence import FOR_GOOD, Presence
from ecs_anim.components.transforms import Transforms
from ecs_anim.scenes.parts.body import BodyKeys
from ecs_anim.scenes.parts.part import Drawn, Joining, Making, Part
from ecs_anim.scenes.parts.standing import StandingKeys, on_ground
from ecs_anim.scenes.schema_trajectories import TrajectoryModel
from ecs_anim.systems.path_plans import plan_paths

if TYPE_CHECKING:
    from ecs_anim.scenes.recordings import Recorded


class TrajectoryKeys(BodyKeys, StandingKeys):
    """The key `trajectories` of a crowd."""

    trajectories: TrajectoryModel | None = Field(
        None,
        description="trajectory file whose recorded people the actors follow. If the crowd has `count`, only the first "
        "`count` people have an actor",
    )

    @model_validator(mode="after")
    def _has_a_body_alone(self) -> "TrajectoryKeys":
        if self.trajectories is None:
            return self
        if self.body is None:
            raise ValueError("trajectories: actors that follow trajectories need bodies. Add body = {}.")
        for key in ("locomotion", "layout"):
            if key in self.model_fields_set:
                raise ValueError(f"{key}: the trajectories already set the positions of the actors. Leave out {key}.")
        return self


class TrajectoryPart(Part[TrajectoryKeys]):
    """Actors that follow the paths of people in a file."""

    keys = TrajectoryKeys
    cpu_shown = ("trajectories",)
    kernels = ("ways",)

    def build(self, crowd: TrajectoryKeys, making: Making) -> Iterator[object]:
        """Put each actor on its path, and yield the component `Presence`.

        After its arrival, the position of an actor depends only on the time and on its path in the file.
        """
        assert crowd.trajectories is not None  # is_wanted has checked the key
        assert making.recorded is not None
        recorded, movers, body = making.recorded.first(making.count), making.get(Movers), making.get(Body)
        transforms, phases = making.get(Transforms), first_phases(recorded, body, making.rng)
        movers.paths = plan_paths(body.table, body.plan, movers.leg_count, recorded.lines, transforms.scale, phases)
        movers.path[:], movers.kind[:] = np.arange(making.count), PATH
        transforms.translation[:] = on_ground(np.array([line.xy[0] for line in recorded.lines]), making)
        if recorded.has_heights:
            first = np.array([line.heights[0] for line in recorded.lines if line.heights is not None])
            transforms.translation[:, 1] = first + making.loaded.ground_offset
        begin, end = (np.array([line.times[at] for line in recorded.lines], np.float32) for at in (0, -1))
        yield Presence(begin, end, crowd.trajectories.fade_seconds)

    def draw(self, crowd: TrajectoryKeys, joining: Joining) -> Iterator[Drawn]:
        """Yield the values of columns for new actors. New actors have no path in the file.

        New actors stand until a program moves them.
        """
        presence, movers = joining.making.get(Presence), joining.making.get(Movers)
        yield presence, "begin", np.full(1, -FOR_GOOD)
        yield presence, "end", np.full(1, FOR_GOOD)
        yield movers, "kind", np.full(1, VELOCITY, np.int32)
        yield movers, "path", np.full(1, -1, np.int32)


def first_phases(recorded: "Recorded", body: Body, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the first gait phase of each person, 0 to 1.

    If the file contains the head sway of a person, the sway determines the phase. Otherwise, the phase is random.
    """
    drawn = rng.random(recorded.count)
    return np.where(np.isnan(recorded.phases), drawn, recorded.phases + first_stance(body.table, body.plan)) % 1.0
