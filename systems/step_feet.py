"""Steps: feet are where the body's steps are, and the clips' contacts with them."""

from typing import ClassVar

from ecs_anim.body.state import WEIGHT
from ecs_anim.components.body import Body
from ecs_anim.components.character import Character
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk, Memory
from ecs_anim.systems.foot_contacts import MixFootContacts, mix_clips


class StepFeet:
    """Move pelvis and legs so that standing feet stand still, and others swing from stand to stand."""

    name: ClassVar[str] = "step_feet"
    components: ClassVar[tuple[type, ...]] = (Body, Transforms)
    remembers: ClassVar[Memory] = "nothing"

    def run(self, chunk: Chunk, body: Body, transforms: Transforms) -> None:
        """Write `workspace.model`, on flat ground."""
        from ecs_anim.kernels.step_feet import step_feet  # compiled where a crowd needs it

        workspace = chunk.workspace
        asked = workspace.scratch("asked_feet", chunk.actor_count, len(body.legs.joints), 3)
        state, placement = chunk.read_all(body.columns), chunk.read_all(transforms.placement)
        step_feet(body.plan, body.legs, state, placement, asked, workspace.model)


class PinSteps:
    """Feet stand as the body's steps say, as far as the gait is what the actor plays, else as the clips say.

    asks_alone: clips are asked, and who reads the weights looks at poses and steps.
    """

    name: ClassVar[str] = "step_contacts"
    components: ClassVar[tuple[type, ...]] = (Body, *MixFootContacts.components)
    remembers: ClassVar[Memory] = "results"

    def __init__(self, *, asks_alone: bool = False) -> None:
        self._asks_alone = asks_alone

    def run(
        self,
        chunk: Chunk,
        body: Body,
        character: Character,
        contacts: FootContacts,
        playback: Playback,
        parameters: Parameters,
        transforms: Transforms,
    ) -> None:
        """Write `contacts.pin`."""
        from ecs_anim.kernels.step_feet import pin_steps

        stepping = chunk.workspace.scratch("stepping", chunk.actor_count)
        stepping[:] = chunk.read(body.columns.walk)[:, WEIGHT]
        pin = mix_clips(
            chunk, character, contacts, playback, parameters, transforms, stepping, lifts=not self._asks_alone
        )
        if self._asks_alone:
            return
        asked = chunk.workspace.scratch("asked_feet", chunk.actor_count, len(body.legs.joints), 3)
        pin_steps(asked, stepping, pin)
