"""Palettes straight from local poses of crowds that walk, stand on the ground, and may look at something."""

from typing import Any, ClassVar

import numpy as np

from ecs_anim.components.body import Body
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.grounding import Grounding
from ecs_anim.components.look_at import LookAt
from ecs_anim.components.movers import Movers
from ecs_anim.components.palette import Palette
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.transforms import Transforms
from ecs_anim.ik.look_at import LookSettings, no_chain
from ecs_anim.systems.chunk import Chunk, Memory
from ecs_anim.systems.queries import weights_of

NOBODY = np.zeros((0, 4), np.float32)
NO_LOOK = no_chain(), LookSettings(0.0, 0.0, 0.0, 1.0, 0.0), NOBODY[:, :3].copy(), NOBODY[:, 0].copy(), (NOBODY, NOBODY)


class StreetPalettes:
    """What poise, steps, grounding, looks and the systems about them do, eight actors at a time.

    Clips have been asked for contacts of those who do not step.
    """

    name: ClassVar[str] = "skin_palettes"
    components: ClassVar[tuple[type, ...]] = (
        Character,
        Crowd,
        Body,
        Movers,
        FootContacts,
        Parameters,
        Transforms,
        Grounding,
        Palette,
    )
    remembers: ClassVar[Memory] = "spans"

    def run(
        self,
        chunk: Chunk,
        character: Character,
        crowd: Crowd,
        body: Body,
        movers: Movers,
        contacts: FootContacts,
        parameters: Parameters,
        transforms: Transforms,
        grounding: Grounding,
        palette: Palette,
        look_at: LookAt | None = None,
    ) -> None:
        """Write `palette.matrices`, `contacts.pin` and what feet and gazes remember; `workspace.model` stays."""
        from ecs_anim.kernels.street_palettes import street_palettes  # compiled where a crowd needs it

        skeleton, matrices = character.rig.skeleton, palette.matrices
        ids, now = chunk.read(crowd.ids), movers.clock.now
        street_palettes(
            (
                character.motions.tables.layout.traversal,
                skeleton.skin_joints,
                skeleton.inverse_bind.reshape(-1, 12),
            ),
            (grounding.settings, grounding.legs, grounding.ground.arrays),
            (body.plan, body.legs, body.spine, ids, now, chunk.read_all(body.columns)),
            _looking(chunk, look_at, parameters),
            chunk.workspace.pose,
            chunk.read_all(transforms.placement),
            chunk.dt,
            (weights_of(grounding, chunk, parameters), chunk.write_all(grounding.feet), chunk.write(contacts.pin)),
            (chunk.palette_row_numbers(), palette.is_streamed, matrices.reshape(-1, skeleton.palette_count, 12)),
        )


class LookingStreetPalettes(StreetPalettes):
    """The same for crowds that look at something."""

    components: ClassVar[tuple[type, ...]] = (*StreetPalettes.components, LookAt)


def _looking(chunk: Chunk, look_at: LookAt | None, parameters: Parameters) -> tuple[Any, ...]:
    """What the kernel takes of the one look of a crowd, or of none."""
    if look_at is None:
        return NO_LOOK
    (look,) = look_at.looks
    weight = weights_of(look, chunk, parameters)
    return look.chain, look.settings, chunk.read(look.target.position), weight, chunk.write_all(look.gaze)
