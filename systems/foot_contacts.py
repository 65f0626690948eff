"""Foot contacts: pin weights of feet from clips, parameters and footsteps."""

from typing import ClassVar

from ecs_anim.body.state import WEIGHT
from ecs_anim.components.body import Body
from ecs_anim.components.character import Character
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk, Memory
from ecs_anim.systems.stages import Stage


class MixFootContacts:
    """Set the pin weight of each heel and each ball from the actor's clips.

    If the heel or ball is in the air in the current pose, the system reduces the pin weight.

    Parameters can set the pin weights instead of the clips. The pose does not change pin weights from parameters.
    """

    name: ClassVar[str] = "foot_contacts"
    components: ClassVar[tuple[type, ...]] = (Character, FootContacts, Playback, Parameters, Transforms)
    unless: ClassVar[tuple[type, ...]] = (Body,)  # `PinSteps` sets the pin weights of bodies
    remembers: ClassVar[Memory] = "results"

    def stages(
        self,
        chunk: Chunk,
        character: Character,
        contacts: FootContacts,
        playback: Playback,
        parameters: Parameters,
        transforms: Transforms,
        body: Body | None = None,
    ) -> tuple[Stage, ...]:
        """Write `contacts.pin`."""
        from ecs_anim.kernels.foot_contacts import mix_contacts, pin_contacts  # compiled at first use

        stepping = chunk.scratch("stepping", chunk.actor_count)
        stepping[:] = 0 if body is None else chunk.read_all(body.columns)[0][:, WEIGHT]
        pin, values, legs = chunk.write(contacts.pin), chunk.read(parameters.columns.value), contacts.legs
        if contacts.parameters:
            pin[:] = values[:, contacts.parameters][:, :, None].clip(0, 1)
        else:
            rows, motions, queue = contacts.rows, character.motions.arrays, chunk.read_all(playback.queue)
            mix_contacts(rows, motions, values, queue, stepping, pin.reshape(chunk.actor_count, -1))
        asked = chunk.scratch("asked_feet", chunk.actor_count, len(legs.joints), 3)
        scale, lifts = chunk.read_all(transforms.placement)[2], not contacts.parameters
        return (Stage(pin_contacts, (legs, contacts.floor, scale, lifts, stepping, asked, pin)),)


class PinSteps(MixFootContacts):
    """Set the pin weights of actors with a body: a mean of the pin weights from footsteps and from clips.

    The mean is weighted. The weight of the footsteps is the share of the gait in the actor's motion. The weight of the
    clips is 1 minus the weight of the footsteps.
    """

    name: ClassVar[str] = "step_contacts"
    components: ClassVar[tuple[type, ...]] = (*MixFootContacts.components, Body)
    unless: ClassVar[tuple[type, ...]] = ()
    remembers: ClassVar[Memory] = "results"
