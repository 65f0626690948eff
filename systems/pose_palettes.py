"""Palettes straight from local poses, where nobody needs the model matrices in between."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ecs_anim.assets.skinning import keeps_matrices
from ecs_anim.components.character import Character
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.grounding import Grounding
from ecs_anim.components.look_at import LookAt
from ecs_anim.components.palette import Palette
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.transforms import Transforms
from ecs_anim.kernels.pose_palettes import pose_palettes
from ecs_anim.systems.chunk import Chunk, ChunkSystem, Memory
from ecs_anim.systems.foot_contacts import MixFootContacts
from ecs_anim.systems.grounding import GroundFeet
from ecs_anim.systems.look_at import LookAtTargets
from ecs_anim.systems.model_matrices import BuildModelMatrices
from ecs_anim.systems.poise import StandAtEase
from ecs_anim.systems.queries import weights_of
from ecs_anim.systems.skin_palettes import BuildSkinPalettes
from ecs_anim.systems.step_feet import PinSteps, StepFeet
from ecs_anim.systems.street_palettes import LookingStreetPalettes, StreetPalettes
from ecs_anim.systems.walking_palettes import WalkingPalettes

Bound = tuple[ChunkSystem, tuple[Any, ...]]  # a system and the components that it gets


class BuildPosePalettes:
    """What `BuildModelMatrices` and `BuildSkinPalettes` do, joints that carry no skin left out."""

    name: ClassVar[str] = "skin_palettes"
    components: ClassVar[tuple[type, ...]] = (Character, Palette)
    remembers: ClassVar[Memory] = "nothing"

    def run(self, chunk: Chunk, character: Character, palette: Palette) -> None:
        """Write `palette.matrices`; `workspace.model` stays as it was."""
        layout = character.motions.tables.layout
        traversal, skeleton = layout.skin_traversal, layout.skeleton
        pose_palettes(
            traversal.arrays,
            traversal.joints,
            traversal.inverse_bind,
            skeleton.joint_count,
            chunk.workspace.pose,
            chunk.palette_row_numbers(),
            palette.is_streamed,
            palette.matrices.reshape(-1, skeleton.palette_count, 12),
        )


class GroundPosePalettes:
    """What `GroundFeet` and the systems about it do, eight actors at a time; clips have been asked for contacts."""

    name: ClassVar[str] = "skin_palettes"
    components: ClassVar[tuple[type, ...]] = (Character, FootContacts, Parameters, Transforms, Grounding, Palette)
    remembers: ClassVar[Memory] = "spans"

    def run(
        self,
        chunk: Chunk,
        character: Character,
        contacts: FootContacts,
        parameters: Parameters,
        transforms: Transforms,
        grounding: Grounding,
        palette: Palette,
    ) -> None:
        """Write `palette.matrices`, `contacts.pin` and what the feet remember; `workspace.model` stays as it was."""
        from ecs_anim.kernels.grounded_palettes import grounded_palettes  # compiled where a crowd needs it

        skeleton, matrices = character.rig.skeleton, palette.matrices
        grounded_palettes(
            (
                character.motions.tables.layout.traversal,
                skeleton.skin_joints,
                skeleton.inverse_bind.reshape(-1, 12),
            ),
            (grounding.settings, grounding.legs, grounding.ground.arrays),
            chunk.workspace.pose,
            chunk.read_all(transforms.placement),
            weights_of(grounding, chunk, parameters),
            chunk.dt,
            chunk.write_all(grounding.feet),
            chunk.write(contacts.pin),
            (chunk.palette_row_numbers(), palette.is_streamed, matrices.reshape(-1, skeleton.palette_count, 12)),
        )


FUSED, ASKED, GROUNDED = BuildPosePalettes(), MixFootContacts(lifts=False), GroundPosePalettes()
STEPPED = BuildModelMatrices, StandAtEase, StepFeet, PinSteps, GroundFeet
ASKED_WALKERS = PinSteps(asks_alone=True)
# Systems at the end of a crowd's, and those that do the same.
TOGETHER: tuple[tuple[tuple[type, ...], tuple[ChunkSystem, ...]], ...] = (
    ((BuildModelMatrices, BuildSkinPalettes), (FUSED,)),
    ((BuildModelMatrices, MixFootContacts, GroundFeet, BuildSkinPalettes), (ASKED, GROUNDED)),
    ((BuildModelMatrices, StandAtEase, StepFeet, BuildSkinPalettes), (WalkingPalettes(),)),
    ((*STEPPED, BuildSkinPalettes), (ASKED_WALKERS, StreetPalettes())),
    ((*STEPPED, LookAtTargets, BuildSkinPalettes), (ASKED_WALKERS, LookingStreetPalettes())),
)


def fuse(systems: Sequence[Bound]) -> list[Bound]:
    """A crowd's systems, the last ones as one where they go from model matrices to palettes of matrices.

    Between them is what `TOGETHER` lists. Any other system between them reads model matrices, one behind them might.
    """
    for kinds, others in TOGETHER:
        if _end_with(systems, kinds):
            has: dict[type, Any] = {}
            for system, components in systems[-len(kinds) :]:
                has.update(zip(system.components, components, strict=True))
            if can_fuse(has):
                together = [(other, tuple(has[needed] for needed in other.components)) for other in others]
                return [*systems[: -len(kinds)], *together]
    return list(systems)


def can_fuse(has: Mapping[type, Any]) -> bool:
    """Whether crowds are served that have these components as they are now.

    Parameters that pin feet pin those in the air too.
    """
    palette, contacts, looks = has.get(Palette), has.get(FootContacts), has.get(LookAt)
    if palette is None or not keeps_matrices(palette.method) or (contacts is not None and contacts.parameters):
        return False
    return looks is None or len(looks.looks) == 1


def _end_with(systems: Sequence[Bound], kinds: tuple[type, ...]) -> bool:
    """Whether the last systems are of these kinds, in their order."""
    last = [system for system, _ in systems[-len(kinds) :]]
    return len(last) == len(kinds) and all(isinstance(*pair) for pair in zip(last, kinds, strict=True))
