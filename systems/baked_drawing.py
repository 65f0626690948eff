"""Drawing of baked and hybrid crowds. The data of a crowd stays on the GPU for the following pictures."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.appearance import Appearance
from ecs_anim.components.baked import Baked, Detail
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.parameters import Parameters
from ecs_anim.ecs.world import World
from ecs_anim.gl.crowds.baked_crowd import BakedCrowd, BakedDraw, GpuCrowd, Precision
from ecs_anim.gl.impostors.atlas import ImpostorAtlas, max_rows
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.levels.levels import Levels
from ecs_anim.systems.actor_ids import ids_of
from ecs_anim.systems.baked_actors import new_baked_actors, pack_crowd
from ecs_anim.systems.baked_levels import BakedLook
from ecs_anim.systems.moments import NO_MOMENT, Moment, past_actors_of
from ecs_anim.systems.queries import near_palettes, stage_of

if TYPE_CHECKING:
    from ecs_anim.gl.crowds.classic_crowd import ClassicCrowd


class BakedCrowds:
    """The GPU data of the baked and hybrid crowds of a world."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._crowds: dict[int, GpuCrowd] = {}  # by entity
        self._rows: dict[int, NDArray[np.void]] = {}  # elements of type `BAKED_ACTOR`, by entity
        self._moves: dict[int, int] = {}  # `Crowd.moves` at the last picture, by entity
        self._figures: dict[BakedLook, _Figure] = {}  # crowds with equal looks use the same figure
        self._models: dict[object, tuple[ModelBuffers, ...]] = {}  # crowds with equal meshes use the same buffers

    def draws(self, world: World, moment: Moment = NO_MOMENT) -> Iterator[BakedDraw]:
        """Yield the data for the draw calls of each crowd.

        If `moment` contains an earlier state of a crowd, the data for this crowd also contains the earlier state.
        """
        for entity, (character, baked, appearance) in world.query(Character, Baked, Appearance):
            if not (appearance.shows_skin and len(appearance.tint)):
                continue
            if entity not in self._crowds:
                self._crowds[entity] = crowd = self._make(world, entity, character, baked)
                self._renderer.keep(crowd)
            yield BakedDraw(
                self._crowds[entity],
                self._packed(world, entity, len(appearance.tint)),
                near=near_palettes(world, entity),
                morph_weights=shown_weights(world, entity),
                precision=_precision(world, entity),
                shadow_radius=appearance.shadow_radius,
                ids=ids_of(world, entity),
                forgets=self._has_moved(world, entity),
                past=past_actors_of(moment, entity, ids_of(world, entity)),
            )

    def forget_pictures(self) -> None:
        """Forget the levels of detail and the palettes of earlier pictures.

        After the call, the next picture does not depend on earlier pictures.
        """
        self._moves.clear()

    def forget(self) -> None:
        """Free all data on the GPU."""
        for crowd in self._crowds.values():
            crowd.free()
        for model in (model for own in self._models.values() for model in own):
            model.free()
        for figure in self._figures.values():
            if figure.impostors is not None:
                figure.impostors.free()
        self._crowds, self._rows, self._moves, self._figures, self._models = {}, {}, {}, {}, {}

    def _has_moved(self, world: World, entity: int) -> bool:
        """Return whether actors have moved to other rows since the last picture. For the first picture, return True."""
        crowd = world.find(entity, Crowd)
        before, now = self._moves.get(entity), crowd.moves if crowd else 0
        self._moves[entity] = now
        return now != before

    def _packed(self, world: World, entity: int, count: int) -> NDArray[np.void]:
        """Return the GPU data of a crowd. All pictures use one array, because a new array would take more time."""
        if entity not in self._rows or len(self._rows[entity]) != count:
            self._rows[entity] = new_baked_actors(count)
        rows = self._rows[entity]
        pack_crowd(world, entity, rows)
        hidden = stage_of(world).hidden(rows["translation"][:, 1])
        if hidden is not None:
            rows["translation"][hidden, 1] = OUT_OF_SIGHT
        return rows

    def _make(self, world: World, entity: int, character: Character, baked: Baked) -> "BakedCrowd | ClassicCrowd":
        figure = self._figure(BakedLook.of(character, baked, world.find(entity, Detail)))
        capabilities = self._renderer.context.capabilities
        if baked.is_classic:
            from ecs_anim.gl.crowds.classic_crowd import ClassicCrowd  # few scenes need this import

            return ClassicCrowd(baked.bake, figure.models[0], capabilities, interpolate=baked.interpolate)
        defines = () if baked.interpolate else ("NEAREST_ROW",)
        return BakedCrowd(baked.bake, figure.levels, figure.models, capabilities, defines, impostors=figure.impostors)

    def _figure(self, look: BakedLook) -> "_Figure":
        if look not in self._figures:
            capabilities = self._renderer.context.capabilities
            levels, plan = look.levels(max_rows(capabilities))
            # With several levels of detail, the joints that move vertices depend on the clips of the bake. With one
            # level, these joints depend only on the rig.
            key = look if look.level is None else (look.rig, look.level, look.influences)
            if key not in self._models:
                self._models[key] = tuple(self._renderer.upload(meshes) for meshes in levels.meshes)
            models = self._models[key]
            pictures = None if plan is None else ImpostorAtlas(plan, models[plan.level], capabilities)
            self._figures[look] = _Figure(levels, models, pictures)
        return self._figures[look]


def coarser(draw: BakedDraw, pixel_error: float | None) -> BakedDraw:
    """Return the draw call data of a crowd with the larger of two limits for the geometric error [pixel].

    The two limits are `pixel_error` and the limit of the scene.
    """
    if pixel_error is None or pixel_error <= draw.precision.pixel_error:
        return draw
    return replace(draw, precision=replace(draw.precision, pixel_error=pixel_error))


OUT_OF_SIGHT = -1e6  # [m], height of actors on hidden storeys


@dataclass(frozen=True)
class _Figure:
    """The levels of detail of a character, in main memory and on the GPU."""

    levels: Levels
    models: tuple[ModelBuffers, ...]
    impostors: ImpostorAtlas | None = None


def _precision(world: World, entity: int) -> Precision:
    detail = world.find(entity, Detail)
    if detail is None:
        return Precision()
    return Precision(detail.pixel_error, detail.update_rates, 1 / stage_of(world).frame_rate)


def shown_weights(world: World, entity: int) -> NDArray[np.float32] | None:
    """Return the drawn weights of a hybrid crowd's morph targets, [actor_count, target_count] f32.

    Return None if the crowd is not hybrid, or if its rig has no morph targets. Far actors have only the weights that
    user code and parameters set. The weights from clips fade in while an actor comes near.
    """
    near, morphs = world.find(entity, Nearness), world.find(entity, Morphs)
    if near is None or morphs is None:
        return None
    shown = morphs.weights.copy()
    if morphs.tables is not None:
        shown[:, morphs.tables.columns] = morphs.targets.defaults[morphs.tables.columns]
    for driver in morphs.drivers:
        shown[:, driver.columns] = world.get(entity, Parameters).value[:, driver.parameter, None]
    shown[near.rows] += near.share[near.rows, None] * (morphs.weights[near.rows] - shown[near.rows])
    return shown
