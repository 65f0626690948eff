"""Foot grounding: feet stand on the ground, whatever the clips do."""

from functools import cache
from typing import Any, ClassVar

from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.grounding import Grounding
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk, Memory
from ecs_anim.systems.queries import weights_of


class GroundFeet:
    """Look for the ground below the feet, plan where they go, move pelvis and legs."""

    name: ClassVar[str] = "grounding"
    components: ClassVar[tuple[type, ...]] = (Grounding, FootContacts, Parameters, Transforms)
    remembers: ClassVar[Memory] = "spans"

    def run(
        self, chunk: Chunk, grounding: Grounding, contacts: FootContacts, parameters: Parameters, transforms: Transforms
    ) -> None:
        """Write `workspace.model`, and what the feet remember."""
        place_probes, cast_down, plan_feet, move_legs, plan_width = _kernels()
        workspace = chunk.workspace
        settings, legs, model = grounding.settings, grounding.legs, workspace.model
        weight, pin = weights_of(grounding, chunk, parameters), chunk.read(contacts.pin)
        placement, state = chunk.read_all(transforms.placement), chunk.write_all(grounding.feet)
        leg_count = len(legs.joints)
        points = workspace.scratch("foot_probes", chunk.actor_count * leg_count * 2, 3)
        hits = workspace.scratch("foot_hits", len(points), 4)
        plan = workspace.scratch("foot_plans", chunk.actor_count, leg_count, plan_width)
        pelvis, *_ = state
        place_probes(settings, legs, model, placement, weight, state, points)
        cast_down(grounding.ground.arrays, points, len(points), hits)
        plan_feet(settings, legs, model, hits, pin, placement, weight, chunk.dt, state, plan)
        move_legs(settings, legs, plan, pin, placement, weight, chunk.dt, pelvis, model)


@cache  # four imports in each step would cost as much as a kernel's call
def _kernels() -> tuple[Any, ...]:
    """What feet look, plan and move with, compiled where a crowd needs it, and the width of a plan."""
    from ecs_anim.kernels.ground import cast_down
    from ecs_anim.kernels.grounding_legs import move_legs
    from ecs_anim.kernels.grounding_plans import PLAN_WIDTH, plan_feet
    from ecs_anim.kernels.grounding_probes import place_probes

    return place_probes, cast_down, plan_feet, move_legs, PLAN_WIDTH
