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
    """Set each contact's pin weight to what the actor's clips say where they are, if its pose agrees."""

    name: ClassVar[str] = "foot_contacts"
    components: ClassVar[tuple[type, ...]] = (Character, FootContacts, Playback, Parameters, Transforms)
    unless: ClassVar[tuple[type, ...]] = (Body,)  # `PinSteps` does it, together with steps
    remembers: ClassVar[Memory] = "results"

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
        mix_clips(chunk, character, contacts, playback, parameters, transforms, nobody_steps(chunk))


def nobody_steps(chunk: Chunk) -> NDArray[np.float32]:
    """For `mix_clips`, of a crowd whose feet all do what clips say [chunk]."""
    nobody = chunk.workspace.scratch("stepping", chunk.actor_count)
    nobody[:] = 0
    return nobody


def mix_clips(
    chunk: Chunk,
    character: Character,
    contacts: FootContacts,
    playback: Playback,
    parameters: Parameters,
    transforms: Transforms,
    stepping: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Write `contacts.pin` and return it; `stepping` [chunk], 1 of those whose clips are not asked."""
    from ecs_anim.kernels.foot_contacts import lift_contacts  # compiled where a crowd needs it

    pin = ask_clips(chunk, character, contacts, playback, parameters, stepping)
    if not contacts.parameters:
        lift_contacts(contacts.legs, chunk.workspace.model, contacts.floor, chunk.read(transforms.placement.scale), pin)
    return pin


def ask_clips(
    chunk: Chunk,
    character: Character,
    contacts: FootContacts,
    playback: Playback,
    parameters: Parameters,
    stepping: NDArray[np.float32],
) -> NDArray[np.float32]:
    """The same, where the animation's feet are not looked at."""
    from ecs_anim.kernels.foot_contacts import mix_contacts

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
    return pin
