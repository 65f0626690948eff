"""Foot contacts: which feet the clips have on the ground."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.body import Body
from ecs_anim.components.character import Character
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk, Memory


class MixFootContacts:
    """Set each contact's pin weight to what the actor's clips say where they are, if its pose agrees.

    lifts: whether poses are looked at; else who reads the weights does that.
    """

    name: ClassVar[str] = "foot_contacts"
    components: ClassVar[tuple[type, ...]] = (Character, FootContacts, Playback, Parameters, Transforms)
    unless: ClassVar[tuple[type, ...]] = (Body,)  # `PinSteps` does it, together with steps
    remembers: ClassVar[Memory] = "results"

    def __init__(self, *, lifts: bool = True) -> None:
        self._lifts = lifts

    def run(
        self,
        chunk: Chunk,
        character: Character,
        contacts: FootContacts,
        playback: Playback,
        parameters: Parameters,
        transforms: Transforms,
    ) -> None:
        """Write `contacts.pin`."""
        nobody = chunk.workspace.scratch("stepping", chunk.actor_count)
        nobody[:] = 0
        mix_clips(chunk, character, contacts, playback, parameters, transforms, nobody, lifts=self._lifts)


def mix_clips(
    chunk: Chunk,
    character: Character,
    contacts: FootContacts,
    playback: Playback,
    parameters: Parameters,
    transforms: Transforms,
    stepping: NDArray[np.float32],
    *,
    lifts: bool = True,
) -> NDArray[np.float32]:
    """Write `contacts.pin` and return it; `stepping` [chunk], 1 of those whose clips are not asked.

    lifts: whether contacts that poses have in the air are let go.
    """
    from ecs_anim.kernels.foot_contacts import lift_contacts, mix_contacts  # compiled where a crowd needs them

    pin, values = chunk.write(contacts.pin), chunk.read(parameters.columns.value)
    if contacts.parameters:
        pin[:] = values[:, contacts.parameters][:, :, None].clip(0, 1)
        return pin
    mix_contacts(
        contacts.rows,
        character.motions.arrays,
        values,
        chunk.read_all(playback.queue),
        stepping,
        pin.reshape(chunk.actor_count, -1),
    )
    if lifts:
        lift_contacts(contacts.legs, chunk.workspace.model, contacts.floor, chunk.read(transforms.placement.scale), pin)
    return pin
