"""Functions that many modules use to read data from worlds and components."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.baked import Baked
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.grounding import Grounding
from ecs_anim.components.handrails import HandRails
from ecs_anim.components.look_at import LookAt
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.palette import Palette
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.presence import Presence
from ecs_anim.components.reach import Reach
from ecs_anim.components.stage import Stage
from ecs_anim.ecs.world import World
from ecs_anim.support.checked import checked
from ecs_anim.systems.chunk import Chunk


def actor_count(world: World) -> int:
    """Return the total number of actors in all crowds."""
    return sum(crowd.actor_count for _, (crowd,) in world.query(Crowd))


@checked
def stage_of(world: World) -> Stage:
    """Return the stage of a world. Raises ValueError unless the world has exactly one stage."""
    stages = [stage for _, (stage,) in world.query(Stage)]
    if len(stages) != 1:
        raise ValueError(
            f"a world must have exactly one Stage component to be drawn (got {len(stages)}). Load the world"
            " from a scene."
        )
    return stages[0]


@dataclass(frozen=True)
class Posing:
    """The number of actors whose poses the CPU computes, and the number of all other actors, in one crowd."""

    crowd: str  # name of the crowd
    path: Literal["pose", "baked", "auto"]
    by_cpu: int  # number of actors whose poses the CPU computes, including actors that come near or move away
    by_gpu: int  # number of all other actors


@checked
def who_poses(world: World) -> list[Posing]:
    """Return for each crowd how many poses the CPU and the GPU compute. Crowds are in the order of the scene file."""
    return [_posing(world, entity, crowd) for entity, (crowd,) in world.query(Crowd)]


def posing_text(crowds: Sequence[Posing]) -> str:
    """Return a text such as "posed by the GPU: people 9,900 of 10,000".

    If the CPU computes the poses of all crowds, the text is empty.
    """
    told = [f"{own.crowd} {own.by_gpu:,} of {own.by_gpu + own.by_cpu:,}" for own in crowds if own.path != "pose"]
    return f"posed by the GPU: {', '.join(told)}" if told else ""


def _posing(world: World, entity: int, crowd: Crowd) -> Posing:
    near = world.find(entity, Nearness)
    if near is not None:
        return Posing(crowd.name, "auto", len(near.rows), crowd.actor_count - len(near.rows))
    if world.find(entity, Baked):
        return Posing(crowd.name, "baked", 0, crowd.actor_count)
    return Posing(crowd.name, "pose", crowd.actor_count, 0)


def palettes_of(world: World, entity: int) -> NDArray[np.float32]:
    """Return the palettes of a crowd after the last step. In a hybrid crowd, only near actors have palettes."""
    matrices = world.get(entity, Palette).matrices
    near = world.find(entity, Nearness)
    return matrices if near is None else matrices[: len(near.rows)]


def near_palettes(world: World, entity: int) -> NDArray[np.float32] | None:
    """Return the palettes of the near actors in a hybrid crowd.

    If no actor is near, or if the crowd is not hybrid, return None.
    """
    near = world.find(entity, Nearness)
    return palettes_of(world, entity) if near is not None and len(near.rows) else None


def who_is_there(world: World, entity: int) -> NDArray[np.bool_]:
    """Return which actors are present, [actor_count]. An actor is present between its arrival and its departure."""
    presence = world.find(entity, Presence)
    if presence is None:
        return np.ones(world.get(entity, Crowd).actor_count, np.bool_)
    return presence.coverage(world.time) > 0


class Weighted(Protocol):
    """An object with a weight for each actor. A parameter can set the weights."""

    weight: NDArray[np.float32]  # [actor_count] f32, 0 to 1
    weight_parameter: int  # -1 = no parameter sets the weights


def weights_of(owner: Weighted, chunk: Chunk, parameters: Parameters) -> NDArray[np.float32]:
    """Return the weights [chunk] of the actors in a chunk.

    If a parameter sets the weights, first copy the values of the parameter. The copied values are limited to 0 to 1.
    """
    if owner.weight_parameter < 0:
        return chunk.read(owner.weight)
    from ecs_anim.kernels.parameters import take_share  # compiled at first use

    weight = chunk.write(owner.weight)
    take_share(chunk.read(parameters.columns.value), owner.weight_parameter, weight)
    return weight


def corrections_of(components: Sequence[object]) -> dict[str, list[Weighted]]:
    """Return the corrections in the components by name: grounding, look-at, and the chains that reach for targets.

    The result does not contain the arms whose weights the system `handrails` sets.
    """
    found: dict[str, list[Weighted]] = {}
    arms = {number for own in components if isinstance(own, HandRails) for number in own.goals}
    for component in components:
        match component:
            case Grounding():
                found["grounding"] = [component]
            case LookAt(looks):
                found["look_at"] = [*looks]
            case Reach(goals):
                found |= {goal.name: [goal] for number, goal in enumerate(goals) if number not in arms}
    return found
