"""Drawing crowds that the GPU poses: what they are drawn with, kept from picture to picture."""

from collections.abc import Iterator
from dataclasses import replace

from ecs_anim.components.appearance import Appearance
from ecs_anim.components.baked import Baked, Detail
from ecs_anim.components.character import Character
from ecs_anim.components.nearness import Nearness
from ecs_anim.components.palette import Palette
from ecs_anim.gl.baked_crowd import BakedCrowd, BakedDraw, GpuCrowd, Precision
from ecs_anim.gl.classic_crowd import ClassicCrowd
from ecs_anim.gl.model import ModelBuffers
from ecs_anim.gl.renderer import Renderer
from ecs_anim.influences import limit_influences
from ecs_anim.levels.levels import Levels, build_levels, one_level
from ecs_anim.systems.actor_ids import first_ids
from ecs_anim.systems.baked_actors import new_baked_actors, pack_crowd
from ecs_anim.systems.queries import stage_of
from ecs_anim.world import World


class BakedCrowds:
    """The baked and hybrid crowds of a world, on the GPU."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._crowds: dict[int, GpuCrowd] = {}  # by entity
        self._models: list[ModelBuffers] = []
        self._drawn: tuple[int, float] | None = None  # frame and time of the picture before

    def draws(self, world: World) -> Iterator[BakedDraw]:
        """What each crowd brings to a picture."""
        ids = first_ids(world)
        for entity, (character, baked, appearance) in world.query(Character, Baked, Appearance):
            if not appearance.shows_skin:
                continue
            if entity not in self._crowds:
                self._crowds[entity] = self._make(world, entity, character, baked)
            actors = new_baked_actors(len(appearance.tint))
            pack_crowd(world, entity, actors)
            yield BakedDraw(
                self._crowds[entity],
                actors,
                near=_near_palettes(world, entity),
                precision=_precision(world, entity),
                shadow_radius=appearance.shadow_radius,
                first_id=ids.get(entity, 0),
            )

    def forget(self) -> None:
        """Free everything."""
        for buffers in (*self._crowds.values(), *self._models):
            buffers.free()
        self._crowds, self._models = {}, []

    def _make(self, world: World, entity: int, character: Character, baked: Baked) -> GpuCrowd:
        levels = _levels(character, baked, chosen=world.find(entity, Detail) is not None)
        models = [self._renderer.upload(meshes) for meshes in levels.meshes]
        self._models += models
        if baked.shader == "classic":
            capabilities = self._renderer.context.capabilities
            return ClassicCrowd(baked.bake, models[0], capabilities, interpolate=baked.interpolate)
        defines = () if baked.interpolate else ("NEAREST_ROW",)
        return BakedCrowd(baked.bake, levels, models, self._renderer.context.capabilities, defines)


def _levels(character: Character, baked: Baked, *, chosen: bool) -> Levels:
    """All levels of detail, or the crowd's one; with as many influences as it wants."""
    levels = (
        build_levels(character.rig, baked.bake) if chosen else one_level(character.rig, baked.bake, character.level)
    )
    limited = tuple(tuple(limit_influences(mesh, baked.influences) for mesh in meshes) for meshes in levels.meshes)
    return replace(levels, meshes=limited) if baked.influences < 4 else levels


def _precision(world: World, entity: int) -> Precision:
    detail = world.find(entity, Detail)
    if detail is None:
        return Precision()
    return Precision(detail.pixel_error, detail.update_rates, 1 / stage_of(world).frame_rate)


def _near_palettes(world: World, entity: int):
    """Of a hybrid crowd the near actors'."""
    near = world.find(entity, Nearness)
    return world.get(entity, Palette).matrices if near is not None and len(near.rows) else None
