"""Drawing of crowds on the GPU, with one instanced draw call for each mesh and material."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.appearance import Appearance
from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.palette import Palette
from ecs_anim.components.presence import Presence
from ecs_anim.components.stage import Stage
from ecs_anim.components.targets import Target, Targets
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.pass_target import PassTarget
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.model.crowd import CrowdDraw, Drawable
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.gl.picture.surface import SurfaceBuffers
from ecs_anim.ground.ground import Ground
from ecs_anim.ground.surface import Surface
from ecs_anim.systems.actor_ids import ActorRow, find_actors, ids_of
from ecs_anim.systems.baked_drawing import BakedCrowds, coarser
from ecs_anim.systems.instance_rows import INSTANCE_WIDTH, instance_rows
from ecs_anim.systems.moments import NO_MOMENT, Moment, past_of
from ecs_anim.systems.overlay_shapes import balls
from ecs_anim.systems.overlays import Overlays
from ecs_anim.systems.posed_levels import PosedLevelling
from ecs_anim.systems.prop_drawing import PropDraws
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.skeletons import bones
from ecs_anim.systems.uploaded_models import UploadedModels
from ecs_anim.view.pinhole import ViewCamera
from ecs_anim.view.quality import FINEST, Quality
from ecs_anim.view.style import View

CLIMB = 0.5  # [m]; the search for the ground starts at this height above an actor's position, and goes down
NO_GROUND = -1e9  # [m]
CASTER = 2  # coarsest level of detail whose shadows still look like a body
CLOSE = 8.0  # [m]; if the camera's target is nearer, the shadows of the coarsest meshes have visible corners


class DrawWorld:
    """Drawer of pictures that show a world after its last step.

    A time step draws no picture. Therefore, a program that needs only the last picture can step without drawing.
    """

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._world: ref[World] | None = None  # the world of the last picture
        self._resets = 0  # number of resets of this world
        self._models = UploadedModels(renderer)  # models of this world
        self._shown: tuple[Surface, ...] = ()
        self._surfaces: list[SurfaceBuffers] = []  # buffers of the surfaces in `_shown`
        self._baked = BakedCrowds(renderer)
        self._props = PropDraws(self._models)
        self.overlays: Overlays | None = None
        self._levels = PosedLevelling(self._models.level, renderer.context.capabilities)

    def draw(
        self,
        world: World,
        target: RenderTarget,
        marks: NDArray[np.float32] | None = None,
        camera: ViewCamera | None = None,
        quality: Quality = FINEST,
        *,
        keeps_shadows: bool = False,
    ) -> None:
        """Draw one picture of the world. The default camera is the camera of the stage.

        If the drawer has drawn another world before, it frees the buffers of the other world. `marks` [mark_count, 12]
        is the instance data of balls. The balls are drawn over all other objects. `target` determines the size of the
        picture and the number of samples. `quality` does not change the size or the number of samples. `keeps_shadows`
        has the meaning as in `Renderer.draw`.
        """
        self._turn_to(world)
        stage = stage_of(world)
        view = View.of(camera or stage.camera, target.aspect)
        shown = self.overlays.shown if self.overlays else set()
        characters = self._characters(world, view, skeletons="skeletons" in shown)
        people = [self._levels.levelled(world, *own, quality.level_error) for own in characters]
        baked = [coarser(own, quality.level_error) for own in self._baked.draws(world)]
        props = self._props.draws(stage.drawn_props, quality.level_error)
        crowds: list[Drawable] = [*people, *baked, *props]
        if targets := shown_targets(world):
            crowds.append(balls(self._models, marker_rows(targets)))
        if self.overlays is not None:
            crowds += self.overlays.draws(world, view.eye, self._models)
        if marks is not None and len(marks):
            crowds.append(replace(balls(self._models, marks), casts_shadow=False, in_front=True))
        surfaces = self._surfaces_of(stage)
        self._renderer.draw(
            target,
            view,
            stage.lighting,
            stage.ground,
            crowds,
            surfaces,
            quality,
            world.time,
            keeps_shadows=keeps_shadows,
        )

    def draw_passes(
        self, world: World, target: PassTarget, view: View | None = None, moment: Moment = NO_MOMENT
    ) -> list[Drawable]:
        """Draw the ids, depths and normals of one picture of the world. Return the crowds that were drawn.

        `view` replaces the camera of the stage. If the target has passes for an earlier state of the world, `moment` is
        this state.
        """
        self._turn_to(world)
        stage = stage_of(world)
        view = view or View.of(stage.camera, target.aspect)
        surfaces = self._surfaces_of(stage)
        people = [draw for _, draw in self._characters(world, view, moment)]
        crowds: list[Drawable] = [*people, *self._baked.draws(world, moment)]
        props = self._props.draws(stage.drawn_props)
        self._renderer.draw_passes(target, view, stage.ground, crowds, surfaces, props)
        return crowds

    def pick(
        self, world: World, x: float, y: float, size: tuple[int, int], camera: ViewCamera | None = None
    ) -> ActorRow | None:
        """Return the actor at the pixel `x`, `y` of a picture with the size `size`, or None if no actor is there.

        The origin of pixel coordinates is the upper left corner.
        """
        view = View.of(camera or stage_of(world).camera, size[0] / size[1])
        with self._renderer.pass_target(1, 1) as target:
            self.draw_passes(world, target, view.of_pixel(x, y, size))
            return find_actors(world, target.read().ids[0])[0]

    def _characters(
        self, world: World, view: View, moment: Moment = NO_MOMENT, *, skeletons: bool = False
    ) -> Iterator[tuple[int, CrowdDraw]]:
        """Yield the entity of each crowd, and the draw call data for the skins or bones of the actors in the scene.

        If `moment` contains an earlier state of the crowd, the data also contains this state. With `skeletons`, all
        crowds have bones.
        """
        stage = stage_of(world)
        for entity, whole in self._all_characters(world, view, skeletons):
            draw = replace(whole, past=past_of(moment, entity, whole))
            presence, hidden = world.find(entity, Presence), stage.hidden(whole.instances[:, 1])
            if presence is None:
                yield entity, draw if hidden is None else draw.only(np.flatnonzero(~hidden))
                continue
            coverage = presence.coverage(world.time)
            if hidden is not None:
                coverage = np.where(hidden, 0, coverage)
            yield entity, draw.only(np.flatnonzero(coverage >= 1))
            fading = np.flatnonzero((coverage > 0) & (coverage < 1))
            if len(fading):
                yield entity, replace(draw.only(fading), coverage=coverage[fading])

    def _all_characters(self, world: World, view: View, skeletons: bool) -> Iterator[tuple[int, CrowdDraw]]:
        """Yield the skins of each crowd, and bones over the skin if the crowd or `skeletons` shows bones."""
        terrain = stage_of(world).terrain
        for entity, row in world.query(Character, Transforms, Palette, Appearance):
            character, transforms, palette, appearance = row
            if world.find(entity, Baked) is not None:
                continue
            ids, bits = ids_of(world, entity), palette.bits
            rows = instance_rows(transforms, appearance)
            contacts = contact_rows(terrain, transforms) if terrain.surfaces else None
            if appearance.shows_skin:
                skin = self._skin(character, rows, palette, appearance, view)
                skin = replace(skin, morph_weights=_morph_weights(world, entity))
                yield entity, replace(skin, contacts=contacts, skinning=palette.method, palette_bits=bits, ids=ids)
            if appearance.shows_joints or skeletons:
                radius = None if appearance.shows_skin else appearance.shadow_radius
                own = bones(self._models, character.rig, rows, palette.matrices, palette.method, radius)
                seen = None if own.in_front else ids
                yield entity, replace(own, contacts=contacts, palette_bits=bits, ids=seen)

    def _skin(
        self, character: Character, rows: NDArray[np.float32], palette: Palette, appearance: Appearance, view: View
    ) -> CrowdDraw:
        """Return the skins of a crowd. Coarse meshes cast the shadows, because fine shadows take much more time."""
        rig = character.rig
        coarse = max(character.level, min(rig.level_count - 1, CASTER) - (view.focus < CLOSE))
        model, caster = (self._models.level(rig, level, palette.method) for level in (character.level, coarse))
        return CrowdDraw(
            model, rows, palette.matrices, appearance.shadow_radius, caster=caster, variants=appearance.variant
        )

    def _turn_to(self, world: World) -> None:
        """If the world is not the previous world, free the buffers of the previous world. After a reset of the world,
        forget the data of earlier pictures.
        """
        if self._world is None or self._world() is not world:
            self.forget()
            self._world = ref(world)
        elif self._resets != world.resets:
            self.forget_pictures()
        self._resets = world.resets

    def forget_pictures(self) -> None:
        """Forget the data of earlier pictures, so that the next picture does not depend on earlier pictures."""
        self._baked.forget_pictures()
        self._levels.forget_pictures()

    def forget(self) -> None:
        """Free all data on the GPU."""
        self._baked.forget()
        self._levels.forget()
        self._props.forget()
        self._models.forget()
        for surface in self._surfaces:
            surface.free()
        self._surfaces, self._shown = [], ()

    def _surfaces_of(self, stage: Stage) -> list[SurfaceBuffers]:
        """Return the GPU buffers of a stage's surfaces. Surfaces of the previous picture are not uploaded again."""
        surfaces = stage.surfaces
        if surfaces != self._shown:
            kept = dict(zip(map(id, self._shown), self._surfaces, strict=True))
            there = {id(surface) for surface in surfaces}
            for key, buffers in kept.items():
                if key not in there:
                    buffers.free()
            self._surfaces = [kept.get(id(own)) or self._renderer.upload_surface(own) for own in surfaces]
            self._shown = surfaces
        return self._surfaces


def _morph_weights(world: World, entity: int) -> NDArray[np.float32] | None:
    morphs = world.find(entity, Morphs)
    return None if morphs is None else morphs.weights


def contact_rows(terrain: Ground, transforms: Transforms) -> NDArray[np.float32]:
    """Return the height [m] and the unit normal of the ground below each actor, [actor_count, 4] f32.

    If there is no ground below an actor, its height is -1e9 m.
    """
    from ecs_anim.kernels.ground import cast_down  # compiled at first use: only uneven ground needs it

    points = transforms.translation + np.array([0.0, CLIMB, 0.0], np.float32)
    rows = np.empty((len(points), 4), np.float32)
    cast_down(terrain.arrays, points, len(points), rows)
    rows[~np.isfinite(rows[:, 0]), 0] = NO_GROUND
    return rows


def shown_targets(world: World) -> list[Target]:
    """Return the visible targets of all crowds that show their targets."""
    crowds = (targets.targets for _, (targets, look) in world.query(Targets, Appearance) if look.shows_targets)
    return [target for targets in crowds for target in targets if target.visible]


def marker_rows(targets: Sequence[Target]) -> NDArray[np.float32]:
    """Return instance data of unit balls, one for each actor of each target, [target_count * actor_count, 12] f32."""
    positions = np.concatenate([target.position for target in targets])
    each = [len(target.position) for target in targets]
    rows = np.zeros((len(positions), INSTANCE_WIDTH), np.float32)
    rows[:, 0:3] = positions
    rows[:, 3] = np.repeat([target.radius for target in targets], each)
    rows[:, 7] = 1  # no rotation
    rows[:, 8:12] = np.repeat([target.color for target in targets], each, axis=0)
    return rows
