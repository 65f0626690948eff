"""External agents of a scene. An external agent is an actor of a crowd that has the component `ExternalAgents`."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ecs_anim.assets.rig import Rig
from ecs_anim.components.external_agents import ExternalAgents
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths import quaternion
from ecs_anim.maths.arc import UP
from ecs_anim.maths.plan import yaw_from_heading
from ecs_anim.rigs.agent_shapes import agent_rig, unseen_rig
from ecs_anim.scenes.actor_counts import actor_counts
from ecs_anim.scenes.crowds import CrowdModel
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.parts.part import Asked, Making, Part
from ecs_anim.scenes.props import static_model
from ecs_anim.scenes.schema import RigModel
from ecs_anim.scenes.schema_agents import AgentModel
from ecs_anim.scenes.schema_layout import PointsLayout
from ecs_anim.support.errors import Faults, InputError

NO_MODEL = "none"


class AgentPart(Part[AgentModel]):
    """The part of crowds whose actors are external agents."""

    keys = AgentModel
    kernels = ("external_agents",)

    def build(self, said: AgentModel, making: Making) -> Iterator[object]:
        """Build the component, and turn each agent to its own heading."""
        count, headings = making.count, np.radians(said.headings)
        yaw = yaw_from_heading(headings) - making.loaded.facing
        making.get(Transforms).rotation[:] = quaternion.from_axis_angle(UP, yaw)
        yield ExternalAgents(
            footprint=said.footprint.size,
            slides=said.on_contact == "slide",
            avoided=said.avoided,
            height=making.loaded.ground_offset,
            facing=making.loaded.facing,
            drive=np.zeros(count, np.int32),
            command=np.zeros((count, 3), np.float32),
            velocity=np.zeros((count, 3), np.float32),
            heading=headings.astype(np.float32),
        )


def with_agents(scene: SceneFile) -> SceneFile:
    """Return the scene with a crowd and a rig for each table in `agents`, after the crowds of the scene.

    Raises InputError for an invalid model, for a name that a crowd has, and for a scene with levels.
    """
    model = scene.model
    if not model.agents:
        return scene
    if model.levels:
        raise scene.key("agents").fault("external agents need a scene without levels. Leave out agents, or levels.")
    rigs, models, crowds = dict(model.rigs), dict(scene.models), list(model.crowds)
    with Faults() as faults:
        for index, said in enumerate(model.agents):
            with faults.kept():
                key, rig = scene.key(f"agents[{index}]"), f"agent {said.name}"
                if said.name in {crowd.called for crowd in crowds}:
                    raise (key / ".name").fault(f"the name {said.name!r} must be unique. Rename the agents.")
                with (key / ".model").blamed((InputError, ValueError)):
                    models[rig] = _rig(scene, said)
                rigs[rig] = RigModel(model=rig, height=said.height)
                crowds.append(_crowd(said, rig))
    return replace(scene, models=models, model=model.model_copy(update={"rigs": rigs, "crowds": crowds}))


def agent_parts(scene: SceneFile, index: int) -> list[Asked]:
    """Return the part of the crowd `index` with its keys, if the actors of the crowd are external agents."""
    number = index - len(scene.model.crowds) + len(scene.model.agents)
    return [Asked(AgentPart(), scene.model.agents[number])] if number >= 0 else []


def people_and_agents(scene: SceneFile, total: int | None) -> list[int]:
    """Return the number of actors of each crowd. `total` applies to people only (`actor_counts`)."""
    crowds, count = scene.model.crowds, len(scene.model.crowds) - len(scene.model.agents)
    return [*actor_counts(crowds[:count], total), *(crowd.count for crowd in crowds[count:])]


def _crowd(said: AgentModel, rig: str) -> CrowdModel:
    layout = PointsLayout(kind="points", points=said.places)
    return CrowdModel(name=said.name, rig=rig, count=len(said.places), layout=layout)


def _rig(scene: SceneFile, said: AgentModel) -> Rig:
    if said.model is None:
        return agent_rig(*said.footprint.size, said.height, said.color)
    return unseen_rig(said.height) if said.model == NO_MODEL else static_model(scene, said.model)
