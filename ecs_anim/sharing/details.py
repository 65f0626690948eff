"""Description of the levels of detail and the impostors of crowds for the page. The page and the renderer choose equal
levels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import Method
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.baked import Baked, Detail
from ecs_anim.components.character import Character
from ecs_anim.ecs.world import World
from ecs_anim.gl.crowds.baked_crowd import FAR_SIZE
from ecs_anim.gl.impostors.atlas import clip_texels
from ecs_anim.gl.model.model import MeshVariant
from ecs_anim.levels.impostors import CELL, Impostors, most_rows
from ecs_anim.levels.levels import Levels
from ecs_anim.levels.posed import PosedLevels
from ecs_anim.levels.posed_impostors import CELL as POSED_CELL
from ecs_anim.levels.posed_impostors import MEMORY as POSED_MEMORY
from ecs_anim.levels.posed_impostors import PosedImpostors, plan_posed_impostors
from ecs_anim.rigs.props import Props
from ecs_anim.sharing.models import Models, Table
from ecs_anim.sharing.pool import Pool
from ecs_anim.systems.baked_levels import BakedLook
from ecs_anim.systems.drawing import CASTER
from ecs_anim.systems.posed_impostors import pictured_clips

# [pixel], largest error of coarser meshes in crowds for which the scene sets no limit. The renderer draws such crowds
# with the finest meshes, but this would be slow in browsers.
PIXEL_ERROR = 0.3
TEXTURE_SIZE = 4096  # [texel], texture size that all browsers with WebGL 2 support in practice


class Details:
    """Collector of the levels of detail of crowds and props. Crowds with equal levels share their data."""

    def __init__(self, models: Models, pool: Pool) -> None:
        self._models, self._pool = models, pool
        self._posed: dict[Rig, PosedLevels] = {}
        self._sheets: dict[Rig, PosedImpostors | None] = {}
        self._baked: dict[BakedLook, tuple[Levels, Impostors | None]] = {}

    def of_crowd(self, world: World, entity: int, method: Method) -> tuple[int | None, Table | None]:
        """Return the number of the model with all levels of a crowd's skin, and the description of the levels.

        Return None for both if the crowd shows no skin.
        """
        character, look = world.get(entity, Character), world.get(entity, Appearance)
        if not (look.shows_skin and character.rig.meshes):
            return None, None
        baked, detail = world.find(entity, Baked), world.find(entity, Detail)
        if baked is not None:
            return self._of_baked(character, baked, detail)
        rig = character.rig
        finest = min(character.level, rig.level_count - 1)
        own = {"pixel_error": _limit(detail), **self._of_rig(rig, finest), "pictures": None}
        if detail is not None and detail.impostors and method == "linear":
            own["pictures"] = self._sheet(world, rig, finest)
        return self._models.of_rig(rig, method, finest=finest), own

    def of_props(self, props: Props) -> Table:
        """Return the description of the levels of static objects."""
        return {"pixel_error": PIXEL_ERROR, **self._of_rig(props.model, 0), "pictures": None}

    def _of_rig(self, rig: Rig, finest: int) -> Table:
        if rig not in self._posed:
            self._posed[rig] = PosedLevels.of(rig)
        levels, last = self._posed[rig], rig.level_count - 1
        casters = [max(min(last, CASTER) - near, finest) - finest for near in (0, 1)]
        return {
            "errors": levels.errors[finest:].tolist(),
            "far": [False] * (last + 1 - finest),
            "casters": casters,  # level of the shadows, and level if the camera's target is near
            "entries": self._pool.array(levels.entries.astype(np.int32)),
            "balls": self._pool.array(levels.balls),  # of each of these palette entries
        }

    def _of_baked(self, character: Character, baked: Baked, detail: Detail | None) -> tuple[int, Table]:
        look = BakedLook.of(character, baked, detail)._replace(level=None)
        if look not in self._baked:
            self._baked[look] = look.levels(min(most_rows(CELL), TEXTURE_SIZE // CELL[1]))
        levels, plan = self._baked[look]
        finest, limit = (character.level if detail is None else 0), _limit(detail)
        sizes = baked.bake.size / np.maximum(levels.errors[finest : levels.last_mesh + 1], 1e-9)
        meshes = levels.meshes[finest : levels.last_mesh + 1]
        own = {
            "pixel_error": limit,
            "errors": levels.errors[finest:].tolist(),
            # true for the levels at which shadows are looked up per vertex
            "far": (limit * sizes <= FAR_SIZE).tolist(),
            "casters": None,  # None = the page chooses the level of the shadows from the texel size of the shadow map
            "entries": None,
            "balls": self._pool.array(levels.bounds),  # of each clip, and of all poses
            "pictures": None if plan is None else self._pictures(plan, meshes[plan.level - finest], finest),
        }
        return self._models.of_levels((look, finest), meshes, "linear"), own

    def _pictures(self, plan: Impostors, meshes: Sequence[Mesh], finest: int) -> Table:
        """Describe impostor pictures. The page draws the pictures from the meshes in the poses of the plan."""
        variants = [MeshVariant.of(mesh) for mesh in meshes]
        boxes = np.concatenate([clip.boxes.reshape(-1, 4) for clip in plan.clips])
        # The poses of a sheet are equal for all appearances, so the file contains them only once.
        keys = [clip.palettes.tobytes() for clip in plan.clips]
        palettes = {key: clip.palettes for key, clip in zip(keys, plan.clips, strict=True)}
        starts = dict(zip(palettes, np.cumsum([0, *map(len, palettes.values())]).tolist(), strict=False))
        return {
            "level": max(plan.level - finest, 0),
            "error": plan.error,
            "cell": plan.cell,
            "clips": self._pool.array(clip_texels(plan).reshape(-1)),
            "boxes": self._pool.array(boxes),
            "palettes": self._pool.array(np.concatenate(list(palettes.values())).astype(np.float32)),
            "entries": next(iter(palettes.values())).shape[1],
            "first_poses": [starts[key] for key in keys],
            "variants": [clip.variant for clip in plan.clips],
            "some_unlit": any(variant.unlit or variant.emissive for variant in variants),
            "body": None,
        }

    def _sheet(self, world: World, rig: Rig, finest: int) -> Table | None:
        """Describe the impostor pictures of a rig whose poses the file contains."""
        if rig not in self._sheets:
            most = min(most_rows(POSED_CELL, POSED_MEMORY), TEXTURE_SIZE // POSED_CELL[1])
            self._sheets[rig] = plan_posed_impostors(rig, pictured_clips(world, rig), most)
        plan = self._sheets[rig]
        if plan is None:
            return None
        body: dict[str, Any] = {
            "entries": self._pool.array(plan.body.entries.astype(np.int32)),
            "places": self._pool.array(plan.body.places),
            "points": self._pool.array(plan.points),
            "middles": self._pool.array(plan.middles),
        }
        return self._pictures(plan.impostors, rig.level(plan.impostors.level), finest) | {"body": body}


def _limit(detail: Detail | None) -> float:
    return PIXEL_ERROR if detail is None else max(detail.pixel_error, PIXEL_ERROR)
