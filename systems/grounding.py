"""The grounding system: it corrects the legs, so that feet stand on the ground in any clip."""

from typing import ClassVar

from ecs_anim.components.character import Character
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.grounding import Grounding
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk, Memory
from ecs_anim.systems.queries import weights_of
from ecs_anim.systems.stages import Stage, moves_fixed


class GroundFeet:
    """Find the ground below the feet, plan the positions of the feet, and move the pelvis and the legs."""

    name: ClassVar[str] = "grounding"
    components: ClassVar[tuple[type, ...]] = (Character, Grounding, FootContacts, Parameters, Transforms)
    remembers: ClassVar[Memory] = "spans"

    def stages(
        self,
        chunk: Chunk,
        character: Character,
        grounding: Grounding,
        contacts: FootContacts,
        parameters: Parameters,
        transforms: Transforms,
    ) -> tuple[Stage, ...]:
        """Write the model matrices and the state of the feet."""
        from ecs_anim.kernels.grounding import (  # compiled at first use
            begin_grounding,
            ground_feet,
            new_notes,
        )

        settings, legs, ground = grounding.settings, grounding.legs, grounding.ground.arrays
        placement, state = chunk.read_all(transforms.placement), chunk.write_all(grounding.feet)
        strength = chunk.scratch("grounded", chunk.actor_count)
        begin_grounding(settings, placement, weights_of(grounding, chunk, parameters), state, strength)
        notes, fixed = (
            chunk.workspace.kept(new_notes, len(legs.joints)),
            moves_fixed(character.motions.tables.layout, legs.pelvis, legs.owned),
        )
        arguments = settings, legs, ground, placement, strength, chunk.dt, state, chunk.write(contacts.pin), notes
        return (Stage(ground_feet, arguments, strength > 0, fixed),)
